import { Badge, Row } from '../../ui/layout.tsx';
import type { Article } from './queries.ts';
import { useBlogTexts } from './texts.ts';

/** Whether visitors see the article, and whether there are unpublished changes. */
export function State({ article: { status, hasDraft } }: { article: Pick<Article, 'status' | 'hasDraft'> }) {
  const words = useBlogTexts();
  return (
    <Row>
      <Badge tone={status === 'published' ? 'good' : 'neutral'}>{words.status[status]}</Badge>
      {status === 'published' && hasDraft && <Badge tone="warn">{words.hasDraft}</Badge>}
    </Row>
  );
}

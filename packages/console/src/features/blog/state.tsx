import { Badge, Row } from '../../ui/layout.tsx';
import type { Article } from './queries.ts';
import { useBlogTexts } from './texts.ts';

/** Whether visitors see the article, and whether there are unpublished changes. */
export function State({
  article: { status, hasChanges },
}: {
  article: Pick<Article, 'status' | 'hasChanges'>;
}) {
  const words = useBlogTexts();
  return (
    <Row>
      <Badge tone={status === 'published' ? 'good' : 'neutral'}>{words.status[status]}</Badge>
      {status === 'published' && hasChanges && <Badge tone="warn">{words.hasChanges}</Badge>}
    </Row>
  );
}

import { Badge, Row } from '../../ui/layout.tsx';
import type { Page } from './queries.ts';
import { usePageTexts } from './texts.ts';

/** The state of a page as a badge. */
export function State({ page: { live, hasChanges, isHomepage } }: { page: Page }) {
  const words = usePageTexts();
  return (
    <Row>
      {isHomepage && <Badge tone="accent">{words.homepage}</Badge>}
      {live ? <Badge tone="good">{words.live}</Badge> : <Badge>{words.notLive}</Badge>}
      {live && hasChanges && <Badge tone="warn">{words.hasChanges}</Badge>}
    </Row>
  );
}

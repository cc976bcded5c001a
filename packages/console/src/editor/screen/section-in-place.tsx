import { useQuery } from '@tanstack/react-query';
import { Button } from '../../ui/button.tsx';
import { Badge } from '../../ui/layout.tsx';
import { sectionUsageQuery } from '../workbench/queries.ts';
import { type SurroundingDocument, useWorkbench } from '../workbench/workbench.ts';
import { useSectionTexts } from './section-texts.ts';

/** The bar of a global section that is edited in place: its number of uses, and the way back to the page. */
export default function SectionInPlace({ surrounding }: { surrounding: SurroundingDocument }) {
  const { words, subject, storeId } = useWorkbench();
  const sectionWords = useSectionTexts();
  const { data: usage } = useQuery(sectionUsageQuery(storeId, subject.id));
  const pages = usage?.filter(({ type }) => type === 'page').length ?? 0;
  return (
    <>
      {usage && (
        <span title={sectionWords.usedHint}>
          <Badge tone="warn">{sectionWords.used({ pages, others: usage.length - pages })}</Badge>
        </span>
      )}
      <Button size="small" onPress={() => surrounding.leave([surrounding.referenceId])}>
        {words.leaveSection}
      </Button>
    </>
  );
}

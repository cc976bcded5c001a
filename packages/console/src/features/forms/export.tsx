import { useStore } from '../../api/me.ts';
import { ExportDialog } from '../../shell/export.tsx';
import type { FormPlace } from './places.ts';
import { listTexts, readToExport, type Submission } from './queries.ts';
import { useFormTexts } from './texts.ts';

/** Exports form submissions to a file: one row per submission, one column per field name. */
export function SubmissionExport({
  formId,
  places,
  onClose,
}: {
  formId: string | undefined;
  places: ReadonlyMap<string, FormPlace>;
  onClose(): void;
}) {
  const words = useFormTexts();
  const store = useStore();
  const { id, sent, form, page } = words.columns;
  const createTable = (items: readonly Submission[]) => {
    const names = [...new Set(items.flatMap((item) => Object.keys(item.values)))];
    const rows = items.map((item) => {
      const texts = new Map(listTexts(item));
      const facts = [item.id, item.createdAt, item.formId, places.get(item.formId)?.name ?? ''];
      return [...facts, ...names.map((name) => texts.get(name) ?? '')];
    });
    return { columns: [id, sent, form, page, ...names], rows };
  };
  return (
    <ExportDialog
      words={words}
      isFiltered={formId !== undefined}
      file={`forms-${store.slug}.csv`}
      createTable={createTable}
      read={readToExport(store.id, formId)}
      onClose={onClose}
    />
  );
}

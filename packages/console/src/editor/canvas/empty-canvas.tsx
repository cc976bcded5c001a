import { Button } from '../../ui/button.tsx';
import { PlusIcon } from '../../ui/icons.tsx';
import { insertIntoDocument, listInsertables } from '../elements/insertables.ts';
import { useCanvasTexts } from '../workbench/canvas-texts.ts';
import { useNames } from '../workbench/queries.ts';
import { useSources, useWorkbench } from '../workbench/workbench.ts';
import style from './canvas.module.css';

/** Offers ways to begin an empty document. */
export function EmptyCanvas() {
  const workbench = useWorkbench();
  const { canWrite, words, storeId, subject, view } = workbench;
  const { empty } = useCanvasTexts();
  const isDrawn = useSources() !== undefined;
  const names = useNames(storeId);
  if (!canWrite || !isDrawn) return null;
  const starters = listInsertables(words, names, subject.id).filter(({ group }) => group === 'starters');
  return (
    <div className={style.empty}>
      <h2>{empty.title}</h2>
      <p>{empty.hint}</p>
      <div className={style.starters}>
        {starters.map((insertable) => (
          <Button
            key={insertable.id}
            size="small"
            onPress={() => {
              void insertIntoDocument(workbench, insertable);
              workbench.canvas.surface?.focus();
            }}
          >
            {insertable.text}
          </Button>
        ))}
      </div>
      <Button look="primary" onPress={() => view.set({ sheet: { kind: 'insert' } })}>
        <PlusIcon />
        {empty.insert}
      </Button>
    </div>
  );
}

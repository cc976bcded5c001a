import { Button } from '../../ui/button.tsx';
import { PlusIcon } from '../../ui/icons.tsx';
import { insertables, insertHere } from '../panels/insertables.ts';
import { useNames } from '../screen/queries.ts';
import { useSources, useWorkbench } from '../screen/workbench.ts';
import style from './canvas.module.css';
import { useCanvasTexts } from './texts.ts';

/** Offers ways to begin an empty document. */
export function Empty() {
  const workbench = useWorkbench();
  const { canWrite, words, storeId, subject, view } = workbench;
  const { empty } = useCanvasTexts();
  const isDrawn = useSources() !== undefined;
  const names = useNames(storeId);
  if (!canWrite || !isDrawn) return null;
  const starters = insertables(words, names, subject.id).filter(({ group }) => group === 'starters');
  return (
    <div className={style.empty}>
      <h2>{empty.title}</h2>
      <p>{empty.hint}</p>
      <div className={style.starters}>
        {starters.map((thing) => (
          <Button
            key={thing.id}
            size="small"
            onPress={() => {
              void insertHere(workbench, thing);
              workbench.canvas.surface?.focus();
            }}
          >
            {thing.text}
          </Button>
        ))}
      </div>
      <Button look="primary" onPress={() => view.set({ sheet: { is: 'insert' } })}>
        <PlusIcon />
        {empty.insert}
      </Button>
    </div>
  );
}

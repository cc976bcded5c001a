import { Button } from '../../ui/button.tsx';
import { PlusIcon } from '../../ui/icons.tsx';
import { childrenOf } from '../model/tree.ts';
import { insertables, insertHere } from '../panels/insertables.ts';
import { useNames } from '../screen/queries.ts';
import { useEditorState, useSources, useWorkbench } from '../screen/workbench.ts';
import style from './canvas.module.css';
import { useCanvasTexts } from './texts.ts';

/** What to begin an empty document with. */
export function Empty() {
  const workbench = useWorkbench();
  const { canWrite, words, storeId, subject, view } = workbench;
  const { empty } = useCanvasTexts();
  const { tree } = useEditorState();
  const isDrawn = useSources() !== undefined;
  const names = useNames(storeId);
  if (!canWrite || !isDrawn || childrenOf(tree, tree.rootId).length > 0) return null;
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
              insertHere(workbench, thing);
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

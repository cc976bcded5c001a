import { useQuery } from '@tanstack/react-query';
import { foldText } from '@waybill/contracts/fold';
import { type ReactNode, useEffect, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { SearchField } from '../../ui/search-field.tsx';
import {
  createStarterContext,
  type Insertable,
  insertGroups,
  insertIntoDocument,
  listInsertables,
  loadStarters,
} from '../elements/insertables.ts';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';
import { starterDataQuery, useNames } from '../workbench/queries.ts';
import { ElementIcon } from './icons.tsx';
import style from './insert.module.css';
import { startAfterMove } from './start-after-move.ts';

/** The insert panel: everything that can be put on the page, by a click next to the selection, or by dragging. */
export function Insert() {
  const workbench = usePanelWorkbench();
  const { words, storeId, subject, canWrite } = workbench;
  const names = useNames(storeId);
  // The cards can be dragged once the code for it has loaded.
  const [canDrag, setCanDrag] = useState(false);
  useEffect(() => {
    loadStarters().then(
      () => setCanDrag(true),
      () => {},
    );
  }, []);
  useQuery(starterDataQuery(storeId));
  const [q, setQ] = useState('');
  const searchText = foldText(q.trim());
  const found = listInsertables(words, names, subject.id).filter(({ text, detail = '' }) =>
    foldText(`${text} ${detail}`).includes(searchText),
  );
  const byGroup = Map.groupBy(found, ({ group }) => group);
  return (
    <div className={style.insert}>
      <SearchField label={words.findInsert} value={q} onChange={setQ} />
      {found.length === 0 && <p className={style.hint}>{words.nothingFound}</p>}
      {insertGroups.map((group) => {
        const insertables = byGroup.get(group);
        return (
          insertables && (
            <section key={group} aria-label={words.insertGroups[group]}>
              <h3 className={style.head}>{words.insertGroups[group]}</h3>
              <ul className={style.grid}>
                {insertables.map((insertable) => (
                  <li key={insertable.id}>
                    <Card
                      canDrag={canDrag}
                      insertable={insertable}
                      isDisabled={!canWrite}
                      onInsert={() => void insertIntoDocument(workbench, insertable)}
                    />
                  </li>
                ))}
              </ul>
            </section>
          )
        );
      })}
    </div>
  );
}

function Card({
  insertable,
  canDrag,
  isDisabled,
  onInsert,
}: {
  insertable: Insertable;
  canDrag: boolean;
  isDisabled: boolean;
  onInsert(): void;
}): ReactNode {
  const workbench = usePanelWorkbench();
  return (
    <span
      className={style.handle}
      // In the capture phase, because the button consumes the press.
      onPointerDownCapture={(event) => {
        if (event.button !== 0 || isDisabled || !canDrag) return;
        startAfterMove(event, (from) => {
          const { text: label, isSection } = insertable;
          workbench.canvas.surface?.beginDrag(from, {
            fragment: insertable.createFragment(createStarterContext(workbench)),
            label,
            isSection,
          });
        });
      }}
    >
      <AriaButton className={style.card!} isDisabled={isDisabled} onPress={onInsert}>
        <ElementIcon type={insertable.type} blockIcon={insertable.blockIcon} />
        <span>{insertable.text}</span>
        {insertable.detail && <small>{insertable.detail}</small>}
      </AriaButton>
    </span>
  );
}

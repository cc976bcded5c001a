import { useQuery } from '@tanstack/react-query';
import { foldText } from '@waybill/contracts/fold';
import { type ReactNode, useEffect, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { SearchField } from '../../ui/search-field.tsx';
import { beginDrag } from '../canvas/drag.ts';
import { starterThingsQuery, useNames } from '../screen/queries.ts';
import { useWorkbench } from '../screen/workbench.ts';
import { afterMove } from './after-move.ts';
import { ElementIcon } from './icons.tsx';
import style from './insert.module.css';
import {
  type Insertable,
  insertables,
  insertGroups,
  insertHere,
  loadStarters,
  starterContext,
} from './insertables.ts';

/** The insert panel: everything that can be put on the page, by a click next to the selection, or by dragging. */
export function Insert() {
  const workbench = useWorkbench();
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
  useQuery(starterThingsQuery(storeId));
  const [q, setQ] = useState('');
  const needle = foldText(q.trim());
  const found = insertables(words, names, subject.id).filter(({ text, detail = '' }) =>
    foldText(`${text} ${detail}`).includes(needle),
  );
  const byGroup = Map.groupBy(found, ({ group }) => group);
  return (
    <div className={style.insert}>
      <SearchField label={words.findInsert} value={q} onChange={setQ} />
      {found.length === 0 && <p className={style.hint}>{words.nothingFound}</p>}
      {insertGroups.map((group) => {
        const things = byGroup.get(group);
        return (
          things && (
            <section key={group} aria-label={words.insertGroups[group]}>
              <h3 className={style.head}>{words.insertGroups[group]}</h3>
              <ul className={style.grid}>
                {things.map((thing) => (
                  <li key={thing.id}>
                    <Card
                      canDrag={canDrag}
                      thing={thing}
                      isDisabled={!canWrite}
                      onTake={() => void insertHere(workbench, thing)}
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
  thing,
  canDrag,
  isDisabled,
  onTake,
}: {
  thing: Insertable;
  canDrag: boolean;
  isDisabled: boolean;
  onTake(): void;
}): ReactNode {
  const workbench = useWorkbench();
  return (
    <span
      className={style.handle}
      // In the capture phase, because the button consumes the press.
      onPointerDownCapture={(event) => {
        if (event.button !== 0 || isDisabled || !canDrag) return;
        const { nativeEvent } = event;
        afterMove(event, () => {
          const { text: label, isSection } = thing;
          beginDrag(workbench, nativeEvent, {
            fragment: thing.createFragment(starterContext(workbench)),
            label,
            isSection,
          });
        });
      }}
    >
      <AriaButton className={style.card!} isDisabled={isDisabled} onPress={onTake}>
        <ElementIcon type={thing.type} blockIcon={thing.blockIcon} />
        <span>{thing.text}</span>
        {thing.detail && <small>{thing.detail}</small>}
      </AriaButton>
    </span>
  );
}

import type { ReactNode } from 'react';
import { Button } from 'react-aria-components/Button';
import { GridList, GridListItem } from 'react-aria-components/GridList';
import { DropIndicator, useDragAndDrop } from 'react-aria-components/useDragAndDrop';
import { GripIcon } from './icons.tsx';
import style from './reorder-list.module.css';
import { useUiTexts } from './texts.ts';

/** A list in an order that the user sets: rows are dragged, or picked up at the grip with Enter, moved and dropped. */
export function Reorder<Item extends { id: string }>({
  label,
  items,
  getName,
  onMove,
  children,
}: {
  label: string;
  items: readonly Item[];
  getName(item: Item): string;
  /** Moves an item to a position, counted from 0. Undefined: the order is read-only. */
  onMove: ((id: string, position: number) => void) | undefined;
  children(item: Item, position: number): ReactNode;
}) {
  const texts = useUiTexts();
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) =>
      [...keys].map((key) => ({ 'text/plain': getName(items.find(({ id }) => id === key)!) })),
    renderDropIndicator: (target) => <DropIndicator target={target} className={style.indicator!} />,
    onReorder({ keys, target }) {
      const [key] = [...keys].map(String);
      if (key === undefined) return;
      const rest = items.filter(({ id }) => id !== key);
      const at = rest.findIndex(({ id }) => id === target.key);
      if (at >= 0) onMove?.(key, target.dropPosition === 'before' ? at : at + 1);
    },
  });
  return (
    <GridList
      aria-label={label}
      className={style.list!}
      // React Aria does not support adding or removing these hooks later, so the list is mounted anew.
      key={String(!onMove)}
      {...(onMove && { dragAndDropHooks })}
      items={items.map((item, position) => ({ id: item.id, item, position }))}
      dependencies={[children]}
      // Both Tab and arrow keys reach the links and menus within rows.
      keyboardNavigationBehavior="tab"
    >
      {({ id, item, position }) => (
        <GridListItem id={id} textValue={getName(item)} className={style.row!}>
          {onMove && (
            <Button slot="drag" className={style.grip!} aria-label={texts.moveItem({ name: getName(item) })}>
              <GripIcon />
            </Button>
          )}
          <div className={style.content}>{children(item, position)}</div>
        </GridListItem>
      )}
    </GridList>
  );
}

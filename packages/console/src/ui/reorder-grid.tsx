import type { ReactNode } from 'react';
import { Button } from 'react-aria-components/Button';
import { GridList, GridListItem } from 'react-aria-components/GridList';
import { useDragAndDrop } from 'react-aria-components/useDragAndDrop';
import { GripIcon } from './icons.tsx';
import style from './reorder-grid.module.css';
import { useUiTexts } from './texts.ts';

/**
 * A grid in an order that the user sets: by dragging, or by keyboard at the handle (Enter picks up, arrows move, Enter
 * drops, Escape cancels).
 */
export function ReorderGrid<Item extends { id: string; text: string }>({
  label,
  items,
  onReorder,
  isDisabled = false,
  children,
}: {
  label: string;
  items: readonly Item[];
  /** Receives all ids in their new order. */
  onReorder(ids: string[]): void;
  isDisabled?: boolean;
  children(item: Item, position: number): ReactNode;
}) {
  const texts = useUiTexts();
  const ids = items.map(({ id }) => id);
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': String(key) })),
    onReorder({ keys, target }) {
      const rest = ids.filter((id) => !keys.has(id));
      const at = rest.indexOf(String(target.key)) + (target.dropPosition === 'after' ? 1 : 0);
      onReorder([...rest.slice(0, at), ...ids.filter((id) => keys.has(id)), ...rest.slice(at)]);
    },
  });
  return (
    <GridList
      aria-label={label}
      items={items}
      dependencies={[items, isDisabled, children]}
      layout="grid"
      // Arrow keys move between items; Tab reaches the controls within an item.
      keyboardNavigationBehavior="tab"
      // React Aria does not support adding or removing these hooks later, so the list is mounted anew.
      key={String(isDisabled)}
      {...(!isDisabled && { dragAndDropHooks })}
      className={style.grid!}
    >
      {(item) => (
        <GridListItem textValue={item.text} className={style.item!}>
          {!isDisabled && (
            <Button slot="drag" className={style.grip!} aria-label={texts.drag({ thing: item.text })}>
              <GripIcon />
            </Button>
          )}
          {children(item, ids.indexOf(item.id))}
        </GridListItem>
      )}
    </GridList>
  );
}

import type { ReactNode } from 'react';
import { type DragAndDropHooks, DropIndicator, useDragAndDrop } from 'react-aria-components/useDragAndDrop';
import style from './categories.module.css';
import type { DropPosition } from './tree.ts';

/** Makes a tree of categories draggable, by pointer and by keyboard at the grip. */
export function Draggable({
  getName,
  onDrop,
  children,
}: {
  getName(id: string): string;
  onDrop(id: string, targetId: string, position: DropPosition): void;
  children(hooks: DragAndDropHooks): ReactNode;
}) {
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': getName(String(key)) })),
    getDropOperation: () => 'move',
    renderDropIndicator: (target) => <DropIndicator target={target} className={style.indicator!} />,
    onMove({ keys, target }) {
      const [id] = [...keys].map(String);
      if (id !== undefined) onDrop(id, String(target.key), target.dropPosition);
    },
  });
  return children(dragAndDropHooks);
}

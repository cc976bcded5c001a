import type { EditorState } from '../model/editor.ts';
import { childrenOf } from '../model/tree.ts';
import { type Box, boxOfElement } from './box.ts';
import type { ShownNodes } from './nodes.ts';

/** What says where something stands that shows nothing: its name, at a point of the frame. */
export interface Chip {
  readonly id: string;
  readonly label: string;
  readonly left: number;
  readonly top: number;
  readonly isSelected: boolean;
}

const mostChips = 200;

/** The chips of a document, of which the frame shows so much as is `height` pixels high. */
export function chipsOf(
  { tree, selection }: EditorState,
  nodes: ShownNodes,
  height: number,
  nameOf: (id: string) => string,
): Chip[] {
  const chips: Chip[] = [];
  const taken = new Map<number, number>();
  const put = (id: string, left: number, top: number) => {
    const label = nameOf(id);
    chips.push({ id, label, left, top, isSelected: selection.includes(id) });
    return left + 24 + label.length * 7;
  };
  const visit = (parentId: string, near: Box): void => {
    let cursor = { left: near.left, top: near.top };
    for (const id of childrenOf(tree, parentId)) {
      if (chips.length >= mostChips) return;
      const element = nodes.elementOf(id);
      const box = element && boxOfElement(element);
      if (box && box.height >= 4 && box.width >= 4) {
        if (childrenOf(tree, id).length > 0 && box.top < height && box.top + box.height > 0) visit(id, box);
        cursor = { left: box.left, top: box.top + box.height };
        continue;
      }
      const at = box && (box.top || box.left) ? box : cursor;
      const row = Math.round(at.top);
      if (row < -20 || row > height) continue;
      taken.set(row, put(id, Math.max(at.left, taken.get(row) ?? 0), row));
    }
  };
  const root = nodes.elementOf(tree.rootId);
  const box = root ? boxOfElement(root) : { left: 0, top: 0, width: 0, height: 0 };
  visit(tree.rootId, box);
  if (childrenOf(tree, tree.rootId).length === 0 && box.height < 4)
    chips.push({ id: tree.rootId, label: nameOf(tree.rootId), left: 8, top: 8, isSelected: false });
  return chips;
}

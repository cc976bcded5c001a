import type { EditorState } from '../core/editor.ts';
import { childrenOf } from '../core/tree.ts';
import { type Box, boxOfElement } from './box.ts';
import type { ShownNodes } from './nodes.ts';

/** A label at a point of the frame for a node that shows nothing, so that it can be found. */
export interface Chip {
  readonly id: string;
  readonly label: string;
  readonly left: number;
  readonly top: number;
  readonly isSelected: boolean;
}

const mostChips = 200;

/** A chip's own size, in the console's pixels. */
const chipHeightPx = 20;
const widthOf = (label: string) => 24 + label.length * 7;

/**
 * Returns the chips of a document whose visible part is `height` pixels high, at `scale`. No chip covers text or
 * another chip. One without room is left out unless it is selected; it is still among the layers.
 */
export function chipsOf(
  { tree, selection }: EditorState,
  nodes: ShownNodes,
  height: number,
  nameOf: (id: string) => string,
  scale = 1,
): Chip[] {
  const wanted: { id: string; near: Box; left: number; top: number }[] = [];
  const taken: Box[] = [];
  const visit = (parentId: string, near: Box): void => {
    let cursor = { left: near.left, top: near.top };
    for (const id of childrenOf(tree, parentId)) {
      if (wanted.length >= mostChips) return;
      const element = nodes.elementOf(id);
      const box = element && boxOfElement(element);
      if (box && box.height >= 4 && box.width >= 4) {
        const isInView = box.top < height && box.top + box.height > 0;
        if (childrenOf(tree, id).length > 0) {
          if (isInView) visit(id, box);
        } else if (isInView) taken.push(box);
        cursor = { left: box.left, top: box.top + box.height };
        continue;
      }
      const at = box && (box.top || box.left) ? box : cursor;
      const top = Math.round(at.top);
      if (top >= -20 && top <= height) wanted.push({ id, near, left: at.left, top });
    }
  };
  const root = nodes.elementOf(tree.rootId);
  const box = root ? boxOfElement(root) : { left: 0, top: 0, width: 0, height: 0 };
  visit(tree.rootId, box);
  const chips: Chip[] = [];
  for (const { id, near, left, top } of wanted) {
    const label = nameOf(id);
    const size = { width: widthOf(label) / scale, height: chipHeightPx / scale };
    const isSelected = selection.includes(id);
    const end = near.left + near.width - size.width;
    const rows = [top, top - size.height];
    const places = rows.flatMap((row) => [left, (left + end) / 2, end].map((x) => ({ left: x, top: row })));
    const free = places.find((place) => !taken.some((other) => overlap({ ...place, ...size }, other)));
    const place = free ?? (isSelected ? places[0] : undefined);
    if (!place) continue;
    taken.push({ ...place, ...size });
    chips.push({ id, label, ...place, isSelected });
  }
  if (childrenOf(tree, tree.rootId).length === 0 && box.height < 4)
    chips.push({ id: tree.rootId, label: nameOf(tree.rootId), left: 8, top: 8, isSelected: false });
  return chips;
}

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.left + b.width &&
  b.left < a.left + a.width &&
  a.top < b.top + b.height &&
  b.top < a.top + a.height;

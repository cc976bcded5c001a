import type { EditorState } from '../core/editor.ts';
import { getChildIds } from '../core/tree.ts';
import { type Box, getBox } from './box.ts';
import type { DrawnNodes } from './nodes.ts';

/** A label at a point of the frame for a node that shows nothing, so that it can be found. */
export interface Chip {
  readonly id: string;
  readonly label: string;
  readonly left: number;
  readonly top: number;
  readonly isSelected: boolean;
}

const maxChips = 200;

/** A chip's own size, in the console's pixels. */
const chipHeightPx = 20;
const chipWidth = (label: string) => 24 + label.length * 7;

/**
 * Returns the chips of a document whose visible part is `height` pixels high, at `scale`. No chip covers text or
 * another chip. One without room is left out unless it is selected; it is still among the layers.
 */
export function layOutChips(
  { tree, selection }: EditorState,
  nodes: DrawnNodes,
  height: number,
  getName: (id: string) => string,
  scale = 1,
): Chip[] {
  const candidates: { id: string; nearBox: Box; left: number; top: number }[] = [];
  const placedBoxes: Box[] = [];
  const visit = (parentId: string, nearBox: Box): void => {
    let cursor = { left: nearBox.left, top: nearBox.top };
    for (const id of getChildIds(tree, parentId)) {
      if (candidates.length >= maxChips) return;
      const element = nodes.findElement(id);
      const box = element && getBox(element);
      if (box && box.height >= 4 && box.width >= 4) {
        const isInView = box.top < height && box.top + box.height > 0;
        if (getChildIds(tree, id).length > 0) {
          if (isInView) visit(id, box);
        } else if (isInView) placedBoxes.push(box);
        cursor = { left: box.left, top: box.top + box.height };
        continue;
      }
      const anchor = box && (box.top || box.left) ? box : cursor;
      const top = Math.round(anchor.top);
      if (top >= -20 && top <= height) candidates.push({ id, nearBox, left: anchor.left, top });
    }
  };
  const root = nodes.findElement(tree.rootId);
  const box = root ? getBox(root) : { left: 0, top: 0, width: 0, height: 0 };
  visit(tree.rootId, box);
  const chips: Chip[] = [];
  for (const { id, nearBox, left, top } of candidates) {
    const label = getName(id);
    const size = { width: chipWidth(label) / scale, height: chipHeightPx / scale };
    const isSelected = selection.includes(id);
    const end = nearBox.left + nearBox.width - size.width;
    const rows = [top, top - size.height];
    const positions = rows.flatMap((row) =>
      [left, (left + end) / 2, end].map((x) => ({ left: x, top: row })),
    );
    const freePosition = positions.find(
      (position) => !placedBoxes.some((other) => overlap({ ...position, ...size }, other)),
    );
    const position = freePosition ?? (isSelected ? positions[0] : undefined);
    if (!position) continue;
    placedBoxes.push({ ...position, ...size });
    chips.push({ id, label, ...position, isSelected });
  }
  if (getChildIds(tree, tree.rootId).length === 0 && box.height < 4)
    chips.push({ id: tree.rootId, label: getName(tree.rootId), left: 8, top: 8, isSelected: false });
  return chips;
}

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.left + b.width &&
  b.left < a.left + a.width &&
  a.top < b.top + b.height &&
  b.top < a.top + a.height;

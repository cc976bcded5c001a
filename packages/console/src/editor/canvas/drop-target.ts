import { vocabulary } from '@waybill/page';
import { type DropPayload, findRefusal, findSectionPosition, type Refusal } from '../core/drop.ts';
import { findSiblingIndex, getChildIds } from '../core/tree.ts';
import type { Workbench } from '../workbench/workbench.ts';
import { type Box, getBox } from './box.ts';
import style from './canvas.module.css';
import type { CanvasSurface } from './canvas-surface.ts';

/** A point of the window. */
interface Point {
  readonly x: number;
  readonly y: number;
}

interface Target {
  readonly parentId: string;
  readonly index: number;
  /** In the frame's pixels on the canvas, in the window's pixels among the layers. */
  readonly line: Box;
  /** The row of the box that receives the load. */
  readonly row?: Element;
}

/** This near to the end of a box, the place is beside the box rather than in it. */
const edgeWidthPx = 6;
/** The page and the layers scroll while the pointer is this near to their upper or lower end. */
const scrollZonePx = 48;
const scrollPx = 14;
/** A closed layer, or a tab that takes the load, opens after the pointer has rested on it this long. */
const openDelayMs = 500;
const openableTabs = '[role=tab]:is([data-key=layers], [data-key=sections])';

/** Finds where a dragged load would land, on the canvas or among the layers, and shows it by a line. */
export class DropTarget {
  readonly #workbench: Workbench;
  readonly #surface: CanvasSurface;
  readonly #load: DropPayload;
  readonly #isSection: boolean;
  readonly #marker = document.createElement('div');
  #point: Point | undefined;
  #target: Target | undefined;
  #scrolling = 0;
  #pendingOpen: { element: Element; timer: ReturnType<typeof setTimeout> } | undefined;

  constructor(workbench: Workbench, surface: CanvasSurface, load: DropPayload, isSection: boolean) {
    this.#workbench = workbench;
    this.#surface = surface;
    this.#load = load;
    this.#isSection = isSection;
    this.#marker.className = style.mark!;
    this.#marker.hidden = true;
    document.body.append(this.#marker);
    document.body.toggleAttribute('data-dropping', true);
    surface.hideFeedback();
    const scroll = () => {
      this.#scroll();
      this.#scrolling = requestAnimationFrame(scroll);
    };
    scroll();
  }

  /** The place where the load would land now. */
  get position(): { readonly parentId: string; readonly index: number } | undefined {
    return this.#target;
  }

  /** Aims at a point of the window; returns the reason if the load may not land there. */
  moveTo(point: Point): Refusal | undefined {
    this.#point = point;
    return this.refresh();
  }

  /** Aims at the same point again, after something has moved below it. */
  refresh(): Refusal | undefined {
    const point = this.#point;
    if (!point) return undefined;
    const elementBelow = document.elementFromPoint(point.x, point.y);
    const layers = elementBelow?.closest('[data-layers]');
    const found = layers ? this.#layerTarget(layers, point) : this.#canvasTarget(elementBelow, point);
    const refusal =
      found && findRefusal(vocabulary, this.#workbench.editor.state.tree, found.parentId, this.#load);
    this.#target = refusal ? undefined : found;
    this.#show(layers ? 'layers' : 'canvas', found, refusal);
    this.#openHovered(elementBelow, found);
    return refusal;
  }

  end(): void {
    cancelAnimationFrame(this.#scrolling);
    clearTimeout(this.#pendingOpen?.timer);
    document.body.toggleAttribute('data-dropping', false);
    this.#marker.remove();
    this.#surface.overlay.showLine(null);
    this.#surface.overlay.showRefused(null);
  }

  #show(over: 'layers' | 'canvas', found: Target | undefined, refusal: Refusal | undefined): void {
    const { overlay, words } = this.#surface;
    const onCanvas = over === 'canvas' ? found : undefined;
    overlay.showLine(refusal ? null : (onCanvas?.line ?? null));
    const box = refusal && onCanvas ? this.#surface.findBox(onCanvas.parentId) : undefined;
    overlay.showRefused(box ?? null, refusal ? words.refused[refusal.reason] : '');
    const line = over === 'layers' && !refusal ? found?.line : undefined;
    this.#marker.hidden = !line;
    if (!line) return;
    this.#marker.style.transform = `translate(${line.left}px, ${line.top}px)`;
    this.#marker.style.inlineSize = `${line.width}px`;
    this.#marker.style.blockSize = `${line.height}px`;
    this.#marker.toggleAttribute('data-into', found?.row !== undefined);
  }

  #layerTarget(layers: Element, { y }: Point): Target | undefined {
    const { tree } = this.#workbench.editor.state;
    const rows = [...layers.querySelectorAll<HTMLElement>('[data-layer]')];
    const row = rows.find((each) => {
      const { top, bottom } = each.getBoundingClientRect();
      return y >= top && y < bottom;
    });
    const id = row?.dataset.layer ?? tree.rootId;
    const { left, top, width, height } = (row ?? layers).getBoundingClientRect();
    if (this.#isSection || layers.hasAttribute('data-parts'))
      return this.#sectionTarget(id, y < top + height / 2, { left, top, width, height });
    const isBox = vocabulary.elementTypes[tree.nodes.get(id)?.type ?? '']?.children === 'any';
    const parentId = tree.parents.get(id);
    const into = { parentId: id, index: getChildIds(tree, id).length };
    if (!row)
      return {
        ...into,
        line: { left, top: rows.at(-1)?.getBoundingClientRect().bottom ?? top, width, height: 2 },
      };
    const topNodeId = (y - top) / height;
    // The middle of a row means inside its box, the ends mean beside it; below an open row comes its first child.
    if (parentId === undefined || (isBox && topNodeId > 0.3 && topNodeId < 0.7))
      return { ...into, line: { left, top, width, height }, row };
    const isAfter = topNodeId > 0.5;
    const isOpen = row.closest('[aria-expanded]')?.getAttribute('aria-expanded') === 'true';
    const line = { left, top: isAfter ? top + height - 1 : top - 1, width, height: 2 };
    if (isAfter && isOpen && !this.#load.movedIds.has(id)) return { parentId: id, index: 0, line };
    return { parentId, index: findSiblingIndex(tree, id) + (isAfter ? 1 : 0), line };
  }

  #canvasTarget(elementBelow: Element | null, point: Point): Target | undefined {
    const isOver = this.#surface.iframe.parentElement?.contains(elementBelow) === true;
    const { left, top } = this.#surface.iframe.getBoundingClientRect();
    const { scale } = this.#surface;
    if (!isOver) return undefined;
    return this.#targetOnCanvas({ x: (point.x - left) / scale, y: (point.y - top) / scale });
  }

  /** A section goes beside the part that is pointed at, never inside another. */
  #sectionTarget(id: string, isBefore: boolean, box: Box | undefined): Target {
    const { tree } = this.#workbench.editor.state;
    const position = findSectionPosition(tree, [id]);
    const { left, top, width, height } = box ?? { left: 0, top: 0, width: 0, height: 0 };
    if (id === tree.rootId) return { ...position, line: { left, top: top + height - 1, width, height: 3 } };
    const index = position.index - (isBefore ? 1 : 0);
    return {
      parentId: position.parentId,
      index,
      line: { left, top: isBefore ? top : top + height - 1, width, height: 3 },
    };
  }

  /** Returns the place beside the node under the pointer, or inside that node if it is a box. */
  #targetOnCanvas({ x, y }: { x: number; y: number }): Target | undefined {
    const surface = this.#surface;
    const { tree } = this.#workbench.editor.state;
    const { clientWidth, clientHeight } = surface.frame.document.documentElement;
    if (x < 0 || y < 0 || x > clientWidth || y > clientHeight) return undefined;
    const id = surface.findNodeAt(x, y) ?? tree.rootId;
    if (this.#isSection) return this.#sectionAt(id, y);
    const box = surface.findBox(id);
    const isBox = vocabulary.elementTypes[tree.nodes.get(id)?.type ?? '']?.children === 'any';
    const parent = tree.parents.get(id);
    const isNearEdge =
      box !== undefined && (y - box.top < edgeWidthPx || box.top + box.height - y < edgeWidthPx);
    const isBeside = parent !== undefined && (!isBox || (isNearEdge && !this.#load.movedIds.has(parent)));
    return this.#targetInside(isBeside ? parent : id, x, y);
  }

  #targetInside(parentId: string, x: number, y: number): Target | undefined {
    const surface = this.#surface;
    const { tree } = this.#workbench.editor.state;
    const children = getChildIds(tree, parentId);
    const visible = children.flatMap((id, index) => {
      const box = surface.findBox(id);
      return box ? [{ index, box }] : [];
    });
    const container = surface.findElement(parentId);
    const outer = container ? getBox(container) : { left: 0, top: 0, width: 0, height: 0 };
    const [first] = visible;
    if (!first) {
      const line = { left: outer.left, top: outer.top + outer.height / 2, width: outer.width, height: 3 };
      return { parentId, index: children.length, line };
    }
    const isRow = areInRow(visible.map(({ box }) => box));
    // If there are several rows, the one under the pointer counts.
    const nearest = visible.toSorted((a, b) => distance(a.box, x, y) - distance(b.box, x, y))[0]!;
    const { left, top, width, height } = nearest.box;
    const isAfter = isRow ? x > left + width / 2 : y > top + height / 2;
    const line = isRow
      ? { left: (isAfter ? left + width : left) - 1, top, width: 3, height }
      : { left, top: (isAfter ? top + height : top) - 1, width, height: 3 };
    return { parentId, index: nearest.index + (isAfter ? 1 : 0), line };
  }

  /** Returns the place beside the part of the page that contains the node. */
  #sectionAt(id: string, y: number): Target {
    const { tree } = this.#workbench.editor.state;
    let topNodeId = id;
    while (topNodeId !== tree.rootId && tree.parents.get(topNodeId) !== tree.rootId)
      topNodeId = tree.parents.get(topNodeId)!;
    const box = this.#surface.findBox(topNodeId);
    return this.#sectionTarget(topNodeId, box !== undefined && y < box.top + box.height / 2, box);
  }

  /** Opens a closed layer, or the tab of the layers or sections, when the pointer rests on it. */
  #openHovered(elementBelow: Element | null, found: Target | undefined): void {
    const tab = elementBelow?.closest<HTMLElement>(`${openableTabs}:not([aria-selected=true])`);
    const closed = found?.row?.closest('[aria-expanded=false]') ?? undefined;
    const element = tab ?? closed;
    if (element === this.#pendingOpen?.element) return;
    clearTimeout(this.#pendingOpen?.timer);
    this.#pendingOpen = undefined;
    if (!element) return;
    const open = () => {
      if (tab) this.#workbench.view.set({ left: tab.dataset.key === 'layers' ? 'layers' : 'sections' });
      else closed?.querySelector<HTMLElement>('button')?.click();
    };
    this.#pendingOpen = { element, timer: setTimeout(open, openDelayMs) };
  }

  #scroll(): void {
    const point = this.#point;
    if (!point) return;
    const layers = document.elementFromPoint(point.x, point.y)?.closest('[data-layers]');
    const tree = layers?.querySelector('[role=treegrid]') ?? layers;
    const frame = this.#surface.frame.document;
    const scroller = layers ? tree : frame.documentElement;
    if (!scroller || !frame.defaultView) return;
    const { left, right, top, bottom } = (layers ?? this.#surface.iframe).getBoundingClientRect();
    const { x, y } = point;
    if (x < left || x > right || y < top - scrollZonePx || y > bottom + scrollZonePx) return;
    const step = y < top + scrollZonePx ? -scrollPx : y > bottom - scrollZonePx ? scrollPx : 0;
    if (step === 0) return;
    const before = scroller.scrollTop;
    scroller.scrollBy({ top: step, behavior: 'instant' });
    if (scroller.scrollTop !== before) this.refresh();
  }
}

/** Whether boxes are side by side rather than below each other. */
function areInRow([first, second]: readonly Box[]): boolean {
  if (!first || !second) return false;
  const middle = second.top + second.height / 2;
  return (
    middle > first.top && middle < first.top + first.height && second.left >= first.left + first.width - 1
  );
}

function distance({ left, top, width, height }: Box, x: number, y: number): number {
  const dx = Math.max(left - x, 0, x - left - width);
  const dy = Math.max(top - y, 0, y - top - height);
  return Math.hypot(dx, dy);
}

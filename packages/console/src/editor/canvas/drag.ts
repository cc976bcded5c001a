import type { PageDocument } from '@waybill/page';
import { insert, move } from '../model/commands.ts';
import { type Load, loadOf, loadOfNodes, refusalAt } from '../model/drop.ts';
import { childrenOf, outermost } from '../model/tree.ts';
import type { Workbench } from '../screen/workbench.ts';
import { type Box, boxOfElement } from './box.ts';
import style from './canvas.module.css';
import type { Surface } from './surface.ts';

/** What is dragged: nodes of the document, or something new that is made when it is let go. */
export type Dragged =
  | { readonly ids: readonly string[] }
  | { readonly fragment: () => PageDocument; readonly label: string };

interface Target {
  readonly parentId: string;
  readonly index: number;
  readonly line: Box;
}

/** So near to the end of a box, the place is beside it rather than in it. */
const edgePx = 6;
/** The page scrolls while the pointer is so near to its upper or lower end. */
const scrollZonePx = 48;
const scrollPx = 14;

/** Drags over the canvas from anywhere, until it is let go; Escape takes it back. */
export function beginDrag(
  workbench: Workbench,
  event: Pick<PointerEvent, 'clientX' | 'clientY' | 'pointerId' | 'view'> & {
    readonly target: EventTarget | null;
  },
  what: Dragged,
): void {
  const { surface } = workbench.canvas;
  if (!surface || !workbench.canWrite) return;
  new Drag(workbench, surface, event, what);
}

class Drag {
  readonly #workbench: Workbench;
  readonly #surface: Surface;
  readonly #fragment: PageDocument | undefined;
  readonly #ids: readonly string[];
  readonly #load: Load;
  readonly #ghost = document.createElement('div');
  readonly #ends = new AbortController();
  /** In the frame's pixels. */
  #point: { x: number; y: number } | undefined;
  #target: Target | undefined;
  #scrolling = 0;

  constructor(workbench: Workbench, surface: Surface, event: Parameters<typeof beginDrag>[1], what: Dragged) {
    this.#workbench = workbench;
    this.#surface = surface;
    const { tree } = workbench.editor.state;
    this.#fragment = 'ids' in what ? undefined : what.fragment();
    this.#ids = 'ids' in what ? outermost(tree, what.ids).filter((id) => id !== tree.rootId) : [];
    this.#load = this.#fragment ? loadOf([this.#fragment]) : loadOfNodes(tree, this.#ids);
    this.#ghost.className = style.ghost!;
    this.#ghost.textContent = 'ids' in what ? surface.words.dragged(this.#ids.length) : what.label;
    document.body.append(this.#ghost);
    surface.calm();
    const { signal } = this.#ends;
    const frame = surface.frame.document.defaultView!;
    for (const [target, isFrame] of [
      [window, false],
      [frame, true],
    ] as const) {
      const pointOf = (moved: PointerEvent) =>
        isFrame ? { x: moved.clientX, y: moved.clientY } : surface.inFrame(moved);
      const capture = { signal, capture: true };
      target.addEventListener('pointermove', (moved) => this.#move(pointOf(moved as PointerEvent)), capture);
      target.addEventListener('pointerup', () => this.#drop(), capture);
      target.addEventListener('pointercancel', () => this.#end(), capture);
      target.addEventListener('keydown', (pressed) => this.#onKey(pressed as KeyboardEvent), capture);
      target.addEventListener('wheel', () => this.#point && this.#move(this.#point), {
        signal,
        passive: true,
      });
    }
    this.#move(event.view === frame ? { x: event.clientX, y: event.clientY } : surface.inFrame(event));
    const scroll = () => {
      this.#scroll();
      this.#scrolling = requestAnimationFrame(scroll);
    };
    scroll();
  }

  #move(point: { x: number; y: number }): void {
    this.#point = point;
    const { x, y } = this.#surface.inWindow(point);
    this.#ghost.style.transform = `translate(${x + 12}px, ${y + 12}px)`;
    this.#aim();
  }

  #aim(): void {
    const { overlay } = this.#surface;
    const { vocabulary, state } = this.#workbench.editor;
    const found = this.#targetAt(this.#point!);
    const refusal = found && refusalAt(vocabulary, state.tree, found.parentId, this.#load);
    this.#target = refusal ? undefined : found;
    overlay.showLine(this.#target?.line ?? null);
    const box = refusal && found ? this.#surface.boxOf(found.parentId) : undefined;
    overlay.showRefused(box ?? null, refusal ? this.#surface.words.refused[refusal.reason] : '');
  }

  /** Where it would go: beside the node under the pointer, or in it where that is a box. */
  #targetAt({ x, y }: { x: number; y: number }): Target | undefined {
    const surface = this.#surface;
    const { vocabulary, state } = this.#workbench.editor;
    const { tree } = state;
    const { clientWidth, clientHeight } = surface.frame.document.documentElement;
    if (x < 0 || y < 0 || x > clientWidth || y > clientHeight) return undefined;
    const id = surface.idAt(x, y) ?? tree.rootId;
    const box = surface.boxOf(id);
    const isBox = vocabulary.elementTypes[tree.nodes.get(id)?.type ?? '']?.children === 'any';
    const parent = tree.parents.get(id);
    const isAtEdge = box !== undefined && (y - box.top < edgePx || box.top + box.height - y < edgePx);
    const isBeside = parent !== undefined && (!isBox || (isAtEdge && !this.#load.moved.has(parent)));
    return this.#placeIn(isBeside ? parent : id, x, y);
  }

  #placeIn(parentId: string, x: number, y: number): Target | undefined {
    const surface = this.#surface;
    const { tree } = this.#workbench.editor.state;
    const children = childrenOf(tree, parentId);
    const shown = children.flatMap((id, index) => {
      const box = surface.boxOf(id);
      return box ? [{ index, box }] : [];
    });
    const around = surface.elementOf(parentId);
    const outer = around ? boxOfElement(around) : { left: 0, top: 0, width: 0, height: 0 };
    const [first] = shown;
    if (!first) {
      const line = { left: outer.left, top: outer.top + outer.height / 2, width: outer.width, height: 3 };
      return { parentId, index: children.length, line };
    }
    const isRow = areInRow(shown.map(({ box }) => box));
    // Of several rows, that under the pointer.
    const near = shown.toSorted((a, b) => distance(a.box, x, y) - distance(b.box, x, y))[0]!;
    const { left, top, width, height } = near.box;
    const isAfter = isRow ? x > left + width / 2 : y > top + height / 2;
    const line = isRow
      ? { left: (isAfter ? left + width : left) - 1, top, width: 3, height }
      : { left, top: (isAfter ? top + height : top) - 1, width, height: 3 };
    return { parentId, index: near.index + (isAfter ? 1 : 0), line };
  }

  #scroll(): void {
    const frame = this.#surface.frame.document;
    if (!this.#point || !frame.defaultView) return;
    const { y, x } = this.#point;
    const { clientHeight, clientWidth, scrollTop } = frame.documentElement;
    if (x < 0 || x > clientWidth || y < -scrollZonePx || y > clientHeight + scrollZonePx) return;
    const by = y < scrollZonePx ? -scrollPx : y > clientHeight - scrollZonePx ? scrollPx : 0;
    if (by === 0) return;
    frame.defaultView.scrollBy(0, by);
    if (frame.documentElement.scrollTop !== scrollTop) this.#aim();
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    this.#end();
    this.#workbench.announce(this.#surface.words.dragCancelled);
  }

  #drop(): void {
    const target = this.#target;
    this.#end();
    if (!target) return;
    const { editor } = this.#workbench;
    const { tree } = editor.state;
    const { words } = this.#surface;
    const { parentId, index } = target;
    const changes = this.#fragment
      ? insert(tree, parentId, index, this.#fragment)
      : move(tree, this.#ids, parentId, index);
    const label = this.#fragment ? words.inserted : words.moved;
    const select = this.#fragment ? [this.#fragment.rootId] : this.#ids;
    const problem = editor.do(label, changes, { select });
    if (problem) this.#workbench.refuse(problem);
    else this.#workbench.announce(label);
    this.#surface.focus();
  }

  #end(): void {
    this.#ends.abort();
    cancelAnimationFrame(this.#scrolling);
    this.#ghost.remove();
    this.#surface.overlay.showLine(null);
    this.#surface.overlay.showRefused(null);
  }
}

/** Whether boxes stand side by side rather than below each other. */
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

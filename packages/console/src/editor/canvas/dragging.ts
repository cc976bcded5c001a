import type { PageDocument } from '@waybill/page';
import { insert, move } from '../core/commands.ts';
import { describeFragments, describeNodes } from '../core/drop.ts';
import { outermostIds } from '../core/tree.ts';
import type { Dragged, DragStart } from '../workbench/canvas-port.ts';
import type { Workbench } from '../workbench/workbench.ts';
import style from './canvas.module.css';
import type { CanvasSurface } from './canvas-surface.ts';
import { Drawer } from './drawer.ts';
import { DropTarget } from './drop-target.ts';

export { acceptFileDrops } from './file-drop.ts';

/** Starts a drag over the canvas and the layers, from anywhere, until it is released; Escape cancels it. */
export function beginDrag(surface: CanvasSurface, event: DragStart, dragged: Dragged): void {
  if (!surface.workbench.canWrite) return;
  // The pressed control of a panel is now being dragged, so its press is cancelled.
  if (event.target instanceof Element)
    event.target.dispatchEvent(
      new PointerEvent('pointercancel', { bubbles: true, pointerId: event.pointerId }),
    );
  new Drag(surface, event, dragged);
}

class Drag {
  readonly #workbench: Workbench;
  readonly #surface: CanvasSurface;
  readonly #fragment: PageDocument | undefined;
  readonly #ids: readonly string[];
  readonly #label: string;
  readonly #target: DropTarget;
  readonly #drawer: Drawer;
  readonly #ghost = document.createElement('div');
  readonly #controller = new AbortController();

  constructor(surface: CanvasSurface, event: DragStart, dragged: Dragged) {
    const { workbench } = surface;
    this.#workbench = workbench;
    this.#surface = surface;
    const { tree } = workbench.editor.state;
    this.#fragment = 'ids' in dragged ? undefined : dragged.fragment;
    this.#ids = 'ids' in dragged ? outermostIds(tree, dragged.ids).filter((id) => id !== tree.rootId) : [];
    this.#label = 'ids' in dragged ? surface.words.dragged({ count: this.#ids.length }) : dragged.label;
    const load = this.#fragment ? describeFragments([this.#fragment]) : describeNodes(tree, this.#ids);
    this.#target = new DropTarget(workbench, surface, load, 'isSection' in dragged && dragged.isSection);
    this.#drawer = new Drawer(workbench, this.#fragment !== undefined);
    this.#ghost.className = style.ghost!;
    document.body.append(this.#ghost);
    const { signal } = this.#controller;
    const frame = surface.frame.document.defaultView!;
    for (const [target, isFrame] of [
      [window, false],
      [frame, true],
    ] as const) {
      const toPoint = ({ clientX: x, clientY: y }: PointerEvent) =>
        isFrame ? surface.toWindowPoint({ x, y }) : { x, y };
      const capture = { signal, capture: true };
      target.addEventListener('pointermove', (moved) => this.#move(toPoint(moved as PointerEvent)), capture);
      target.addEventListener('pointerup', () => this.#drop(), capture);
      // A long press on a layer's row dispatches a synthetic cancellation, which does not end the drag.
      target.addEventListener('pointercancel', (event) => event.isTrusted && this.#cancel(), capture);
      target.addEventListener('keydown', (pressed) => this.#onKey(pressed as KeyboardEvent), capture);
      target.addEventListener('wheel', () => this.#target.refresh(), { signal, passive: true });
    }
    // The press that prevented text selection is over, so selection is prevented here.
    window.addEventListener('selectstart', (event) => event.preventDefault(), { signal, capture: true });
    const { clientX: x, clientY: y } = event;
    this.#move(event.view === frame ? surface.toWindowPoint({ x, y }) : { x, y });
  }

  #move({ x, y }: { x: number; y: number }): void {
    this.#drawer.moveTo({ x, y });
    const refusal = this.#target.moveTo({ x, y });
    const { refused } = this.#surface.words;
    this.#ghost.textContent = refusal ? `${this.#label}: ${refused[refusal.reason]}` : this.#label;
    this.#ghost.toggleAttribute('data-refused', refusal !== undefined);
    this.#ghost.style.transform = `translate(${x + 12}px, ${y + 12}px)`;
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    this.#cancel();
    this.#workbench.announce(this.#surface.words.dragCancelled);
  }

  #cancel(): void {
    this.#end();
    this.#drawer.restore();
  }

  #drop(): void {
    // A drawer may have given way since the last move.
    this.#target.refresh();
    const { position } = this.#target;
    this.#end();
    if (!position) return;
    const { editor } = this.#workbench;
    const { tree } = editor.state;
    const { words } = this.#surface;
    const { parentId, index } = position;
    const changes = this.#fragment
      ? insert(tree, parentId, index, this.#fragment)
      : move(tree, this.#ids, parentId, index);
    const label = this.#fragment ? words.inserted : words.moved;
    const select = this.#fragment ? [this.#fragment.rootId] : this.#ids;
    const problem = editor.apply(label, changes, { select });
    if (problem) this.#workbench.refuse(problem);
    else this.#workbench.announce(label);
    this.#surface.focus();
  }

  #end(): void {
    this.#controller.abort();
    this.#ghost.remove();
    this.#target.end();
  }
}

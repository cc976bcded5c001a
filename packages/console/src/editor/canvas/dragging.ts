import type { PageDocument } from '@waybill/page';
import { insert, move } from '../core/commands.ts';
import { loadOf, loadOfNodes } from '../core/drop.ts';
import { outermost } from '../core/tree.ts';
import type { Workbench } from '../screen/workbench.ts';
import { Aim } from './aim.ts';
import style from './canvas.module.css';
import type { Dragged, DragStart } from './drag.ts';
import type { Surface } from './surface.ts';

export { takeFiles } from './file-drop.ts';

/** Starts a drag over the canvas and the layers, from anywhere, until it is released; Escape cancels it. */
export function beginDrag(workbench: Workbench, event: DragStart, what: Dragged): void {
  const { surface } = workbench.canvas;
  if (!surface || !workbench.canWrite) return;
  // The pressed control is now being dragged, so its press is cancelled.
  if (event.view === window)
    event.target?.dispatchEvent(
      new PointerEvent('pointercancel', { bubbles: true, pointerId: event.pointerId }),
    );
  new Drag(workbench, surface, event, what);
}

class Drag {
  readonly #workbench: Workbench;
  readonly #surface: Surface;
  readonly #fragment: PageDocument | undefined;
  readonly #ids: readonly string[];
  readonly #label: string;
  readonly #aim: Aim;
  readonly #ghost = document.createElement('div');
  readonly #ends = new AbortController();

  constructor(workbench: Workbench, surface: Surface, event: DragStart, what: Dragged) {
    this.#workbench = workbench;
    this.#surface = surface;
    const { tree } = workbench.editor.state;
    this.#fragment = 'ids' in what ? undefined : what.fragment;
    this.#ids = 'ids' in what ? outermost(tree, what.ids).filter((id) => id !== tree.rootId) : [];
    this.#label = 'ids' in what ? surface.words.dragged(this.#ids.length) : what.label;
    const load = this.#fragment ? loadOf([this.#fragment]) : loadOfNodes(tree, this.#ids);
    this.#aim = new Aim(workbench, surface, load, 'isSection' in what && what.isSection);
    this.#ghost.className = style.ghost!;
    document.body.append(this.#ghost);
    const { signal } = this.#ends;
    const frame = surface.frame.document.defaultView!;
    for (const [target, isFrame] of [
      [window, false],
      [frame, true],
    ] as const) {
      const pointOf = ({ clientX: x, clientY: y }: PointerEvent) =>
        isFrame ? surface.inWindow({ x, y }) : { x, y };
      const capture = { signal, capture: true };
      target.addEventListener('pointermove', (moved) => this.#move(pointOf(moved as PointerEvent)), capture);
      target.addEventListener('pointerup', () => this.#drop(), capture);
      // A long press on a layer's row dispatches a synthetic cancellation, which does not end the drag.
      target.addEventListener('pointercancel', (event) => event.isTrusted && this.#end(), capture);
      target.addEventListener('keydown', (pressed) => this.#onKey(pressed as KeyboardEvent), capture);
      target.addEventListener('wheel', () => this.#aim.again(), { signal, passive: true });
    }
    // The press that prevented text selection is over, so selection is prevented here.
    window.addEventListener('selectstart', (event) => event.preventDefault(), { signal, capture: true });
    const { clientX: x, clientY: y } = event;
    this.#move(event.view === frame ? surface.inWindow({ x, y }) : { x, y });
  }

  #move({ x, y }: { x: number; y: number }): void {
    const refusal = this.#aim.at({ x, y });
    const { refused } = this.#surface.words;
    this.#ghost.textContent = refusal ? `${this.#label}: ${refused[refusal.reason]}` : this.#label;
    this.#ghost.toggleAttribute('data-refused', refusal !== undefined);
    this.#ghost.style.transform = `translate(${x + 12}px, ${y + 12}px)`;
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    this.#end();
    this.#workbench.announce(this.#surface.words.dragCancelled);
  }

  #drop(): void {
    const { place } = this.#aim;
    this.#end();
    if (!place) return;
    const { editor } = this.#workbench;
    const { tree } = editor.state;
    const { words } = this.#surface;
    const { parentId, index } = place;
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
    this.#ghost.remove();
    this.#aim.end();
  }
}

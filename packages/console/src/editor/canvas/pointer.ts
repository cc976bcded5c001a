import { getChildIds } from '../core/tree.ts';
import { getBox } from './box.ts';
import type { CanvasSurface, SurfaceHost } from './canvas-surface.ts';
import { DrawnNodes } from './nodes.ts';

/** Distance in pixels after which a press becomes a drag. */
const dragPx = 5;
/** Distance from an end of a node within which inserting there is offered. */
const edgeDistancePx = 10;
/** Distance from the offered button at which the pointer is no longer on its way to it. */
const hideDistancePx = 40;

/** Handles pointer and keys on the canvas: pointing at, selecting, dragging, editing and inserting nodes. */
export class Pointer {
  readonly #surface: CanvasSurface;
  readonly #host: SurfaceHost;
  readonly #controller = new AbortController();
  #hoverId: string | undefined;
  /** The header or footer under the pointer. */
  #hoveredPart: Element | undefined;
  #press: { id: string | undefined; x: number; y: number } | undefined;
  #insertPosition: { parentId: string; index: number } | undefined;

  constructor(surface: CanvasSurface, layer: HTMLElement, around: SurfaceHost) {
    this.#surface = surface;
    this.#host = around;
    const { document } = surface.frame;
    const { signal } = this.#controller;
    const on = <Name extends keyof DocumentEventMap>(
      name: Name,
      listener: (event: DocumentEventMap[Name]) => void,
    ) => document.addEventListener(name, listener, { capture: true, signal });
    for (const name of ['mousedown', 'mouseup', 'click', 'auxclick', 'dragstart', 'submit'] as const)
      on(name, (event) => this.#suppress(event));
    on('pointermove', (event) => this.#onMove(event));
    on('pointerleave', () => this.#hover(undefined));
    on('pointerout', (event) => event.relatedTarget === null && this.#hover(undefined));
    on('pointerdown', (event) => this.#onPress(event));
    on('pointerup', (event) => this.#onRelease(event));
    on('dblclick', (event) => this.#onDoubleClick(event));
    on('contextmenu', (event) => this.#onMenu(event));
    on('keydown', (event) => {
      if (!surface.typing?.onKey(event)) around.onKey(event, surface);
    });
    layer.addEventListener('click', (event) => this.#onChip(event), { signal });
    surface.overlay.addButton.addEventListener('click', () => this.#onAdd(), { signal });
  }

  close(): void {
    this.#controller.abort();
  }

  /** The node under the pointer. */
  get hoverId(): string | undefined {
    return this.#hoverId;
  }

  /** Shows the node under the pointer at its current place. */
  updateHover(): void {
    const id = this.#hoverId;
    const isSelected = id !== undefined && this.#surface.workbench.editor.state.selection.includes(id);
    const box = id === undefined || isSelected ? undefined : this.#surface.findBox(id);
    const { overlay, words } = this.#surface;
    const part = this.#hoveredPart && this.#surface.findPartName(this.#hoveredPart);
    if (part) overlay.showHover(getBox(this.#hoveredPart!), words.editPart[part]);
    else overlay.showHover(box ?? null, box && id !== undefined ? this.#host.getName(id) : '');
  }

  /** Withdraws the offered button for inserting. */
  hideAddButton(): void {
    this.#showAddButton(undefined);
  }

  /** Hides all feedback of the pointer while something else is going on. */
  hideFeedback(): void {
    this.#showAddButton(undefined);
    this.#hover(undefined);
  }

  #isInTypedText(event: Event): boolean {
    return this.#surface.typing?.contains(event.target as Node) === true;
  }

  /** Keeps the page from reacting to its editor: no link is followed, no field filled, no video played. */
  #suppress(event: Event): void {
    if (this.#isInTypedText(event)) {
      if (event.type === 'click') event.preventDefault();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #onMove(event: PointerEvent): void {
    const { clientX: x, clientY: y } = event;
    const press = this.#press;
    if (press && Math.hypot(x - press.x, y - press.y) > dragPx) {
      this.#press = undefined;
      const { selection, tree } = this.#surface.workbench.editor.state;
      if (press.id === undefined) return;
      const ids = selection.includes(press.id) ? [...selection] : [press.id];
      if (press.id !== tree.rootId && this.#surface.workbench.canWrite && event.pointerType !== 'touch')
        this.#surface.beginDrag(event, { ids });
      return;
    }
    const id = this.#surface.findNodeAt(x, y);
    this.#hover(id, id === undefined ? this.#partAt(event) : undefined);
    this.#offerInsertion(id, x, y);
  }

  /** Returns the element of the header or footer. */
  #partAt({ target }: Event): Element | undefined {
    const around = (target as Element).closest('[data-around]');
    return around?.firstElementChild ?? undefined;
  }

  #onPress(event: PointerEvent): void {
    if (this.#isInTypedText(event) || event.button !== 0) return;
    if (this.#surface.typing) this.#surface.stopTyping();
    this.#host.focus();
    const id = this.#surface.findNodeAt(event.clientX, event.clientY);
    if (id !== undefined || this.#surface.workbench.surrounding || this.#partAt(event))
      this.#press = { id, x: event.clientX, y: event.clientY };
  }

  #onRelease(event: PointerEvent): void {
    const press = this.#press;
    this.#press = undefined;
    if (this.#isInTypedText(event) || !press || event.button !== 0) return;
    const { editor, surrounding: around } = this.#surface.workbench;
    const part = this.#partAt(event);
    if (press.id === undefined && part && !around) {
      this.#host.openPart(this.#surface.findPartName(part)!);
      return;
    }
    if (press.id === undefined) {
      const outerNode = new DrawnNodes(this.#surface.frame).findNode(event.target as Element);
      around?.leave(outerNode ? [outerNode.id] : []);
      return;
    }
    const { selection } = editor.state;
    if (!(event.shiftKey || event.ctrlKey || event.metaKey)) editor.select([press.id]);
    else if (selection.includes(press.id)) editor.select(selection.filter((id) => id !== press.id));
    else editor.select([...selection, press.id]);
  }

  #onDoubleClick(event: MouseEvent): void {
    if (this.#isInTypedText(event)) return;
    this.#suppress(event);
    const id = this.#surface.findNodeAt(event.clientX, event.clientY);
    if (id !== undefined) this.#surface.edit(id, { x: event.clientX, y: event.clientY });
  }

  #onMenu(event: MouseEvent): void {
    if (this.#isInTypedText(event)) return;
    this.#suppress(event);
    const id = this.#surface.findNodeAt(event.clientX, event.clientY);
    const { editor } = this.#surface.workbench;
    if (id !== undefined && !editor.state.selection.includes(id)) editor.select([id]);
    this.#host.focus();
    this.#host.openMenu(this.#surface.toWindowPoint({ x: event.clientX, y: event.clientY }));
  }

  #onChip(event: MouseEvent): void {
    const id = (event.target as HTMLElement).dataset.id;
    if (id === undefined) return;
    this.#surface.workbench.editor.select([id]);
    this.#host.focus();
    if (event.detail > 1) this.#surface.edit(id);
  }

  #onAdd(): void {
    if (this.#insertPosition)
      this.#surface.workbench.view.set({ sheet: { kind: 'insert', at: this.#insertPosition } });
  }

  #hover(id: string | undefined, part?: Element): void {
    if (id === this.#hoverId && part === this.#hoveredPart) return;
    this.#hoverId = id;
    this.#hoveredPart = part;
    this.updateHover();
  }

  #showAddButton(
    at: { parentId: string; index: number } | undefined,
    point?: { left: number; top: number },
  ): void {
    this.#insertPosition = at;
    this.#surface.overlay.showAdd((at && point) ?? null);
  }

  /** Offers inserting before or after a node when the pointer is near its upper or lower end. */
  #offerInsertion(id: string | undefined, x: number, y: number): void {
    const { tree } = this.#surface.workbench.editor.state;
    const parentId = id === undefined ? undefined : tree.parents.get(id);
    const box = id === undefined ? undefined : this.#surface.findBox(id);
    if (parentId !== undefined && box && this.#surface.workbench.canWrite && !this.#surface.typing) {
      const at = getChildIds(tree, parentId).indexOf(id!);
      const threshold = Math.min(edgeDistancePx, box.height / 3);
      const isBefore = y - box.top < threshold;
      const isAfter = box.top + box.height - y < threshold;
      if (isBefore || isAfter) {
        const top = isBefore ? box.top : box.top + box.height;
        this.#showAddButton(
          { parentId, index: isBefore ? at : at + 1 },
          { left: box.left + box.width / 2, top },
        );
        return;
      }
    }
    const { addButton: add } = this.#surface.overlay;
    if (add.hidden) return;
    // The button stays while the pointer is on its way to it.
    const buttonBox = add.getBoundingClientRect();
    const point = this.#surface.toWindowPoint({ x, y });
    const distance = Math.hypot(
      point.x - (buttonBox.left + buttonBox.right) / 2,
      point.y - (buttonBox.top + buttonBox.bottom) / 2,
    );
    if (distance > hideDistancePx) this.#showAddButton(undefined);
  }
}

import type { PageDocument } from '@waybill/page';
import type { CanvasWords } from '../../texts/en/editor-canvas.ts';
import { setValue } from '../model/commands.ts';
import type { EditorState } from '../model/editor.ts';
import { childrenOf, documentOf } from '../model/tree.ts';
import type { Workbench } from '../screen/workbench.ts';
import { beginDrag } from './drag.ts';
import { drawingOf, withSection } from './drawing.ts';
import { Frame } from './frame.ts';
import { pathPartOf, ShownNodes } from './nodes.ts';
import { type Box, Overlay } from './overlay.ts';
import { SpacingHandles } from './spacing.ts';
import { type TypedText, textOf } from './typed-text.ts';
import type { Typing } from './typing.ts';

/** What the screen around the canvas does for it. */
export interface Surroundings {
  /** What a node is called. */
  nameOf(id: string): string;
  readonly words: CanvasWords;
  /** A menu of what can be done with what is selected, at a point of the window. */
  openMenu(point: { x: number; y: number }): void;
  /** Takes the keys that are typed on the canvas. */
  focus(): void;
  onKey(event: KeyboardEvent): void;
  onTyping(typing: Typing | null): void;
  /** Opens what a reference to a global section stands for. */
  openSection(id: string): void;
}

/** Rules of the editor in the frame: what is typed keeps its spaces, and nothing is done with what is only looked at. */
export const frameRules = `
[contenteditable]{white-space:pre-wrap!important;cursor:text;outline:none}
[data-piece]{outline:1px dashed #3346c7;outline-offset:2px}
input,select,textarea,iframe{pointer-events:none!important}
::selection{background:#b7c3ff}`;

/** A press that moves this far is a drag. */
const dragPx = 5;
/** What is empty is looked for when nothing is typed for so long. */
const chipsMs = 120;
const mostChips = 200;
/** How near the pointer is to an end of a node for the way in between to be offered. */
const betweenPx = 10;

/** The canvas: the page in its frame, the layer above it, and what a pointer does there. */
export class Surface {
  readonly workbench: Workbench;
  readonly frame: Frame;
  readonly iframe: HTMLIFrameElement;
  readonly overlay: Overlay;
  readonly #around: Surroundings;
  readonly #handles: SpacingHandles;
  readonly #stops: (() => void)[] = [];
  #nodes: ShownNodes;
  #scheduled = 0;
  #isStale = true;
  #chipsTimer: ReturnType<typeof setTimeout> | undefined;
  #hoverId: string | undefined;
  /** Which copy of a list's card the pointer was in last: handles, lines and typing are in that one. */
  #copy = '';
  #press: { id: string | undefined; x: number; y: number } | undefined;
  #typing: Typing | undefined;
  /** The node that is being typed in, or about to be. */
  #begun: string | null = null;
  #addAt: { parentId: string; index: number } | undefined;
  #last: EditorState;

  /** `frame`: what has shown the document's surroundings until now, so that they stay. */
  constructor(
    workbench: Workbench,
    iframe: HTMLIFrameElement,
    layer: HTMLElement,
    around: Surroundings,
    frame = new Frame(iframe.contentDocument!, frameRules),
  ) {
    this.workbench = workbench;
    this.iframe = iframe;
    this.#around = around;
    this.frame = frame;
    this.#nodes = this.#shownNodes();
    this.overlay = new Overlay(layer, around.words.add);
    this.#handles = new SpacingHandles(this, layer);
    this.#last = workbench.editor.state;
    this.#stops.push(
      workbench.editor.subscribe((state, changes) => {
        if (changes.length > 0) this.#isStale = true;
        if (state.selection !== this.#last.selection) this.#onSelection(state);
        this.#last = state;
        this.schedule();
      }),
      workbench.sources.subscribe(() => this.redraw()),
      ...(workbench.around
        ? [
            workbench.around.workbench.editor.subscribe(() => this.redraw()),
            workbench.around.workbench.sources.subscribe(() => this.redraw()),
          ]
        : []),
      workbench.view.subscribe(() => this.#onView()),
    );
    this.#listen(layer);
    this.draw();
  }

  get words(): CanvasWords {
    return this.#around.words;
  }

  get typing(): Typing | undefined {
    return this.#typing;
  }

  close(): void {
    this.stopTyping();
    cancelAnimationFrame(this.#scheduled);
    clearTimeout(this.#chipsTimer);
    for (const stop of this.#stops) stop();
  }

  /** Draws at the next frame, once whatever happens until then. */
  schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = requestAnimationFrame(() => this.draw());
  }

  redraw(): void {
    this.#isStale = true;
    this.schedule();
  }

  /** Shows the present state. */
  draw(): void {
    cancelAnimationFrame(this.#scheduled);
    this.#scheduled = 0;
    const { around, sources, subject } = this.workbench;
    const outer = around?.workbench.sources.state;
    const drawnWith = around
      ? outer && withSection(outer, subject.id, this.#document(), sources.state)
      : sources.state;
    if (!drawnWith) return;
    if (this.#isStale) {
      this.#isStale = false;
      this.#offer(undefined);
      const before = this.frame.drawing;
      const shown = around?.workbench ?? this.workbench;
      const document = around?.workbench.editor.document ?? this.#document();
      this.frame.show(drawingOf(document, drawnWith, shown.subject.landmark));
      if (this.frame.drawing !== before) this.#nodes = this.#shownNodes();
    }
    this.place();
  }

  /** Puts the layer's boxes where the nodes are now. */
  readonly place = (): void => {
    const { selection, tree } = this.workbench.editor.state;
    const shown = selection.flatMap((id) => {
      const label = this.#typing?.id === id ? '' : this.#around.nameOf(id);
      const main = this.#nodes.elementOf(id, this.#copy);
      return this.#nodes.elementsOf(id).flatMap((element) => {
        const box = shownBoxOf(element);
        return box ? [{ box, label: element === main ? label : '' }] : [];
      });
    });
    this.overlay.showSelection(shown);
    this.overlay.showOnly((this.workbench.around && this.boxOf(tree.rootId)) ?? null);
    this.#showHover();
    this.#handles.place(selection.length === 1 && !this.#typing ? selection[0] : undefined);
    this.#typing?.onPlace();
    clearTimeout(this.#chipsTimer);
    this.#chipsTimer = setTimeout(() => this.#showChips(), chipsMs);
  };

  elementOf(id: string): Element | undefined {
    return this.#nodes.elementOf(id, this.#copy);
  }

  /** Where a node is shown, in the frame's pixels; undefined where it is not. */
  boxOf(id: string): Box | undefined {
    const element = this.elementOf(id);
    return element && shownBoxOf(element);
  }

  /** The innermost node of the document at a point of the frame. */
  idAt(x: number, y: number): string | undefined {
    const shown = this.#nodes.at(this.frame.document.elementFromPoint(x, y));
    if (shown) this.#copy = shown.copy;
    return shown?.id;
  }

  /** A point of the window in the frame's pixels. */
  inFrame({ clientX, clientY }: { clientX: number; clientY: number }): { x: number; y: number } {
    const { left, top } = this.iframe.getBoundingClientRect();
    return { x: (clientX - left) / this.scale, y: (clientY - top) / this.scale };
  }

  inWindow({ x, y }: { x: number; y: number }): { x: number; y: number } {
    const { left, top } = this.iframe.getBoundingClientRect();
    return { x: x * this.scale + left, y: y * this.scale + top };
  }

  /** How much smaller the frame is shown than it is. */
  get scale(): number {
    return this.iframe.getBoundingClientRect().width / this.iframe.offsetWidth || 1;
  }

  /** Brings a node into sight. */
  reveal(id: string): void {
    const element = this.elementOf(id);
    if (!element) return;
    const { top, bottom } = element.getBoundingClientRect();
    const height = this.frame.document.documentElement.clientHeight;
    if (top >= 0 && (bottom <= height || top < height / 2)) return;
    element.scrollIntoView({ block: bottom - top > height ? 'start' : 'center' });
  }

  /** An HTML text as a tree of nodes, in a document that loads and runs nothing. */
  parse(html: string): HTMLElement {
    const { DOMParser } = this.frame.document.defaultView as Window & typeof globalThis;
    return new DOMParser().parseFromString(html, 'text/html').body;
  }

  /** Edits a node where it stands: its text, or what a global section holds. */
  edit(id: string, point?: { x: number; y: number }): void {
    const { workbench } = this;
    const { view } = workbench;
    const node = workbench.editor.state.tree.nodes.get(id);
    if (!node) return;
    if (node.type === 'sectionRef') {
      this.#around.openSection(id);
      return;
    }
    if (!workbench.canWrite) return;
    this.#begun = id;
    this.stopTyping();
    this.calm();
    workbench.editor.select([id]);
    const typed = textOf(this, id);
    if (!typed) {
      workbench.view.set({ editingId: null });
      workbench.announce(node.type === 'productTitle' ? this.words.fromProduct : this.words.noText);
      return;
    }
    this.#begun = id;
    workbench.view.set({ editingId: id });
    // Even what has no text yet has to be there to type in.
    this.#isStale = true;
    this.draw();
    const place = this.#nodes.placeOf(id, this.#copy);
    if (!place || place.ordinal < 0) {
      workbench.view.set({ editingId: null });
      return;
    }
    this.#type(id, typed, point).catch((error) => {
      view.set({ editingId: null });
      workbench.refuse({ pointer: '', message: String(error) });
    });
  }

  async #type(id: string, typed: TypedText, point: { x: number; y: number } | undefined): Promise<void> {
    const { view } = this.workbench;
    const { startTyping } = await import('./typing.ts');
    // Drawn anew while that came, maybe, or something else is typed in by now.
    const place = view.state.editingId === id ? this.#nodes.placeOf(id, this.#copy) : undefined;
    if (!place) return;
    const typing = await startTyping(this, id, place, typed, point);
    if (!typing) {
      view.set({ editingId: null });
      return;
    }
    if (view.state.editingId !== id) {
      typing.stop();
      return;
    }
    this.#typing = typing;
    this.#around.onTyping(typing);
    this.place();
  }

  /** Ends the typing; what was typed is in the document already. */
  readonly stopTyping = (): void => {
    const typing = this.#typing;
    this.#typing = undefined;
    if (this.workbench.view.state.editingId !== null) this.workbench.view.set({ editingId: null });
    if (!typing) return;
    typing.stop();
    this.frame.release();
    this.#around.onTyping(null);
    this.redraw();
  };

  /** Whoever types gets keys that belong to the screen here. */
  readonly focus = (): void => this.#around.focus();

  #shownNodes(): ShownNodes {
    const { around } = this.workbench;
    return new ShownNodes(this.frame, around ? `${pathPartOf(around.referenceId)}/` : '');
  }

  #onSelection({ selection }: EditorState): void {
    if (this.#typing && !(selection.length === 1 && selection[0] === this.#typing.id)) this.stopTyping();
    const last = selection.at(-1);
    if (last !== undefined && this.#hoverId !== last) requestAnimationFrame(() => this.reveal(last));
  }

  #onView(): void {
    const { editingId } = this.workbench.view.state;
    if (editingId === null) this.#begun = null;
    if (editingId === null && this.#typing) this.stopTyping();
    // Somebody else asked for it.
    else if (editingId !== null && editingId !== this.#begun) this.edit(editingId);
    this.schedule();
  }

  /** The document; a text that is being typed shows its place while it is empty. */
  #document(): PageDocument {
    const { tree } = this.workbench.editor.state;
    const { editingId } = this.workbench.view.state;
    const typed = editingId === null ? undefined : textOf(this, editingId);
    if (!typed?.isEmpty) return documentOf(tree);
    const [change] = setValue(tree, [editingId!], { target: 'specials', key: typed.field }, typed.filler);
    const document = documentOf(tree);
    return {
      ...document,
      nodes: document.nodes.map((node) => (node.id === editingId && change?.after ? change.after : node)),
    };
  }

  #listen(layer: HTMLElement): void {
    const { document } = this.frame;
    const window = document.defaultView!;
    const on = <Name extends keyof DocumentEventMap>(
      name: Name,
      listener: (event: DocumentEventMap[Name]) => void,
    ) => {
      document.addEventListener(name, listener, true);
      this.#stops.push(() => document.removeEventListener(name, listener, true));
    };
    const isTyped = (event: Event) => this.#typing?.holds(event.target as Node) === true;
    /** Nothing on the page is done by who edits it: no link followed, no field filled, no film played. */
    const quiet = (event: Event) => {
      if (isTyped(event)) {
        if (event.type === 'click') event.preventDefault();
        return;
      }
      event.preventDefault();
      event.stopPropagation();
    };
    for (const name of ['mousedown', 'mouseup', 'click', 'auxclick', 'dragstart', 'submit'] as const)
      on(name, quiet);
    on('pointermove', (event) => this.#onMove(event));
    on('pointerleave', () => this.#hover(undefined));
    on('pointerout', (event) => event.relatedTarget === null && this.#hover(undefined));
    on('pointerdown', (event) => this.#onPress(event, isTyped(event)));
    on('pointerup', (event) => this.#onRelease(event, isTyped(event)));
    on('dblclick', (event) => {
      if (isTyped(event)) return;
      quiet(event);
      const id = this.idAt(event.clientX, event.clientY);
      if (id !== undefined) this.edit(id, { x: event.clientX, y: event.clientY });
    });
    on('contextmenu', (event) => {
      if (isTyped(event)) return;
      quiet(event);
      const id = this.idAt(event.clientX, event.clientY);
      const { editor } = this.workbench;
      if (id !== undefined && !editor.state.selection.includes(id)) editor.select([id]);
      this.#around.focus();
      this.#around.openMenu(this.inWindow({ x: event.clientX, y: event.clientY }));
    });
    on('keydown', (event) => {
      if (!this.#typing?.onKey(event)) this.#around.onKey(event);
    });
    const onScroll = () => this.place();
    window.addEventListener('scroll', onScroll, { passive: true });
    window.addEventListener('resize', onScroll);
    // Pictures that arrive move what is below them.
    document.addEventListener('load', onScroll, true);
    const observer = new ResizeObserver(onScroll);
    observer.observe(document.body);
    this.#stops.push(
      () => window.removeEventListener('scroll', onScroll),
      () => window.removeEventListener('resize', onScroll),
      () => document.removeEventListener('load', onScroll, true),
      () => observer.disconnect(),
    );
    const onChip = (event: MouseEvent) => {
      const id = (event.target as HTMLElement).dataset.id;
      if (id === undefined) return;
      this.workbench.editor.select([id]);
      this.#around.focus();
      if (event.detail > 1) this.edit(id);
    };
    const onAdd = () => {
      if (this.#addAt) this.workbench.view.set({ sheet: { is: 'insert', at: this.#addAt } });
    };
    layer.addEventListener('click', onChip);
    this.overlay.add.addEventListener('click', onAdd);
    this.#stops.push(
      () => layer.removeEventListener('click', onChip),
      () => this.overlay.add.removeEventListener('click', onAdd),
      () => layer.replaceChildren(),
    );
  }

  #onMove(event: PointerEvent): void {
    const { clientX: x, clientY: y } = event;
    const press = this.#press;
    if (press && Math.hypot(x - press.x, y - press.y) > dragPx) {
      this.#press = undefined;
      const { selection, tree } = this.workbench.editor.state;
      if (press.id === undefined) return;
      const ids = selection.includes(press.id) ? [...selection] : [press.id];
      if (press.id !== tree.rootId && this.workbench.canWrite && event.pointerType !== 'touch')
        beginDrag(this.workbench, event, { ids });
      return;
    }
    const id = this.idAt(x, y);
    this.#hover(id);
    this.#offerBetween(id, x, y);
  }

  #onPress(event: PointerEvent, isTyped: boolean): void {
    if (isTyped || event.button !== 0) return;
    if (this.#typing) this.stopTyping();
    this.#around.focus();
    const id = this.idAt(event.clientX, event.clientY);
    if (id !== undefined || this.workbench.around) this.#press = { id, x: event.clientX, y: event.clientY };
  }

  #onRelease(event: PointerEvent, isTyped: boolean): void {
    const press = this.#press;
    this.#press = undefined;
    if (isTyped || !press || event.button !== 0) return;
    const { editor, around } = this.workbench;
    if (press.id === undefined) {
      const outside = new ShownNodes(this.frame).at(event.target as Element);
      around?.leave(outside ? [outside.id] : []);
      return;
    }
    const { selection } = editor.state;
    if (!(event.shiftKey || event.ctrlKey || event.metaKey)) editor.select([press.id]);
    else if (selection.includes(press.id)) editor.select(selection.filter((id) => id !== press.id));
    else editor.select([...selection, press.id]);
  }

  #hover(id: string | undefined): void {
    if (id === this.#hoverId) return;
    this.#hoverId = id;
    this.#showHover();
  }

  #showHover(): void {
    const id = this.#hoverId;
    const isSelected = id !== undefined && this.workbench.editor.state.selection.includes(id);
    const box = id === undefined || isSelected ? undefined : this.boxOf(id);
    this.overlay.showHover(box ?? null, box && id !== undefined ? this.#around.nameOf(id) : '');
  }

  #offer(at: { parentId: string; index: number } | undefined, point?: { left: number; top: number }): void {
    this.#addAt = at;
    this.overlay.showAdd((at && point) ?? null);
  }

  /** Shows nothing of what follows the pointer: something else does. */
  calm(): void {
    this.#offer(undefined);
    this.#hover(undefined);
  }

  /** Near the upper or lower end of a node: a way to put something before or after it. */
  #offerBetween(id: string | undefined, x: number, y: number): void {
    const { tree } = this.workbench.editor.state;
    const parentId = id === undefined ? undefined : tree.parents.get(id);
    const box = id === undefined ? undefined : this.boxOf(id);
    if (parentId !== undefined && box && this.workbench.canWrite && !this.#typing) {
      const at = childrenOf(tree, parentId).indexOf(id!);
      const near = Math.min(betweenPx, box.height / 3);
      const isBefore = y - box.top < near;
      const isAfter = box.top + box.height - y < near;
      if (isBefore || isAfter) {
        const top = isBefore ? box.top : box.top + box.height;
        this.#offer({ parentId, index: isBefore ? at : at + 1 }, { left: box.left + box.width / 2, top });
        return;
      }
    }
    const { add } = this.overlay;
    if (add.hidden) return;
    // It stays while the pointer is on the way to it.
    const own = add.getBoundingClientRect();
    const point = this.inWindow({ x, y });
    const far = Math.hypot(point.x - (own.left + own.right) / 2, point.y - (own.top + own.bottom) / 2);
    if (far > 40) this.#offer(undefined);
  }

  /** What shows nothing can be found by a chip where it stands. */
  #showChips(): void {
    const { tree, selection } = this.workbench.editor.state;
    const { clientHeight: height } = this.frame.document.documentElement;
    const chips: { id: string; label: string; left: number; top: number; isSelected: boolean }[] = [];
    const taken = new Map<number, number>();
    const visit = (parentId: string, near: Box): void => {
      let cursor = { left: near.left, top: near.top };
      for (const id of childrenOf(tree, parentId)) {
        if (chips.length >= mostChips) return;
        const element = this.#nodes.elementOf(id);
        const box = element && boxOfElement(element);
        if (box && box.height >= 4 && box.width >= 4) {
          if (childrenOf(tree, id).length > 0 && box.top < height && box.top + box.height > 0) visit(id, box);
          cursor = { left: box.left, top: box.top + box.height };
          continue;
        }
        const at = box && (box.top || box.left) ? box : cursor;
        const row = Math.round(at.top);
        if (row < -20 || row > height) continue;
        const left = Math.max(at.left, taken.get(row) ?? 0);
        const label = this.#around.nameOf(id);
        chips.push({ id, label, left, top: row, isSelected: selection.includes(id) });
        taken.set(row, left + 24 + label.length * 7);
      }
    };
    const root = this.#nodes.elementOf(tree.rootId);
    const box = root ? boxOfElement(root) : { left: 0, top: 0, width: 0, height: 0 };
    visit(tree.rootId, box);
    if (childrenOf(tree, tree.rootId).length === 0 && box.height < 4)
      chips.push({
        id: tree.rootId,
        label: this.#around.nameOf(tree.rootId),
        left: 8,
        top: 8,
        isSelected: false,
      });
    this.overlay.showChips(chips);
  }
}

/** Undefined where it takes no room. */
function shownBoxOf(element: Element): Box | undefined {
  const box = boxOfElement(element);
  return box.width === 0 && box.height === 0 ? undefined : box;
}

/** In the pixels of what the frame shows now. */
export function boxOfElement(element: Element): Box {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { left, top, width, height };
}

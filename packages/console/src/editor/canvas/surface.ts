import type { PageDocument } from '@waybill/page';
import type { CanvasWords } from '../../texts/en/editor-canvas.ts';
import { setValue } from '../core/commands.ts';
import type { EditorState } from '../core/editor.ts';
import { documentOf } from '../core/tree.ts';
import type { Workbench } from '../screen/workbench.ts';
import { type Box, boxOfElement, shownBoxOf } from './box.ts';
import { chipsOf } from './chips.ts';
import { loadDragging } from './drag.ts';
import { drawingOf, withSection } from './drawing.ts';
import { Frame, type PagePart } from './frame.ts';
import { pathPartOf, ShownNodes } from './nodes.ts';
import { Overlay } from './overlay.ts';
import { Pointer } from './pointer.ts';
import { scrollInto } from './scroll.ts';
import type { SpacingHandles } from './spacing.ts';
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
  /** Opens the store's header or footer, which stands around the page. */
  openPart(part: PagePart): void;
}

/** Rules of the editor in the frame: what is typed keeps its spaces, and nothing is done with what is only looked at. */
export const frameRules = `
[contenteditable]{white-space:pre-wrap!important;cursor:text;outline:none}
[data-piece]{outline:1px dashed #3346c7;outline-offset:2px}
input,select,textarea,iframe{pointer-events:none!important}
::selection{background:#b7c3ff}`;

/** What is empty is looked for when nothing is typed for so long. */
const chipsMs = 120;

/** The canvas: the page in its frame, the layer above it, and the text that is typed there. */
export class Surface {
  readonly workbench: Workbench;
  readonly frame: Frame;
  readonly iframe: HTMLIFrameElement;
  readonly overlay: Overlay;
  readonly #around: Surroundings;
  /** Once what that needs has been read. */
  #handles: SpacingHandles | undefined;
  readonly #pointer: Pointer;
  readonly #stops: (() => void)[] = [];
  /** Told whenever another state is shown. */
  readonly drawn = new Set<() => void>();
  #nodes: ShownNodes;
  #scheduled = 0;
  #isStale = true;
  #chipsTimer: ReturnType<typeof setTimeout> | undefined;
  /** Which copy of a list's card the pointer was in last: handles, lines and typing are in that one. */
  #copy = '';
  #typing: Typing | undefined;
  /** The node that is being typed in, or about to be. */
  #begun: string | null = null;
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
    this.#pointer = new Pointer(this, layer, around);
    this.#followPage();
    this.#stops.push(
      this.#makeReady(layer),
      () => this.#pointer.close(),
      () => layer.replaceChildren(),
    );
    this.draw();
  }

  /** Files are taken and spaces shown once what that needs has been read. Gives what ends it. */
  #makeReady(layer: HTMLElement): () => void {
    let end: (() => void) | undefined;
    let isClosed = false;
    Promise.all([loadDragging(), import('./spacing.ts')]).then(
      ([{ takeFiles }, spacing]) => {
        if (isClosed) return;
        end = takeFiles(this.workbench, this);
        this.#handles = new spacing.SpacingHandles(this, layer);
        this.schedule();
      },
      // Without it nothing is dragged; all else works.
      () => {},
    );
    return () => {
      isClosed = true;
      end?.();
    };
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
      this.#pointer.offerNothing();
      const before = this.frame.drawing;
      const shown = around?.workbench ?? this.workbench;
      const document = around?.workbench.editor.document ?? this.#document();
      this.frame.show(drawingOf(document, drawnWith, shown.subject.landmark));
      if (this.frame.drawing !== before) this.#nodes = this.#shownNodes();
      // Of what is typed, nothing but the text changes.
      if (!this.#typing) for (const watcher of this.drawn) watcher();
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
    this.#pointer.showHover();
    this.#handles?.place(selection.length === 1 && !this.#typing ? selection[0] : undefined);
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

  /** Which part of the store's own an element around the page is. */
  partOf(element: Element): PagePart | undefined {
    return element.closest<HTMLElement>('[data-around]')?.dataset.around as PagePart | undefined;
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
    scrollInto(element);
    // Where the page is larger than its room.
    const room = this.iframe.closest('[data-room]');
    if (!room || room.scrollWidth <= room.clientWidth) return;
    const box = boxOfElement(element);
    const outer = room.getBoundingClientRect();
    const start = this.inWindow({ x: box.left, y: 0 }).x - outer.left;
    const end = start + box.width * this.scale;
    if (start < 0 || end > outer.width) room.scrollLeft += Math.min(start, (start + end - outer.width) / 2);
  }

  /** Shows nothing of what follows the pointer: something else does. */
  calm(): void {
    this.#pointer.calm();
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
    if (last === undefined || this.#pointer.hoverId === last) return;
    requestAnimationFrame(() => {
      // What is new has to be there first.
      if (this.#isStale) this.draw();
      this.reveal(last);
    });
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

  /** Keeps the layer's boxes where the nodes are, whatever moves them. */
  #followPage(): void {
    const { document } = this.frame;
    const window = document.defaultView!;
    window.addEventListener('scroll', this.place, { passive: true });
    const resized = () => {
      this.place();
      for (const watcher of this.drawn) watcher();
    };
    window.addEventListener('resize', resized);
    // Pictures that arrive move what is below them.
    document.addEventListener('load', this.place, true);
    const observer = new ResizeObserver(this.place);
    observer.observe(document.body);
    this.#stops.push(
      () => window.removeEventListener('scroll', this.place),
      () => window.removeEventListener('resize', resized),
      () => document.removeEventListener('load', this.place, true),
      () => observer.disconnect(),
    );
  }

  /** What shows nothing can be found by a chip where it stands. */
  #showChips(): void {
    const { clientHeight } = this.frame.document.documentElement;
    const { state } = this.workbench.editor;
    this.overlay.showChips(
      chipsOf(state, this.#nodes, clientHeight, (id) => this.#around.nameOf(id), this.scale),
    );
  }
}

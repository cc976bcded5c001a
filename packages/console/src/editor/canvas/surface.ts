import type { PageDocument } from '@waybill/page';
import type { CanvasWords } from '../../texts/en/editor-canvas.ts';
import { setValue } from '../core/commands.ts';
import type { EditorState } from '../core/editor.ts';
import { toDocument } from '../core/tree.ts';
import type { Dragged, DragStart } from '../workbench/canvas-port.ts';
import type { PagePart } from '../workbench/page-parts.ts';
import { findTypedText, type TypedText } from '../workbench/typed-text.ts';
import type { Workbench } from '../workbench/workbench.ts';
import { type Box, getBox, getVisibleBox } from './box.ts';
import type { CanvasSurface, SurfaceHost, TypingSession } from './canvas-surface.ts';
import { layOutChips } from './chips.ts';
import { drawDocument, mergeSectionSources } from './drawing.ts';
import { Frame } from './frame.ts';
import { loadDragging, loadedDragging } from './lazy-dragging.ts';
import { DrawnNodes, escapePathPart } from './nodes.ts';
import { Overlay } from './overlay.ts';
import { Pointer } from './pointer.ts';
import { scrollIntoFrame } from './scroll.ts';
import type { SpacingHandles } from './spacing.ts';

/** The editor's rules in the frame: typed text keeps its spaces, and form fields and embeds do not react. */
export const frameRules = `
[contenteditable]{white-space:pre-wrap!important;cursor:text;outline:none}
[data-piece]{outline:1px dashed #3346c7;outline-offset:2px}
input,select,textarea,iframe{pointer-events:none!important}
[data-languages] .wb-languages:empty{display:block}
::selection{background:#b7c3ff}`;

/** Empty nodes are looked for after this long without a change. */
const chipsMs = 120;

/** The canvas: the page in its frame, the layer above it, and the text being typed. */
export class Surface implements CanvasSurface {
  readonly workbench: Workbench;
  readonly frame: Frame;
  readonly iframe: HTMLIFrameElement;
  readonly overlay: Overlay;
  readonly #host: SurfaceHost;
  /** Undefined until its code has loaded. */
  #handles: SpacingHandles | undefined;
  readonly #pointer: Pointer;
  readonly #unsubscribers: (() => void)[] = [];
  readonly #drawListeners = new Set<() => void>();
  #nodes: DrawnNodes;
  #scheduled = 0;
  #isStale = true;
  #chipsTimer: ReturnType<typeof setTimeout> | undefined;
  /** The list's copy that the pointer was in last; handles, lines and typing use that copy. */
  #copy = '';
  #typing: TypingSession | undefined;
  /** The node that is being typed in, or is about to be. */
  #startedId: string | null = null;
  #lastState: EditorState;

  /** `frame` is the frame that has shown the surrounding page until now and is reused, so that the page stays. */
  constructor(
    workbench: Workbench,
    iframe: HTMLIFrameElement,
    layer: HTMLElement,
    host: SurfaceHost,
    frame = new Frame(iframe.contentDocument!, frameRules),
  ) {
    this.workbench = workbench;
    this.iframe = iframe;
    this.#host = host;
    this.frame = frame;
    this.#nodes = this.#findDrawnNodes();
    this.overlay = new Overlay(layer, host.words.add);
    this.#lastState = workbench.editor.state;
    this.#unsubscribers.push(
      workbench.editor.subscribe((state, changes) => {
        if (changes.length > 0) this.#isStale = true;
        if (state.selection !== this.#lastState.selection) this.#onSelection(state);
        this.#lastState = state;
        this.schedule();
      }),
      workbench.sources.subscribe(() => this.redraw()),
      ...(workbench.surrounding
        ? [
            workbench.surrounding.workbench.editor.subscribe(() => this.redraw()),
            workbench.surrounding.workbench.sources.subscribe(() => this.redraw()),
          ]
        : []),
      workbench.view.subscribe(() => this.#onView()),
    );
    this.#pointer = new Pointer(this, layer, host);
    this.#observePage();
    this.#unsubscribers.push(
      this.#loadTools(layer),
      () => this.#pointer.close(),
      () => layer.replaceChildren(),
    );
    this.draw();
  }

  /** Enables file drops, spacing handles and language switches once their code has loaded. Returns the function that ends them. */
  #loadTools(layer: HTMLElement): () => void {
    let stop: (() => void) | undefined;
    let isClosed = false;
    Promise.all([loadDragging(), import('./spacing.ts'), import('./language-switches.ts')]).then(
      ([{ acceptFileDrops: takeFiles }, spacing, { showLanguageSwitches }]) => {
        if (isClosed) return;
        const stopFiles = takeFiles(this.workbench, this);
        const stopSwitches = showLanguageSwitches(this);
        stop = () => {
          stopFiles();
          stopSwitches();
        };
        this.#handles = new spacing.SpacingHandles(this, layer);
        this.schedule();
      },
      // Without this code there is no dragging; everything else works.
      () => {},
    );
    return () => {
      isClosed = true;
      stop?.();
    };
  }

  get document(): Document {
    return this.frame.document;
  }

  get words(): CanvasWords {
    return this.#host.words;
  }

  get typing(): TypingSession | undefined {
    return this.#typing;
  }

  close(): void {
    this.stopTyping();
    cancelAnimationFrame(this.#scheduled);
    clearTimeout(this.#chipsTimer);
    for (const stop of this.#unsubscribers) stop();
  }

  /** Draws in the next animation frame, once for all changes until then. */
  schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = requestAnimationFrame(() => this.draw());
  }

  redraw(): void {
    this.#isStale = true;
    this.schedule();
  }

  /** Draws the current state. */
  draw(): void {
    cancelAnimationFrame(this.#scheduled);
    this.#scheduled = 0;
    const { surrounding: around, sources, subject } = this.workbench;
    const outer = around?.workbench.sources.state;
    const effectiveSources = around
      ? outer && mergeSectionSources(outer, subject.id, this.#document(), sources.state)
      : sources.state;
    if (!effectiveSources) return;
    if (this.#isStale) {
      this.#isStale = false;
      this.#pointer.hideAddButton();
      const before = this.frame.drawing;
      const shown = around?.workbench ?? this.workbench;
      const document = around?.workbench.editor.document ?? this.#document();
      this.frame.show(drawDocument(document, effectiveSources, shown.subject.landmark));
      if (this.frame.drawing !== before) this.#nodes = this.#findDrawnNodes();
      // During typing nothing but the text changes.
      if (!this.#typing) for (const listener of this.#drawListeners) listener();
    }
    this.updateOverlay();
  }

  /** Moves the layer's boxes to the current places of the nodes. */
  readonly updateOverlay = (): void => {
    const { selection, tree } = this.workbench.editor.state;
    const outlines = selection.flatMap((id) => {
      const label = this.#typing?.id === id ? '' : this.#host.getName(id);
      const main = this.#nodes.findElement(id, this.#copy);
      return this.#nodes.findElements(id).flatMap((element) => {
        const box = getVisibleBox(element);
        return box ? [{ box, label: element === main ? label : '' }] : [];
      });
    });
    this.overlay.showSelection(outlines);
    this.overlay.showShade((this.workbench.surrounding && this.findBox(tree.rootId)) ?? null);
    this.#pointer.updateHover();
    this.#handles?.showFor(selection.length === 1 && !this.#typing ? selection[0] : undefined);
    this.#typing?.onLayout();
    clearTimeout(this.#chipsTimer);
    this.#chipsTimer = setTimeout(() => this.#showChips(), chipsMs);
  };

  findElement(id: string, blockNodeId?: string): Element | undefined {
    if (blockNodeId === undefined) return this.#nodes.findElement(id, this.#copy);
    return this.frame.findElement(`${escapePathPart(id)}/${escapePathPart(blockNodeId)}`);
  }

  onDraw(listener: () => void): () => void {
    this.#drawListeners.add(listener);
    return () => this.#drawListeners.delete(listener);
  }

  beginDrag(start: DragStart, dragged: Dragged): void {
    loadedDragging()?.beginDrag(this, start, dragged);
  }

  /** Returns a node's box in the frame's pixels; undefined if it is not shown. */
  findBox(id: string): Box | undefined {
    const element = this.findElement(id);
    return element && getVisibleBox(element);
  }

  /** Returns the innermost node of the document at a point of the frame. */
  findNodeAt(x: number, y: number): string | undefined {
    const shown = this.#nodes.findNode(this.frame.document.elementFromPoint(x, y));
    if (shown) this.#copy = shown.copy;
    return shown?.id;
  }

  /** Tells whether an element around the page belongs to the store's header or footer. */
  findPartName(element: Element): PagePart | undefined {
    return element.closest<HTMLElement>('[data-around]')?.dataset.around as PagePart | undefined;
  }

  /** Converts a point of the window to the frame's pixels. */
  toFramePoint({ clientX, clientY }: { clientX: number; clientY: number }): { x: number; y: number } {
    const { left, top } = this.iframe.getBoundingClientRect();
    return { x: (clientX - left) / this.scale, y: (clientY - top) / this.scale };
  }

  toWindowPoint({ x, y }: { x: number; y: number }): { x: number; y: number } {
    const { left, top } = this.iframe.getBoundingClientRect();
    return { x: x * this.scale + left, y: y * this.scale + top };
  }

  /** The scale at which the frame is shown. */
  get scale(): number {
    return this.iframe.getBoundingClientRect().width / this.iframe.offsetWidth || 1;
  }

  /** Scrolls a node into view. */
  scrollToNode(id: string): void {
    const element = this.findElement(id);
    if (!element) return;
    scrollIntoFrame(element);
    // The page may also be larger than its room.
    const scrollArea = this.iframe.closest('[data-room]');
    if (!scrollArea || scrollArea.scrollWidth <= scrollArea.clientWidth) return;
    const box = getBox(element);
    const outer = scrollArea.getBoundingClientRect();
    const start = this.toWindowPoint({ x: box.left, y: 0 }).x - outer.left;
    const stop = start + box.width * this.scale;
    if (start < 0 || stop > outer.width)
      scrollArea.scrollLeft += Math.min(start, (start + stop - outer.width) / 2);
  }

  /** Hides all feedback of the pointer while something else is going on. */
  hideFeedback(): void {
    this.#pointer.hideFeedback();
  }

  /** Edits a node in place: its text, or the content of a global section. Any other node shows its settings. */
  edit(id: string, point?: { x: number; y: number }): void {
    const { workbench, words } = this;
    const { view, canWrite } = workbench;
    const node = workbench.editor.state.tree.nodes.get(id);
    if (!node || node.type === 'sectionRef') {
      view.set({ editingId: null });
      if (node) this.#host.openSection(id);
      return;
    }
    this.#startedId = id;
    this.stopTyping();
    this.hideFeedback();
    workbench.editor.select([id]);
    const typedText = canWrite ? findTypedText(workbench, id) : undefined;
    if (!typedText) {
      this.#showSettings();
      if (canWrite) workbench.announce(node.type === 'productTitle' ? words.fromProduct : words.noText);
      return;
    }
    this.#startedId = id;
    workbench.view.set({ editingId: id });
    // An empty text is drawn with a filler, so that there is an element to type in.
    this.#isStale = true;
    this.draw();
    const span = this.#nodes.findSpan(id, this.#copy);
    if (!span || span.ordinal < 0) {
      this.#showSettings();
      return;
    }
    this.#startTyping(id, typedText, point).catch((error) => {
      view.set({ editingId: null });
      workbench.refuse({ pointer: '', message: String(error) });
    });
  }

  /** Shows the settings of the selection, where it has no text to type. */
  #showSettings(): void {
    const { workbench } = this;
    workbench.view.set({ editingId: null });
    import('../workbench/reveal-node.ts').then(
      ({ showSettings }) => showSettings(workbench),
      () => {},
    );
  }

  async #startTyping(
    id: string,
    typedText: TypedText,
    point: { x: number; y: number } | undefined,
  ): Promise<void> {
    const { view } = this.workbench;
    const { startTyping } = await import('./typing.ts');
    // While the code loaded, the page may have been redrawn or typing may have started elsewhere.
    if (view.state.editingId !== id) return;
    const span = this.#nodes.findSpan(id, this.#copy);
    if (!span) {
      view.set({ editingId: null });
      return;
    }
    const typing = await startTyping(this, id, span, typedText, point);
    if (view.state.editingId !== id) {
      typing?.stop();
      return;
    }
    if (!typing) {
      this.#showSettings();
      return;
    }
    this.#typing = typing;
    this.#host.onTyping(typing);
    this.updateOverlay();
  }

  /** Ends the typing; the typed text is already in the document. */
  readonly stopTyping = (): void => {
    const typing = this.#typing;
    this.#typing = undefined;
    if (this.workbench.view.state.editingId !== null) this.workbench.view.set({ editingId: null });
    if (!typing) return;
    typing.stop();
    this.frame.release();
    this.#host.onTyping(null);
    this.redraw();
  };

  /** Gives the keyboard focus back to the screen, which handles its keys. */
  readonly focus = (): void => this.#host.focus();

  #findDrawnNodes(): DrawnNodes {
    const { surrounding: around } = this.workbench;
    return new DrawnNodes(this.frame, around ? `${escapePathPart(around.referenceId)}/` : '');
  }

  #onSelection({ selection }: EditorState): void {
    if (this.#typing && !(selection.length === 1 && selection[0] === this.#typing.id)) this.stopTyping();
    const last = selection.at(-1);
    if (last === undefined || this.#pointer.hoverId === last) return;
    requestAnimationFrame(() => {
      // New nodes must be drawn first.
      if (this.#isStale) this.draw();
      this.scrollToNode(last);
    });
  }

  #onView(): void {
    const { editingId } = this.workbench.view.state;
    if (editingId === null) this.#startedId = null;
    if (editingId === null && this.#typing) this.stopTyping();
    // Another part of the editor has requested the typing.
    else if (editingId !== null && editingId !== this.#startedId) this.edit(editingId);
    this.schedule();
  }

  /** Returns the document; an empty text that is being typed is shown by a filler. */
  #document(): PageDocument {
    const { tree } = this.workbench.editor.state;
    const { editingId } = this.workbench.view.state;
    const typedText = editingId === null ? undefined : findTypedText(this.workbench, editingId);
    if (!typedText?.isEmpty) return toDocument(tree);
    const [change] = setValue(
      tree,
      [editingId!],
      { target: 'specials', key: typedText.field },
      typedText.filler,
    );
    const document = toDocument(tree);
    return {
      ...document,
      nodes: document.nodes.map((node) => (node.id === editingId && change?.after ? change.after : node)),
    };
  }

  /** Keeps the layer's boxes at their nodes, whatever moves them. */
  #observePage(): void {
    const { document } = this.frame;
    const window = document.defaultView!;
    window.addEventListener('scroll', this.updateOverlay, { passive: true });
    const resized = () => {
      this.updateOverlay();
      for (const listener of this.#drawListeners) listener();
    };
    window.addEventListener('resize', resized);
    // Pictures move the content below them when they load.
    document.addEventListener('load', this.updateOverlay, true);
    const observer = new ResizeObserver(this.updateOverlay);
    observer.observe(document.body);
    this.#unsubscribers.push(
      () => window.removeEventListener('scroll', this.updateOverlay),
      () => window.removeEventListener('resize', resized),
      () => document.removeEventListener('load', this.updateOverlay, true),
      () => observer.disconnect(),
    );
  }

  /** Shows chips in the places of nodes that show nothing. */
  #showChips(): void {
    const { clientHeight } = this.frame.document.documentElement;
    const { state } = this.workbench.editor;
    this.overlay.showChips(
      layOutChips(state, this.#nodes, clientHeight, (id) => this.#host.getName(id), this.scale),
    );
  }
}

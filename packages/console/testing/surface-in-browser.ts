import { type DocumentSources, type PageDocument, pageMain, renderDocument, vocabulary } from '@waybill/page';
import { Surface } from '../src/editor/canvas/surface.ts';
import { remove } from '../src/editor/core/commands.ts';
import { Editor } from '../src/editor/core/editor.ts';
import { findNodeActionByKey } from '../src/editor/workbench/actions.ts';
import { ObservableState } from '../src/editor/workbench/observable-state.ts';
import type { ViewState, Workbench } from '../src/editor/workbench/workbench.ts';
import type { PlainTool } from '../src/shell/rich-text.ts';
import '../src/shell/trusted-types.ts';
import english from '../src/texts/en/editor-canvas.ts';
import { bindCatalogue } from '../src/texts/messages.ts';

const words = bindCatalogue(english, 'en');

/** A canvas on a given document, without the editor's screen. */
interface Opened {
  readonly workbench: Workbench;
  readonly editor: Editor;
  readonly surface: Surface;
  readonly view: ObservableState<ViewState>;
  readonly said: string[];
  /** Renders the document as publishing it now would. */
  published(): { readonly html: string };
}

const off = { islands: false };

let opened: Opened | undefined;

const firstView: ViewState = {
  width: 'base',
  zoom: 'fit',
  scale: 1,
  locale: null,
  editingId: null,
  left: 'layers',
  right: 'inspector',
  narrow: 'canvas',
  sheet: null,
  problems: [],
} as ViewState;

/**
 * Opens a canvas. `inside` is the id of the reference to a global section that is edited in place; a viewer cannot
 * write. The settings beside it are a stand-in, whose second one can be changed.
 */
async function openCanvas(json: string): Promise<void> {
  const {
    document: page,
    sources,
    inside,
    isViewer = false,
  } = JSON.parse(json) as {
    document: PageDocument;
    sources: DocumentSources;
    inside?: string;
    isViewer?: boolean;
  };
  const sectionId = String(page.nodes.find(({ id }) => id === inside)?.props?.specials?.sectionId);
  const first = inside === undefined ? page : sources.sections[sectionId]!;
  opened?.surface.close();
  const pane = document.createElement('div');
  pane.tabIndex = -1;
  pane.style.cssText = 'position:relative;inline-size:1000px;block-size:600px';
  const iframe = document.createElement('iframe');
  iframe.setAttribute('sandbox', 'allow-same-origin');
  iframe.style.cssText = 'inline-size:1000px;block-size:600px;border:0';
  iframe.srcdoc = '<!doctype html><title></title><body></body>';
  const layer = document.createElement('div');
  layer.style.cssText = 'position:absolute;inset:0;pointer-events:none';
  const settings = document.createElement('section');
  settings.dataset.pane = 'right';
  settings.tabIndex = -1;
  settings.innerHTML = `<div data-inspector><button id="group">Content</button>
    <div data-control><input disabled><input id="setting"></div></div>`;
  document.body.replaceChildren(pane, settings);
  const style = document.createElement('style');
  style.textContent = '[data-spacing]{position:absolute;top:0;left:0;pointer-events:auto}';
  pane.append(style);
  pane.append(iframe, layer);
  await new Promise((resolve) => {
    iframe.onload = resolve;
  });
  const editor = new Editor(vocabulary, first);
  const view = new ObservableState(firstView);
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const state = { texts: {} as Record<string, Record<string, string>> };
  const watchers = new Set<() => void>();
  const drawnWith = (texts: typeof state.texts): DocumentSources => ({ ...sources, texts });
  const surrounding = inside !== undefined && {
    referenceId: inside,
    workbench: {
      editor: new Editor(vocabulary, page),
      subject: { id: 'page' },
      sources: { state: sources, subscribe: () => () => {} },
    },
    leave: (ids: string[]) => say(`left for ${ids}`),
  };
  const workbench = {
    surrounding: surrounding || null,
    subject: { id: sectionId },
    words: {},
    editor,
    view,
    canWrite: !isViewer,
    canvas: { surface: null },
    sources: {
      get state() {
        return drawnWith(state.texts);
      },
      subscribe(watcher: () => void) {
        watchers.add(watcher);
        return () => watchers.delete(watcher);
      },
    },
    announce: say,
    refuse: ({ message }: { message: string }) => say(`refused: ${message}`),
    translate(id: string, field: string, text: string) {
      say(`${id} ${field} ${text}`);
      state.texts = { ...state.texts, [id]: { ...state.texts[id], [field]: text } };
      for (const watcher of watchers) watcher();
    },
  } as unknown as Workbench;
  const surface = new Surface(workbench, iframe, layer, {
    words,
    getName: (id) => id,
    openMenu: () => say('menu'),
    focus: () => pane.focus(),
    onKey: (event) => say(`key ${event.key}`),
    onTyping: () => {},
    openSection: (id) => say(`section ${id}`),
    openPart: (part) => say(`part ${part}`),
  });
  workbench.canvas.surface = surface;
  const published = () => {
    const now = drawnWith(state.texts);
    return surrounding
      ? renderDocument(page, { ...now, sections: { ...now.sections, [sectionId]: editor.document } }, off)
      : renderDocument(editor.document, now, off);
  };
  opened = { workbench, editor, surface, view, said, published };
}

/** Draws the canvas and returns everything that tests check. */
function look() {
  const { editor, surface, view, said, published } = opened!;
  surface.draw();
  const { html } = published();
  const body = surface.frame.document.body.innerHTML;
  return {
    selection: editor.state.selection,
    editingId: view.state.editingId,
    shown: { right: view.state.right, narrow: view.state.narrow },
    focused: document.activeElement?.id,
    steps: editor.state.history.done.length,
    said: said.splice(0),
    isAsPublished: body === pageMain(html),
    body,
    styles: Object.fromEntries(
      [...editor.state.tree.nodes].map(([id, { props }]) => [id, props?.style?.base ?? {}]),
    ),
    nodes: Object.fromEntries(
      [...editor.state.tree.nodes].map(([id, { props, children }]) => [
        id,
        { text: props?.specials?.text, ...props?.specials, children },
      ]),
    ),
  };
}

/** Returns the centre of an element of the frame, in window coordinates. */
function findPoint(selector: string) {
  const { surface } = opened!;
  const { left, top, width, height } = surface.frame.document
    .querySelector(selector)!
    .getBoundingClientRect();
  return { ...surface.toWindowPoint({ x: left + width / 2, y: top + height / 2 }), width, height };
}

const act = {
  edit: (id: string) => opened!.surface.edit(id),
  /** As the layers and the menu do it. */
  begin: (id: string) => opened!.view.set({ editingId: id, right: 'problems', narrow: 'canvas' }),
  findAction: (key: string, ids: readonly string[]) =>
    findNodeActionByKey(opened!.workbench, new KeyboardEvent('keydown', { key }), ids)?.id,
  stop: () => opened!.surface.stopTyping(),
  removeTitle() {
    const { editor, surface } = opened!;
    editor.applyRemote(remove(editor.state.tree, ['title']));
    surface.draw();
  },
  undo: () => opened!.editor.undo(),
  redo: () => opened!.editor.redo(),
  locale: (locale: string) => opened!.view.set({ locale }),
  editing: () => opened!.view.state.editingId,
  isTyping: (id: string) => opened!.surface.typing?.id === id,
  select: (id: string) => opened!.editor.select([id]),
  tool: (tool: PlainTool) => opened!.surface.typing?.tools?.run(tool),
  link: (href: string) => opened!.surface.typing?.tools?.link(href),
};

/** Counts the overlay boxes that show the selection. */
const boxes = () => document.querySelectorAll('[class*=selected]:not([hidden])').length;

Object.assign(globalThis, { openCanvas, look, findPoint, act, boxes });

export type Look = ReturnType<typeof look>;

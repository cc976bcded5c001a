import { history, redo, undo } from 'prosemirror-history';
import { keymap } from 'prosemirror-keymap';
import { Node, DOMParser as ProseParser, type Slice } from 'prosemirror-model';
import { EditorState, Selection } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import { Echoes } from '../../ui/echoes.ts';
import {
  computeState,
  createCommands,
  createKeyBindings,
  LinkKey,
  linked,
  type PlainTool,
  pastedSlice,
  type RichTextState,
  type RichTextTools,
} from '../rich-text.ts';
import { schema, toDoc, toHtml } from './schema.ts';

const commands = createCommands(schema);
const parser = ProseParser.fromSchema(schema);

/** The visual editor of an HTML text. Until the user changes the text, it stays byte for byte as it was given. */
export class HtmlView implements RichTextTools<string> {
  readonly #view: EditorView;
  readonly #linkKey: LinkKey;
  readonly #template: HTMLTemplateElement;
  readonly #watchers = new Set<() => void>();
  readonly #onChange: (html: string) => void;
  /** The last value from outside, as HTML and as a document. */
  #given: { html: string; doc: Node };
  readonly #echoes: Echoes;
  #state: RichTextState<string>;

  /**
   * Opens the editor; returns null if it cannot edit all of the HTML. `inert` is a document in which nothing runs:
   * Trusted Types prevent the console's own document from parsing HTML.
   */
  static begin(
    place: HTMLElement,
    inert: Document,
    html: string,
    onChange: (html: string) => void,
  ): HtmlView | null {
    const template = inert.createElement('template');
    const doc = docIn(template, html);
    return doc && new HtmlView(place, template, { html, doc }, onChange);
  }

  private constructor(
    place: HTMLElement,
    template: HTMLTemplateElement,
    given: { html: string; doc: Node },
    onChange: (html: string) => void,
  ) {
    this.#template = template;
    this.#given = given;
    this.#echoes = new Echoes(given.html);
    this.#onChange = onChange;
    this.#view = new EditorView(place, {
      state: stateWith(given.doc),
      handlePaste: (_, { clipboardData }) => this.#insert(clipboardData),
      handleDrop: (view, event, _, isMoved) => {
        if (isMoved) return false;
        const at = view.posAtCoords({ left: event.clientX, top: event.clientY });
        return at !== null && this.#insert(event.dataTransfer, at.pos);
      },
      dispatchTransaction: (transaction) => {
        this.#view.updateState(this.#view.state.apply(transaction));
        this.#noteState();
        if (transaction.docChanged) this.#notify();
      },
    });
    this.#linkKey = new LinkKey(this.#view.dom);
    this.#state = computeState(this.#view.state, commands);
  }

  get state(): RichTextState<string> {
    return this.#state;
  }

  readonly subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  readonly focus = (): void => this.#view.focus();

  run(tool: PlainTool): void {
    commands[tool](this.#view.state, this.#view.dispatch);
    this.focus();
  }

  onLinkKey(open: () => void): () => void {
    return this.#linkKey.on(open);
  }

  link(href: string | null, text?: string): void {
    this.#view.dispatch(linked(this.#view.state, href, text));
    this.focus();
  }

  /** Shows another value, unless the editor reported it itself. Returns false if it cannot edit all of the HTML. */
  show(html: string): boolean {
    if (this.#echoes.isOwn(html) || this.#view.isDestroyed) return true;
    const doc = docIn(this.#template, html);
    if (!doc) return false;
    this.#given = { html, doc };
    // The server may have normalised the HTML. The cursor stays in place if the document is the same.
    if (doc.eq(this.#view.state.doc)) return true;
    this.#view.updateState(stateWith(doc));
    this.#noteState();
    return true;
  }

  /** Sets the attributes of the editable element and whether it accepts input. */
  setAttributes(attributes: Record<string, string>, isReadOnly: boolean): void {
    if (!this.#view.isDestroyed) this.#view.setProps({ attributes, editable: () => !isReadOnly });
  }

  stop(): void {
    this.#view.destroy();
  }

  #noteState(): void {
    this.#state = computeState(this.#view.state, commands);
    for (const watcher of [...this.#watchers]) watcher();
  }

  #notify(): void {
    const { doc } = this.#view.state;
    const isGiven = doc.eq(this.#given.doc);
    const html = isGiven ? this.#given.html : toHtml(doc, this.#template.content.ownerDocument);
    this.#echoes.tell(html);
    this.#onChange(html);
  }

  /**
   * Inserts pasted or dropped HTML. ProseMirror's own parser is blocked by Trusted Types. HTML of other programs is
   * converted as in the page editor: without styles, but with lists.
   */
  #insert(from: DataTransfer | null, at?: number): boolean {
    const html = from?.getData('text/html') ?? '';
    if (html === '' || this.#view.state.selection.$from.parent.type.spec.code) return false;
    // Read now, because the data is cleared after the event.
    const text = from?.getData('text/plain') ?? '';
    if (at !== undefined) {
      const { tr } = this.#view.state;
      this.#view.dispatch(tr.setSelection(Selection.near(tr.doc.resolve(at))));
    }
    const body = this.#template.content.ownerDocument.createElement('body');
    body.innerHTML = html.slice(0, mostPasted);
    if (body.querySelector('[data-pm-slice]')) this.#replace(parser.parseSlice(body));
    else
      import('./foreign.ts').then(
        ({ foreignBlocks }) => this.#insertBlocks(foreignBlocks(body), text),
        () => this.#view.pasteText(text),
      );
    return true;
  }

  /** Inserts blocks, or `text` if no block can be kept. */
  #insertBlocks(content: unknown[], text: string): void {
    if (this.#view.isDestroyed) return;
    if (content.length === 0) this.#view.pasteText(text);
    else this.#replace(pastedSlice(Node.fromJSON(schema, { type: 'doc', content })));
  }

  #replace(slice: Slice): void {
    this.#view.dispatch(this.#view.state.tr.replaceSelection(slice).scrollIntoView());
  }
}

/** Maximum length of pasted HTML, well above any text's limit. A whole book would freeze the tab. */
const mostPasted = 4 * 1024 * 1024;

const undoKeys = { 'Mod-z': undo, 'Mod-y': redo, 'Mod-Shift-z': redo };

const stateWith = (doc: Node): EditorState =>
  EditorState.create({ doc, plugins: [history(), keymap(undoKeys), ...createKeyBindings(schema)] });

function docIn(template: HTMLTemplateElement, html: string): Node | null {
  template.innerHTML = html;
  return toDoc(template.content);
}

import { history, redo, undo } from 'prosemirror-history';
import { keymap } from 'prosemirror-keymap';
import { Node, DOMParser as ProseParser, type Slice } from 'prosemirror-model';
import { EditorState, Selection } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import { Echoes } from '../../ui/echoes.ts';
import {
  commandsOf,
  keysOf,
  LinkKey,
  linked,
  type PlainTool,
  pastedSlice,
  type RichTextState,
  type RichTextTools,
  stateOf,
} from '../rich-text.ts';
import { docOf, htmlOf, schema } from './schema.ts';

const commands = commandsOf(schema);
const parser = ProseParser.fromSchema(schema);

/** An HTML text that is edited as it looks. What nobody changes stays as it was given, to the letter. */
export class HtmlView implements RichTextTools<string> {
  readonly #view: EditorView;
  readonly #linkKey: LinkKey;
  readonly #template: HTMLTemplateElement;
  readonly #watchers = new Set<() => void>();
  readonly #onChange: (html: string) => void;
  /** What was given last, and what it is as a document. */
  #given: { html: string; doc: Node };
  readonly #echoes: Echoes;
  #state: RichTextState<string>;

  /**
   * `inert`: a document in which nothing runs; the console's own makes no markup of a text (Trusted Types). Gives null
   * where the text holds what cannot be edited like this.
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
    this.#state = stateOf(this.#view.state, commands);
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

  /** Shows another text, unless it is what was typed here; false where it holds what cannot be edited like this. */
  show(html: string): boolean {
    if (this.#echoes.isOwn(html) || this.#view.isDestroyed) return true;
    const doc = docIn(this.#template, html);
    if (!doc) return false;
    this.#given = { html, doc };
    // What the server stores may be written otherwise and be the same: whoever types on stays where they are.
    if (doc.eq(this.#view.state.doc)) return true;
    this.#view.updateState(stateWith(doc));
    this.#noteState();
    return true;
  }

  /** Attributes of what is typed in, and whether anything may be typed. */
  dress(attributes: Record<string, string>, isReadOnly: boolean): void {
    if (!this.#view.isDestroyed) this.#view.setProps({ attributes, editable: () => !isReadOnly });
  }

  stop(): void {
    this.#view.destroy();
  }

  #noteState(): void {
    this.#state = stateOf(this.#view.state, commands);
    for (const watcher of [...this.#watchers]) watcher();
  }

  #notify(): void {
    const { doc } = this.#view.state;
    const isGiven = doc.eq(this.#given.doc);
    const html = isGiven ? this.#given.html : htmlOf(doc, this.#template.content.ownerDocument);
    this.#echoes.tell(html);
    this.#onChange(html);
  }

  /**
   * Puts in HTML: ProseMirror's own reader is closed by Trusted Types. Of another program it comes as the editor of pages
   * takes it, without its styles and with its lists.
   */
  #insert(from: DataTransfer | null, at?: number): boolean {
    const html = from?.getData('text/html') ?? '';
    if (html === '' || this.#view.state.selection.$from.parent.type.spec.code) return false;
    // Read now: it is empty when the event is over.
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

  /** `text` stands in where nothing else of it can stand here. */
  #insertBlocks(content: unknown[], text: string): void {
    if (this.#view.isDestroyed) return;
    if (content.length === 0) this.#view.pasteText(text);
    else this.#replace(pastedSlice(Node.fromJSON(schema, { type: 'doc', content })));
  }

  #replace(slice: Slice): void {
    this.#view.dispatch(this.#view.state.tr.replaceSelection(slice).scrollIntoView());
  }
}

/** More than any text may have; what a whole book is copied to would hold up the tab. */
const mostPasted = 4 * 1024 * 1024;

const undoKeys = { 'Mod-z': undo, 'Mod-y': redo, 'Mod-Shift-z': redo };

const stateWith = (doc: Node): EditorState =>
  EditorState.create({ doc, plugins: [history(), keymap(undoKeys), ...keysOf(schema)] });

function docIn(template: HTMLTemplateElement, html: string): Node | null {
  template.innerHTML = html;
  return docOf(template.content);
}

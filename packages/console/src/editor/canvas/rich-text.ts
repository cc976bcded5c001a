import { type Json, limits, type RenderedSpan, type RichTextRules } from '@waybill/page';
import {
  type DOMOutputSpec,
  type Mark,
  Node,
  DOMParser as ProseParser,
  Schema,
  type Slice,
} from 'prosemirror-model';
import { EditorState, Selection, type Transaction } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import {
  computeState,
  createCommands,
  createKeyBindings,
  isList,
  LinkKey,
  linked,
  type PlainTool,
  pastedSlice,
  type RichTextState,
  type RichTextTools,
  type ToolCommands,
} from '../../shell/rich-text.ts';
import { setValue } from '../core/commands.ts';
import { readRichText } from '../workbench/typed-text.ts';
import type { CanvasSurface, TypingSession } from './canvas-surface.ts';

const tagByNode: Readonly<Record<string, string>> = {
  paragraph: 'p',
  bulletList: 'ul',
  orderedList: 'ol',
  listItem: 'li',
  blockquote: 'blockquote',
};
const markTags: Readonly<Record<string, string[]>> = {
  bold: ['strong', 'b'],
  italic: ['em', 'i'],
  underline: ['u'],
  strike: ['s', 'del', 'strike'],
  highlight: ['mark'],
  subscript: ['sub'],
  superscript: ['sup'],
  code: ['code'],
};
const inline = new Set(['text', 'hardBreak']);
/** Text that keeps its line ends and spaces. */
const codeBlock = 'codeBlock';

/** Builds the ProseMirror schema of the vocabulary's rules; other nodes and marks do not exist in it. */
export function createSchema({ content, marks: allowed }: RichTextRules): Schema {
  // The first block type fills empty places, so the paragraph comes first.
  const names = Object.keys(content).toSorted(
    (a, b) => Number(b === 'paragraph') - Number(a === 'paragraph'),
  );
  const nodes = Object.fromEntries(
    names.map((name) => {
      const isInline = inline.has(name);
      const allowedContent = content[name]!.toSorted(
        (a, b) => Number(b === 'paragraph') - Number(a === 'paragraph'),
      );
      return [
        name,
        {
          // A list, an item or a quote needs a block inside, so that a caret can stand in it.
          ...(allowedContent.length > 0 && {
            content: `(${allowedContent.join(' | ')})${allowedContent.some((each) => inline.has(each)) ? '*' : '+'}`,
          }),
          ...(name !== 'doc' && { group: isInline ? 'inline' : 'block' }),
          ...(isInline && { inline: true }),
          ...(name === codeBlock && { code: true, marks: '_' }),
          ...(name === 'hardBreak' && { selectable: false }),
          ...(name === 'heading' && { attrs: { level: { default: 2 } } }),
          ...domSpec(name),
        },
      ];
    }),
  );
  const marks = Object.fromEntries(
    Object.keys(allowed).map((name) => [name, name === 'link' ? linkMark : plainMark(name)]),
  );
  return new Schema({ topNode: 'doc', nodes, marks });
}

function domSpec(name: string) {
  switch (name) {
    case 'doc':
    case 'text':
      return {};
    case 'heading':
      return {
        toDOM: (node: Node): DOMOutputSpec => [`h${node.attrs.level}`, 0],
        parseDOM: [1, 2, 3, 4, 5, 6].map((level) => ({ tag: `h${level}`, attrs: { level } })),
      };
    case 'hardBreak':
      return { toDOM: (): DOMOutputSpec => ['br'], parseDOM: [{ tag: 'br' }] };
    case 'horizontalRule':
      return { toDOM: (): DOMOutputSpec => ['hr'], parseDOM: [{ tag: 'hr' }] };
    case codeBlock:
      return {
        toDOM: (): DOMOutputSpec => ['pre', ['code', 0]],
        parseDOM: [{ tag: 'pre', preserveWhitespace: 'full' as const }],
      };
    default: {
      const tag = tagByNode[name] ?? 'div';
      return { toDOM: (): DOMOutputSpec => [tag, 0], parseDOM: [{ tag }] };
    }
  }
}

const linkAttribute = 'data-wb-link';

const linkMark = {
  attrs: { href: { default: null } },
  inclusive: false,
  // The link is inactive while it is edited; its attribute restores it when copied text is pasted.
  toDOM: ({ attrs }: Mark): DOMOutputSpec => ['a', { [linkAttribute]: JSON.stringify(attrs.href) }, 0],
  parseDOM: [
    {
      tag: `a[${linkAttribute}]`,
      getAttrs(element: HTMLElement) {
        try {
          return { href: JSON.parse(element.getAttribute(linkAttribute)!) };
        } catch {
          return false;
        }
      },
    },
  ],
};

const plainMark = (name: string) => {
  const tags = markTags[name] ?? ['span'];
  return { toDOM: (): DOMOutputSpec => [tags[0]!, 0], parseDOM: tags.map((tag) => ({ tag })) };
};

/** Starts editing a rich text in place, as part of the document's history. */
export function startRichText(
  surface: CanvasSurface,
  id: string,
  span: RenderedSpan,
  point: { x: number; y: number } | undefined,
): TypingSession | undefined {
  const rules = surface.workbench.editor.vocabulary.writeKeys.specials.doc?.richText;
  const element = surface.frame.elementAt(span) as HTMLElement | undefined;
  if (!rules || !element) return undefined;
  const schema = createSchema(rules);
  const stored = readRichText(surface.workbench, id);
  try {
    parseStored(schema, stored);
  } catch {
    // The text comes from a later vocabulary, and typing here could lose parts of it.
    surface.workbench.announce(surface.words.noText);
    return undefined;
  }
  return new RichTextSession(surface, id, span.path, element, schema, point);
}

class RichTextSession implements TypingSession, RichTextTools<Json> {
  readonly id: string;
  readonly #surface: CanvasSurface;
  readonly #schema: Schema;
  readonly #view: EditorView;
  readonly #linkKey: LinkKey;
  readonly #element: HTMLElement;
  readonly #listeners = new Set<() => void>();
  readonly #commands: ToolCommands;
  #state: RichTextState<Json>;
  /** The document's text as this class last read or wrote it. */
  #stored: Json;

  constructor(
    surface: CanvasSurface,
    id: string,
    path: string,
    element: HTMLElement,
    schema: Schema,
    point: { x: number; y: number } | undefined,
  ) {
    this.id = id;
    this.#surface = surface;
    this.#schema = schema;
    this.#element = element;
    this.#stored = readRichText(surface.workbench, id);
    this.#commands = createCommands(schema);
    surface.frame.hold({
      path,
      element,
      onChange: () => this.#onDocumentChange(),
      onRemoved: () => surface.stopTyping(),
    });
    element.replaceChildren();
    this.#view = new EditorView(
      { mount: element },
      {
        state: EditorState.create({
          doc: parseStored(schema, this.#stored),
          plugins: createKeyBindings(schema),
        }),
        dispatchTransaction: (transaction) => this.#dispatch(transaction),
        handlePaste: (_, event) => this.#onPaste(event),
        handleDOMEvents: {
          focusout: () => {
            setTimeout(() => {
              const { activeElement } = document;
              const isBar = activeElement?.closest('[data-rich-text-bar]');
              if (document.hasFocus() && activeElement !== surface.iframe && !isBar) surface.stopTyping();
            });
            return false;
          },
        },
      },
    );
    this.#linkKey = new LinkKey(this.#view.dom);
    this.#state = computeState(this.#view.state, this.#commands);
    surface.iframe.contentWindow?.focus();
    this.#view.focus();
    const at = point && this.#view.posAtCoords({ left: point.x, top: point.y });
    const { doc, tr } = this.#view.state;
    const selection = at ? Selection.near(doc.resolve(at.pos)) : Selection.atEnd(doc);
    this.#view.dispatch(tr.setSelection(selection));
  }

  get tools(): RichTextTools<Json> {
    return this;
  }

  get state(): RichTextState<Json> {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly focus = (): void => {
    this.#surface.iframe.contentWindow?.focus();
    this.#view.focus();
  };

  run(tool: PlainTool): void {
    this.#commands[tool](this.#view.state, this.#view.dispatch);
    this.focus();
  }

  onLinkKey(open: () => void): () => void {
    return this.#linkKey.on(open);
  }

  link(href: Json | null, text?: string): void {
    const { state } = this.#view;
    if (!state.schema.marks.link) return;
    this.#view.dispatch(linked(state, href, text));
    this.focus();
  }

  contains(node: globalThis.Node): boolean {
    return this.#element.contains(node);
  }

  onKey(event: KeyboardEvent): boolean {
    const isCommand = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    if (event.isComposing) return true;
    if (isCommand && (key === 'z' || key === 'y')) {
      event.preventDefault();
      event.stopPropagation();
      const { editor } = this.#surface.workbench;
      if (key === 'z' && !event.shiftKey) editor.undo();
      else editor.redo();
      this.#surface.draw();
      return true;
    }
    if (key === 'escape') {
      event.preventDefault();
      this.#surface.stopTyping();
      this.#surface.focus();
      return true;
    }
    return !(key === 'f6' || (isCommand && key === 's'));
  }

  onLayout(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  stop(): void {
    this.#view.destroy();
  }

  /**
   * Pastes HTML, or plain text that has lines or addresses. ProseMirror's own parser is blocked by Trusted Types and would
   * replace the selection by nothing. What comes from another program is converted as on the canvas, without its styles
   * and with its lists.
   */
  #onPaste({ clipboardData }: ClipboardEvent): boolean {
    if (this.#view.state.selection.$from.parent.type.spec.code) return false;
    // Read now, because the clipboard is empty after the event.
    const html = clipboardData?.getData('text/html') ?? '';
    const text = clipboardData?.getData('text/plain') ?? '';
    if (html === '' && !/\n|https?:/i.test(text)) return false;
    (html === '' ? this.#pasteText(text) : this.#pasteHtml(html, text)).catch((error) =>
      this.#surface.workbench.refuse({ pointer: '', message: String(error) }),
    );
    return true;
  }

  async #pasteText(text: string): Promise<void> {
    const { convertTextToBlocks } = await import('../core/pasting.ts');
    this.#pasteBlocks(convertTextToBlocks(text.slice(0, 4 * limits.bytes)), text);
  }

  async #pasteHtml(html: string, text: string): Promise<void> {
    const { parsePasted } = await import('../clipboard/pasted-html.ts');
    if (this.#view.isDestroyed) return;
    const body = parsePasted(this.#surface.document, html.slice(0, 4 * limits.bytes));
    if (body.querySelector('[data-pm-slice]'))
      this.#replace(ProseParser.fromSchema(this.#schema).parseSlice(body));
    else await this.#pasteForeign(body, text);
  }

  /** Inserts tables and pictures as elements of the page: after this text, or at the caret, which divides it. */
  async #pasteForeign(body: HTMLElement, text: string): Promise<void> {
    const [{ convertToBlocks }, { pasteElements, splitAtElements }] = await Promise.all([
      import('../core/pasting.ts'),
      import('./paste-into-text.ts'),
    ]);
    if (this.#view.isDestroyed) return;
    const split = splitAtElements(body);
    if (!split) {
      this.#pasteBlocks(convertToBlocks(body), text);
      return;
    }
    const lead = convertToBlocks(split.lead);
    if (lead.length > 0) this.#pasteBlocks(lead, '');
    else this.#view.dispatch(this.#view.state.tr.deleteSelection());
    // Drawn separately: in one drawing with the new elements the text would be redrawn and typing would end.
    this.#surface.draw();
    const { doc, selection } = this.#view.state;
    const after = toStoredPart(doc.cut(selection.to));
    const parts = after === null ? null : { before: toStoredPart(doc.cut(0, selection.from)), after };
    if (parts) this.#surface.stopTyping();
    await pasteElements(this.#surface, this.id, split.rest, parts);
  }

  /** Pastes blocks; `text` is pasted instead if no block fits into a rich text. */
  #pasteBlocks(content: Json[], text: string): void {
    if (this.#view.isDestroyed) return;
    if (content.length === 0) {
      this.#view.pasteText(text);
      return;
    }
    this.#replace(pastedSlice(parseStored(this.#schema, { type: 'doc', content })));
  }

  #replace(slice: Slice): void {
    this.#view.dispatch(this.#view.state.tr.replaceSelection(slice).scrollIntoView());
  }

  #dispatch(transaction: Transaction): void {
    const state = this.#view.state.apply(transaction);
    if (transaction.docChanged && !transaction.getMeta('follow')) {
      const { workbench, words } = this.#surface;
      const { tree } = workbench.editor.state;
      const doc = toStored(state.doc.toJSON());
      this.#stored = doc;
      const changes = setValue(tree, [this.id], { target: 'specials', key: 'doc' }, doc);
      const problem = workbench.editor.apply(words.typed, changes, { mergeKey: `type ${this.id} doc` });
      if (problem) {
        workbench.refuse(problem);
        this.#stored = readRichText(this.#surface.workbench, this.id);
        return;
      }
    }
    this.#view.updateState(state);
    this.#state = computeState(this.#view.state, this.#commands);
    this.onLayout();
  }

  /** Shows the document's text if it is not the typed one, as after an undo. */
  #onDocumentChange(): void {
    const stored = readRichText(this.#surface.workbench, this.id);
    if (stored === this.#stored || JSON.stringify(stored) === JSON.stringify(this.#stored)) return;
    this.#stored = stored;
    const { state } = this.#view;
    const doc = parseStored(this.#schema, stored);
    const start = state.doc.content.findDiffStart(doc.content);
    const end = state.doc.content.findDiffEnd(doc.content);
    if (start === null || !end) return;
    const overlap = start - Math.min(end.a, end.b);
    const a = overlap > 0 ? end.a + overlap : end.a;
    const b = overlap > 0 ? end.b + overlap : end.b;
    this.#view.dispatch(state.tr.replace(start, a, doc.slice(start, b)).setMeta('follow', true));
  }
}

/** Returns a part of a text in its stored form, without the empty line of the division; null if it is empty. */
function toStoredPart(doc: Node): Json | null {
  if (doc.textContent.trim() === '') return null;
  const filledBlocks = doc.children.filter(
    ({ textContent }, at) => textContent !== '' || (at > 0 && at < doc.childCount - 1),
  );
  return toStored({ type: 'doc', content: filledBlocks.map((child) => child.toJSON()) });
}

/** Reads a stored text; an empty one gets a paragraph to type in. Throws if the schema does not know a part of it. */
function parseStored(schema: Schema, stored: Json): Node {
  const contentLength = (stored as { content?: readonly Json[] } | null)?.content?.length;
  return Node.fromJSON(
    schema,
    contentLength ? toReadable(stored) : { type: 'doc', content: [{ type: 'paragraph' }] },
  );
}

/** Converts a node to its stored form, without default attributes. */
function toStored(node: Json): Json {
  const { attrs, marks, content, ...rest } = node as {
    attrs?: Record<string, Json>;
    marks?: { type: string; attrs?: Record<string, Json> }[];
    content?: Json[];
  };
  return {
    ...rest,
    ...(attrs && { attrs }),
    ...(marks && { marks: marks.map(({ type, attrs: own }) => (own ? { type, attrs: own } : { type })) }),
    ...(content && { content: content.map(toStored) }),
  } as Json;
}

/** Returns the minimum content of a list, an item or a quote, so that there is a place to type. */
function minimumContent(type: string): Json[] {
  const paragraph = { type: 'paragraph' };
  if (type === 'listItem' || type === 'blockquote') return [paragraph];
  return isList(type) ? [{ type: 'listItem', content: [paragraph] }] : [];
}

/** Makes stored text readable for ProseMirror, which has no empty texts and no lists without items. */
function toReadable(node: Json): Json {
  const { content, attrs, ...rest } = node as { type: string; text?: string; attrs?: Json; content?: Json[] };
  const children = (content ?? []).filter((child) => {
    const { type, text } = child as { type: string; text?: string };
    return type !== 'text' || (typeof text === 'string' && text !== '');
  });
  return {
    ...rest,
    ...(attrs !== undefined && rest.type === 'heading' && { attrs }),
    content: children.length > 0 ? children.map(toReadable) : minimumContent(rest.type),
  } as Json;
}

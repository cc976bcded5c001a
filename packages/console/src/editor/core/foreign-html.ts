import {
  checkDocument,
  cleanText,
  type Json,
  type PageDocument,
  type PageNode,
  type Vocabulary,
} from '@waybill/page';
import { styleAttribute } from './style-attribute.ts';
import { createNodeId } from './tree.ts';

/** The part of a DOM node that is read here, so that this code runs without a DOM. */
export interface HtmlNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly nodeValue: string | null;
  readonly childNodes: Iterable<HtmlNode>;
  getAttribute?(name: string): string | null;
}

interface Elements {
  readonly fragments: readonly PageDocument[];
  readonly notes: readonly { readonly kind: 'images' | 'cut'; readonly ids: readonly string[] }[];
}

interface ForeignContext {
  readonly vocabulary: Vocabulary;
  allowsMedia?(url: string): boolean;
}

/** Limit of elements; no page that is worth pasting unchanged has more. */
const maxElements = 500;
/** Markup nested deeper than this is read as plain words. */
const maxDepth = 200;

/**
 * Converts HTML of a word processor or a web page to elements: headings, text, lists, pictures by URL, buttons, videos,
 * dividers; everything else becomes its words. No markup, style or script is carried over.
 */
export function convertHtml(body: HtmlNode, context: ForeignContext): Elements {
  const reader = new Reader(context.allowsMedia ?? ((url) => url.startsWith('https:')));
  reader.visit(body, { marks: [] }, 0);
  return toFragments(reader.finish(), [...reader.droppedImages], context);
}

/** Like `convertHtml`, for pasting into a rich text: returns its blocks as the JSON content of a `doc`. */
export const convertToBlocks = (body: HtmlNode): Json[] =>
  new Reader(() => false).blocks(body) as unknown as Json[];

/** Whether a `style` draws a line of this kind. */
const hasDecoration = (style: string, line: string): boolean =>
  style
    .split(';')
    .some((part) => /^\s{0,20}text-decoration(?:-line)?:/i.test(part) && part.toLowerCase().includes(line));

/** Converts plain text to elements: its paragraphs, with every line end kept, or a table whose cells have tabs between. */
export function convertText(text: string, context: ForeignContext): Elements {
  const table = parseTable(text);
  return toFragments(table ? [table] : proseElements(parseParagraphs(text)), [], context);
}

/** Like `convertText`, for pasting into a rich text: returns its blocks as the JSON content of a `doc`. */
export const convertTextToBlocks = (text: string): Json[] => parseParagraphs(text) as unknown as Json[];

/** Converts lines that all have the same number of tabs, as spreadsheets copy them, to a grid. */
function parseTable(text: string): Element | undefined {
  const lines = normalizeText(text).split('\n');
  while (lines.at(-1) === '') lines.pop();
  const rows = lines.map((line) => line.split('\t'));
  const columns = rows[0]?.length ?? 0;
  if (rows.length < 2 || columns < 2 || columns > maxColumns) return undefined;
  if (rows.some((row) => row.length !== columns)) return undefined;
  const children = rows.flat().map((cell): Element => {
    const words = cell.trim();
    return words === '' ? emptyCell : { type: 'text', specials: { text: words } };
  });
  return { type: 'grid', specials: {}, config: { columns }, style: gridGaps, children };
}

function parseParagraphs(text: string): RichNode[] {
  const paragraphs = normalizeText(text)
    .split(/\n[ \t]*\n\s*/)
    .map((paragraph) => paragraph.replace(/^\n+/, '').trimEnd())
    .filter((paragraph) => paragraph !== '');
  const lines = (paragraph: string): RichNode[] =>
    paragraph
      .split('\n')
      .flatMap((line, i) => [...(i > 0 ? [{ type: 'hardBreak' }] : []), ...linkifyText(line)]);
  return paragraphs.map(
    (paragraph) => parseList(paragraph) ?? { type: 'paragraph', content: lines(paragraph) },
  );
}

const bullet = /^\s*[-*•–]\s+/;
const numbered = /^\s*\d{1,3}[.)]\s+/;

/** Converts lines that all begin like list items to a list. */
function parseList(paragraph: string): RichNode | undefined {
  const lines = paragraph.split('\n');
  for (const [mark, type] of [
    [bullet, 'bulletList'],
    [numbered, 'orderedList'],
  ] as const) {
    if (lines.length < 2 || !lines.every((line) => mark.test(line))) continue;
    const items = lines.map((line) => linkifyText(line.replace(mark, '').trim()));
    if (items.some((words) => words.length === 0)) continue;
    return {
      type,
      content: items.map((content) => ({ type: 'listItem', content: [{ type: 'paragraph', content }] })),
    };
  }
  return undefined;
}

/** Returns the words of a line, with web addresses as links. */
function linkifyText(line: string): RichNode[] {
  return line.split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]])/i).flatMap((text, i): RichNode[] => {
    if (text === '') return [];
    const href = i % 2 === 1 ? parseLink(text) : undefined;
    return [
      { type: 'text', text, ...(href !== undefined && { marks: [{ type: 'link', attrs: { href } }] }) },
    ];
  });
}

interface RichNode {
  type: string;
  content?: RichNode[];
  text?: string;
  marks?: readonly Mark[];
  attrs?: { level: number };
}

interface Mark {
  readonly type: string;
  readonly attrs?: { readonly href: Json };
}

interface Formatting {
  readonly marks: readonly Mark[];
}

interface Element {
  readonly type: string;
  readonly specials: Readonly<Record<string, Json>>;
  /** For the widest breakpoint. */
  readonly config?: Readonly<Record<string, Json>>;
  readonly style?: Readonly<Record<string, Json>>;
  readonly children?: readonly Element[];
}

const ignoredTags = new Set(
  (
    'SCRIPT STYLE TEMPLATE NOSCRIPT HEAD TITLE META LINK BASE SVG MATH OBJECT EMBED APPLET AUDIO CANVAS MAP AREA ' +
    'INPUT SELECT TEXTAREA DATALIST OPTION FRAME FRAMESET NOFRAMES XML DIALOG'
  ).split(' '),
);
const blockTags = new Set(
  (
    'ADDRESS ARTICLE ASIDE BODY CAPTION CENTER DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM HEADER ' +
    'LEGEND LI MAIN NAV P SECTION SUMMARY TABLE TBODY TFOOT THEAD TR'
  ).split(' '),
);
const markByTag: Readonly<Record<string, string>> = {
  B: 'bold',
  STRONG: 'bold',
  I: 'italic',
  EM: 'italic',
  CITE: 'italic',
  U: 'underline',
  INS: 'underline',
  S: 'strike',
  STRIKE: 'strike',
  DEL: 'strike',
  MARK: 'highlight',
  SUB: 'subscript',
  SUP: 'superscript',
  CODE: 'code',
  KBD: 'code',
  SAMP: 'code',
  TT: 'code',
};

/** The id of a file of the store: an embedded picture that was uploaded. */
const storedMedia = /^mda_[0-9a-z]{1,40}$/;

/** Maximum number of columns of a grid. */
const maxColumns = 12;
const gridGaps = { columnGap: '16px', rowGap: '8px' };

/**
 * Returns the value of a property in a style. Word also writes properties with similar endings, such as
 * `mso-bidi-font-weight`.
 */
function readDeclaration(style: string, property: string, values: string): string | undefined {
  return new RegExp(`(?:^|;)\\s*${property}:\\s*(${values})`, 'i').exec(style)?.[1]?.toLowerCase();
}

const getStyle = (node: HtmlNode): string =>
  node.getAttribute?.(styleAttribute) ?? node.getAttribute?.('style') ?? '';

const emptyCell: Element = { type: 'container', specials: {}, children: [] };

interface Cell {
  readonly node: HtmlNode;
  readonly isHead: boolean;
  readonly span: number;
}

function listRows(table: HtmlNode): Cell[][] {
  const rows: Cell[][] = [];
  for (const child of table.childNodes) {
    const name = child.nodeName.toUpperCase();
    if (name === 'TBODY' || name === 'THEAD' || name === 'TFOOT') rows.push(...listRows(child));
    if (name !== 'TR') continue;
    const cells = [...child.childNodes].flatMap((cell) => {
      const kind = cell.nodeName.toUpperCase();
      const span = Number(cell.getAttribute?.('colspan') ?? 1);
      if (kind !== 'TD' && kind !== 'TH') return [];
      return [{ node: cell, isHead: kind === 'TH', span: span >= 1 && span <= maxColumns ? span : 1 }];
    });
    if (cells.length > 0) rows.push(cells);
  }
  return rows;
}

const hasTable = (node: HtmlNode): boolean =>
  node.nodeName.toUpperCase() === 'TABLE' || [...node.childNodes].some(hasTable);

/**
 * Walks through markup and collects the words of the current block, the blocks of the current prose, and the elements.
 */
class Reader {
  readonly droppedImages = new Set<string>();
  readonly #allowsMedia: (url: string) => boolean;
  readonly #elements: Element[] = [];
  #prose: RichNode[] = [];
  /** The open lists and quotes, outermost first. */
  #holders: RichNode[] = [];
  #inline: RichNode[] = [];
  #level: number | null = null;
  /** Pictures inside a list, which are placed after it. */
  #deferred: Element[] = [];
  /** Lists from Word, which are paragraphs with a list level; `key` differs between lists that follow each other. */
  #wordLists: { readonly key: string; readonly list: RichNode }[] = [];

  constructor(allowsMedia: (url: string) => boolean) {
    this.#allowsMedia = allowsMedia;
  }

  finish(): Element[] {
    this.#endProse();
    return this.#elements;
  }

  /** Converts everything to blocks of one text, without separate elements. */
  blocks(body: HtmlNode): RichNode[] {
    const text: RichNode = { type: 'doc', content: [] };
    this.#holders.push(text);
    this.visit(body, { marks: [] }, 0);
    this.#endBlock();
    return text.content!;
  }

  visit(node: HtmlNode, formatting: Formatting, depth: number): void {
    if (node.nodeType === 3) {
      this.#write(node.nodeValue ?? '', formatting);
      return;
    }
    if (node.nodeType !== 1) return;
    if (depth > maxDepth) {
      this.#write(getTextContent(node), formatting);
      return;
    }
    const name = node.nodeName.toUpperCase();
    const style = getStyle(node);
    if (ignoredTags.has(name) || /display:\s*none|mso-hide:\s*all|mso-list:\s*Ignore/i.test(style)) return;
    if (node.getAttribute?.('hidden') != null) return;
    const inner = this.#readFormatting(name, node, style, formatting);
    const children = () => {
      for (const child of node.childNodes) this.visit(child, inner, depth + 1);
    };
    if (this.#element(node, name, formatting, depth, children)) return;
    this.#block(node, name, style, children);
  }

  /** Reads an element that is more than a block of words. Returns false if it is none. */
  #element(
    node: HtmlNode,
    name: string,
    formatting: Formatting,
    depth: number,
    children: () => void,
  ): boolean {
    switch (name) {
      case 'BR':
        this.#inline.push({ type: 'hardBreak' });
        return true;
      case 'HR':
        if (this.#holders.length === 0) this.#addElement({ type: 'divider', specials: {} });
        return true;
      case 'IMG':
        this.#image(node, formatting);
        return true;
      case 'VIDEO':
        this.#video(node);
        return true;
      case 'IFRAME':
        this.#frame(node);
        return true;
      case 'UL':
      case 'OL':
        this.#readContainer({ type: name === 'OL' ? 'orderedList' : 'bulletList', content: [] }, 2, children);
        return true;
      case 'LI':
        this.#item(children);
        return true;
      case 'BLOCKQUOTE':
        this.#readContainer({ type: 'blockquote', content: [] }, 1, children);
        return true;
      case 'PRE':
        this.#code(node);
        return true;
      case 'TABLE':
        if (this.#holders.length === 0 && this.#table(node, depth)) return true;
        return false;
      case 'TD':
      case 'TH':
        if (this.#inline.length > 0) this.#inline.push({ type: 'text', text: ' · ' });
        children();
        return true;
      case 'BUTTON':
      case 'A':
        if (this.#holders.length === 0 && this.#button(node, name)) return true;
        children();
        return true;
      default:
        return false;
    }
  }

  /** Reads a block of words, or words within one. */
  #block(node: HtmlNode, name: string, style: string, children: () => void): void {
    if (/^H[1-6]$/.test(name)) {
      this.#endBlock();
      this.#level = Number(name[1]);
      children();
      this.#endBlock();
    } else if (/mso-list:\s*l\d+ level\d/i.test(style)) {
      this.#endBlock();
      children();
      this.#endWordListItem(node, style);
    } else if (blockTags.has(name)) {
      this.#endBlock();
      children();
      if (name === 'FIGCAPTION' && this.#caption()) return;
      this.#endBlock();
    } else children();
  }

  #readFormatting(name: string, node: HtmlNode, style: string, formatting: Formatting): Formatting {
    let marks = formatting.marks;
    const has = (type: string) => marks.some((mark) => mark.type === type);
    const set = (type: string, isOn: boolean) => {
      if (isOn && !has(type)) marks = [...marks, { type }];
      else if (!isOn && has(type)) marks = marks.filter((mark) => mark.type !== type);
    };
    const own = Object.hasOwn(markByTag, name) ? markByTag[name] : undefined;
    if (own) set(own, true);
    const weight = readDeclaration(style, 'font-weight', 'bold(?:er)?|normal|\\d+');
    if (weight) set('bold', weight.startsWith('bold') || Number(weight) >= 600);
    const fontStyle = readDeclaration(style, 'font-style', 'italic|oblique|normal');
    if (fontStyle) set('italic', fontStyle !== 'normal');
    if (name !== 'A' && hasDecoration(style, 'underline')) set('underline', true);
    if (hasDecoration(style, 'line-through')) set('strike', true);
    const verticalAlign = /vertical-align:\s*(super|sub)\b/i.exec(style)?.[1]?.toLowerCase();
    if (verticalAlign) set(verticalAlign === 'super' ? 'superscript' : 'subscript', true);
    const href = name === 'A' ? parseLink(node.getAttribute?.('href')) : undefined;
    if (href) {
      // A link has its own underline.
      set('underline', false);
      marks = [...marks.filter(({ type }) => type !== 'link'), { type: 'link', attrs: { href } }];
    }
    return { marks };
  }

  /**
   * Converts a table to a grid with rows and columns of cells. Returns false for a layout table, and for one with more
   * columns than a grid allows.
   */
  #table(node: HtmlNode, depth: number): boolean {
    const rows = listRows(node);
    const columns = Math.max(0, ...rows.map((row) => row.reduce((sum, { span }) => sum + span, 0)));
    if (rows.length === 0 || columns < 2 || columns > maxColumns) return false;
    // A single row that contains tables is the layout of an e-mail or an old page.
    if (rows.length === 1 && rows[0]!.some(({ node: cell }) => hasTable(cell))) return false;
    const cells = rows.flatMap((row) => {
      const read = row.flatMap(({ node: cell, isHead, span }) => [
        this.#cell(cell, isHead, depth),
        ...Array.from({ length: span - 1 }, () => emptyCell),
      ]);
      return [...read, ...Array.from({ length: columns - read.length }, () => emptyCell)];
    });
    this.#addElement({
      type: 'grid',
      specials: {},
      config: { columns },
      style: gridGaps,
      children: cells,
    });
    return true;
  }

  #cell(cell: HtmlNode, isHead: boolean, depth: number): Element {
    const inner = new Reader(this.#allowsMedia);
    const ownFormatting = { marks: isHead ? [{ type: 'bold' }] : [] };
    const formatting = this.#readFormatting('TD', cell, getStyle(cell), ownFormatting);
    for (const child of cell.childNodes) inner.visit(child, formatting, depth + 1);
    const elements = inner.finish();
    for (const image of inner.droppedImages) this.droppedImages.add(image);
    if (elements.length === 1) return elements[0]!;
    return elements.length === 0 ? emptyCell : { type: 'stack', specials: {}, children: elements };
  }

  #write(raw: string, { marks }: Formatting): void {
    const text = normalizeText(raw).replace(/[\s\u00a0]+/g, ' ');
    if (text === '') return;
    this.#inline.push({ type: 'text', text, ...(marks.length > 0 && { marks }) });
  }

  /** Ends the current block: its words become a heading or a paragraph, or nothing if there are none. */
  #endBlock(): void {
    const content = trimInline(this.#inline);
    this.#inline = [];
    const level = this.#level;
    this.#level = null;
    if (content.length === 0) return;
    this.#wordLists = [];
    if (level === null) this.#target().push({ type: 'paragraph', content });
    else if (this.#holders.length > 0) this.#target().push({ type: 'heading', attrs: { level }, content });
    else this.#addElement({ type: 'heading', specials: { text: inlineText(content), level } });
  }

  #target(): RichNode[] {
    return this.#holders.at(-1)?.content ?? this.#prose;
  }

  /** Reads a list or a quote, as deep as rich text may nest. */
  #readContainer(holder: RichNode, levels: number, children: () => void): void {
    this.#endBlock();
    const open = this.#holders.reduce((sum, { type }) => sum + (type.endsWith('List') ? 2 : 1), 0);
    if (open + levels > 11) {
      children();
      this.#endBlock();
      return;
    }
    const target = this.#target();
    this.#holders.push(holder);
    children();
    this.#endBlock();
    this.#holders.pop();
    const isList = holder.type.endsWith('List');
    // Content beside the items of a list, such as a list directly in a list, becomes part of an item.
    if (isList) holder.content = toListItems(holder.content!);
    if (holder.content!.length === 0) return;
    this.#wordLists = [];
    target.push(holder);
    if (this.#holders.length > 0) return;
    const deferred = this.#deferred;
    this.#deferred = [];
    for (const element of deferred) this.#addElement(element);
  }

  #item(children: () => void): void {
    this.#endBlock();
    const list = this.#holders.at(-1);
    if (!list?.type.endsWith('List')) {
      children();
      this.#endBlock();
      return;
    }
    const item: RichNode = { type: 'listItem', content: [] };
    this.#holders.push({ type: 'listItem', content: item.content! });
    children();
    this.#endBlock();
    this.#holders.pop();
    if (item.content!.length > 0) list.content!.push(item);
  }

  #endWordListItem(node: HtmlNode, style: string): void {
    const content = trimInline(this.#inline);
    this.#inline = [];
    if (content.length === 0) return;
    const level = Math.min(5, Math.max(1, Number(/level(\d+)/i.exec(style)?.[1] ?? 1)));
    const isOrdered = /^[\s\u00a0]*\(?\w{1,4}[.)]/.test(getTextContent(node));
    const [, id = '', override = ''] = /mso-list:\s*(l\d+) level\d+(?: (lfo\d+))?/i.exec(style) ?? [];
    const key = `${id} ${override}`;
    const lists = this.#wordLists.slice(0, level);
    if (lists.length === level && lists[level - 1]!.key !== key) lists.pop();
    while (lists.length < level) {
      const list: RichNode = { type: isOrdered ? 'orderedList' : 'bulletList', content: [] };
      const holder = lists.at(-1)?.list;
      if (!holder) this.#target().push(list);
      else {
        if (holder.content!.length === 0) holder.content!.push({ type: 'listItem', content: [] });
        holder.content!.at(-1)!.content!.push(list);
      }
      lists.push({ key, list });
    }
    lists.at(-1)!.list.content!.push({ type: 'listItem', content: [{ type: 'paragraph', content }] });
    this.#wordLists = lists;
  }

  #code(node: HtmlNode): void {
    this.#endBlock();
    const text = normalizeText(getTextContent(node)).replace(/^\n/, '').trimEnd();
    if (text !== '') this.#target().push({ type: 'codeBlock', content: [{ type: 'text', text }] });
    this.#wordLists = [];
  }

  #image(node: HtmlNode, { marks }: Formatting): void {
    const src = (node.getAttribute?.('src') ?? '').trim();
    const isTracker = ['width', 'height'].some((side) =>
      /^[012](px)?$/.test(node.getAttribute?.(side) ?? ''),
    );
    if (src === '' || isTracker) return;
    const alt = normalizeText(node.getAttribute?.('alt') ?? '')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, 500)
      .toWellFormed();
    if (
      !storedMedia.test(src) &&
      (src.length > 2048 || !/^https?:\/\//i.test(src) || !this.#allowsMedia(src))
    ) {
      this.droppedImages.add(src.slice(0, 100));
      return;
    }
    const href = marks.find(({ type }) => type === 'link')?.attrs?.href;
    this.#addElement({
      type: 'image',
      specials: { src, ...(alt && { alt }), ...(href !== undefined && { href }) },
    });
  }

  /** Turns the words so far into the caption of the preceding picture. */
  #caption(): boolean {
    const last = this.#elements.at(-1);
    if (last?.type !== 'image' || this.#prose.length > 0 || this.#holders.length > 0) return false;
    const caption = inlineText(trimInline(this.#inline)).slice(0, 500).toWellFormed();
    this.#inline = [];
    if (caption !== '')
      this.#elements[this.#elements.length - 1] = { ...last, specials: { ...last.specials, caption } };
    return true;
  }

  #video(node: HtmlNode): void {
    const sources = [node, ...node.childNodes].map((each) => each.getAttribute?.('src')?.trim() ?? '');
    const src = sources.find((each) => each !== '');
    if (!src) return;
    if (src.length <= 2048 && /^https?:\/\//i.test(src) && this.#allowsMedia(src))
      this.#addElement({ type: 'video', specials: { src } });
    else this.droppedImages.add(src.slice(0, 100));
  }

  #frame(node: HtmlNode): void {
    const src = node.getAttribute?.('src') ?? '';
    const [, youtube] =
      /^(?:https?:)?\/\/(?:www\.)?youtube(?:-nocookie)?\.com\/embed\/([\w-]{1,32})/i.exec(src) ?? [];
    const [, vimeo] = /^(?:https?:)?\/\/player\.vimeo\.com\/video\/(\d{1,32})/i.exec(src) ?? [];
    const videoId = youtube ?? vimeo;
    if (videoId)
      this.#addElement({ type: 'embed', specials: { provider: youtube ? 'youtube' : 'vimeo', videoId } });
  }

  /** Reads an element that looks like a button and contains only words. */
  #button(node: HtmlNode, name: string): boolean {
    const classAndRole = `${node.getAttribute?.('class') ?? ''} ${node.getAttribute?.('role') ?? ''}`;
    if (name === 'A' && !/(^|[\s_-])(btn|button|cta)([\s_-]|$)/i.test(classAndRole)) return false;
    const text = normalizeText(getTextContent(node)).replace(/\s+/g, ' ').trim();
    if (text === '' || text.length > 200) return false;
    const href = parseLink(node.getAttribute?.('href'));
    this.#addElement({ type: 'button', specials: { text, ...(href && { href }) } });
    return true;
  }

  /** Adds a separate element after the text before it. */
  #addElement(element: Element): void {
    if (this.#holders.length > 0) {
      this.#deferred.push(element);
      return;
    }
    this.#endProse();
    this.#elements.push(element);
  }

  #endProse(): void {
    this.#endBlock();
    const prose = this.#prose;
    this.#prose = [];
    this.#wordLists = [];
    this.#elements.push(...proseElements(prose));
  }
}

/** Converts prose: one paragraph without marks becomes a text, one flat list a list, anything else rich text. */
function proseElements(prose: readonly RichNode[]): Element[] {
  const [only] = prose;
  if (!only) return [];
  if (prose.length === 1) {
    const text = plainParagraphText(only);
    if (text !== undefined && text.length <= 20_000) return [{ type: 'text', specials: { text } }];
    const items = flatItems(only);
    if (items)
      return [{ type: 'list', specials: { items, ...(only.type === 'orderedList' && { tag: 'ol' }) } }];
  }
  return [{ type: 'richText', specials: { doc: { type: 'doc', content: prose } as unknown as Json } }];
}

/** Returns the words of a paragraph that contains only words; undefined for any other block. */
function plainParagraphText({ type, content = [] }: RichNode): string | undefined {
  if (type !== 'paragraph' || content.some((each) => each.marks)) return undefined;
  return content.map((each) => (each.type === 'hardBreak' ? '\n' : each.text)).join('');
}

function flatItems({ type, content = [] }: RichNode): Json[] | undefined {
  if (!type.endsWith('List') || content.length > 200) return undefined;
  const items: Json[] = [];
  for (const { content: inner = [] } of content) {
    const [paragraph, ...more] = inner;
    if (!paragraph || more.length > 0) return undefined;
    const text = plainParagraphText(paragraph);
    const [words, ...others] = paragraph.content ?? [];
    const href = others.length === 0 && words?.marks?.length === 1 ? words.marks[0]!.attrs?.href : undefined;
    if (text !== undefined && text.length <= 2000) items.push(text);
    else if (href !== undefined && words!.text!.length <= 2000) items.push({ text: words!.text!, href });
    else return undefined;
  }
  return items;
}

/** Returns a list's items; content beside them becomes part of the preceding item. */
function toListItems(content: readonly RichNode[]): RichNode[] {
  const items: RichNode[] = [];
  for (const each of content) {
    if (each.type === 'listItem') items.push(each);
    else if (items.length > 0) items.at(-1)!.content!.push(each);
    else items.push({ type: 'listItem', content: [each] });
  }
  return items;
}

/** Cleans up words: no spaces at the ends, no double spaces, neighbours with the same marks joined. */
function trimInline(words: readonly RichNode[]): RichNode[] {
  const result: RichNode[] = [];
  let isAfterSpace = true;
  for (const word of words) {
    const last = result.at(-1);
    if (word.type === 'hardBreak') {
      if (last?.type === 'text') last.text = last.text!.trimEnd();
      result.push({ type: 'hardBreak' });
      isAfterSpace = true;
      continue;
    }
    const text: string = isAfterSpace ? word.text!.replace(/^ +/, '') : word.text!;
    if (text === '') continue;
    isAfterSpace = text.endsWith(' ');
    if (last?.type === 'text' && JSON.stringify(last.marks) === JSON.stringify(word.marks)) last.text += text;
    else result.push({ ...word, text });
  }
  while (result.length > 0) {
    const last = result.at(-1)!;
    if (last.type === 'text') {
      last.text = last.text!.trimEnd();
      if (last.text !== '') break;
    }
    result.pop();
  }
  while (result[0]?.type === 'hardBreak') result.shift();
  return result;
}

const inlineText = (content: readonly RichNode[]) =>
  content.map((each) => (each.type === 'hardBreak' ? ' ' : each.text)).join('');

/** Cleans a text for a page: no control characters, one form of each letter. */
const normalizeText = (text: string) => cleanText(text).normalize('NFC');

/** Returns the words of a node, however deep its markup is. */
function getTextContent(node: HtmlNode): string {
  let words = '';
  const open = [node];
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.nodeType === 3) words += next.nodeValue ?? '';
    else if (next.nodeName.toUpperCase() === 'BR') words += '\n';
    if (next.nodeType !== 1 || ignoredTags.has(next.nodeName.toUpperCase())) continue;
    for (const child of [...next.childNodes].reverse()) open.push(child);
  }
  return words;
}

/** Returns a link's target if it works on another page; undefined for links within their own page and for scripts. */
function parseLink(value: string | null | undefined): Json | undefined {
  const url = (value ?? '').trim();
  const [, email] = /^mailto:([^\s@?&#%:/]+@[^\s@?&#%:/]+)$/i.exec(url) ?? [];
  if (email && email.length <= 254) return { type: 'email', email };
  const [, tel] = /^tel:(\+?[0-9 ()./-]{2,30})$/i.exec(url) ?? [];
  if (tel) return { type: 'tel', tel };
  return url.length <= 2048 && /^https?:\/\/[^\s\0-\x20]+$/i.test(url) ? { type: 'url', url } : undefined;
}

/** Converts elements to valid documents; an invalid one becomes its words. */
function toFragments(
  elements: readonly Element[],
  images: readonly string[],
  { vocabulary }: ForeignContext,
): Elements {
  const fragments = elements.slice(0, maxElements).flatMap((element) => {
    const nodes: PageNode[] = [];
    const fragment: PageDocument = { rootId: addNodes(nodes, element), nodes };
    if (checkDocument(vocabulary, fragment).length === 0) return [fragment];
    return [element, ...listDescendants(element)].flatMap(({ specials }) =>
      splitLongText(specials, vocabulary),
    );
  });
  return {
    fragments,
    notes: [
      ...(images.length > 0 ? [{ kind: 'images' as const, ids: images }] : []),
      ...(elements.length > maxElements ? [{ kind: 'cut' as const, ids: [] }] : []),
    ],
  };
}

const listDescendants = ({ children = [] }: Element): Element[] =>
  children.flatMap((child) => [child, ...listDescendants(child)]);

/** Adds the nodes of an element, parents first; returns its id. */
function addNodes(nodes: PageNode[], { type, specials, config, style, children }: Element): string {
  const id = createNodeId();
  const props = {
    ...(Object.keys(specials).length > 0 && { specials }),
    ...(config && { config: { base: config } }),
    ...(style && { style: { base: style } }),
  };
  const node = { id, type, ...(Object.keys(props).length > 0 && { props }) };
  const at = nodes.push(node) - 1;
  if (children) nodes[at] = { ...node, children: children.map((child) => addNodes(nodes, child)) };
  return id;
}

/** Splits a text that is too long for one element into several. */
function splitLongText({ text, doc }: Element['specials'], vocabulary: Vocabulary): PageDocument[] {
  const all = typeof text === 'string' ? text : textIn(doc as unknown as RichNode | undefined);
  const pieces = all.match(/[\s\S]{1,10000}/gu) ?? [];
  return pieces.flatMap((piece) => {
    const node = { id: createNodeId(), type: 'text', props: { specials: { text: piece } } };
    const fragment = { rootId: node.id, nodes: [node] };
    return checkDocument(vocabulary, fragment).length === 0 ? [fragment] : [];
  });
}

const textIn = (node: RichNode | undefined): string =>
  node ? (node.text ?? (node.content ?? []).map(textIn).join('\n')) : '';

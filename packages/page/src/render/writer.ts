import type { ResolvedNode } from '../resolved.ts';
import { textHash } from '../text-hash.ts';
import { hasFocalPoints, hasStyle, StyleSheet } from './css.ts';
import { escapeAttribute, escapeText } from './escape.ts';

/** Attributes in the order they are written. `undefined` and `false` are left out, `true` becomes an empty value. */
export type Attributes = readonly (readonly [name: string, value: string | number | boolean | undefined])[];

/** Counts the start tags of canonical HTML. Its text has no `<`, but a quoted value may have one. */
function countStartTags(html: string): number {
  const quotedOrEnd = /"[^"]*"|>/g;
  let count = 0;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', quotedOrEnd.lastIndex)) {
    if (/^[a-z]/.test(html.charAt(at + 1))) count++;
    quotedOrEnd.lastIndex = at;
    let part = quotedOrEnd.exec(html);
    while (part && part[0] !== '>') part = quotedOrEnd.exec(html);
    if (!part) break;
  }
  return count;
}

const voidElements = new Set(['br', 'hr', 'img', 'input']);

interface WriterOptions {
  readonly isCanvas?: boolean;
  readonly marksIslands?: boolean;
  readonly recordsSpans?: boolean;
  /** Whether this is the main part: its first picture is the one that visitors wait for. */
  readonly isMain?: boolean;
}

/** A node's place while it is being written. */
interface WriterSpan extends Pick<ResolvedNode, 'path' | 'original'> {
  ordinal: number;
  readonly start: number;
  end: number;
  elements: number;
  /** Number of elements written before it. */
  readonly before: number;
}

/** Writes canonical HTML and keeps the state that an element needs to know about the elements above it. */
export class Writer {
  html = '';
  readonly css = new StyleSheet();
  readonly #anchors = new Set<string>();
  readonly #classes = new Map<string, string>();
  /** Whether a class that several elements share has rules. */
  readonly #shared = new Map<string, boolean>();
  readonly #open: string[] = [];
  readonly #isCanvas: boolean;
  readonly #marksIslands: boolean;
  /** The places of all nodes in the order they are written; undefined if not requested. */
  readonly spans: WriterSpan[] | undefined;
  /** Number of elements written so far. */
  #elements = 0;
  #hasMain = false;
  #hasFocus = false;
  #hasPicture: boolean;

  constructor({
    isCanvas = false,
    marksIslands = !isCanvas,
    recordsSpans = false,
    isMain = true,
  }: WriterOptions = {}) {
    this.#isCanvas = isCanvas;
    this.#hasPicture = !isMain;
    this.#marksIslands = marksIslands;
    this.spans = recordsSpans ? [] : undefined;
  }

  /** Length of all output in characters. */
  get length(): number {
    return this.html.length + this.css.length;
  }

  /** Notes a node that is about to be written, as having written nothing yet. */
  recordSpan({ path, original }: ResolvedNode): WriterSpan {
    const at = this.html.length;
    const span: WriterSpan = {
      path,
      ...(original !== undefined && { original }),
      ordinal: -1,
      start: at,
      end: at,
      elements: 0,
      before: this.#elements,
    };
    this.spans!.push(span);
    return span;
  }

  /** Notes the output of the node since then. */
  close(span: WriterSpan): void {
    span.elements = this.#elements - span.before;
    if (span.elements === 0) return;
    span.ordinal = span.before;
    span.end = this.html.length;
  }

  start(tag: string, attributes: Attributes): void {
    let text = `<${tag}`;
    for (const [name, value] of attributes) {
      if (value === undefined || value === false) continue;
      text += ` ${name}="${value === true ? '' : escapeAttribute(String(value))}"`;
    }
    this.html += `${text}>`;
    this.#elements++;
    if (!voidElements.has(tag)) this.#open.push(tag);
  }

  end(tag: string): void {
    this.#open.pop();
    this.html += `</${tag}>`;
  }

  text(text: string): void {
    this.html += escapeText(text);
  }

  /** Writes an element that is empty or contains only text. */
  element(tag: string, attributes: Attributes, text = ''): void {
    this.start(tag, attributes);
    if (voidElements.has(tag)) return;
    this.text(text);
    this.end(tag);
  }

  /** Whether the current position is inside an element with one of these tags, at any depth. */
  isIn(...tags: readonly string[]): boolean {
    return tags.some((tag) => this.#open.includes(tag));
  }

  /**
   * Returns the first attributes of every element: its classes, anchor, name, and island or, on a canvas, node. The
   * role is set only together with a name, because tags without meaning, such as `div` and `p`, may not have a name
   * without a role.
   */
  own(node: ResolvedNode, className: string, role?: string): Attributes {
    const { specials, island, path } = node;
    const generated = this.#ruledClass(node);
    return [
      ['class', generated === '' ? className : `${className} ${generated}`],
      ['id', this.anchor(specials.anchorId)],
      ['role', specials.ariaLabel ? role : undefined],
      ['aria-label', specials.ariaLabel || undefined],
      ['data-wb-node', this.#isCanvas ? path : undefined],
      ['data-wb-island', this.#marksIslands ? island?.name : undefined],
      ['data-wb-props', this.#marksIslands ? island?.props : undefined],
    ];
  }

  /** Returns the class of the node's rules, or '' if it has none. A list's copies share a class. */
  #ruledClass(node: ResolvedNode): string {
    if (!hasStyle(node)) return '';
    const isShared = node.original !== undefined && !hasFocalPoints(node);
    const generated = this.#getClass(isShared ? node.original : node.path);
    let hasRules = isShared ? this.#shared.get(generated) : undefined;
    if (hasRules === undefined) {
      hasRules = this.css.add(`.${generated}`, node);
      if (isShared) this.#shared.set(generated, hasRules);
    }
    return hasRules ? generated : '';
  }

  /** Writes HTML that is already canonical and safe. */
  raw(html: string): void {
    this.html += html;
    if (this.spans) this.#elements += countStartTags(html);
  }

  /** Returns an id, unique in the page, that connects a control and its label. */
  createId(node: ResolvedNode, part: string): string {
    return `${this.#getClass(node.path)}-${part}`;
  }

  /** Whether the current picture is the first of the page, which is loaded before all others. */
  isFirstPicture(): boolean {
    const isFirst = !this.#hasPicture;
    this.#hasPicture = true;
    return isFirst;
  }

  /** Whether the current element is the first to request the focus; a page has only one such element. */
  takesFocus(): boolean {
    const isFirst = !this.#hasFocus;
    this.#hasFocus = true;
    return isFirst;
  }

  /** Returns the tag, or `div` where HTML does not allow it: a page has only one `main`, for example. */
  boxTag(tag: string): string {
    switch (tag) {
      case 'header':
      case 'footer':
        return this.isIn('header', 'footer') ? 'div' : tag;
      case 'main':
        if (this.#hasMain || this.isIn('header', 'footer', 'article', 'aside', 'nav')) return 'div';
        this.#hasMain = true;
        return tag;
      default:
        return tag;
    }
  }

  /** Returns an anchor id for the first element that claims it, undefined for any further one. */
  anchor(id: string): string | undefined {
    if (id === '' || this.#anchors.has(id)) return undefined;
    this.#anchors.add(id);
    return id;
  }

  #getClass(path: string): string {
    let name = this.#classes.get(path);
    if (name === undefined) {
      name = `wb-${textHash(path)}`;
      this.#classes.set(path, name);
    }
    return name;
  }
}

import type { ResolvedNode } from '../resolved.ts';
import { textHash } from '../text-hash.ts';
import { hasFocalPoints, hasStyle, StyleSheet } from './css.ts';
import { escapeAttribute, escapeText } from './escape.ts';

/** Attributes in the order they are written; `undefined` and `false` are left out, `true` is an empty value. */
export type Attributes = readonly (readonly [name: string, value: string | number | boolean | undefined])[];

/** How many start tags canonical HTML has, whose text has no `<`; a value in quotes may have one. */
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
  readonly notesPlaces?: boolean;
  /** The first picture is what visitors wait for. */
  readonly isMain?: boolean;
}

/** Where a node was written, while it is. */
interface Place extends Pick<ResolvedNode, 'path' | 'original'> {
  ordinal: number;
  readonly start: number;
  end: number;
  elements: number;
  /** How many elements were written before it. */
  readonly before: number;
}

/** Writes canonical HTML, and knows what a place in the page must know of the places above it. */
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
  /** Of each node in the order they are written; undefined where nobody asks. */
  readonly places: Place[] | undefined;
  /** How many elements are written. */
  #elements = 0;
  #hasMain = false;
  #hasFocus = false;
  #hasPicture: boolean;

  constructor({
    isCanvas = false,
    marksIslands = !isCanvas,
    notesPlaces = false,
    isMain = true,
  }: WriterOptions = {}) {
    this.#isCanvas = isCanvas;
    this.#hasPicture = !isMain;
    this.#marksIslands = marksIslands;
    this.places = notesPlaces ? [] : undefined;
  }

  /** Of all that is written, in characters. */
  get length(): number {
    return this.html.length + this.css.length;
  }

  /** Notes a node that is about to be written, as one that wrote nothing. */
  noted({ path, original }: ResolvedNode): Place {
    const at = this.html.length;
    const place: Place = {
      path,
      ...(original !== undefined && { original }),
      ordinal: -1,
      start: at,
      end: at,
      elements: 0,
      before: this.#elements,
    };
    this.places!.push(place);
    return place;
  }

  /** Notes what the node has written since. */
  close(place: Place): void {
    place.elements = this.#elements - place.before;
    if (place.elements === 0) return;
    place.ordinal = place.before;
    place.end = this.html.length;
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

  /** An element with nothing in it, or text only. */
  element(tag: string, attributes: Attributes, text = ''): void {
    this.start(tag, attributes);
    if (voidElements.has(tag)) return;
    this.text(text);
    this.end(tag);
  }

  /** Whether what is written now stands in an element with one of these tags, at any depth. */
  isIn(...tags: readonly string[]): boolean {
    return tags.some((tag) => this.#open.includes(tag));
  }

  /**
   * What every element begins with: its classes, its anchor, its name, its island or, on a canvas, its node. The role stands beside a name
   * only: tags that mean nothing by themselves, such as `div` and `p`, may not have one without.
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

  /** The class of the node's rules, empty where there are none. A list's copies share theirs. */
  #ruledClass(node: ResolvedNode): string {
    if (!hasStyle(node)) return '';
    const isShared = node.original !== undefined && !hasFocalPoints(node);
    const generated = this.#classOf(isShared ? node.original : node.path);
    let hasRules = isShared ? this.#shared.get(generated) : undefined;
    if (hasRules === undefined) {
      hasRules = this.css.add(`.${generated}`, node);
      if (isShared) this.#shared.set(generated, hasRules);
    }
    return hasRules ? generated : '';
  }

  /** HTML that is in canonical form already, of whoever made it safe. */
  raw(html: string): void {
    this.html += html;
    if (this.places) this.#elements += countStartTags(html);
  }

  /** An id inside the page for a control and its label. */
  idOf(node: ResolvedNode, part: string): string {
    return `${this.#classOf(node.path)}-${part}`;
  }

  /** Whether the picture that is written now is the first of the page, which is loaded before all others. */
  isFirstPicture(): boolean {
    const isFirst = !this.#hasPicture;
    this.#hasPicture = true;
    return isFirst;
  }

  /** Whether what is written now is the first that asks for the focus: a page has one place to begin at. */
  takesFocus(): boolean {
    const isFirst = !this.#hasFocus;
    this.#hasFocus = true;
    return isFirst;
  }

  /** The tag, or that of an ordinary box where HTML has no place for it: a page has one `main`, for example. */
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

  /** An id that its page is led to by: the first element to claim it has it. */
  anchor(id: string): string | undefined {
    if (id === '' || this.#anchors.has(id)) return undefined;
    this.#anchors.add(id);
    return id;
  }

  #classOf(path: string): string {
    let name = this.#classes.get(path);
    if (name === undefined) {
      name = `wb-${textHash(path)}`;
      this.#classes.set(path, name);
    }
    return name;
  }
}

import type { RenderedPlace } from '@waybill/page';
import { type Drawing, isBody, nothingDrawn } from './drawing.ts';
import { type Patch, patchBetween, patchesAround } from './patch.ts';

/** An element whose content somebody is typing: no patch touches it meanwhile. */
export interface Held {
  /** The node's, as `RenderedPlace.path`. */
  readonly path: string;
  readonly element: HTMLElement;
  /** Told when its own HTML would have changed. */
  onChange(): void;
  /** Told when it is gone, with what was around it. */
  onGone(): void;
}

/** What the store has around its pages. */
export type PagePart = 'header' | 'footer';

/** The document of the canvas's frame: always the body and the styles of one drawing, whatever led to it. */
export class Frame {
  readonly document: Document;
  readonly #page: CSSStyleSheet;
  readonly #theme: CSSStyleSheet;
  readonly #parser: HTMLTemplateElement;
  #drawing: Drawing = nothingDrawn;
  #elements: (Element | undefined)[] | undefined;
  #held: Held | undefined;

  /** `extra`: rules of the editor, which come after the page's. */
  constructor(document: Document, extra = '') {
    this.document = document;
    const { CSSStyleSheet } = document.defaultView as Window & typeof globalThis;
    this.#page = new CSSStyleSheet();
    const own = new CSSStyleSheet();
    own.replaceSync(extra);
    this.#theme = new CSSStyleSheet();
    document.adoptedStyleSheets = [this.#page, this.#theme, own];
    // What a template of this document parses belongs to no document that loads anything.
    this.#parser = document.createElement('template');
    document.body.replaceChildren();
  }

  /** Shows the page in the store's theme: the sheet that comes after the page's own. */
  wear(sheet: string): void {
    this.#theme.replaceSync(sheet);
  }

  get drawing(): Drawing {
    return this.#drawing;
  }

  /** Shows another drawing; gives whether the page is another one now. */
  show(next: Drawing): boolean {
    const old = this.#drawing;
    if (next.css !== old.css) this.#page.replaceSync(next.css);
    const patch = patchBetween(old, next);
    if (!patch) {
      this.#drawing = next;
      return next.css !== old.css;
    }
    const held = this.#held;
    const heldPlace = held && placeOf(old, held.path);
    if (held && heldPlace && patch.place.ordinal === heldPlace.ordinal) {
      // It shows already what was typed, or the one who holds it puts it right.
      this.#drawing = next;
      this.#elements = undefined;
      held.onChange();
      return true;
    }
    const isIn = held && this.#isTouched(patch.place, held, patch.is === 'element');
    if (held && heldPlace && isIn && !this.#survives(patch, held)) {
      const after = placeOf(next, held.path);
      const pieces = after && patchesAround(old, next, heldPlace, after);
      if (pieces) {
        for (const piece of pieces) this.#apply(piece);
        this.#drawing = next;
        this.#elements = undefined;
        held.onChange();
        return true;
      }
    }
    if (held && isIn && !this.#survives(patch, held)) this.release();
    this.#apply(patch);
    this.#drawing = next;
    this.#elements = undefined;
    if (held && isIn && !held.element.isConnected) held.onGone();
    return true;
  }

  /** From now on the element is somebody else's; `release` gives it back. */
  hold(held: Held): void {
    this.release();
    this.#held = held;
    this.#elements = undefined;
  }

  /** Takes the held element back: it becomes what is drawn, to the byte. */
  release(): void {
    const held = this.#held;
    if (!held) return;
    const place = placeOf(this.#drawing, held.path);
    if (place && place.ordinal >= 0 && held.element.isConnected) {
      const html = this.#drawing.html.slice(place.start, place.end);
      if (held.element.outerHTML !== html) held.element.replaceWith(this.#parsed(html));
    }
    this.#held = undefined;
    this.#elements = undefined;
  }

  /** The elements of the body in document order, as the drawing counts them; what is below a held one may be none. */
  get elements(): readonly (Element | undefined)[] {
    this.#elements ??= this.#count();
    return this.#elements;
  }

  elementAt(place: RenderedPlace | undefined): Element | undefined {
    if (!place) return undefined;
    return isBody(place) ? this.document.body : this.elements[place.ordinal];
  }

  #count(): (Element | undefined)[] {
    const held = this.#held;
    const all: (Element | undefined)[] = [...this.document.body.getElementsByTagName('*')];
    const place = held && placeOf(this.#drawing, held.path);
    if (!held || !place || place.ordinal < 0 || !held.element.isConnected) return all;
    const inside = held.element.getElementsByTagName('*').length;
    const expected = Array.from({ length: place.elements - 1 }, (_, i) =>
      i < inside ? all[place.ordinal + 1 + i] : undefined,
    );
    return all.toSpliced(place.ordinal + 1, inside, ...expected);
  }

  #isTouched(place: RenderedPlace, held: Held, isWhole: boolean): boolean {
    const element = this.elementAt(place);
    return element?.contains(held.element) === true && (isWhole || element !== held.element);
  }

  /** Whether the held element is among those that stay. */
  #survives(patch: Patch, { element }: Held): boolean {
    if (patch.is === 'element') return false;
    const gone = [...this.elementAt(patch.place)!.children].slice(patch.from, patch.to);
    return !gone.some((each) => each.contains(element));
  }

  #apply(patch: Patch): void {
    const element = this.elementAt(patch.place)!;
    const fresh = this.#parsed(patch.html);
    if (patch.is === 'element') {
      element.replaceWith(fresh);
      return;
    }
    const children = [...element.children];
    const after = children[patch.to] ?? null;
    for (const child of children.slice(patch.from, patch.to)) child.remove();
    element.insertBefore(fresh, after);
  }

  #parsed(html: string): DocumentFragment {
    this.#parser.innerHTML = html;
    return this.#parser.content;
  }
}

/** Where a node stands; undefined where there is none of this path. */
export const placeOf = ({ places }: Drawing, path: string): RenderedPlace | undefined =>
  places.find((place) => place.path === path && !isBody(place) && place.path !== '');

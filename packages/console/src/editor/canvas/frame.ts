import type { RenderedPlace } from '@waybill/page';
import { type Drawing, isBody, nothingDrawn } from './drawing.ts';
import { type Patch, patchBetween, patchesAround } from './patch.ts';

/** An element whose content is being typed; patches leave it alone meanwhile. */
export interface Held {
  /** The node's `RenderedPlace.path`. */
  readonly path: string;
  readonly element: HTMLElement;
  /** Called when the element's own HTML would have changed. */
  onChange(): void;
  /** Called when the element is gone, together with its surroundings. */
  onGone(): void;
}

/** A part that the store has around its pages. */
export type PagePart = 'header' | 'footer';

/** The document of the canvas's frame. It always equals the body and styles of one drawing, however it got there. */
export class Frame {
  readonly document: Document;
  readonly #page: CSSStyleSheet;
  readonly #theme: CSSStyleSheet;
  readonly #parser: HTMLTemplateElement;
  #drawing: Drawing = nothingDrawn;
  #elements: (Element | undefined)[] | undefined;
  #held: Held | undefined;

  /** `extra` holds rules of the editor, which come after the page's. */
  constructor(document: Document, extra = '') {
    this.document = document;
    const { CSSStyleSheet } = document.defaultView as Window & typeof globalThis;
    this.#page = new CSSStyleSheet();
    const own = new CSSStyleSheet();
    own.replaceSync(extra);
    this.#theme = new CSSStyleSheet();
    document.adoptedStyleSheets = [this.#page, this.#theme, own];
    // A template parses into a document of its own, which loads nothing.
    this.#parser = document.createElement('template');
    document.body.replaceChildren();
  }

  /** Shows the page in the store's theme, whose sheet comes after the page's own. */
  wear(sheet: string): void {
    this.#theme.replaceSync(sheet);
  }

  get drawing(): Drawing {
    return this.#drawing;
  }

  /** Shows another drawing; returns whether the page has changed. */
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
      // The element already shows the typed text, or its holder corrects it.
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

  /** Hands the element over to a holder until `release`. */
  hold(held: Held): void {
    this.release();
    this.#held = held;
    this.#elements = undefined;
  }

  /** Takes the held element back and redraws it, to the byte. */
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

  /**
   * The elements of the body in document order, as the drawing counts them. Those below a held element may be missing.
   */
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

/** Returns the place of a node; undefined if no node has this path. */
export const placeOf = ({ places }: Drawing, path: string): RenderedPlace | undefined =>
  places.find((place) => place.path === path && !isBody(place) && place.path !== '');

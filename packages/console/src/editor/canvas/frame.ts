import type { RenderedSpan } from '@waybill/page';
import { type Drawing, emptyDrawing, isBody } from './drawing.ts';
import { diffAroundSpan, diffDrawings, type Patch } from './patch.ts';

/** An element whose content is being typed; patches leave it alone meanwhile. */
export interface HeldElement {
  /** The node's `RenderedPlace.path`. */
  readonly path: string;
  readonly element: HTMLElement;
  /** Called when the element's own HTML would have changed. */
  onChange(): void;
  /** Called when the element is gone, together with its surroundings. */
  onRemoved(): void;
}

/** The document of the canvas's frame. It always equals the body and styles of one drawing, however it got there. */
export class Frame {
  readonly document: Document;
  readonly #page: CSSStyleSheet;
  readonly #theme: CSSStyleSheet;
  readonly #parser: HTMLTemplateElement;
  #drawing: Drawing = emptyDrawing;
  #elements: (Element | undefined)[] | undefined;
  #heldElement: HeldElement | undefined;

  /** `editorRules` holds rules of the editor, which come after the page's. */
  constructor(document: Document, editorRules = '') {
    this.document = document;
    const { CSSStyleSheet } = document.defaultView as Window & typeof globalThis;
    this.#page = new CSSStyleSheet();
    const editorSheet = new CSSStyleSheet();
    editorSheet.replaceSync(editorRules);
    this.#theme = new CSSStyleSheet();
    document.adoptedStyleSheets = [this.#page, this.#theme, editorSheet];
    // A template parses into a document of its own, which loads nothing.
    this.#parser = document.createElement('template');
    document.body.replaceChildren();
  }

  /** Shows the page in the store's theme, whose sheet comes after the page's own. */
  applyTheme(sheet: string): void {
    this.#theme.replaceSync(sheet);
  }

  get drawing(): Drawing {
    return this.#drawing;
  }

  /** Shows another drawing; returns whether the page has changed. */
  show(next: Drawing): boolean {
    const old = this.#drawing;
    if (next.css !== old.css) this.#page.replaceSync(next.css);
    const patch = diffDrawings(old, next);
    if (!patch) {
      this.#drawing = next;
      return next.css !== old.css;
    }
    const heldElement = this.#heldElement;
    const heldSpan = heldElement && findSpan(old, heldElement.path);
    if (heldElement && heldSpan && patch.span.ordinal === heldSpan.ordinal) {
      // The element already shows the typed text, or its holder corrects it.
      this.#drawing = next;
      this.#elements = undefined;
      heldElement.onChange();
      return true;
    }
    const isHeldAffected =
      heldElement && this.#affectsHeld(patch.span, heldElement, patch.kind === 'element');
    if (heldElement && heldSpan && isHeldAffected && !this.#keepsHeld(patch, heldElement)) {
      const after = findSpan(next, heldElement.path);
      const patches = after && diffAroundSpan(old, next, heldSpan, after);
      if (patches) {
        for (const piece of patches) this.#apply(piece);
        this.#drawing = next;
        this.#elements = undefined;
        heldElement.onChange();
        return true;
      }
    }
    if (heldElement && isHeldAffected && !this.#keepsHeld(patch, heldElement)) this.release();
    this.#apply(patch);
    this.#drawing = next;
    this.#elements = undefined;
    if (heldElement && isHeldAffected && !heldElement.element.isConnected) heldElement.onRemoved();
    return true;
  }

  /** Hands the element over to a holder until `release`. */
  hold(heldElement: HeldElement): void {
    this.release();
    this.#heldElement = heldElement;
    this.#elements = undefined;
  }

  /** Takes the held element back and redraws it, to the byte. */
  release(): void {
    const heldElement = this.#heldElement;
    if (!heldElement) return;
    const span = findSpan(this.#drawing, heldElement.path);
    if (span && span.ordinal >= 0 && heldElement.element.isConnected) {
      const html = this.#drawing.html.slice(span.start, span.end);
      if (heldElement.element.outerHTML !== html) heldElement.element.replaceWith(this.#parse(html));
    }
    this.#heldElement = undefined;
    this.#elements = undefined;
  }

  /**
   * The elements of the body in document order, as the drawing counts them. Those below a held element may be missing.
   */
  get elements(): readonly (Element | undefined)[] {
    this.#elements ??= this.#listElements();
    return this.#elements;
  }

  elementAt(span: RenderedSpan | undefined): Element | undefined {
    if (!span) return undefined;
    return isBody(span) ? this.document.body : this.elements[span.ordinal];
  }

  /** Returns the element of the node at a path of the drawing; undefined if it has none. */
  findElement(path: string): Element | undefined {
    const span = findSpan(this.#drawing, path);
    return span && span.ordinal >= 0 ? this.elementAt(span) : undefined;
  }

  #listElements(): (Element | undefined)[] {
    const heldElement = this.#heldElement;
    const elements: (Element | undefined)[] = [...this.document.body.getElementsByTagName('*')];
    const span = heldElement && findSpan(this.#drawing, heldElement.path);
    if (!heldElement || !span || span.ordinal < 0 || !heldElement.element.isConnected) return elements;
    const innerCount = heldElement.element.getElementsByTagName('*').length;
    const placeholders = Array.from({ length: span.elements - 1 }, (_, i) =>
      i < innerCount ? elements[span.ordinal + 1 + i] : undefined,
    );
    return elements.toSpliced(span.ordinal + 1, innerCount, ...placeholders);
  }

  #affectsHeld(span: RenderedSpan, heldElement: HeldElement, isWhole: boolean): boolean {
    const element = this.elementAt(span);
    return element?.contains(heldElement.element) === true && (isWhole || element !== heldElement.element);
  }

  /** Whether the held element is among those that stay. */
  #keepsHeld(patch: Patch, { element }: HeldElement): boolean {
    if (patch.kind === 'element') return false;
    const removed = [...this.elementAt(patch.span)!.children].slice(patch.from, patch.to);
    return !removed.some((each) => each.contains(element));
  }

  #apply(patch: Patch): void {
    const element = this.elementAt(patch.span)!;
    const parsed = this.#parse(patch.html);
    if (patch.kind === 'element') {
      element.replaceWith(parsed);
      return;
    }
    const children = [...element.children];
    const after = children[patch.to] ?? null;
    for (const child of children.slice(patch.from, patch.to)) child.remove();
    element.insertBefore(parsed, after);
  }

  #parse(html: string): DocumentFragment {
    this.#parser.innerHTML = html;
    return this.#parser.content;
  }
}

/** Returns the place of a node; undefined if no node has this path. */
const findSpan = ({ spans }: Drawing, path: string): RenderedSpan | undefined =>
  spans.find((span) => span.path === path && !isBody(span) && span.path !== '');

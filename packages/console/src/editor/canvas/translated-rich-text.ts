import { cleanText, type Json, type RenderedSpan } from '@waybill/page';
import { joinLines, readRichText } from '../workbench/typed-text.ts';
import type { CanvasSurface, TypingSession } from './canvas-surface.ts';

/** A run of letters with the same marks, the unit of translation: `doc.0.1` is the second in the first paragraph. */
interface Piece {
  readonly field: string;
  readonly text: string;
}

interface Doc {
  readonly type: string;
  readonly text?: Json;
  readonly content?: readonly Doc[] | null;
}

/** Yields the pieces in document order; empty ones are not translated. */
function* listPieces(doc: Doc | null, field: string): Generator<Piece> {
  if (doc?.type === 'text') {
    if (typeof doc.text === 'string' && doc.text !== '') yield { field, text: doc.text };
    return;
  }
  for (const [i, child] of (doc?.content ?? []).entries()) yield* listPieces(child, `${field}.${i}`);
}

/**
 * Translates a rich text in place. A translation keeps the structure of its original, so each piece is typed
 * separately; Tab goes to the next one. Undefined if the page does not show the text piece by piece.
 */
export function startTranslation(
  surface: CanvasSurface,
  id: string,
  span: RenderedSpan,
  point: { x: number; y: number } | undefined,
): TypingSession | undefined {
  const element = surface.frame.elementAt(span) as HTMLElement | undefined;
  const doc = readRichText(surface.workbench, id) as unknown as Doc | null;
  const texts = surface.workbench.sources.state?.texts?.[id];
  const pieces = [...listPieces(doc, 'doc')];
  const shownTexts = pieces.map(({ field, text }) => cleanText(texts?.[field] ?? text));
  if (!element || pieces.length === 0 || element.textContent !== shownTexts.join('')) return undefined;
  return new TranslationSession(surface, id, span.path, element, pieces, shownTexts, point);
}

class TranslationSession implements TypingSession {
  readonly id: string;
  readonly #surface: CanvasSurface;
  readonly #element: HTMLElement;
  readonly #pieceElements: readonly HTMLElement[];
  readonly #controller = new AbortController();

  constructor(
    surface: CanvasSurface,
    id: string,
    path: string,
    element: HTMLElement,
    pieces: readonly Piece[],
    shownTexts: readonly string[],
    point: { x: number; y: number } | undefined,
  ) {
    this.id = id;
    this.#surface = surface;
    this.#element = element;
    const doc = readRichText(surface.workbench, id);
    surface.frame.hold({
      path,
      element,
      onChange: () => {
        // Another editor's change arrived, possibly with another structure.
        if (readRichText(surface.workbench, id) !== doc) surface.stopTyping();
      },
      onRemoved: () => surface.stopTyping(),
    });
    this.#pieceElements = wrapPieces(element, shownTexts);
    const { signal } = this.#controller;
    for (const [i, host] of this.#pieceElements.entries()) {
      host.setAttribute('contenteditable', 'plaintext-only');
      if (!host.isContentEditable) host.setAttribute('contenteditable', 'true');
      host.setAttribute('data-piece', '');
      const write = () => {
        const text = cleanText(host.textContent ?? '').normalize('NFC');
        surface.workbench.translate(id, pieces[i]!.field, text);
      };
      host.addEventListener('input', (event) => !(event as InputEvent).isComposing && write(), { signal });
      host.addEventListener('compositionend', write, { signal });
      host.addEventListener('paste', (event) => this.#onPaste(event), { signal });
    }
    element.addEventListener(
      'focusout',
      () =>
        setTimeout(() => {
          if (document.hasFocus() && document.activeElement !== surface.iframe) surface.stopTyping();
        }),
      { signal },
    );
    surface.iframe.contentWindow?.focus();
    this.#start(point);
  }

  contains(node: Node): boolean {
    return this.#element.contains(node);
  }

  onKey(event: KeyboardEvent): boolean {
    if (event.isComposing) return true;
    const key = event.key.toLowerCase();
    if (key === 'escape' || (key === 'enter' && !event.shiftKey)) {
      event.preventDefault();
      this.#surface.stopTyping();
      this.#surface.focus();
      return true;
    }
    if (key === 'tab') {
      const at = this.#pieceElements.indexOf(this.#element.ownerDocument.activeElement as HTMLElement);
      const next = this.#pieceElements.at((at + (event.shiftKey ? -1 : 1)) % this.#pieceElements.length)!;
      event.preventDefault();
      this.#select(next);
      return true;
    }
    return !(key === 'f6' || ((event.ctrlKey || event.metaKey) && key === 's'));
  }

  onLayout(): void {}

  stop(): void {
    this.#controller.abort();
    for (const host of this.#pieceElements) host.blur();
    this.#element.ownerDocument.getSelection()?.removeAllRanges();
  }

  #onPaste(event: ClipboardEvent): void {
    event.preventDefault();
    const text = event.clipboardData?.getData('text/plain') ?? '';
    this.#element.ownerDocument.execCommand('insertText', false, joinLines(text));
  }

  #start(point: { x: number; y: number } | undefined): void {
    const { ownerDocument: document } = this.#element;
    const at = point && document.caretPositionFromPoint?.(point.x, point.y);
    const host = at && this.#pieceElements.find((each) => each.contains(at.offsetNode));
    if (!at || !host) {
      this.#select(this.#pieceElements[0]!);
      return;
    }
    host.focus({ preventScroll: true });
    document.getSelection()?.collapse(at.offsetNode, at.offset);
  }

  #select(host: HTMLElement): void {
    host.focus();
    this.#element.ownerDocument.getSelection()?.selectAllChildren(host);
  }
}

/** Wraps each piece of an element's text in an element of its own. */
function wrapPieces(element: HTMLElement, pieces: readonly string[]): HTMLElement[] {
  const { ownerDocument: document } = element;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let nextText = walker.nextNode() as Text | null;
  return pieces.map((piece) => {
    const text = nextText!;
    // Adjacent pieces with the same marks share one text node.
    const isPart = text.length > piece.length;
    nextText = isPart ? text.splitText(piece.length) : (walker.nextNode() as Text | null);
    if (isPart) walker.currentNode = nextText!;
    const pieceElement = document.createElement('span');
    text.replaceWith(pieceElement);
    pieceElement.append(text);
    return pieceElement;
  });
}

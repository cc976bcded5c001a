import { cleanText, type Json, type RenderedPlace } from '@waybill/page';
import type { RichTextTools } from '../../shell/rich-text.ts';
import { setValue } from '../core/commands.ts';
import type { Surface } from './surface.ts';
import { filler, inOneLine, labelled, type TypedText, textOf } from './typed-text.ts';

/** Typing that is going on in a node on the canvas. */
export interface Typing {
  readonly id: string;
  /** The tools of the toolbar; only for rich text. */
  readonly tools?: RichTextTools<Json>;
  /** Whether a node of the frame is inside the text. */
  holds(node: Node): boolean;
  /** Handles a key; returns whether the text has used it. */
  onKey(event: KeyboardEvent): boolean;
  /** Called when the page may have moved. */
  onPlace(): void;
  stop(): void;
}

/** Starts typing; undefined if the node has no text to type in. */
export async function startTyping(
  surface: Surface,
  id: string,
  place: RenderedPlace,
  typed: TypedText,
  point: { x: number; y: number } | undefined,
): Promise<Typing | undefined> {
  if (!typed.isRich) return PlainTyping.begin(surface, id, place, typed, point);
  if (surface.workbench.view.state.locale !== null) {
    const { startTranslation } = await import('./translated-rich-text.ts');
    const typing = startTranslation(surface, id, place, point);
    if (!typing) surface.workbench.announce(surface.words.richTextElsewhere);
    return typing;
  }
  const { startRichText } = await import('./rich-text.ts');
  return startRichText(surface, id, place, point);
}

/** Types a line or paragraph of plain text in the element that shows it. */
class PlainTyping implements Typing {
  readonly id: string;
  readonly #surface: Surface;
  readonly #host: HTMLElement;
  readonly #typed: TypedText;
  readonly #startTag: string;
  readonly #path: string;
  readonly #stops: (() => void)[] = [];
  #isComposing = false;

  static begin(
    surface: Surface,
    id: string,
    place: RenderedPlace,
    typed: TypedText,
    point: { x: number; y: number } | undefined,
  ): PlainTyping | undefined {
    const element = surface.frame.elementAt(place) as HTMLElement | undefined;
    const node = surface.workbench.editor.state.tree.nodes.get(id);
    if (!element || !node) return undefined;
    const host = labelled.has(node.type)
      ? element.querySelector('label')
      : ((element.querySelector(':scope > a') as HTMLElement | null) ?? element);
    // The button of a sold-out product shows another text than this one.
    if (
      host &&
      node.type === 'addToCart' &&
      !typed.isEmpty &&
      host.textContent !== cleanText(`${typed.value}`)
    ) {
      surface.workbench.announce(surface.words.noText);
      return undefined;
    }
    return host ? new PlainTyping(surface, id, place, typed, element, host, point) : undefined;
  }

  private constructor(
    surface: Surface,
    id: string,
    place: RenderedPlace,
    typed: TypedText,
    element: HTMLElement,
    host: HTMLElement,
    point: { x: number; y: number } | undefined,
  ) {
    this.id = id;
    this.#surface = surface;
    this.#host = host;
    this.#typed = typed;
    this.#path = place.path;
    this.#startTag = this.#drawnStartTag();
    surface.frame.hold({
      path: place.path,
      element,
      onChange: () => this.#onDocumentChange(),
      onGone: () => surface.stopTyping(),
    });
    host.setAttribute('contenteditable', 'plaintext-only');
    // Browsers without `plaintext-only` get rich editing; pasted text is made plain below.
    if (!host.isContentEditable) host.setAttribute('contenteditable', 'true');
    this.#on('input', () => this.#read());
    this.#on('compositionstart', () => {
      this.#isComposing = true;
    });
    this.#on('compositionend', () => {
      this.#isComposing = false;
      this.#read();
      this.#onDocumentChange();
    });
    this.#on('beforeinput', (event) => {
      if (!event.inputType.startsWith('history') || this.#isTranslation) return;
      event.preventDefault();
      this.#walk(event.inputType === 'historyUndo');
    });
    this.#on('paste', (event) => {
      event.preventDefault();
      const text = event.clipboardData?.getData('text/plain') ?? '';
      host.ownerDocument.execCommand('insertText', false, inOneLine(text));
    });
    this.#on('focusout', () =>
      setTimeout(() => {
        // If another window comes to the front, the typing stays open.
        if (document.hasFocus() && document.activeElement !== surface.iframe) surface.stopTyping();
      }),
    );
    // A space would press the button, but here it is typed.
    this.#on('keyup', (event) => event.key === ' ' && event.preventDefault());
    surface.iframe.contentWindow?.focus();
    host.focus({ preventScroll: true });
    this.#putCaret(point);
  }

  holds(node: Node): boolean {
    return this.#host.contains(node);
  }

  onKey(event: KeyboardEvent): boolean {
    if (this.#isComposing || event.isComposing) return true;
    const isCommand = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    if (isCommand && (key === 'z' || key === 'y')) {
      if (this.#isTranslation) return true;
      event.preventDefault();
      this.#walk(key === 'z' && !event.shiftKey);
      return true;
    }
    if (key === 'escape' || (key === 'enter' && !event.shiftKey)) {
      event.preventDefault();
      this.#surface.stopTyping();
      this.#surface.focus();
      return true;
    }
    if (key === ' ' && this.#host.localName === 'button') {
      event.preventDefault();
      this.#host.ownerDocument.execCommand('insertText', false, ' ');
      return true;
    }
    return !(key === 'f6' || (isCommand && key === 's'));
  }

  onPlace(): void {}

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#host.removeAttribute('contenteditable');
    this.#host.ownerDocument.getSelection()?.removeAllRanges();
    this.#host.blur();
  }

  #on<Name extends keyof HTMLElementEventMap>(
    name: Name,
    listener: (event: HTMLElementEventMap[Name]) => void,
  ): void {
    this.#host.addEventListener(name, listener);
    this.#stops.push(() => this.#host.removeEventListener(name, listener));
  }

  /**
   * Whether a translation is typed. It is not part of the document or its history, so the browser's own undo applies.
   */
  get #isTranslation(): boolean {
    return this.#surface.workbench.view.state.locale !== null;
  }

  #walk(isBack: boolean): void {
    const { editor } = this.#surface.workbench;
    if (isBack) editor.undo();
    else editor.redo();
    this.#surface.draw();
  }

  /** Stores the typed text in the document, or as a translation. */
  #read(): void {
    const { workbench } = this.#surface;
    const shown = cleanText(this.#host.textContent ?? '').normalize('NFC');
    const text = shown.replaceAll(filler, '');
    const { field } = this.#typed;
    const { locale } = workbench.view.state;
    if (locale !== null) {
      workbench.translate(this.id, field, text);
      return;
    }
    const { tree } = workbench.editor.state;
    const changes = setValue(tree, [this.id], { target: 'specials', key: field }, text);
    const problem = workbench.editor.do(this.#surface.words.typed, changes, {
      mergeKey: `type ${this.id} ${field}`,
    });
    if (!problem) return;
    workbench.refuse(problem);
    this.#onDocumentChange();
  }

  /** Shows the document's text if it differs from the shown one: after an undo or a refusal. */
  #onDocumentChange(): void {
    if (this.#isComposing) return;
    if (this.#drawnStartTag() !== this.#startTag) {
      this.#surface.stopTyping();
      return;
    }
    // A translation shows the typed text already.
    if (this.#isTranslation) return;
    const now = textOf(this.#surface, this.id);
    const wanted = !now || now.value === '' ? filler : String(now.value);
    const shown = this.#host.textContent ?? '';
    if (shown === wanted || (wanted === filler && shown === '')) return;
    let same = 0;
    while (same < Math.min(shown.length, wanted.length) && shown.at(-1 - same) === wanted.at(-1 - same))
      same++;
    for (const node of [...this.#host.childNodes])
      if (node.nodeType !== 1 || node.nodeName === 'BR') node.remove();
    const text = this.#host.ownerDocument.createTextNode(wanted);
    this.#host.append(text);
    this.#host.ownerDocument.getSelection()?.collapse(text, wanted.length - same);
  }

  #drawnStartTag(): string {
    const { drawing } = this.#surface.frame;
    const place = drawing.places.find(({ path }) => path === this.#path);
    return place ? drawing.html.slice(place.start, drawing.html.indexOf('>', place.start)) : '';
  }

  #putCaret(point: { x: number; y: number } | undefined): void {
    const { ownerDocument: document } = this.#host;
    const selection = document.getSelection();
    const at = point && document.caretPositionFromPoint?.(point.x, point.y);
    if (at && this.#host.contains(at.offsetNode)) selection?.collapse(at.offsetNode, at.offset);
    else selection?.selectAllChildren(this.#host);
  }
}

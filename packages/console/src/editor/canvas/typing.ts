import { cleanText, type RenderedSpan } from '@waybill/page';
import { setValue } from '../core/commands.ts';
import { filler, findTypedText, joinLines, type TypedText, typesWithLabel } from '../workbench/typed-text.ts';
import type { CanvasSurface, TypingSession } from './canvas-surface.ts';

/** Starts typing; undefined if the node has no text to type in. */
export async function startTyping(
  surface: CanvasSurface,
  id: string,
  span: RenderedSpan,
  typedText: TypedText,
  point: { x: number; y: number } | undefined,
): Promise<TypingSession | undefined> {
  if (!typedText.isRich) return PlainTextSession.begin(surface, id, span, typedText, point);
  if (surface.workbench.view.state.locale !== null) {
    const { startTranslation } = await import('./translated-rich-text.ts');
    const typing = startTranslation(surface, id, span, point);
    if (!typing) surface.workbench.refuse({ pointer: '', message: surface.words.richTextElsewhere });
    return typing;
  }
  // The fields of its toolbar as well: keys that follow Ctrl+K at once would otherwise replace the selected text.
  const [{ startRichText }] = await Promise.all([
    import('./rich-text.ts'),
    import('../../shell/rich-text-bar.tsx').then(({ loadLinkFields }) => loadLinkFields()),
  ]);
  return startRichText(surface, id, span, point);
}

/** Types a line or paragraph of plain text in the element that shows it. */
class PlainTextSession implements TypingSession {
  readonly id: string;
  readonly #surface: CanvasSurface;
  readonly #editable: HTMLElement;
  readonly #typedText: TypedText;
  readonly #startTag: string;
  readonly #path: string;
  readonly #unsubscribers: (() => void)[] = [];
  #isComposing = false;

  static begin(
    surface: CanvasSurface,
    id: string,
    span: RenderedSpan,
    typedText: TypedText,
    point: { x: number; y: number } | undefined,
  ): PlainTextSession | undefined {
    const element = surface.frame.elementAt(span) as HTMLElement | undefined;
    const node = surface.workbench.editor.state.tree.nodes.get(id);
    if (!element || !node) return undefined;
    const editable = typesWithLabel.has(node.type)
      ? element.querySelector('label')
      : ((element.querySelector(':scope > a') as HTMLElement | null) ?? element);
    // The button of a sold-out product shows another text than this one.
    if (
      editable &&
      node.type === 'addToCart' &&
      !typedText.isEmpty &&
      editable.textContent !== cleanText(`${typedText.value}`)
    ) {
      surface.workbench.announce(surface.words.noText);
      return undefined;
    }
    return editable
      ? new PlainTextSession(surface, id, span, typedText, element, editable, point)
      : undefined;
  }

  private constructor(
    surface: CanvasSurface,
    id: string,
    span: RenderedSpan,
    typedText: TypedText,
    element: HTMLElement,
    editable: HTMLElement,
    point: { x: number; y: number } | undefined,
  ) {
    this.id = id;
    this.#surface = surface;
    this.#editable = editable;
    this.#typedText = typedText;
    this.#path = span.path;
    this.#startTag = this.#drawnStartTag();
    surface.frame.hold({
      path: span.path,
      element,
      onChange: () => this.#onDocumentChange(),
      onRemoved: () => surface.stopTyping(),
    });
    editable.setAttribute('contenteditable', 'plaintext-only');
    // Browsers without `plaintext-only` get rich editing; pasted text is made plain below.
    if (!editable.isContentEditable) editable.setAttribute('contenteditable', 'true');
    this.#listen('input', () => this.#storeText());
    this.#listen('compositionstart', () => {
      this.#isComposing = true;
    });
    this.#listen('compositionend', () => {
      this.#isComposing = false;
      this.#storeText();
      this.#onDocumentChange();
    });
    this.#listen('beforeinput', (event) => {
      if (!event.inputType.startsWith('history') || this.#isTranslation) return;
      event.preventDefault();
      this.#undoOrRedo(event.inputType === 'historyUndo');
    });
    this.#listen('paste', (event) => {
      event.preventDefault();
      const text = event.clipboardData?.getData('text/plain') ?? '';
      editable.ownerDocument.execCommand('insertText', false, joinLines(text));
    });
    this.#listen('focusout', () =>
      setTimeout(() => {
        // If another window comes to the front, the typing stays open.
        if (document.hasFocus() && document.activeElement !== surface.iframe) surface.stopTyping();
      }),
    );
    // A space would press the button, but here it is typed.
    this.#listen('keyup', (event) => event.key === ' ' && event.preventDefault());
    surface.iframe.contentWindow?.focus();
    editable.focus({ preventScroll: true });
    this.#placeCaret(point);
  }

  contains(node: Node): boolean {
    return this.#editable.contains(node);
  }

  onKey(event: KeyboardEvent): boolean {
    if (this.#isComposing || event.isComposing) return true;
    const isCommand = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    if (isCommand && (key === 'z' || key === 'y')) {
      if (this.#isTranslation) return true;
      event.preventDefault();
      this.#undoOrRedo(key === 'z' && !event.shiftKey);
      return true;
    }
    if (key === 'escape' || (key === 'enter' && !event.shiftKey)) {
      event.preventDefault();
      this.#surface.stopTyping();
      this.#surface.focus();
      return true;
    }
    if (key === ' ' && this.#editable.localName === 'button') {
      event.preventDefault();
      this.#editable.ownerDocument.execCommand('insertText', false, ' ');
      return true;
    }
    return !(key === 'f6' || (isCommand && key === 's'));
  }

  onLayout(): void {}

  stop(): void {
    for (const stop of this.#unsubscribers) stop();
    this.#editable.removeAttribute('contenteditable');
    this.#editable.ownerDocument.getSelection()?.removeAllRanges();
    this.#editable.blur();
  }

  #listen<Name extends keyof HTMLElementEventMap>(
    name: Name,
    listener: (event: HTMLElementEventMap[Name]) => void,
  ): void {
    this.#editable.addEventListener(name, listener);
    this.#unsubscribers.push(() => this.#editable.removeEventListener(name, listener));
  }

  /**
   * Whether a translation is typed. It is not part of the document or its history, so the browser's own undo applies.
   */
  get #isTranslation(): boolean {
    return this.#surface.workbench.view.state.locale !== null;
  }

  #undoOrRedo(isBack: boolean): void {
    const { editor } = this.#surface.workbench;
    if (isBack) editor.undo();
    else editor.redo();
    this.#surface.draw();
  }

  /** Stores the typed text in the document, or as a translation. */
  #storeText(): void {
    const { workbench } = this.#surface;
    const shownText = cleanText(this.#editable.textContent ?? '').normalize('NFC');
    const text = shownText.replaceAll(filler, '');
    const { field } = this.#typedText;
    const { locale } = workbench.view.state;
    if (locale !== null) {
      workbench.translate(this.id, field, text);
      return;
    }
    const { tree } = workbench.editor.state;
    const changes = setValue(tree, [this.id], { target: 'specials', key: field }, text);
    const problem = workbench.editor.apply(this.#surface.words.typed, changes, {
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
    const current = findTypedText(this.#surface.workbench, this.id);
    const expectedText = !current || current.value === '' ? filler : String(current.value);
    const shownText = this.#editable.textContent ?? '';
    if (shownText === expectedText || (expectedText === filler && shownText === '')) return;
    let unchangedEnd = 0;
    while (
      unchangedEnd < Math.min(shownText.length, expectedText.length) &&
      shownText.at(-1 - unchangedEnd) === expectedText.at(-1 - unchangedEnd)
    )
      unchangedEnd++;
    for (const node of [...this.#editable.childNodes])
      if (node.nodeType !== 1 || node.nodeName === 'BR') node.remove();
    const text = this.#editable.ownerDocument.createTextNode(expectedText);
    this.#editable.append(text);
    this.#editable.ownerDocument.getSelection()?.collapse(text, expectedText.length - unchangedEnd);
  }

  #drawnStartTag(): string {
    const { drawing } = this.#surface.frame;
    const span = drawing.spans.find(({ path }) => path === this.#path);
    return span ? drawing.html.slice(span.start, drawing.html.indexOf('>', span.start)) : '';
  }

  #placeCaret(point: { x: number; y: number } | undefined): void {
    const { ownerDocument: document } = this.#editable;
    const selection = document.getSelection();
    const at = point && document.caretPositionFromPoint?.(point.x, point.y);
    if (at && this.#editable.contains(at.offsetNode)) selection?.collapse(at.offsetNode, at.offset);
    else selection?.selectAllChildren(this.#editable);
  }
}

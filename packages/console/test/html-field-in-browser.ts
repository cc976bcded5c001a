import { HtmlView } from '../src/shell/html-field/html-view.ts';
import { toDoc, toHtml } from '../src/shell/html-field/schema.ts';

/** Returns each HTML text after a round trip through the schema, or null if it can be edited only as source. */
function rewritten(texts: string[]): (string | null)[] {
  const inert = document.implementation.createHTMLDocument('');
  const template = inert.createElement('template');
  return texts.map((text) => {
    template.innerHTML = text;
    const doc = toDoc(template.content);
    return doc && toHtml(doc, inert);
  });
}

let view: HtmlView | null = null;
let said: string[] = [];

/** Opens the editor on a text; `told` returns the values reported since. */
function begin(html: string): boolean {
  document.body.replaceChildren();
  said = [];
  const inert = document.implementation.createHTMLDocument('');
  view = HtmlView.begin(document.body, inert, html, (now) => said.push(now));
  view?.focus();
  return view !== null;
}

/** Pastes HTML of another program at the caret. */
function paste(html: string): void {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/html', html);
  const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
  document.querySelector('[contenteditable]')!.dispatchEvent(event);
}

Object.assign(globalThis, {
  rewritten,
  begin,
  paste,
  told: () => said,
  show: (html: string) => view?.show(html),
});

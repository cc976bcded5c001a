import { styleAttribute } from '../core/style-attribute.ts';
import type { Frame } from './frame.ts';

/** Parses HTML into a tree, in a document that loads and runs nothing; the canvas's own window creates it. */
export function parsePasted({ document }: Frame, html: string): HTMLElement {
  const { DOMParser } = document.defaultView as Window & typeof globalThis;
  return new DOMParser().parseFromString(removeStyles(html), 'text/html').body;
}

/**
 * Prepares a clipboard's HTML for parsing: removes style sheets and comments, and renames inline styles so that no
 * policy violation is reported. The result is not trusted: its reader takes only words and structure. Works in linear
 * time, because whole documents are pasted. Unclosed markup hides the rest, as it does from a parser.
 */
export function removeStyles(html: string): string {
  const lowerCase = html.toLowerCase();
  const parts: string[] = [];
  let from = 0;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', from)) {
    parts.push(html.slice(from, at));
    const name = /^<(?:!--|[a-z][a-z0-9]*)/.exec(lowerCase.slice(at, at + maxNameLength))?.[0] ?? '<';
    if (name === '<') {
      parts.push('<');
      from = at + 1;
      continue;
    }
    const end = endOfMarkup(html, lowerCase, at, name);
    if (end < 0) return parts.join('');
    if (!removedMarkup.has(name)) parts.push(renameStyle(html.slice(at, end)));
    from = end;
  }
  return parts.join('') + html.slice(from);
}

const removedMarkup: ReadonlySet<string> = new Set(['<!--', '<style', '<link', '<base', '<meta']);
const maxNameLength = 20;

/** Returns the end of the comment, style sheet or tag that begins at `at`; -1 if it never ends. */
function endOfMarkup(html: string, lowerCase: string, at: number, name: string): number {
  if (name === '<!--') return endAfter(html, '-->', at + name.length);
  const end = endOfTag(html, at);
  if (name !== '<style' || end < 0) return end;
  const close = lowerCase.indexOf('</style', end);
  return close < 0 ? -1 : endAfter(html, '>', close);
}

function endAfter(html: string, endMark: string, from: number): number {
  const at = html.indexOf(endMark, from);
  return at < 0 ? -1 : at + endMark.length;
}

/** Returns the end of a tag; a `>` within a quoted value does not count. */
function endOfTag(html: string, from: number): number {
  for (let i = from; i < html.length; i++) {
    if (html[i] === '>') return i + 1;
    if (html[i] !== '=') continue;
    while (/\s/.test(html[i + 1] ?? '')) i++;
    const quote = html[i + 1];
    if (quote !== '"' && quote !== "'") continue;
    i = html.indexOf(quote, i + 2);
    if (i < 0) return -1;
  }
  return -1;
}

const renameStyle = (tag: string): string =>
  tag.replaceAll(attribute, (match, space: string, name: string, value = '') =>
    name.toLowerCase() === 'style' ? `${space}${styleAttribute}${value}` : match,
  );

/** An attribute with its value, so that text within a value is not taken for an attribute. */
const attribute = /([\s"'])([^\s"'>/=]+)(\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]*))?/g;

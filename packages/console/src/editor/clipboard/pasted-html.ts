import { styleAttribute } from '../core/style-attribute.ts';

/** Parses HTML into a tree, in a document that loads and runs nothing; the canvas's own window creates it. */
export function parsePasted(document: Document, html: string): HTMLElement {
  const { DOMParser } = document.defaultView as Window & typeof globalThis;
  return new DOMParser().parseFromString(removeStyles(html), 'text/html').body;
}

/**
 * Prepares a clipboard's HTML for parsing: removes style sheets and comments, and renames inline styles so that no
 * policy violation is reported. What a sheet says of a class, such as Excel's bold cells, becomes the style of its tags. The result is not trusted: its reader takes only words and structure. Works in linear
 * time, because whole documents are pasted. Unclosed markup hides the rest, as it does from a parser.
 */
export function removeStyles(html: string): string {
  const lowerCase = html.toLowerCase();
  const parts: string[] = [];
  const classes = new Map<string, string>();
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
    if (name === '<style') readSheet(html.slice(at, end), classes);
    if (!removedMarkup.has(name)) parts.push(renameStyle(html.slice(at, end), classes));
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

function renameStyle(tag: string, classes: ReadonlyMap<string, string>): string {
  const ofClasses = classes.size > 0 ? styleOfClasses(tag, classes) : '';
  let hasStyle = false;
  const renamed = tag.replaceAll(attribute, (match, space: string, name: string, value = '') => {
    if (name.toLowerCase() !== 'style') return match;
    hasStyle = true;
    const added = ofClasses === '' ? value : value.replace(/^(\s*=\s*["'])/, `$1${ofClasses};`);
    return `${space}${styleAttribute}${added}`;
  });
  if (ofClasses === '' || hasStyle) return renamed;
  const end = /[\s"']\/>$/.test(renamed.slice(-3)) ? -2 : -1;
  return `${renamed.slice(0, end)} ${styleAttribute}="${ofClasses}">`;
}

/** Reads the declarations of a sheet that are meaning rather than look, by class. */
function readSheet(sheet: string, classes: Map<string, string>): void {
  for (const rule of sheet.split('}')) {
    const open = rule.indexOf('{');
    if (open < 0) continue;
    const declarations = rule
      .slice(open + 1)
      .split(';')
      .map((each) => each.trim())
      .filter((each) => meaningful.test(each));
    if (declarations.length === 0) continue;
    for (const selector of rule.slice(0, open).split(',')) {
      const [, name] = /^[a-z0-9]*\.([\w-]+)$/i.exec(selector.trim().split(/\s+/).at(-1)!) ?? [];
      if (name) classes.set(name, declarations.join(';'));
    }
  }
}

const meaningful = /^(?:font-weight|font-style|text-decoration):[a-z0-9 -]{1,40}$/i;

function styleOfClasses(tag: string, classes: ReadonlyMap<string, string>): string {
  for (const [, , name, value = ''] of tag.matchAll(attribute))
    if (name!.toLowerCase() === 'class')
      return value
        .replace(/^\s*=\s*["']?|["']$/g, '')
        .split(/\s+/)
        .flatMap((each) => classes.get(each) ?? [])
        .join(';');
  return '';
}

/** An attribute with its value, so that text within a value is not taken for an attribute. */
const attribute = /([\s"'])([^\s"'>/=]+)(\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]*))?/g;

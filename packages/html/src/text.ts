import { Parser } from 'htmlparser2';

/** The length of a description that a search engine shows. */
const maxDescription = 160;
/** A description comes from the beginning, so the rest of a long page is not read for it. */
const maxRead = 20_000;

/** Elements whose text no reader sees. */
const unseen = [
  'style',
  'script',
  'template',
  'noscript',
  'iframe',
  'svg',
  'math',
  'title',
  'textarea',
  'select',
];
const unseenTags: ReadonlySet<string> = new Set(unseen);
/** Tags that a description skips as well, because they surround the text. */
const aroundTags: ReadonlySet<string> = new Set([...unseen, 'nav', 'form', 'h1']);

/** Elements within a line: their start and end do not count as space. */
const inline = new Set(
  'a abbr b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

/**
 * Returns the text of HTML as a reader sees it, on one line. The HTML is parsed, so the content of a tag is never text.
 */
export const textOfHtml = (html: string): string => textWithout(unseenTags, html);

function textWithout(skipped: ReadonlySet<string>, html: string): string {
  let text = '';
  let hidden = 0;
  const parser = new Parser(
    {
      onopentag: (name) => {
        if (skipped.has(name)) hidden++;
        if (!inline.has(name)) text += ' ';
      },
      ontext: (part) => {
        if (hidden === 0) text += part;
      },
      onclosetag: (name) => {
        if (skipped.has(name)) hidden--;
        if (!inline.has(name)) text += ' ';
      },
    },
    { decodeEntities: true },
  );
  parser.end(html);
  return text.replace(/\s+/g, ' ').trim();
}

/** Returns the beginning of HTML; it is cut before a tag, never within one. */
function beginningOf(text: string): string {
  if (text.length <= maxRead) return text;
  const html = text.slice(0, maxRead);
  const at = html.lastIndexOf('<');
  return at > html.lastIndexOf('>') ? html.slice(0, at) : html;
}

/** Returns the beginning of the text of HTML for a description, in whole words. */
export function excerptOfHtml(html: string): string {
  const text = textWithout(aroundTags, beginningOf(html));
  if (text.length <= maxDescription) return text;
  const cut = text.slice(0, maxDescription);
  const end = cut.lastIndexOf(' ');
  return `${(end > 0 ? cut.slice(0, end) : cut).trimEnd()}…`;
}

/** Returns the address of the first picture of HTML that `isWanted` accepts. */
export function firstImageOf(html: string, isWanted: (src: string) => boolean): string | undefined {
  let found: string | undefined;
  const parser = new Parser({
    onopentag: (name, { src }) => {
      if (name !== 'img' || src === undefined || !isWanted(src)) return;
      found = src;
      parser.pause();
    },
  });
  parser.end(html);
  return found;
}

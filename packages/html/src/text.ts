import { Parser } from 'htmlparser2';

/** The length of a description that a search engine shows. */
const maxDescription = 160;
/** A description comes from the beginning, so the rest of a long page is not read for it. */
const maxRead = 20_000;

/** Elements whose text no reader sees. */
const hiddenTagNames = [
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
const hiddenTags: ReadonlySet<string> = new Set(hiddenTagNames);
/** Tags that a description skips as well, because they surround the text. */
const nonContentTags: ReadonlySet<string> = new Set([...hiddenTagNames, 'nav', 'form', 'h1']);

/** Elements within a line: their start and end do not count as space. */
const inline = new Set(
  'a abbr b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

/**
 * Returns the text of HTML as a reader sees it, on one line. The HTML is parsed, so the content of a tag is never text.
 */
export const extractHtmlText = (html: string): string => extractText(hiddenTags, html);

function extractText(skipped: ReadonlySet<string>, html: string): string {
  let text = '';
  let hiddenDepth = 0;
  const parser = new Parser(
    {
      onopentag: (name) => {
        if (skipped.has(name)) hiddenDepth++;
        if (!inline.has(name)) text += ' ';
      },
      ontext: (chunk) => {
        if (hiddenDepth === 0) text += chunk;
      },
      onclosetag: (name) => {
        if (skipped.has(name)) hiddenDepth--;
        if (!inline.has(name)) text += ' ';
      },
    },
    { decodeEntities: true },
  );
  parser.end(html);
  return text.replace(/\s+/g, ' ').trim();
}

/** Returns the beginning of HTML; it is cut before a tag, never within one. */
function truncateHtml(text: string): string {
  if (text.length <= maxRead) return text;
  const html = text.slice(0, maxRead);
  const at = html.lastIndexOf('<');
  return at > html.lastIndexOf('>') ? html.slice(0, at) : html;
}

/** Returns the beginning of the text of HTML for a description, in whole words. */
export function createExcerpt(html: string): string {
  const text = extractText(nonContentTags, truncateHtml(html));
  if (text.length <= maxDescription) return text;
  const excerpt = text.slice(0, maxDescription);
  const end = excerpt.lastIndexOf(' ');
  return `${(end > 0 ? excerpt.slice(0, end) : excerpt).trimEnd()}…`;
}

/** Returns the address of the first picture of HTML that `isWanted` accepts. */
export function findFirstImage(html: string, isWanted: (src: string) => boolean): string | undefined {
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

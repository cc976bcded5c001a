import { createRequire } from 'node:module';
import { safeMediaUrl, safeUrl } from '@waybill/page/url';
import sanitizeHtml from 'sanitize-html';

export { excerptOfHtml, firstImageOf, textOfHtml } from './text.ts';

// The way sanitize-html loads it too: jest takes one module both imported and required for a cycle.
const { Tokenizer } = createRequire(import.meta.url)('htmlparser2') as typeof import('htmlparser2');

/**
 * What product descriptions and article content may contain: rich text as editors make it. No `id` or `name`
 * (they shadow properties of the page's scripts), no `style`, nothing that embeds, submits or runs. A class runs
 * nothing and themes need it.
 */
const allowedTags = [
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'p',
  'div',
  'blockquote',
  'pre',
  'hr',
  'br',
  'details',
  'summary',
  'ul',
  'ol',
  'li',
  'dl',
  'dt',
  'dd',
  'figure',
  'figcaption',
  'img',
  'table',
  'caption',
  'colgroup',
  'col',
  'thead',
  'tbody',
  'tfoot',
  'tr',
  'th',
  'td',
  'a',
  'span',
  'strong',
  'b',
  'em',
  'i',
  'u',
  's',
  'del',
  'ins',
  'mark',
  'small',
  'sub',
  'sup',
  'abbr',
  'cite',
  'code',
  'kbd',
  'q',
  'samp',
  'time',
  'var',
];

const allowedAttributes = {
  '*': ['title', 'lang', 'dir'],
  a: ['href', 'target', 'rel'],
  img: ['src', 'alt', 'width', 'height', 'loading'],
  ol: ['start', 'reversed', 'type'],
  li: ['value'],
  col: ['span'],
  colgroup: ['span'],
  th: ['colspan', 'rowspan', 'scope'],
  td: ['colspan', 'rowspan'],
  time: ['datetime'],
  details: ['open'],
};

/** Elements whose content is code or plain text to a browser: it goes with them. */
const rawTextTags = [
  'script',
  'style',
  'textarea',
  'title',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
  'plaintext',
];

/** Elements nested deeper than this are taken off and their text kept; browsers stop at 512. */
const deepest = 256;

/** What `ShallowTokenizer` needs of htmlparser2's parser, which its types keep to itself. */
interface Parser {
  stack: string[];
  readTagName(start: number, end: number): string;
  onopentagname(start: number, end: number): void;
  onclosetag(start: number, end: number): void;
}

const known = new Set(allowedTags);
const raw = new Set(rawTextTags);

/**
 * Keeps foreign tags from the parser instead of dropping them after it. So the tree that the parser builds is
 * the one that is written, which makes the result its own fixed point (`<p><x><p>` would come out as `<p><p>`,
 * which reads as two siblings), no text turns into SVG or MathML, and the parser, whose every tag costs a walk
 * over the open elements, stays linear at any nesting.
 */
class ShallowTokenizer extends Tokenizer {
  constructor(...[options, callbacks]: ConstructorParameters<typeof Tokenizer>) {
    super(options, callbacks);
    const parser = callbacks as unknown as Parser;
    const { onopentagname, onclosetag } = parser;
    parser.onopentagname = (start, end) => {
      const name = parser.readTagName(start, end);
      if (raw.has(name) || (known.has(name) && parser.stack.length < deepest)) {
        onopentagname.call(parser, start, end);
      }
    };
    parser.onclosetag = (start, end) => {
      const name = parser.readTagName(start, end);
      if (raw.has(name) || known.has(name)) onclosetag.call(parser, start, end);
    };
  }
}

const linkRelations = new Set(['nofollow', 'noopener', 'noreferrer', 'sponsored', 'ugc']);

/** The attributes with a URL as a page may hold it, in its place; without it where a page may not. */
function withUrl(
  { ...attribs }: sanitizeHtml.Attributes,
  name: 'href' | 'src',
  safe: (url: string) => string | undefined,
): sanitizeHtml.Attributes {
  const written = attribs[name];
  const url = written === undefined ? undefined : safe(written);
  if (url === undefined) delete attribs[name];
  else attribs[name] = url;
  return attribs;
}

/** Leads where links of pages may. A new page that it opens gets no hold of this one, whatever the browser's age. */
function link(tagName: string, { target, rel, ...rest }: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const attribs = withUrl(rest, 'href', safeUrl);
  const relations = new Set(
    (rel ?? '')
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => linkRelations.has(word)),
  );
  if (target?.toLowerCase() === '_blank') {
    attribs.target = '_blank';
    relations.add('noopener');
  }
  if (relations.size > 0) attribs.rel = [...relations].join(' ');
  return { tagName, attribs };
}

const image = (tagName: string, attribs: sanitizeHtml.Attributes): sanitizeHtml.Tag => ({
  tagName,
  attribs: withUrl(attribs, 'src', safeMediaUrl),
});

const options: sanitizeHtml.IOptions = {
  allowedTags,
  allowedAttributes,
  allowedClasses: { '*': [/^[a-z][\w-]{0,63}$/i] },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  nonTextTags: rawTextTags,
  selfClosing: ['img', 'br', 'hr', 'col'],
  transformTags: { a: link, img: image },
  parser: { Tokenizer: ShallowTokenizer },
};

/**
 * HTML written by people, made safe to show in a page (`store-api.md 2.6`): unknown tags go and their text
 * stays, scripts go with their content. Sanitising the result again changes nothing, and the time grows with
 * the length of the input whatever it holds.
 */
export function sanitiseHtml(html: string): string {
  return sanitizeHtml(html, options);
}

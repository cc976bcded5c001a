import { safeMediaUrl, safeUrl } from '@waybill/page/url';
import sanitizeHtml from 'sanitize-html';
import { allowedTags } from './elements.ts';
import { embedOf } from './embeds.ts';
import { type Removal, type Removals, rewriteMeaning } from './meaning.ts';
import { rawTextTags, shallowTokenizer } from './tokenizer.ts';

export { excerptOfHtml, firstImageOf, textOfHtml } from './text.ts';

const allowedAttributes = {
  '*': ['id', 'title', 'lang', 'dir'],
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
  iframe: ['src', 'title', 'loading', 'allow', 'allowfullscreen', 'referrerpolicy'],
};

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

/** An iframe that shows a film; any other goes with its content. */
function film(_tagName: string, attribs: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const embed = embedOf(attribs);
  return embed ? { tagName: 'iframe', attribs: embed } : { tagName: 'noembed', attribs: {} };
}

const writtenIds = /^h-[\p{L}\p{N}_.:-]{1,120}$/u;

/** No id but those that `rewriteMeaning` has written. */
function withOwnId(tagName: string, { id, ...attribs }: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  return { tagName, attribs: id !== undefined && writtenIds.test(id) ? { id, ...attribs } : attribs };
}

const options: sanitizeHtml.IOptions = {
  allowedTags: [...allowedTags, 'iframe'],
  allowedAttributes,
  allowedClasses: { '*': [/^[a-z][\w-]{0,63}$/i] },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  nonTextTags: rawTextTags,
  selfClosing: ['img', 'br', 'hr', 'col'],
  transformTags: { a: link, img: image, iframe: film, '*': withOwnId },
  parser: { Tokenizer: shallowTokenizer(new Set(allowedTags)) },
};

/** HTML that is safe to show, and what was removed of it that was content or could do something. */
export interface Sanitised {
  html: string;
  removals: Removals;
}

/**
 * HTML written by people, made safe to show in a page (`store-api.md 2.6`, `decisions.md 19.7`): what markup means is
 * kept, unknown tags go and their text stays, scripts go with their content. Sanitising the result again changes
 * nothing, and the time grows with the length of the input whatever it holds.
 */
export function sanitise(written: string): Sanitised {
  if (!written.includes('<')) return { html: sanitizeHtml(written, options), removals: new Map() };
  const { html, removals } = rewriteMeaning(written);
  return { html: sanitizeHtml(html, options), removals };
}

/** The same, for who need not tell what was removed. */
export const sanitiseHtml = (html: string): string => sanitise(html).html;

/** What would be removed of HTML, for the answer to a write of it. */
export const warningsFor = (html = ''): ReturnType<typeof warningsOf> =>
  html.includes('<') ? warningsOf(rewriteMeaning(html).removals) : [];

const messages: Readonly<Record<Removal, string>> = {
  script_removed: 'Scripts and event handlers were removed.',
  embed_removed: 'Embedded content other than films of YouTube and Vimeo was removed.',
  form_removed: 'Forms and form fields were removed; their text was kept.',
  link_removed: 'Addresses that a page may not lead to were removed.',
};

/** What was removed, as answers to writes say it. */
export const warningsOf = (removals: Removals): { code: Removal; message: string; count: number }[] =>
  [...removals].map(([code, count]) => ({ code, message: messages[code], count }));

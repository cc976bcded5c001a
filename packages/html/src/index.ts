import { safeMediaUrl, safeUrl } from '@waybill/page/url';
import sanitizeHtml from 'sanitize-html';
import { allowedTags } from './elements.ts';
import { parseEmbed } from './embeds.ts';
import { type Removal, type Removals, rewriteMeaning } from './meaning.ts';
import { rawTextTags, shallowTokenizer } from './tokenizer.ts';

export { createExcerpt, extractHtmlText, findFirstImage } from './text.ts';

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

/** Returns the attributes with their URL made safe for a page, or without it if a page may not hold it. */
function rewriteUrl(
  { ...attribs }: sanitizeHtml.Attributes,
  name: 'href' | 'src',
  safe: (url: string) => string | undefined,
): sanitizeHtml.Attributes {
  const value = attribs[name];
  const url = value === undefined ? undefined : safe(value);
  if (url === undefined) delete attribs[name];
  else attribs[name] = url;
  return attribs;
}

/**
 * Restricts a link to the URLs that pages may lead to. A page that it opens gets no handle on this one, even in old
 * browsers.
 */
function link(tagName: string, { target, rel, ...rest }: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const attribs = rewriteUrl(rest, 'href', safeUrl);
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
  attribs: rewriteUrl(attribs, 'src', safeMediaUrl),
});

/** Rewrites an iframe that shows a video; any other iframe is removed with its content. */
function iframe(_tagName: string, attribs: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const embed = parseEmbed(attribs);
  return embed ? { tagName: 'iframe', attribs: embed } : { tagName: 'noembed', attribs: {} };
}

const writtenIds = /^h-[\p{L}\p{N}_.:-]{1,120}$/u;

/** Removes any id that `rewriteMeaning` has not written. */
function keepWrittenId(tagName: string, { id, ...attribs }: sanitizeHtml.Attributes): sanitizeHtml.Tag {
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
  transformTags: { a: link, img: image, iframe, '*': keepWrittenId },
  parser: { Tokenizer: shallowTokenizer(new Set(allowedTags)) },
};

/** HTML that is safe to show, and the content or active markup that was removed from it. */
export interface Sanitised {
  html: string;
  removals: Removals;
}

/**
 * Makes HTML written by people safe to show in a page (`store-api.md 2.6`, `decisions.md 19.7`). The meaning of the
 * markup is kept, unknown tags are removed but their text stays, and scripts are removed with their content. Sanitising
 * the result again changes nothing, and the time grows linearly with the length of any input.
 */
export function sanitise(value: string): Sanitised {
  if (!value.includes('<')) return { html: sanitizeHtml(value, options), removals: new Map() };
  const { html, removals } = rewriteMeaning(value);
  return { html: sanitizeHtml(html, options), removals };
}

/** Like `sanitise`, for callers that do not report what was removed. */
export const sanitiseHtml = (html: string): string => sanitise(html).html;

/** Returns the warnings about the HTML of a write, for its answer. */
export const warningsFor = (html = ''): ReturnType<typeof toWarnings> =>
  html.includes('<') ? toWarnings(rewriteMeaning(html).removals) : [];

const messages: Readonly<Record<Removal, string>> = {
  script_removed: 'Scripts and event handlers were removed.',
  embed_removed: 'Embedded content other than films of YouTube and Vimeo was removed.',
  form_removed: 'Forms and form fields were removed; their text was kept.',
  link_removed: 'Addresses that a page may not lead to were removed.',
  title_removed: 'The title of a whole HTML document was removed.',
};

/** Turns removals into the warnings of an answer. */
export const toWarnings = (removals: Removals): { code: Removal; message: string; count: number }[] =>
  [...removals].map(([code, count]) => ({ code, message: messages[code], count }));

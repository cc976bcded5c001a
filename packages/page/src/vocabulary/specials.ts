import { richTextContent, richTextDepth, richTextMarks } from '../rich-text.ts';
import type { RichTextRules, ValueType } from './types.ts';

/** Specials are content and identity: one value for every width. */

const text = (maxLength: number): ValueType => ({ kind: 'text', type: 'string', maxLength });
const choice = (...values: string[]): ValueType => ({ kind: 'choice', type: 'string', enum: values });
const identifier = (pattern: string): ValueType => ({ kind: 'identifier', type: 'string', pattern });
const id = (prefix: string): ValueType => ({ type: 'string', pattern: `^${prefix}_[0-9a-z]{1,40}$` });
const object = (required: string[], properties: Record<string, ValueType>): ValueType => ({
  type: 'object',
  required,
  properties,
});

/** A media id or a URL. */
export const media: ValueType = { kind: 'media', type: 'string', maxLength: 2048, format: 'url' };

const newTab: ValueType = { kind: 'boolean', type: 'boolean' };
const anchor = '^(?!wb-)[A-Za-z][A-Za-z0-9_-]{0,63}$';

/** The target of a link: an entity rather than its URL, so that the link stays correct; or a plain URL. */
const link: ValueType = {
  kind: 'link',
  anyOf: [
    { type: 'string', maxLength: 2048, format: 'url' },
    object(['type', 'pageId'], {
      type: { const: 'page' },
      pageId: id('pag'),
      anchorId: identifier(anchor),
      newTab,
    }),
    object(['type', 'productId'], { type: { const: 'product' }, productId: id('prd'), newTab }),
    object(['type', 'categoryId'], { type: { const: 'category' }, categoryId: id('cat'), newTab }),
    object(['type', 'articleId'], { type: { const: 'article' }, articleId: id('art'), newTab }),
    object(['type'], { type: { const: 'blog' }, newTab }),
    object(['type'], { type: { const: 'home' }, newTab }),
    object(['type', 'url'], {
      type: { const: 'url' },
      url: { type: 'string', maxLength: 2048, format: 'url' },
      newTab,
    }),
    object(['type', 'email'], {
      type: { const: 'email' },
      email: { type: 'string', maxLength: 254, pattern: '^[^\\s@?&#%:/]+@[^\\s@?&#%:/]+$' },
      subject: text(200),
    }),
    object(['type', 'tel'], {
      type: { const: 'tel' },
      tel: { type: 'string', pattern: '^\\+?[0-9 ()./-]{2,30}$' },
    }),
    object(['type', 'anchorId'], { type: { const: 'anchor' }, anchorId: identifier(anchor) }),
  ],
};

const entry = { text: text(200), href: link };
/** Entries one level below another entry of a menu. */
const entries: ValueType = { type: 'array', maxItems: 50, items: object(['text'], entry) };

/** The type of a menu's items, which differs from that of other lists. */
export const menuItems: ValueType = {
  kind: 'items',
  type: 'array',
  maxItems: 50,
  items: object(['text'], { ...entry, items: entries }),
};

const item: ValueType = {
  anyOf: [
    text(2000),
    object([], {
      text: text(2000),
      href: link,
      src: media,
      alt: text(500),
      caption: text(500),
      items: entries,
    }),
  ],
};

/** The products that a list shows (`decisions.md 17.1`); on the search page, those that a visitor searches for. */
const source: ValueType = {
  kind: 'source',
  anyOf: [
    object(['kind'], { kind: { const: 'all' } }),
    object(['kind', 'tag'], { kind: { const: 'tag' }, tag: text(60) }),
    object(['kind', 'ids'], {
      kind: { const: 'ids' },
      ids: { type: 'array', maxItems: 48, items: id('prd') },
    }),
    object(['kind'], { kind: { const: 'search' } }),
    // Without an id, the page's own category.
    object(['kind'], { kind: { const: 'category' }, id: id('cat') }),
  ],
};
/** `category` means the order of the listed category. */
export const productSorts = choice('number', 'name', 'price', 'created', 'category');
export const articleSorts = choice('published', 'title', 'created');

const option: ValueType = {
  anyOf: [text(200), object(['label'], { label: text(200), value: text(200) })],
};

const level: ValueType = { kind: 'number', type: 'integer', minimum: 1, maximum: 6 };

const richText: RichTextRules = {
  content: Object.fromEntries(richTextContent),
  attrs: { heading: { level } },
  marks: { ...Object.fromEntries([...richTextMarks.keys()].map((mark) => [mark, {}])), link: { href: link } },
  depth: richTextDepth,
};

export const icons = [
  'arrow-down',
  'arrow-left',
  'arrow-right',
  'arrow-up',
  'bag',
  'calendar',
  'check',
  'chevron-down',
  'chevron-right',
  'clock',
  'close',
  'gift',
  'globe',
  'heart',
  'info',
  'leaf',
  'lock',
  'mail',
  'map-pin',
  'menu',
  'minus',
  'phone',
  'play',
  'plus',
  'search',
  'shield',
  'star',
  'tag',
  'truck',
  'user',
] as const;

/** All specials, each with its widest type; an element may narrow it. */
export const specialKeys: Readonly<Record<string, ValueType>> = {
  text: text(20_000),
  doc: { kind: 'richText', type: 'object', format: 'richText', richText },
  href: link,
  src: media,
  alt: text(500),
  poster: media,
  title: text(200),
  caption: text(500),
  level,
  tag: choice(
    'div',
    'section',
    'article',
    'header',
    'footer',
    'main',
    'nav',
    'aside',
    'p',
    'span',
    'blockquote',
    'small',
    'strong',
    'ul',
    'ol',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
  ),
  items: { kind: 'items', type: 'array', maxItems: 200, items: item },
  label: text(200),
  key: identifier('^(?:app_[0-9a-z]{1,40}/)?[a-z][a-z0-9_]{0,39}$'),
  name: identifier('^[A-Za-z][A-Za-z0-9_.-]{0,63}$'),
  placeholder: text(200),
  value: text(200),
  fromText: text(60),
  soldOutText: text(60),
  inputType: choice('text', 'email', 'tel', 'url', 'number', 'date', 'textarea'),
  required: { kind: 'boolean', type: 'boolean' },
  checked: { kind: 'boolean', type: 'boolean' },
  options: { kind: 'items', type: 'array', maxItems: 200, items: option },
  provider: choice('youtube', 'vimeo'),
  videoId: identifier('^[A-Za-z0-9_-]{1,32}$'),
  autoplay: { kind: 'boolean', type: 'boolean' },
  loop: { kind: 'boolean', type: 'boolean' },
  productId: { ...id('prd'), kind: 'product' },
  source,
  sort: choice('number', 'name', 'price', 'created', 'category', 'published', 'title'),
  dir: choice('asc', 'desc'),
  limit: { kind: 'number', type: 'integer', minimum: 1, maximum: 48 },
  paged: { kind: 'boolean', type: 'boolean' },
  emptyText: text(200),
  categoryId: { ...id('bct'), kind: 'category' },
  anchorId: identifier(anchor),
  ariaLabel: text(200),
  icon: { kind: 'choice', type: 'string', enum: icons },
  variant: choice('primary', 'secondary', 'plain'),
  appId: id('app'),
  blockKey: { type: 'string', pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 64, kind: 'identifier' },
  sectionId: id('sec'),
};

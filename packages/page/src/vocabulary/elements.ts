import type { Json } from '../model.ts';
import { articleSorts, menuItems, productSorts, specialKeys } from './specials.ts';
import type { ElementType, Special, ValueType } from './types.ts';

type Defaults = Record<string, Json>;

/** Builds specials from names and defaults, each with its widest type unless `narrowed` gives another. */
function specials(defaults: Defaults, narrowed: Record<string, ValueType> = {}): Record<string, Special> {
  const own = { ...defaults, anchorId: null, ariaLabel: null };
  return Object.fromEntries(
    Object.entries(own).map(([name, value]) => [
      name,
      { type: narrowed[name] ?? specialKeys[name]!, default: value },
    ]),
  );
}

const tagChoice = (tags: readonly string[]): Record<string, ValueType> => ({
  tag: { kind: 'choice', type: 'string', enum: tags },
});

const boxTags = ['div', 'section', 'article', 'header', 'footer', 'main', 'nav', 'aside'];
const headings = ['h2', 'h1', 'h3', 'h4', 'h5', 'h6'];
const interactive = [
  'link',
  'button',
  'video',
  'embed',
  'richText',
  'list',
  'form',
  'field',
  'select',
  'checkbox',
  'gallery',
  'variantPicker',
  'quantityField',
  'addToCart',
  'blockRef',
  'sectionRef',
  'productList',
  'articleList',
  'menu',
  'breadcrumbs',
  'cartButton',
  'searchField',
  'languageSwitch',
  'productGallery',
  'productDescription',
  'articleBody',
  'productFilters',
  'categoryDescription',
  'categoryList',
  'productField',
  'categoryField',
  'articleField',
];

function box(label: string, first: string, config: string[], own: Defaults = {}): ElementType {
  const tags = [first, ...boxTags.filter((tag) => tag !== first)];
  return {
    label,
    tags,
    children: 'any',
    specials: specials({ tag: first, ...own }, tagChoice(tags)),
    config: ['hidden', ...config],
    bindable: [],
  };
}

function leaf(
  label: string,
  tags: string[],
  defaults: Defaults,
  { config = [], bindable = [], narrowed = {} }: LeafExtras = {},
): ElementType {
  return {
    label,
    tags,
    children: 'none',
    specials: specials(defaults, narrowed),
    config: ['hidden', ...config],
    bindable: [...bindable, 'ariaLabel'].map((field) => `specials.${field}`),
  };
}

interface LeafExtras {
  config?: string[];
  bindable?: string[];
  narrowed?: Record<string, ValueType>;
}

/** Builds an element that repeats its one child for each listed item. */
function repeater(label: string, own: Defaults, sorts: ValueType): ElementType {
  return {
    label,
    tags: ['ul'],
    children: 'any',
    maxChildren: 1,
    excludes: ['productList', 'articleList'],
    specials: specials({ ...own, limit: 12, paged: false, emptyText: '' }, { sort: sorts }),
    config: ['hidden', 'columns'],
    bindable: [],
  };
}

const pictureFields = {
  config: ['ratio'],
  bindable: ['src', 'alt', 'caption', 'href'],
};
const picture = { src: null, alt: '', caption: '', href: null };

const textTags = ['p', 'span', 'div', 'blockquote', 'small', 'strong'];
const listTags = ['ul', 'ol'];

/** The elements of a page. */
export const elementTypes: Readonly<Record<string, ElementType>> = {
  section: box('Section', 'section', []),
  container: box('Container', 'div', []),
  stack: box('Stack', 'div', ['direction', 'collapse']),
  grid: box('Grid', 'div', ['columns']),
  heading: leaf('Heading', headings, { text: 'Heading', level: 2 }, { bindable: ['text'] }),
  text: leaf('Text', textTags, { text: '', tag: 'p' }, { bindable: ['text'], narrowed: tagChoice(textTags) }),
  richText: leaf('Rich text', ['div'], { doc: null }),
  list: leaf('List', listTags, { items: [], tag: 'ul' }, { narrowed: tagChoice(listTags) }),
  image: leaf('Image', ['img', 'figure'], picture, pictureFields),
  video: leaf(
    'Video',
    ['video'],
    { src: null, poster: null, title: '', autoplay: false, loop: false },
    { config: ['ratio'], bindable: ['src', 'poster', 'title'] },
  ),
  icon: leaf('Icon', ['span'], { icon: 'star' }),
  gallery: leaf('Gallery', ['ul'], { items: [] }, { config: ['perRow', 'ratio'] }),
  button: leaf(
    'Button',
    ['a', 'button'],
    { text: 'Button', label: null, href: null, icon: null, variant: 'primary' },
    { bindable: ['text', 'href'] },
  ),
  link: {
    ...leaf('Link', ['a'], { text: '', label: null, href: null }, { bindable: ['text', 'href'] }),
    children: 'any',
    excludes: interactive,
  },
  divider: leaf('Divider', ['hr'], {}),
  spacer: leaf('Spacer', ['div'], {}),
  form: {
    label: 'Form',
    tags: ['form'],
    children: 'any',
    excludes: ['form', 'searchField'],
    specials: specials({ name: null, href: null }),
    config: ['hidden'],
    bindable: [],
  },
  field: leaf(
    'Field',
    ['div'],
    { label: 'Field', name: 'field', inputType: 'text', placeholder: '', value: '', required: false },
    { bindable: ['label', 'placeholder', 'value'] },
  ),
  select: leaf(
    'Select',
    ['div'],
    { label: 'Select', name: 'select', options: [], placeholder: '', required: false },
    { bindable: ['label', 'placeholder'] },
  ),
  checkbox: leaf(
    'Checkbox',
    ['div'],
    { label: 'Checkbox', name: 'checkbox', value: 'yes', required: false, checked: false },
    { bindable: ['label'] },
  ),
  product: box('Product', 'article', ['direction', 'collapse'], { productId: null }),
  productImage: leaf('Product image', ['img', 'figure'], picture, pictureFields),
  productTitle: leaf(
    'Product title',
    ['h3', 'h1', 'h2', 'h4', 'h5', 'h6'],
    { text: '', level: 3, href: null },
    { bindable: ['text', 'href'] },
  ),
  price: leaf('Price', ['p'], { text: '', fromText: 'From', soldOutText: '' }, { bindable: ['text'] }),
  productDescription: leaf('Product description', ['div'], {}),
  productGallery: leaf('Product pictures', ['ul'], {}, { config: ['perRow', 'ratio'] }),
  variantPicker: leaf(
    'Variants',
    ['div'],
    { label: 'Choose', soldOutText: 'Sold out' },
    { bindable: ['label'] },
  ),
  quantityField: leaf('Quantity', ['div'], { label: 'Quantity' }, { bindable: ['label'] }),
  addToCart: leaf(
    'Add to cart',
    ['button'],
    { text: 'Add to cart', label: null, soldOutText: 'Sold out' },
    { bindable: ['text'] },
  ),
  productList: repeater(
    'Product list',
    { source: { kind: 'all' }, sort: 'number', dir: 'asc' },
    productSorts,
  ),
  productFilters: leaf('Product filters', ['form'], { label: null, text: '' }),
  categoryTitle: leaf('Category title', headings, { level: 1 }),
  categoryImage: leaf(
    'Category image',
    ['img', 'figure'],
    { src: null, alt: '', caption: '' },
    { config: ['ratio'] },
  ),
  categoryDescription: leaf('Category description', ['div'], {}),
  categoryList: leaf('Subcategories', ['nav'], { label: null }),
  articleList: repeater('Article list', { categoryId: null, sort: 'published', dir: 'desc' }, articleSorts),
  articleTitle: leaf(
    'Article title',
    ['h3', 'h1', 'h2', 'h4', 'h5', 'h6'],
    { level: 3, href: null },
    { bindable: ['href'] },
  ),
  articleImage: leaf('Article image', ['img', 'figure'], picture, pictureFields),
  articleExcerpt: leaf('Article excerpt', ['p'], {}),
  articleDate: leaf('Article date', ['p'], {}),
  articleBody: leaf('Article body', ['div'], {}),
  productField: leaf('Product field', ['div', 'p', 'img'], { key: null }),
  categoryField: leaf('Category field', ['div', 'p', 'img'], { key: null }),
  articleField: leaf('Article field', ['div', 'p', 'img'], { key: null }),
  menu: leaf('Menu', ['nav'], { items: [], label: null }, { narrowed: { items: menuItems } }),
  breadcrumbs: leaf('Breadcrumbs', ['nav'], { label: null }),
  cartButton: leaf('Cart button', ['a'], { text: '', icon: 'bag' }, { bindable: ['text'] }),
  searchField: leaf('Search field', ['form'], { label: null, placeholder: '', text: '' }),
  languageSwitch: leaf('Language switch', ['nav'], { label: null }),
  embed: leaf(
    'Embed',
    ['iframe'],
    { provider: 'youtube', videoId: null, title: 'Video' },
    {
      config: ['ratio'],
      bindable: ['videoId', 'title'],
    },
  ),
  blockRef: {
    label: 'App block',
    tags: [],
    children: 'none',
    specials: {
      appId: { type: specialKeys.appId!, default: null },
      blockKey: { type: specialKeys.blockKey!, default: null },
    },
    config: [],
    bindable: [],
    documentOnly: true,
  },
  sectionRef: {
    label: 'Global section',
    tags: [],
    children: 'none',
    specials: { sectionId: { type: specialKeys.sectionId!, default: null } },
    config: [],
    bindable: [],
    documentOnly: true,
  },
};

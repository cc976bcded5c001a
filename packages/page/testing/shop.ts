import {
  findListQuery,
  type Json,
  listKey,
  type MediaFacts,
  type PageDocument,
  type PageFacts,
  type ProductFacts,
} from '../src/index.ts';
import { createDocument, heading, node, text } from './nested.ts';

const product = (id: string) =>
  node(
    'product',
    { specials: { productId: id } },
    node('productImage', { config: { base: { ratio: '1/1' } } }),
    node('productTitle'),
    node('price'),
    node('variantPicker', { specials: { label: 'Size' } }),
    node('addToCart'),
  );

const hero = node(
  'section',
  {
    specials: { tag: 'header' },
    style: {
      base: {
        textAlign: 'center',
        color: '#fff',
        backgroundColor: '#1d3b2f',
        backgroundImage: 'linear-gradient(160deg, #1d3b2f, #2f6b52)',
        paddingTop: '7rem',
        paddingBottom: '7rem',
      },
      mobile: { paddingTop: '4rem', paddingBottom: '4rem' },
    },
  },
  text('Spring harvest', {
    style: { base: { fontWeight: 600, letterSpacing: '0.08em', textTransform: 'uppercase' } },
  }),
  heading('Tea from gardens we know by name', 1),
  text('Small lots, picked by hand and sent within a week of arriving.', {
    style: { base: { fontSize: '1.25rem', maxWidth: '38rem', marginLeft: 'auto', marginRight: 'auto' } },
  }),
  node(
    'stack',
    {
      config: { base: { direction: 'row', collapse: true } },
      style: { base: { justifyContent: 'center', alignItems: 'center' } },
    },
    node('button', {
      specials: {
        text: 'Shop the harvest',
        href: { type: 'anchor', anchorId: 'products' },
        icon: 'arrow-right',
      },
      style: { base: { backgroundColor: '#fff', color: '#1d3b2f' } },
    }),
    node('button', { specials: { text: 'Our gardens', href: '/s/demo/gardens', variant: 'secondary' } }),
  ),
);

const doc: Json = {
  type: 'doc',
  content: [
    { type: 'heading', attrs: { level: 2 }, content: [{ type: 'text', text: 'How we work' }] },
    {
      type: 'paragraph',
      content: [
        { type: 'text', text: 'We buy from ' },
        { type: 'text', text: 'eleven gardens', marks: [{ type: 'bold' }] },
        { type: 'text', text: ' and say what we pay. Read ' },
        {
          type: 'text',
          text: 'the price list',
          marks: [
            {
              type: 'link',
              attrs: { href: { type: 'url', url: 'https://example.com/prices', newTab: true } },
            },
          ],
        },
        { type: 'text', text: ', or ask.' },
      ],
    },
    {
      type: 'bulletList',
      content: ['Picked by hand', 'Dried in the shade', 'Packed by us'].map((words) => ({
        type: 'listItem',
        content: [{ type: 'paragraph', content: [{ type: 'text', text: words }] }],
      })),
    },
    {
      type: 'blockquote',
      content: [
        { type: 'paragraph', content: [{ type: 'text', text: 'The best tea is the one you finish.' }] },
      ],
    },
    { type: 'codeBlock', content: [{ type: 'text', text: '3 g · 80 °C · 2 min' }] },
  ],
};

const form = node(
  'form',
  { specials: { name: 'letter', ariaLabel: 'Write to us' } },
  node('field', { specials: { label: 'Name', name: 'name', required: true } }),
  node('field', {
    specials: {
      label: 'E-mail',
      name: 'email',
      inputType: 'email',
      placeholder: 'you@example.com',
      required: true,
    },
  }),
  node('select', {
    specials: {
      label: 'About',
      name: 'about',
      options: ['An order', 'Wholesale', { label: 'Something else', value: 'other' }],
    },
  }),
  node('field', { specials: { label: 'Message', name: 'message', inputType: 'textarea' } }),
  node('checkbox', { specials: { label: 'Send me the harvest letter, four times a year', name: 'letter' } }),
  node('button', { specials: { text: 'Send' } }),
);

const feature = (icon: string, title: string, words: string) =>
  node('stack', {}, node('icon', { specials: { icon } }), heading(title, 3), text(words));

/** A page with nearly every element, as a shop might build it. */
export const shopPage: PageDocument = createDocument(
  node(
    'container',
    {},
    hero,
    node(
      'section',
      { specials: { anchorId: 'products' } },
      heading('This week', 2),
      node(
        'grid',
        { config: { base: { columns: 4 } } },
        ...['prd_1', 'prd_2', 'prd_3', 'prd_4'].map(product),
      ),
    ),
    node(
      'section',
      { style: { base: { backgroundColor: '#f4f1ea' } } },
      node(
        'grid',
        { config: { base: { columns: 3 } } },
        feature('leaf', 'Fresh', 'Every lot carries its picking date.'),
        feature('truck', 'Fast', 'Sent within a day, free above €40.'),
        feature('heart', 'Fair', 'We publish what the gardens get.'),
      ),
    ),
    node('section', {}, node('richText', { specials: { doc } })),
    node(
      'section',
      {},
      heading('From the gardens', 2),
      node('gallery', {
        config: { base: { perRow: 4, ratio: '4/3' } },
        specials: {
          items: [1, 2, 3, 4].map((n) => ({
            src: `mda_${n}`,
            alt: `A path through garden ${n}`,
            caption: `Garden ${n}`,
          })),
        },
      }),
      node('image', {
        specials: { src: 'mda_1', alt: 'Rows of tea on a steep slope', caption: 'The slope above Ilam' },
        config: { base: { ratio: '21/9' } },
      }),
    ),
    node(
      'section',
      {},
      heading('A film', 2),
      node('embed', {
        specials: { provider: 'youtube', videoId: 'dQw4w9WgXcQ', title: 'How tea is picked' },
      }),
    ),
    node(
      'section',
      {},
      heading('Write to us', 2),
      form,
      node('divider'),
      node('list', {
        specials: {
          items: [
            'Tel. 01 23 45',
            { text: 'hello@example.com', href: { type: 'email', email: 'hello@example.com' } },
          ],
        },
      }),
      node(
        'link',
        { specials: { href: '/s/demo/gardens' } },
        heading('Visit the gardens', 3),
        text('Open every Saturday in May.'),
      ),
    ),
    node(
      'section',
      {
        specials: { tag: 'footer' },
        style: {
          base: { backgroundColor: '#1c1f23', color: '#fff', paddingTop: '2.5rem', paddingBottom: '2.5rem' },
        },
      },
      text('© Demo Tea', { specials: { tag: 'small' }, style: { base: { color: '#c9ced6' } } }),
    ),
  ),
);

const colors = ['2f6b52', 'b5894c', '7a3e3a', '3b5b7a'];

const createPicture = (n: number): MediaFacts => ({
  url: `/picture-${n}-${colors[n - 1]}.svg`,
  width: 1200,
  height: 900,
  sources: [{ url: `/picture-${n}-${colors[n - 1]}.svg?w=600`, width: 600 }],
});

const createProduct = (n: number, name: string, prices: number[]): ProductFacts => ({
  id: `prd_${n}`,
  name,
  priceCents: Math.min(...prices),
  image: createPicture(n),
  url: `./products/${n}`,
  description: '<p>Picked by hand.</p><table><tbody><tr><td>Leaf</td><td>whole</td></tr></tbody></table>',
  images: [createPicture(1), createPicture(2)],
  fields: {
    material: { type: 'text', value: 'Leaf' },
    care: { type: 'richText', value: '<p>Keep it dry.</p>' },
    since: { type: 'date', value: '2026-05-03' },
    website: { type: 'url', value: 'https://example.com/' },
    drawing: { type: 'media', value: 'mda_2' },
  },
  variants: prices.map((priceCents, i) => ({
    id: `var_${n}${i}`,
    name: `${50 * (i + 1)} g`,
    priceCents,
    stock: n === 4 ? 0 : 5,
  })),
});

export const shopFacts: PageFacts = {
  currency: 'EUR',
  products: new Map(
    [
      createProduct(1, 'First flush Darjeeling', [1290, 2390]),
      createProduct(2, 'Hojicha, slowly roasted', [850]),
      createProduct(3, 'Old arbor Pu-erh', [2150, 4100]),
      createProduct(4, 'Silver needle', [3200]),
    ].map((each) => [each.id, each]),
  ),
  media: new Map([1, 2, 3, 4].map((n) => [`mda_${n}`, createPicture(n)])),
  pages: new Map(),
  articles: new Map([
    [
      'art_1',
      {
        id: 'art_1',
        title: 'The slope above Ilam',
        url: './blog/ilam',
        excerpt: 'A walk in May.',
        publishedAt: '2026-05-03T10:00:00.000Z',
        image: createPicture(3),
        body: '<p>Up we went.</p>',
        fields: { author: { type: 'text', value: 'Ada' } },
      },
    ],
  ]),
  lists: new Map([
    [
      listKey(findListQuery({ type: 'productList', specials: { paged: true } })!),
      { ids: ['prd_1', 'prd_2', 'prd_3', 'prd_4'], page: 2, pages: 3 },
    ],
    [listKey(findListQuery({ type: 'articleList', specials: {} })!), { ids: ['art_1'], page: 1, pages: 1 }],
  ]),
  place: {
    home: './',
    blog: './blog/',
    cart: './cart',
    search: './search',
    trail: [{ text: 'Home', url: './' }, { text: 'Every element' }],
    forms: { before: '/storefront/str_1/forms/pag_1.', after: '' },
    categoryFields: { season: { type: 'select', value: 'Spring' } },
  },
};

import { type Json, vocabulary } from '../../src/index.ts';
import { createDocument, heading, type Nested, node, text } from '../../testing/nested.ts';

const section = (title: string, ...children: Nested[]) => node('section', {}, heading(title, 2), ...children);
const row = (...children: Nested[]) => node('stack', { config: { base: { direction: 'row' } } }, ...children);
const link = (words: string) => node('link', { specials: { text: words, href: '/x' } });
const options = (name: string) => vocabulary.writeKeys.specials[name]!.enum as string[];

const paragraph = (words: string, ...marks: string[]): Json => ({
  type: 'paragraph',
  content: [{ type: 'text', text: words, marks: marks.map((type) => ({ type })) }],
});
const createList = (type: string, ...content: Json[]): Json => ({
  type,
  content: [{ type: 'listItem', content }],
});

const doc: Json = {
  type: 'doc',
  content: [
    { type: 'heading', attrs: { level: 2 }, content: [{ type: 'text', text: 'Rich text' }] },
    { type: 'heading', attrs: { level: 3 }, content: [{ type: 'text', text: 'In several levels' }] },
    ...['bold', 'italic', 'underline', 'strike', 'highlight', 'subscript', 'superscript', 'code'].map(
      (mark) => paragraph(`Words in ${mark}`, mark),
    ),
    createList('orderedList', paragraph('One'), createList('bulletList', paragraph('Nested'))),
    { type: 'horizontalRule' },
    { type: 'blockquote', content: [paragraph('Quoted words.')] },
    {
      type: 'codeBlock',
      content: [{ type: 'text', text: `const line = '${'much wider than a telephone '.repeat(8)}';` }],
    },
  ],
};

const navigation = node(
  'stack',
  {
    config: { base: { direction: 'row' } },
    specials: { tag: 'nav', ariaLabel: 'Main' },
    style: { base: { justifyContent: 'space-between', alignItems: 'center' } },
  },
  ...['Demo Tea', 'Our shop', 'About us'].map(link),
  node('button', { specials: { text: 'Order now', href: '/shop' } }),
);

const words = 'The quick brown fox jumps over the lazy dog, again and again, until the line is full.';

const pictures = section(
  'Pictures',
  node('image', { specials: { src: 'mda_1', alt: 'A garden', caption: 'Ilam' } }),
  node('image', {
    specials: { src: 'mda_2', alt: 'Linked', href: '/x' },
    style: { base: { width: '12rem' } },
  }),
  node('image', { specials: { src: 'https://example.invalid/none.png', alt: 'A picture that is gone' } }),
  node('gallery', {
    specials: { items: [1, 2, 3].map((n) => ({ src: `mda_${n}`, alt: `Garden ${n}`, href: '/x' })) },
  }),
  node('video', { specials: { src: '/film.mp4', title: 'A film' } }),
  node('embed', { specials: { provider: 'vimeo', videoId: '123', title: 'Another film' } }),
);

const buttons = section(
  'Buttons',
  row(
    ...options('variant').flatMap((variant) => [
      node('button', { specials: { text: `Be ${variant}`, variant } }),
      node('button', { specials: { text: `Go ${variant}`, variant, href: '/x', icon: 'arrow-right' } }),
    ]),
  ),
  node('button', { specials: { text: 'First of two' } }),
  node('button', { specials: { text: 'Second of two' } }),
  link('Terms'),
  link('Privacy'),
  node('link', { specials: { href: '/card' } }, heading('A card', 3), text('With a text in it.')),
);

const form = section(
  'Form',
  node(
    'form',
    { specials: { name: 'all', ariaLabel: 'Everything' } },
    ...options('inputType').map((inputType) =>
      node('field', {
        specials: {
          label: `A field for ${inputType}`,
          name: inputType,
          inputType,
          placeholder: 'Placeholder',
        },
      }),
    ),
    node('select', {
      specials: {
        label: 'A choice',
        name: 'choice',
        options: ['One', 'Two'],
        placeholder: 'Choose…',
        required: true,
      },
    }),
    node('checkbox', { specials: { label: words, name: 'agree', required: true } }),
    node('button', { specials: { text: 'Send' } }),
  ),
);

const parts = ['price', 'variantPicker', 'quantityField', 'addToCart'].map((type) => node(type));
const products = section(
  'Products',
  node(
    'grid',
    { config: { base: { columns: 4 } } },
    ...[1, 4].map((n) =>
      node(
        'product',
        { specials: { productId: `prd_${n}` } },
        node('productImage'),
        node('productTitle'),
        ...parts,
      ),
    ),
  ),
  node(
    'product',
    { specials: { productId: 'prd_2' }, config: { base: { direction: 'row', collapse: true } } },
    node('productImage'),
    node('stack', {}, node('productTitle'), ...parts),
  ),
);

const card = node(
  'product',
  {},
  node('productImage'),
  node('productTitle'),
  node('price', { specials: { soldOutText: 'Sold out' } }),
);
const shop = section(
  'Lists and ways',
  node('breadcrumbs'),
  node('menu', {
    specials: {
      items: [
        {
          text: 'Tea',
          href: '/tea',
          items: [
            { text: 'Green', href: '/green' },
            { text: 'Black', href: '/black' },
          ],
        },
        { text: 'Cups', items: [{ text: 'Small', href: '/small' }] },
        { text: 'About', href: '/about' },
      ],
    },
  }),
  row(node('cartButton'), node('languageSwitch'), node('searchField', { specials: { placeholder: 'Tea' } })),
  node('productList', { specials: { paged: true }, config: { base: { columns: 4 } } }, card),
  node(
    'productList',
    { specials: { source: { kind: 'tag', tag: 'none' }, emptyText: 'Nothing yet.' } },
    card,
  ),
  node('categoryTitle', { specials: { level: 3 } }),
  node('categoryImage'),
  node('categoryDescription'),
  node('categoryList'),
  node('productFilters'),
  node('productDescription', { specials: { productId: 'prd_1' } }),
  node(
    'product',
    { specials: { productId: 'prd_1' } },
    ...['material', 'care', 'since', 'website', 'drawing', 'nowhere'].map((key) =>
      node('productField', { specials: { key } }),
    ),
  ),
  node('categoryField', { specials: { key: 'season' } }),
  node('productGallery', { specials: { productId: 'prd_1', ariaLabel: 'Views' } }),
  node(
    'articleList',
    {},
    node(
      'container',
      { specials: { tag: 'article' } },
      ...['articleImage', 'articleTitle', 'articleDate', 'articleExcerpt', 'articleBody'].map((type) =>
        node(type),
      ),
      node('articleField', { specials: { key: 'author' } }),
    ),
  ),
);

/** A page with every element, including some in an error state. */
export const everyElementPage = createDocument(
  node(
    'container',
    {},
    node('section', { specials: { tag: 'header' } }, navigation, heading('Every element', 1)),
    section(
      'Texts',
      ...['p', 'span', 'div', 'blockquote', 'small', 'strong'].map((tag) =>
        text(`As ${tag}. ${words}`, { specials: { tag, ariaLabel: `A text as ${tag}` } }),
      ),
      text(`A${'very'.repeat(20)}longword`),
      node('list', { specials: { items: ['One', { text: 'Two', href: '/x' }] } }),
      node('divider'),
      node('spacer'),
    ),
    node('section', {}, node('richText', { specials: { doc } })),
    pictures,
    section(
      'Icons',
      row(...options('icon').map((icon) => node('icon', { specials: { icon, ariaLabel: icon } }))),
    ),
    buttons,
    form,
    products,
    shop,
    node('section', { specials: { tag: 'footer' } }, text('© Demo Tea', { specials: { tag: 'small' } })),
  ),
);

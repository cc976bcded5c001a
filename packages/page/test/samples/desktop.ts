import { createDocument, heading, node, text } from '../../testing/nested.ts';

const words =
  'A sentence of some length, as texts beside pictures and in columns have them on a wide screen.';
const picture = (style: object = {}) =>
  node('image', { specials: { src: 'mda_1', alt: 'A garden' }, style: { base: style as never } });
const row = (style: object, ...children: ReturnType<typeof node>[]) =>
  node('stack', { config: { base: { direction: 'row' } }, style: { base: style as never } }, ...children);
const wide = (width: object, ...children: ReturnType<typeof node>[]) =>
  node('stack', { style: { base: width as never } }, ...children);
const grid = (style: object, ...children: ReturnType<typeof node>[]) =>
  node('grid', { style: { base: style as never } }, ...children);
const point = (title: string) =>
  node('stack', {}, node('icon', { specials: { icon: 'star' } }), heading(title, 3), text(words));
const card = (n: number) =>
  node(
    'product',
    { specials: { productId: `prd_${n}` } },
    node('productImage'),
    node('productTitle'),
    node('price'),
    node('addToCart'),
  );

/** Layouts by an author who only looks at a wide screen. */
const parts = {
  'two columns by shares of the width': row(
    { columnGap: '80px' },
    wide({ width: '50%' }, heading('Half', 2), text(words)),
    wide({ width: '50%' }, text(words)),
  ),
  'columns that share what there is': row(
    {},
    ...['0', '0%', '33%'].map((flexBasis) => wide({ flexBasis, flexGrow: 1 }, text(words))),
  ),
  'three texts in a row': row({}, text(words), text(words), text(words)),
  'a picture beside a text': row({ flexWrap: 'nowrap' }, picture({ width: '640px' }), text(words)),
  'widths of a desktop': wide(
    { width: '1100px', minWidth: '900px' },
    text(words, { style: { base: { width: '720px' } } }),
    picture({ width: '1000px' }),
  ),
  'a button that must not get narrow': row(
    {},
    node('button', { specials: { text: 'Order now' }, style: { base: { minWidth: '480px' } } }),
  ),
  'columns by CSS': grid(
    { gridTemplateColumns: '300px 1fr 1fr', columnGap: '5rem' },
    text(words),
    text(words),
    text(words),
  ),
  'an area over several columns': grid(
    { gridTemplateColumns: 'repeat(4, 1fr)' },
    text(words, { style: { base: { gridColumnStart: '1', gridColumnEnd: 'span 3' } } }),
    text(words, { style: { base: { gridColumnStart: '4', gridRowStart: '1', gridRowEnd: '3' } } }),
  ),
  'a grid that fills columns': grid(
    { gridAutoFlow: 'column', gridTemplateRows: '100px 100px' },
    ...Array.from({ length: 8 }, () => text(words)),
  ),
  'a grid of four': node(
    'grid',
    { config: { base: { columns: 4 } } },
    ...['Fresh', 'Fair', 'Fast', 'Fine'].map(point),
  ),
  'big letters': node(
    'section',
    {},
    heading('Zeremonien-Matcha und Donaudampfschifffahrtsgesellschaft', 1, {
      style: { base: { fontSize: '112px', lineHeight: '120px', whiteSpace: 'nowrap' } },
    }),
  ),
  'wide paddings': node(
    'section',
    {
      style: {
        base: { paddingLeft: '200px', paddingRight: '15%', paddingTop: '12rem', paddingBottom: '200px' },
      },
    },
    text(words, { style: { base: { marginLeft: '8rem' } } }),
  ),
  'a height that fits a desktop': wide(
    { height: '240px' },
    heading('A hero', 1),
    text(words),
    text(words),
    text(words),
  ),
  'a thing that is put on its place': node(
    'container',
    { style: { base: { position: 'relative' } } },
    text('New', { style: { base: { position: 'absolute', left: '400px' } } }),
    picture(),
  ),
  'a flexible box': node(
    'container',
    { style: { base: { display: 'flex', columnGap: '4rem' } } },
    wide({ width: '60%' }, text(words)),
    picture({ width: '40%' }),
  ),
  'products in six columns': node(
    'container',
    {},
    heading('Products', 2),
    node('grid', { config: { base: { columns: 6 } } }, ...[1, 2, 3, 4].map(card)),
  ),
};

/** All layouts on one page, each in a section with its name. */
export const desktopPage = createDocument(
  node(
    'container',
    {},
    ...Object.entries(parts).map(([what, part]) => node('section', { specials: { ariaLabel: what } }, part)),
  ),
);

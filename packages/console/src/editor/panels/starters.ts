import type { Json, NodeProps, PageDocument, PageNode } from '@waybill/page';
import type { EditorWords } from '../../texts/en/editor.ts';
import { freshId } from '../core/tree.ts';
import type { StarterId } from './starter-ids.ts';

/** A node with its children, in the form in which starters define it. */
interface Sketch {
  readonly type: string;
  readonly props?: NodeProps;
  readonly children?: readonly Sketch[];
}

/** The content for ready-made sections, and the state of the page that their headings depend on. */
export interface StarterContext {
  /** Products that visitors see, those with pictures first. */
  readonly productIds: readonly string[];
  /** A picture of the store's library. */
  readonly picture: { readonly id: string; readonly alt: string } | null;
  /** Whether the page's one heading of level 1 exists already, or does not belong in this document. */
  readonly hasMainHeading: boolean;
}

/** Returns a single element with enough content to be visible. */
export function elementFragment(
  type: string,
  words: EditorWords,
  { productIds }: StarterContext = noContext,
): PageDocument {
  const sketch = sketchOf(type, words.samples);
  const [productId] = productIds;
  const isProduct = type === 'product' && productId !== undefined;
  return fragmentOf(isProduct ? { ...sketch, props: { specials: { productId } } } : sketch);
}

const noContext: StarterContext = { productIds: [], picture: null, hasMainHeading: true };

export function blockFragment(appId: string, blockKey: string): PageDocument {
  return fragmentOf({ type: 'blockRef', props: { specials: { appId, blockKey } } });
}

export function sectionFragment(sectionId: string): PageDocument {
  return fragmentOf({ type: 'sectionRef', props: { specials: { sectionId } } });
}

type Samples = EditorWords['samples'];

const el = (type: string, specials: Record<string, Json>, style: Record<string, Json> = {}): Sketch => ({
  type,
  props: {
    ...(Object.keys(specials).length > 0 && { specials }),
    ...(Object.keys(style).length > 0 && { style: { base: style } }),
  },
});

const box = (
  type: string,
  children: readonly Sketch[],
  style: Record<string, Json> = {},
  config: Record<string, Json> = {},
): Sketch => ({
  type,
  children,
  props: {
    ...(Object.keys(style).length > 0 && { style: { base: style } }),
    ...(Object.keys(config).length > 0 && { config: { base: config } }),
  },
});

function sketchOf(type: string, samples: Samples): Sketch {
  const boxes = ['section', 'container', 'stack', 'grid', 'product', 'form', 'link'];
  switch (type) {
    case 'heading':
      return el(type, { text: samples.heading });
    case 'text':
      return el(type, { text: samples.text });
    case 'richText':
      return el(type, { doc: docOf(samples.text) });
    case 'list':
      return el(type, { items: [samples.item, samples.item, samples.item] });
    case 'button':
      return el(type, { text: samples.button });
    case 'link':
      return { ...el(type, { text: samples.link }), children: [] };
    case 'spacer':
      return el(type, {}, { height: '48px' });
    case 'select':
      return el(type, { options: [samples.item] });
    case 'grid':
      return box(type, [], { columnGap: '24px', rowGap: '24px' }, { columns: 2 });
    case 'form':
      return box(type, [
        el('field', { label: samples.name, name: 'name', required: true }),
        el('field', { label: samples.email, name: 'email', inputType: 'email', required: true }),
        el('field', { label: samples.message, name: 'message', inputType: 'textarea' }),
        el('button', { text: samples.send }),
      ]);
    case 'productList':
      return box(type, [box('product', [el('productImage', {}), el('productTitle', {}), el('price', {})])]);
    case 'articleList':
      return box(type, [
        box('container', [
          el('articleImage', {}),
          el('articleTitle', {}),
          el('articleDate', {}),
          el('articleExcerpt', {}),
        ]),
      ]);
    case 'menu':
      return el(type, { items: [{ text: samples.item }] });
    case 'product':
      return box(type, [
        el('productImage', {}),
        el('productTitle', {}),
        el('price', {}),
        el('variantPicker', {}),
        el('addToCart', {}),
      ]);
    default:
      return boxes.includes(type) ? box(type, []) : el(type, {});
  }
}

const docOf = (text: string): Json => ({
  type: 'doc',
  content: [{ type: 'paragraph', content: [{ type: 'text', text }] }],
});

/** Returns a ready-made part of a page, composed of ordinary elements only. */
export function starterFragment(id: StarterId, words: EditorWords, context: StarterContext): PageDocument {
  const level = context.hasMainHeading ? 2 : 1;
  return fragmentOf(starters[id]({ ...context, samples: words.samples, level }));
}

const wide = { maxWidth: '1120px', marginLeft: 'auto', marginRight: 'auto' };
const roomy = { paddingTop: '72px', paddingBottom: '72px', paddingLeft: '24px', paddingRight: '24px' };

interface SketchContext extends StarterContext {
  samples: Samples;
  level: number;
}

/** The sketches of the ready-made parts. `level` is the level of their first heading. */
const starters: Readonly<Record<StarterId, (context: SketchContext) => Sketch>> = {
  hero: ({ samples, level, productIds: [firstProduct] }) =>
    box(
      'section',
      [
        box(
          'container',
          [
            el('heading', { text: samples.welcome, level }, { fontSize: '48px', lineHeight: 1.1 }),
            el('text', { text: samples.lead }, { fontSize: '20px', marginTop: '16px', marginBottom: '24px' }),
            firstProduct === undefined
              ? el('button', { text: samples.readMore, href: { type: 'blog' } })
              : el('button', {
                  text: samples.shopNow,
                  href: { type: 'product', productId: firstProduct },
                }),
          ],
          { ...wide, textAlign: 'center' },
        ),
      ],
      { ...roomy, backgroundColor: { token: 'color.surface' } },
    ),
  columns: ({ samples, level }) =>
    box(
      'section',
      [
        el('heading', { text: samples.points, level }, { textAlign: 'center', marginBottom: '32px' }),
        box(
          'grid',
          [column(samples, level + 1), column(samples, level + 1), column(samples, level + 1)],
          { ...wide, columnGap: '32px', rowGap: '32px' },
          { columns: 3 },
        ),
      ],
      roomy,
    ),
  pictureText: ({ samples, level, picture }) =>
    box(
      'section',
      [
        box(
          'grid',
          [
            picture ? el('image', { src: picture.id, alt: picture.alt || samples.pictureAlt }) : standIn(),
            column(samples, level),
          ],
          { ...wide, columnGap: '48px', rowGap: '24px', alignItems: 'center' },
          { columns: 2 },
        ),
      ],
      roomy,
    ),
  products: ({ samples, level, productIds }) =>
    box(
      'section',
      [
        el('heading', { text: samples.favourites, level }, { textAlign: 'center', marginBottom: '32px' }),
        box(
          'grid',
          [0, 1, 2].map((i) => productCard(productIds[i], level + 1, samples)),
          { ...wide, columnGap: '24px', rowGap: '32px' },
          { columns: 3 },
        ),
      ],
      roomy,
    ),
  quote: ({ samples }) =>
    box(
      'section',
      [
        box(
          'container',
          [
            el('text', { text: samples.quote, tag: 'blockquote' }, { fontSize: '24px', fontStyle: 'italic' }),
            el('text', { text: samples.quoted, tag: 'small' }, { marginTop: '12px' }),
          ],
          { ...wide, maxWidth: '720px', textAlign: 'center' },
        ),
      ],
      roomy,
    ),
  contact: ({ samples, level }) =>
    box(
      'section',
      [
        box('container', [el('heading', { text: samples.writeToUs, level }), sketchOf('form', samples)], {
          ...wide,
          maxWidth: '560px',
        }),
      ],
      roomy,
    ),
};

/** Returns a heading above a text. */
const column = (samples: Samples, headingLevel: number) =>
  box(
    'stack',
    [el('heading', { text: samples.point, level: headingLevel }), el('text', { text: samples.text })],
    { rowGap: '8px' },
  );

/** Returns a card for a product of the store; if there are too few products, texts that tell what belongs there. */
function productCard(productId: string | undefined, level: number, samples: Samples): Sketch {
  if (productId === undefined)
    return box(
      'stack',
      [
        standIn(),
        el('heading', { text: samples.product, level }, { fontSize: '18px' }),
        el('text', { text: samples.price }),
      ],
      { rowGap: '8px' },
    );
  return {
    ...box('product', [
      el('productImage', {}),
      el('productTitle', { level }),
      el('price', {}),
      el('addToCart', {}),
    ]),
    props: { specials: { productId } },
  };
}

/** A placeholder for a picture while the store has none. */
const standIn = (): Sketch =>
  box('container', [], {
    minHeight: '280px',
    backgroundImage: 'linear-gradient(135deg, #d9dfe8, #b9c4d4)',
  });

function fragmentOf(sketch: Sketch): PageDocument {
  const nodes: PageNode[] = [];
  const add = ({ type, props, children }: Sketch): string => {
    const id = freshId();
    const at = nodes.push({ id, type }) - 1;
    const childIds = children?.map(add);
    nodes[at] = {
      id,
      type,
      ...(props && Object.keys(props).length > 0 && { props }),
      ...(childIds && { children: childIds }),
    };
    return id;
  };
  return { rootId: add(sketch), nodes };
}

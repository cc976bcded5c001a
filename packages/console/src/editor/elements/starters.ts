import type { Json, NodeProps, PageDocument, PageNode } from '@waybill/page';
import type { SampleTexts } from '../../texts/en/editor-samples.ts';
import { createNodeId } from '../core/tree.ts';
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
  words: SampleTexts,
  { productIds }: StarterContext = noContext,
): PageDocument {
  const sketch = createSketch(type, words);
  const [productId] = productIds;
  const isProduct = type === 'product' && productId !== undefined;
  return toFragment(isProduct ? { ...sketch, props: { specials: { productId } } } : sketch);
}

const noContext: StarterContext = { productIds: [], picture: null, hasMainHeading: true };

export function blockFragment(appId: string, blockKey: string): PageDocument {
  return toFragment({ type: 'blockRef', props: { specials: { appId, blockKey } } });
}

export function sectionFragment(sectionId: string): PageDocument {
  return toFragment({ type: 'sectionRef', props: { specials: { sectionId } } });
}

const element = (type: string, specials: Record<string, Json>, style: Record<string, Json> = {}): Sketch => ({
  type,
  props: {
    ...(Object.keys(specials).length > 0 && { specials }),
    ...(Object.keys(style).length > 0 && { style: { base: style } }),
  },
});

const container = (
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

function createSketch(type: string, words: SampleTexts): Sketch {
  const boxes = ['section', 'container', 'stack', 'grid', 'product', 'form', 'link'];
  switch (type) {
    case 'heading':
      return element(type, { text: words.heading });
    case 'text':
      return element(type, { text: words.text });
    case 'richText':
      return element(type, { doc: createDoc(words.text) });
    case 'list':
      return element(type, { items: [words.item, words.item, words.item] });
    case 'button':
      return element(type, { text: words.button });
    case 'link':
      return { ...element(type, { text: words.link }), children: [] };
    case 'spacer':
      return element(type, {}, { height: '48px' });
    case 'select':
      return element(type, { options: [words.item] });
    case 'grid':
      return container(type, [], { columnGap: '24px', rowGap: '24px' }, { columns: 2 });
    case 'form':
      return container(type, [
        element('field', { label: words.name, name: 'name', required: true }),
        element('field', { label: words.email, name: 'email', inputType: 'email', required: true }),
        element('field', { label: words.message, name: 'message', inputType: 'textarea' }),
        element('button', { text: words.send }),
      ]);
    case 'productList':
      return container(type, [
        container('product', [
          element('productImage', {}),
          element('productTitle', {}),
          element('price', {}),
        ]),
      ]);
    case 'articleList':
      return container(type, [
        container('container', [
          element('articleImage', {}),
          element('articleTitle', {}),
          element('articleDate', {}),
          element('articleExcerpt', {}),
        ]),
      ]);
    case 'menu':
      return element(type, { items: [{ text: words.item }] });
    case 'product':
      return container(type, [
        element('productImage', {}),
        element('productTitle', {}),
        element('price', {}),
        element('variantPicker', {}),
        element('addToCart', {}),
      ]);
    default:
      return boxes.includes(type) ? container(type, []) : element(type, {});
  }
}

const createDoc = (text: string): Json => ({
  type: 'doc',
  content: [{ type: 'paragraph', content: [{ type: 'text', text }] }],
});

/** Returns a ready-made part of a page, composed of ordinary elements only. */
export function starterFragment(id: StarterId, words: SampleTexts, context: StarterContext): PageDocument {
  const level = context.hasMainHeading ? 2 : 1;
  return toFragment(starters[id]({ ...context, words, level }));
}

const wideStyle = { maxWidth: '1120px', marginLeft: 'auto', marginRight: 'auto' };
const spaciousStyle = {
  paddingTop: '72px',
  paddingBottom: '72px',
  paddingLeft: '24px',
  paddingRight: '24px',
};

interface SketchContext extends StarterContext {
  words: SampleTexts;
  level: number;
}

/** The sketches of the ready-made parts. `level` is the level of their first heading. */
const starters: Readonly<Record<StarterId, (context: SketchContext) => Sketch>> = {
  hero: ({ words, level, productIds: [firstProduct] }) =>
    container(
      'section',
      [
        container(
          'container',
          [
            element('heading', { text: words.welcome, level }, { fontSize: '48px', lineHeight: 1.1 }),
            element(
              'text',
              { text: words.lead },
              { fontSize: '20px', marginTop: '16px', marginBottom: '24px' },
            ),
            firstProduct === undefined
              ? element('button', { text: words.readMore, href: { type: 'blog' } })
              : element('button', {
                  text: words.shopNow,
                  href: { type: 'product', productId: firstProduct },
                }),
          ],
          { ...wideStyle, textAlign: 'center' },
        ),
      ],
      { ...spaciousStyle, backgroundColor: { token: 'color.surface' } },
    ),
  columns: ({ words, level }) =>
    container(
      'section',
      [
        element('heading', { text: words.points, level }, { textAlign: 'center', marginBottom: '32px' }),
        container(
          'grid',
          [createColumn(words, level + 1), createColumn(words, level + 1), createColumn(words, level + 1)],
          { ...wideStyle, columnGap: '32px', rowGap: '32px' },
          { columns: 3 },
        ),
      ],
      spaciousStyle,
    ),
  pictureText: ({ words, level, picture }) =>
    container(
      'section',
      [
        container(
          'grid',
          [
            picture
              ? element('image', { src: picture.id, alt: picture.alt || words.pictureAlt })
              : placeholderBox(),
            createColumn(words, level),
          ],
          { ...wideStyle, columnGap: '48px', rowGap: '24px', alignItems: 'center' },
          { columns: 2 },
        ),
      ],
      spaciousStyle,
    ),
  products: ({ words, level, productIds }) =>
    container(
      'section',
      [
        element('heading', { text: words.favourites, level }, { textAlign: 'center', marginBottom: '32px' }),
        container(
          'grid',
          [0, 1, 2].map((i) => createProductCard(productIds[i], level + 1, words)),
          { ...wideStyle, columnGap: '24px', rowGap: '32px' },
          { columns: 3 },
        ),
      ],
      spaciousStyle,
    ),
  quote: ({ words }) =>
    container(
      'section',
      [
        container(
          'container',
          [
            element(
              'text',
              { text: words.quote, tag: 'blockquote' },
              { fontSize: '24px', fontStyle: 'italic' },
            ),
            element('text', { text: words.quoted, tag: 'small' }, { marginTop: '12px' }),
          ],
          { ...wideStyle, maxWidth: '720px', textAlign: 'center' },
        ),
      ],
      spaciousStyle,
    ),
  contact: ({ words, level }) =>
    container(
      'section',
      [
        container(
          'container',
          [element('heading', { text: words.writeToUs, level }), createSketch('form', words)],
          {
            ...wideStyle,
            maxWidth: '560px',
          },
        ),
      ],
      spaciousStyle,
    ),
};

/** Returns a heading above a text. */
const createColumn = (words: SampleTexts, headingLevel: number) =>
  container(
    'stack',
    [element('heading', { text: words.point, level: headingLevel }), element('text', { text: words.text })],
    { rowGap: '8px' },
  );

/** Returns a card for a product of the store; if there are too few products, texts that tell what belongs there. */
function createProductCard(productId: string | undefined, level: number, words: SampleTexts): Sketch {
  if (productId === undefined)
    return container(
      'stack',
      [
        placeholderBox(),
        element('heading', { text: words.product, level }, { fontSize: '18px' }),
        element('text', { text: words.price }),
      ],
      { rowGap: '8px' },
    );
  return {
    ...container('product', [
      element('productImage', {}),
      element('productTitle', { level }),
      element('price', {}),
      element('addToCart', {}),
    ]),
    props: { specials: { productId } },
  };
}

/** A placeholder for a picture while the store has none. */
const placeholderBox = (): Sketch =>
  container('container', [], {
    minHeight: '280px',
    backgroundImage: 'linear-gradient(135deg, #d9dfe8, #b9c4d4)',
  });

function toFragment(sketch: Sketch): PageDocument {
  const nodes: PageNode[] = [];
  const add = ({ type, props, children }: Sketch): string => {
    const id = createNodeId();
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

import type { Json, NodeProps, PageDocument, PageNode } from '@waybill/page';
import type { EditorWords } from '../../texts/en/editor.ts';
import { freshId } from '../model/tree.ts';

/** A node with its children, as a starter writes it down. */
interface Sketch {
  readonly type: string;
  readonly props?: NodeProps;
  readonly children?: readonly Sketch[];
}

/** One element as it is put on a page: with enough in it to be seen. */
export function elementFragment(type: string, words: EditorWords): PageDocument {
  return fragmentOf(sketchOf(type, words.samples));
}

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

export const starterIds = ['hero', 'columns', 'pictureText', 'products', 'quote', 'contact'] as const;
export type StarterId = (typeof starterIds)[number];

/** Ready-made parts of a page: elements as everybody could put them together, nothing of their own. */
export function starterFragment(id: StarterId, words: EditorWords): PageDocument {
  return fragmentOf(starterOf(id, words.samples));
}

const wide = { maxWidth: '1120px', marginLeft: 'auto', marginRight: 'auto' };
const roomy = { paddingTop: '72px', paddingBottom: '72px', paddingLeft: '24px', paddingRight: '24px' };

function starterOf(id: StarterId, samples: Samples): Sketch {
  const column = () =>
    box('stack', [el('heading', { text: samples.point, level: 3 }), el('text', { text: samples.text })], {
      rowGap: '8px',
    });
  switch (id) {
    case 'hero':
      return box(
        'section',
        [
          box(
            'container',
            [
              el('heading', { text: samples.welcome, level: 1 }, { fontSize: '48px', lineHeight: 1.1 }),
              el(
                'text',
                { text: samples.lead },
                { fontSize: '20px', marginTop: '16px', marginBottom: '24px' },
              ),
              el('button', { text: samples.shopNow }),
            ],
            { ...wide, textAlign: 'center' },
          ),
        ],
        { ...roomy, backgroundColor: '#f4f1ea' },
      );
    case 'columns':
      return box(
        'section',
        [
          box(
            'grid',
            [column(), column(), column()],
            { ...wide, columnGap: '32px', rowGap: '32px' },
            { columns: 3 },
          ),
        ],
        roomy,
      );
    case 'pictureText':
      return box(
        'section',
        [
          box(
            'grid',
            [el('image', { alt: samples.pictureAlt }), column()],
            { ...wide, columnGap: '48px', rowGap: '24px', alignItems: 'center' },
            { columns: 2 },
          ),
        ],
        roomy,
      );
    case 'products':
      return box(
        'section',
        [
          el('heading', { text: samples.favourites }, { textAlign: 'center', marginBottom: '32px' }),
          box(
            'grid',
            [0, 1, 2].map(() => sketchOf('product', samples)),
            { ...wide, columnGap: '24px', rowGap: '32px' },
            { columns: 3 },
          ),
        ],
        roomy,
      );
    case 'quote':
      return box(
        'section',
        [
          box(
            'container',
            [
              el(
                'text',
                { text: samples.quote, tag: 'blockquote' },
                { fontSize: '24px', fontStyle: 'italic' },
              ),
              el('text', { text: samples.quoted, tag: 'small' }, { marginTop: '12px' }),
            ],
            { ...wide, maxWidth: '720px', textAlign: 'center' },
          ),
        ],
        roomy,
      );
    case 'contact':
      return box(
        'section',
        [
          box('container', [el('heading', { text: samples.writeToUs }), sketchOf('form', samples)], {
            ...wide,
            maxWidth: '560px',
          }),
        ],
        roomy,
      );
  }
}

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

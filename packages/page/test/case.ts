import {
  type Block,
  cleanText,
  type MediaFacts,
  materialise,
  type PageDocument,
  type PageFacts,
  type Rendered,
  type RenderedPlace,
  render,
  resolve,
  type TreeNode,
} from '../src/index.ts';
import type { ResolvedNode } from '../src/resolved.ts';

/** One page and all that it refers to, as JSON: the same bytes go to Node and to Chromium. */
export interface Case {
  readonly document: PageDocument;
  readonly sections: Readonly<Record<string, PageDocument>>;
  readonly blocks: Readonly<Record<string, Block>>;
  /** What products, app values and translations say. */
  readonly words: readonly string[];
  readonly publish: boolean;
}

export function treeOf({ document, sections, blocks, publish }: Case): TreeNode | undefined {
  return materialise(document, {
    sections: new Map(Object.entries(sections)),
    block: (appId, blockKey) =>
      Object.hasOwn(blocks, `${appId}/${blockKey}`) ? blocks[`${appId}/${blockKey}`] : undefined,
    publish,
  });
}

export function factsOf({ words }: Pick<Case, 'words'>): PageFacts {
  const word = (i: number) => words[i % words.length] ?? '';
  const picture = {
    url: '/media/1.png',
    width: 800,
    height: 600,
    sources: [{ url: '/media/1.png?w=400', width: 400 }],
  };
  const variant = (n: number) => ({ id: `var_${n}`, name: word(n), priceCents: 990 * n, stock: n % 2 });
  return {
    currency: 'EUR',
    products: new Map([
      [
        'prd_1',
        {
          id: 'prd_1',
          name: word(0),
          priceCents: 990,
          image: picture,
          url: '/s/x/p',
          variants: [variant(1), variant(2)],
        },
      ],
      ['prd_2', { id: 'prd_2', name: word(1), priceCents: null, variants: [] }],
    ]),
    media: new Map<string, MediaFacts>([
      ['mda_1', picture],
      ['mda_2', { url: `/media/2.png?${cleanText(word(2))}` }],
      ['mda_3', { ...picture, url: '/media/str_1/mda_3', alt: word(3), focalPoint: { x: 1 / 3, y: 0 } }],
    ]),
    bases: ['https://shop.example'],
    pages: new Map([
      ['pag_1', '/s/x/'],
      ['pag_2', `/s/x/${word(3)}`],
    ]),
    appValue: (_appId, key, owner) => (key === 'none' ? undefined : owner === 'site' ? word(4) : word(5)),
    translate: (entityId, field, text) =>
      (entityId.length + field.length + text.length) % 5 === 0 ? word(6) : undefined,
  };
}

export function resolveCase(one: Case): ResolvedNode | undefined {
  const tree = treeOf(one);
  return tree && resolve(tree, factsOf(one));
}

export function renderCase(one: Case): Rendered {
  return render(resolveCase(one));
}

/** Where each node of a case stands in what `renderCase` gives. */
export function placesOf(one: Case): readonly RenderedPlace[] {
  return render(resolveCase(one), { places: true }).places;
}

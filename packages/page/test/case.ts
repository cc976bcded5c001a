import {
  type Block,
  cleanText,
  type ListFacts,
  type MediaFacts,
  materialise,
  type PageDocument,
  type PageFacts,
  type Rendered,
  type RenderedSpan,
  render,
  resolve,
  type TreeNode,
} from '../src/index.ts';
import type { ResolvedNode } from '../src/resolved.ts';
import type { DomNode } from './dom-node.ts';

/** HTML that people wrote, and its tree. */
export const writtenHtml: ReadonlyMap<string, DomNode[]> = new Map<string, DomNode[]>([
  ['<p>A <b>body</b></p>', [['p', [], ['A ', ['b', [], ['body']]]]]],
  ['<p>Made <a href="/x">by hand</a></p>', [['p', [], ['Made ', ['a', [['href', '/x']], ['by hand']]]]]],
]);
const [articleBody, productDescription] = [...writtenHtml.keys()];

/** One page and everything it refers to, as JSON, so that Node and Chromium get the same bytes. */
export interface Case {
  readonly document: PageDocument;
  readonly sections: Readonly<Record<string, PageDocument>>;
  readonly blocks: Readonly<Record<string, Block>>;
  /** The texts of products, app values and translations. */
  readonly words: readonly string[];
  readonly publish: boolean;
}

export function materialiseCase({ document, sections, blocks, publish }: Case): TreeNode | undefined {
  return materialise(document, {
    sections: new Map(Object.entries(sections)),
    block: (appId, blockKey) =>
      Object.hasOwn(blocks, `${appId}/${blockKey}`) ? blocks[`${appId}/${blockKey}`] : undefined,
    publish,
  });
}

export function createFacts({ words }: Pick<Case, 'words'>): PageFacts {
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
          images: [picture, picture],
          description: productDescription!,
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
    articles: new Map([
      [
        'art_1',
        {
          id: 'art_1',
          title: word(0),
          url: '/s/x/blog/a',
          excerpt: word(1),
          publishedAt: '2026-11-20T10:00:00.000Z',
          image: picture,
          body: articleBody!,
        },
      ],
      ['art_2', { id: 'art_2', title: word(2), url: word(3), excerpt: '', publishedAt: word(4) }],
    ]),
    // Every list gets these items, whatever its query is.
    lists: {
      get: (key: string) => ({
        ids: [`${key.includes('"type":"articleList"') ? 'art' : 'prd'}_1`, 'prd_2', 'art_2', 'art_1', 'gone'],
        page: 2,
        pages: 3,
      }),
    } as unknown as ReadonlyMap<string, ListFacts>,
    place: {
      home: './',
      blog: './blog/',
      cart: './cart',
      search: './search',
      query: word(5),
      trail: [{ text: word(0), url: './' }, { text: word(1) }],
      forms: {
        before: '/storefront/str_1/forms/pag_1.',
        after: word(6).length % 3 === 0 ? '?locale=de-AT' : '',
      },
      ...(word(6).length % 2 === 0 ? { productId: 'prd_1' } : { articleId: 'art_1' }),
    },
    language: word(6).length % 3 === 0 ? 'de-AT' : 'en',
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
  const tree = materialiseCase(one);
  return tree && resolve(tree, createFacts(one));
}

export function renderCase(one: Case): Rendered {
  return render(resolveCase(one));
}

/** Returns where each node of a case is in the result of `renderCase`. */
export function renderSpans(one: Case): readonly RenderedSpan[] {
  return render(resolveCase(one), { spans: true }).spans;
}

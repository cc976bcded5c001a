import { type Json, type PageDocument, type PageNode, type Words, wordsIn } from '@waybill/page';
import type { TemplateKind } from '../owners/template-kinds.ts';

/** What a default is made of: the store as it is. */
export interface DefaultFacts {
  storeName: string;
  /** BCP 47; what a default says itself is said in it. */
  language: string;
  /** Its live pages by their order, the homepage among them. */
  pages: readonly { id: string; name: string; isHomepage: boolean }[];
  /** Whether there is anything to read in its blog. */
  hasArticles: boolean;
  /** What the page is called, where one template is of several: of a blog or of one of its categories. */
  title?: string;
}

type Specials = Record<string, Json>;

interface Part {
  type: string;
  props?: PageNode['props'];
  children?: Part[];
}

const part = (type: string, specials: Specials = {}, ...children: Part[]): Part => ({
  type,
  props: { specials },
  children,
});
const row = (specials: Specials, ...children: Part[]): Part => ({
  type: 'stack',
  props: { specials, config: { base: { direction: 'row' } } },
  children,
});

/** Ids say what a node is and which of its kind, so that a default edited is translated as before. */
function documentOf(root: Part): PageDocument {
  const nodes: PageNode[] = [];
  const counts = new Map<string, number>();
  const add = ({ type, props, children = [] }: Part): string => {
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    const id = nodes.length === 0 ? 'root' : count === 1 ? type : `${type}-${count}`;
    const place = nodes.push({ id, type }) - 1;
    nodes[place] = { id, type, ...(props && { props }), children: children.map(add) };
    return id;
  };
  return { rootId: add(root), nodes };
}

const card = ({ from, soldOut }: Words) =>
  part(
    'product',
    {},
    { type: 'productImage', props: { config: { base: { ratio: '1/1' } } } },
    part('productTitle', { level: 2 }),
    part('price', { fromText: from, soldOutText: soldOut }),
  );

/** A search beside the header's: who goes from landmark to landmark tells them apart by the name. */
const ownSearch = (language: string) => ({ ariaLabel: wordsIn(language).search });

const articleCard = (level: number): Part[] => [
  { type: 'articleImage', props: { config: { base: { ratio: '16/9' } } } },
  part('articleTitle', { level }),
  part('articleDate'),
  part('articleExcerpt'),
];

/** The document of a kind where the merchant has made none: `decisions.md 17.2`. */
export function defaultTemplate(kind: TemplateKind, facts: DefaultFacts): PageDocument {
  return documentOf(defaults[kind](facts));
}

/** What a store shows at its address until its merchant has made a page: `decisions.md 17.2`. */
export function frontDocument({
  storeName,
  hasArticles,
  language,
}: Pick<DefaultFacts, 'storeName' | 'hasArticles' | 'language'>): PageDocument {
  const words = wordsIn(language);
  const blog = [
    part('heading', { text: words.blog, level: 2 }),
    part('articleList', { limit: 3 }, part('container', { tag: 'article' }, ...articleCard(3))),
  ];
  return documentOf(
    part(
      'section',
      {},
      part('heading', { text: storeName, level: 1 }),
      part('productList', { sort: 'created', dir: 'desc', limit: 24 }, card(words)),
      ...(hasArticles ? blog : []),
    ),
  );
}

/** As many pages as a header has room for. */
const maxMenuItems = 7;

const defaults: Readonly<Record<TemplateKind, (facts: DefaultFacts) => Part>> = {
  header({ storeName, pages, hasArticles, language }) {
    const home = pages.find(({ isHomepage }) => isHomepage);
    const items = pages
      .filter(({ isHomepage }) => !isHomepage)
      .slice(0, maxMenuItems)
      .map(({ id, name }): Json => ({ text: name, href: { type: 'page', pageId: id } }));
    if (hasArticles) items.push({ text: wordsIn(language).blog, href: { type: 'blog' } });
    return part(
      'container',
      {},
      row(
        { tag: 'div' },
        home
          ? part('link', { text: storeName, href: { type: 'page', pageId: home.id } })
          : part('text', { text: storeName, tag: 'strong' }),
        ...(items.length > 0 ? [part('menu', { items })] : []),
        part('searchField', {}),
        part('cartButton', {}),
      ),
    );
  },
  footer: ({ storeName }) => part('container', {}, part('text', { text: `© ${storeName}`, tag: 'small' })),
  product: ({ language }) => {
    const { from, choose, addToCart, soldOut } = wordsIn(language);
    return part('section', {}, part('breadcrumbs'), {
      type: 'product',
      props: { config: { base: { direction: 'row', collapse: true } } },
      children: [
        part('container', {}, { type: 'productGallery', props: { config: { base: { perRow: 1 } } } }),
        part(
          'stack',
          {},
          part('productTitle', { level: 1 }),
          part('price', { fromText: from }),
          part('variantPicker', { label: choose, soldOutText: soldOut }),
          part('addToCart', { text: addToCart, soldOutText: soldOut }),
          part('productDescription'),
        ),
      ],
    });
  },
  article: () =>
    part(
      'section',
      { tag: 'article' },
      part('breadcrumbs'),
      part('articleTitle', { level: 1 }),
      part('articleDate'),
      { type: 'articleImage', props: { config: { base: { ratio: '16/9' } } } },
      part('articleBody'),
    ),
  blog: ({ language, title = wordsIn(language).blog }) =>
    part(
      'section',
      {},
      part('breadcrumbs'),
      part('heading', { text: title, level: 1 }),
      part(
        'articleList',
        { limit: 20, paged: true },
        part('container', { tag: 'article' }, ...articleCard(2)),
      ),
    ),
  search: ({ language }) =>
    part(
      'section',
      {},
      part('heading', { text: wordsIn(language).search, level: 1 }),
      part('searchField', ownSearch(language)),
      part(
        'productList',
        {
          source: { kind: 'search' },
          sort: 'name',
          limit: 24,
          paged: true,
          emptyText: wordsIn(language).nothingFound,
        },
        card(wordsIn(language)),
      ),
    ),
  notFound: ({ language }) =>
    part(
      'section',
      {},
      part('heading', { text: wordsIn(language).notFound, level: 1 }),
      part('searchField', ownSearch(language)),
    ),
};

import { getWords, type Json, type PageDocument, type PageNode, type Words } from '@waybill/page';
import type { TemplateKind } from '../owners/template-kinds.ts';
import { templateWordsIn } from './words.ts';

/** The facts about a store from which its default templates are made. */
export interface DefaultFacts {
  storeName: string;
  /** BCP 47 tag of the language of the default's own texts. */
  language: string;
  /** Its live pages in order, including the homepage. */
  pages: readonly { id: string; name: string; isHomepage: boolean }[];
  /** Whether its blog has any published articles. */
  hasArticles: boolean;
  /** The store's logo; null shows its name instead. */
  logoMediaId: string | null;
  /** The title of the page, for a template of several pages: of the blog or of one of its categories. */
  title?: string;
}

type Specials = Record<string, Json>;

interface NestedNode {
  type: string;
  props?: PageNode['props'];
  children?: NestedNode[];
}

const createNode = (type: string, specials: Specials = {}, ...children: NestedNode[]): NestedNode => ({
  type,
  props: { specials },
  children,
});
const row = (specials: Specials, ...children: NestedNode[]): NestedNode => ({
  type: 'stack',
  props: { specials, config: { base: { direction: 'row' } } },
  children,
});

const withStyle = (node: NestedNode, style: Record<string, Json>): NestedNode => ({
  ...node,
  props: { ...node.props, style: { base: style } },
});

/**
 * Builds a document whose node ids tell the type and number of each node, so that translations still fit after a
 * default is edited.
 */
function createDocument(root: NestedNode): PageDocument {
  const nodes: PageNode[] = [];
  const counts = new Map<string, number>();
  const add = ({ type, props, children = [] }: NestedNode): string => {
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    const id = nodes.length === 0 ? 'root' : count === 1 ? type : `${type}-${count}`;
    const index = nodes.push({ id, type }) - 1;
    nodes[index] = { id, type, ...(props && { props }), children: children.map(add) };
    return id;
  };
  return { rootId: add(root), nodes };
}

const card = ({ from, soldOut }: Pick<Words, 'from' | 'soldOut'>, level = 2) =>
  createNode(
    'product',
    {},
    { type: 'productImage', props: { config: { base: { ratio: '1/1' } } } },
    createNode('productTitle', { level }),
    createNode('price', { fromText: from, soldOutText: soldOut }),
  );

/** Labels a search so that users who navigate by landmarks can tell it from the header's. */
const ownSearch = (language: string) => ({ ariaLabel: getWords(language).search });

const articleCard = (level: number): NestedNode[] => [
  { type: 'articleImage', props: { config: { base: { ratio: '16/9' } } } },
  createNode('articleTitle', { level }),
  createNode('articleDate'),
  createNode('articleExcerpt'),
];

/** Returns the default document of a kind, for a store without its own: `decisions.md 17.2`. */
export function defaultTemplate(kind: TemplateKind, facts: DefaultFacts): PageDocument {
  return createDocument(defaults[kind](facts));
}

/** Returns the document at a store's address until its merchant has made a page: `decisions.md 17.2`. */
export function frontDocument({
  storeName,
  hasArticles,
  language,
}: Pick<DefaultFacts, 'storeName' | 'hasArticles' | 'language'>): PageDocument {
  const words = { ...getWords(language), ...templateWordsIn(language) };
  const blog = createNode(
    'section',
    {},
    createNode('heading', { text: words.blog, level: 2 }),
    createNode('articleList', { limit: 3 }, createNode('container', { tag: 'article' }, ...articleCard(3))),
  );
  return createDocument(
    createNode(
      'container',
      {},
      withStyle(
        createNode(
          'section',
          {},
          createNode('heading', { text: storeName, level: 1 }),
          withStyle(createNode('text', { text: words.welcomeText }), { fontSize: '1.25rem' }),
          createNode('button', { text: words.toProducts, href: { type: 'anchor', anchorId: 'products' } }),
        ),
        { backgroundColor: { token: 'color.surface' }, textAlign: 'center' },
      ),
      createNode(
        'section',
        { anchorId: 'products' },
        createNode('heading', { text: words.newProducts, level: 2 }),
        createNode(
          'productList',
          { sort: 'created', dir: 'desc', limit: 24, emptyText: words.noProducts },
          card(words, 3),
        ),
      ),
      ...(hasArticles ? [blog] : []),
    ),
  );
}

/** Maximum number of pages in a header's menu. */
const maxMenuItems = 7;

/** Returns the links of a header and a footer: home, the store's pages in their order, its blog. */
function menuItems({
  pages,
  hasArticles,
  language,
}: Omit<DefaultFacts, 'storeName' | 'logoMediaId'>): Json[] {
  const words = getWords(language);
  const items: Json[] = [{ text: words.home, href: { type: 'home' } }];
  for (const { id, name } of pages.filter(({ isHomepage }) => !isHomepage).slice(0, maxMenuItems))
    items.push({ text: name, href: { type: 'page', pageId: id } });
  if (hasArticles) items.push({ text: words.blog, href: { type: 'blog' } });
  return items;
}

const defaults: Readonly<Record<TemplateKind, (facts: DefaultFacts) => NestedNode>> = {
  header({ storeName, logoMediaId, language, ...site }) {
    const logo = logoMediaId === null ? [] : [createNode('image', { src: logoMediaId })];
    return createNode(
      'container',
      {},
      row(
        { tag: 'div' },
        createNode('link', { text: storeName, href: { type: 'home' } }, ...logo),
        createNode('menu', { items: menuItems({ language, ...site }) }),
        createNode('searchField', {}),
        createNode('languageSwitch', {}),
        createNode('cartButton', {}),
      ),
    );
  },
  footer: ({ storeName, language, ...site }) =>
    createNode(
      'container',
      {},
      withStyle(
        row(
          { tag: 'div' },
          createNode('text', { text: `© ${storeName}`, tag: 'small' }),
          createNode('menu', { items: menuItems({ language, ...site }), label: getWords(language).pages }),
        ),
        { justifyContent: 'space-between', alignItems: 'center' },
      ),
    ),
  product: ({ language }) => {
    const { from, choose, quantity, addToCart, soldOut } = getWords(language);
    return createNode('section', {}, createNode('breadcrumbs'), {
      type: 'product',
      props: { config: { base: { direction: 'row', collapse: true } } },
      children: [
        createNode('container', {}, { type: 'productGallery', props: { config: { base: { perRow: 4 } } } }),
        createNode(
          'stack',
          {},
          createNode('productTitle', { level: 1 }),
          createNode('price', { fromText: from }),
          createNode('variantPicker', { label: choose, soldOutText: soldOut }),
          withStyle(
            row(
              {},
              createNode('quantityField', { label: quantity }),
              createNode('addToCart', { text: addToCart, soldOutText: soldOut }),
            ),
            { alignItems: 'flex-end', flexWrap: 'wrap' },
          ),
          createNode('productDescription'),
        ),
      ],
    });
  },
  category: ({ language }) =>
    createNode(
      'section',
      {},
      createNode('breadcrumbs'),
      createNode('categoryTitle', { level: 1 }),
      createNode('categoryDescription'),
      createNode('categoryList'),
      createNode('productFilters'),
      createNode(
        'productList',
        {
          source: { kind: 'category' },
          sort: 'category',
          limit: 24,
          paged: true,
          emptyText: getWords(language).nothingFound,
        },
        card(getWords(language)),
      ),
    ),
  article: () =>
    createNode(
      'section',
      { tag: 'article' },
      createNode('breadcrumbs'),
      createNode('articleTitle', { level: 1 }),
      createNode('articleDate'),
      { type: 'articleImage', props: { config: { base: { ratio: '16/9' } } } },
      createNode('articleBody'),
    ),
  blog: ({ language, title = getWords(language).blog }) =>
    createNode(
      'section',
      {},
      createNode('breadcrumbs'),
      createNode('heading', { text: title, level: 1 }),
      createNode(
        'articleList',
        { limit: 20, paged: true },
        createNode('container', { tag: 'article' }, ...articleCard(2)),
      ),
    ),
  search: ({ language }) =>
    createNode(
      'section',
      {},
      createNode('heading', { text: getWords(language).search, level: 1 }),
      createNode('searchField', ownSearch(language)),
      createNode('productFilters'),
      createNode(
        'productList',
        {
          source: { kind: 'search' },
          sort: 'number',
          limit: 24,
          paged: true,
          emptyText: getWords(language).nothingFound,
        },
        card(getWords(language)),
      ),
    ),
  notFound({ language }) {
    const words = { ...getWords(language), ...templateWordsIn(language) };
    return createNode(
      'container',
      {},
      createNode(
        'section',
        {},
        createNode('heading', { text: words.notFound, level: 1 }),
        createNode('text', { text: words.notFoundText }),
        createNode('searchField', ownSearch(language)),
        createNode('button', { text: words.toHome, href: { type: 'home' } }),
      ),
      createNode(
        'section',
        {},
        createNode('productList', { sort: 'created', dir: 'desc', limit: 4 }, card(words)),
      ),
    );
  },
};

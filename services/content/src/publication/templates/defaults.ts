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

interface Part {
  type: string;
  props?: PageNode['props'];
  children?: Part[];
}

const createPart = (type: string, specials: Specials = {}, ...children: Part[]): Part => ({
  type,
  props: { specials },
  children,
});
const row = (specials: Specials, ...children: Part[]): Part => ({
  type: 'stack',
  props: { specials, config: { base: { direction: 'row' } } },
  children,
});

const styled = (of: Part, style: Record<string, Json>): Part => ({
  ...of,
  props: { ...of.props, style: { base: style } },
});

/**
 * Builds a document whose node ids tell the type and number of each node, so that translations still fit after a
 * default is edited.
 */
function createDocument(root: Part): PageDocument {
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

const card = ({ from, soldOut }: Pick<Words, 'from' | 'soldOut'>, level = 2) =>
  createPart(
    'product',
    {},
    { type: 'productImage', props: { config: { base: { ratio: '1/1' } } } },
    createPart('productTitle', { level }),
    createPart('price', { fromText: from, soldOutText: soldOut }),
  );

/** Labels a search so that users who navigate by landmarks can tell it from the header's. */
const ownSearch = (language: string) => ({ ariaLabel: getWords(language).search });

const articleCard = (level: number): Part[] => [
  { type: 'articleImage', props: { config: { base: { ratio: '16/9' } } } },
  createPart('articleTitle', { level }),
  createPart('articleDate'),
  createPart('articleExcerpt'),
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
  const blog = createPart(
    'section',
    {},
    createPart('heading', { text: words.blog, level: 2 }),
    createPart('articleList', { limit: 3 }, createPart('container', { tag: 'article' }, ...articleCard(3))),
  );
  return createDocument(
    createPart(
      'container',
      {},
      styled(
        createPart(
          'section',
          {},
          createPart('heading', { text: storeName, level: 1 }),
          styled(createPart('text', { text: words.welcomeText }), { fontSize: '1.25rem' }),
          createPart('button', { text: words.toProducts, href: { type: 'anchor', anchorId: 'products' } }),
        ),
        { backgroundColor: { token: 'color.surface' }, textAlign: 'center' },
      ),
      createPart(
        'section',
        { anchorId: 'products' },
        createPart('heading', { text: words.newProducts, level: 2 }),
        createPart(
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

const defaults: Readonly<Record<TemplateKind, (facts: DefaultFacts) => Part>> = {
  header({ storeName, logoMediaId, language, ...site }) {
    const logo = logoMediaId === null ? [] : [createPart('image', { src: logoMediaId })];
    return createPart(
      'container',
      {},
      row(
        { tag: 'div' },
        createPart('link', { text: storeName, href: { type: 'home' } }, ...logo),
        createPart('menu', { items: menuItems({ language, ...site }) }),
        createPart('searchField', {}),
        createPart('languageSwitch', {}),
        createPart('cartButton', {}),
      ),
    );
  },
  footer: ({ storeName, language, ...site }) =>
    createPart(
      'container',
      {},
      styled(
        row(
          { tag: 'div' },
          createPart('text', { text: `© ${storeName}`, tag: 'small' }),
          createPart('menu', { items: menuItems({ language, ...site }), label: getWords(language).pages }),
        ),
        { justifyContent: 'space-between', alignItems: 'center' },
      ),
    ),
  product: ({ language }) => {
    const { from, choose, quantity, addToCart, soldOut } = getWords(language);
    return createPart('section', {}, createPart('breadcrumbs'), {
      type: 'product',
      props: { config: { base: { direction: 'row', collapse: true } } },
      children: [
        createPart('container', {}, { type: 'productGallery', props: { config: { base: { perRow: 4 } } } }),
        createPart(
          'stack',
          {},
          createPart('productTitle', { level: 1 }),
          createPart('price', { fromText: from }),
          createPart('variantPicker', { label: choose, soldOutText: soldOut }),
          styled(
            row(
              {},
              createPart('quantityField', { label: quantity }),
              createPart('addToCart', { text: addToCart, soldOutText: soldOut }),
            ),
            { alignItems: 'flex-end', flexWrap: 'wrap' },
          ),
          createPart('productDescription'),
        ),
      ],
    });
  },
  category: ({ language }) =>
    createPart(
      'section',
      {},
      createPart('breadcrumbs'),
      createPart('categoryTitle', { level: 1 }),
      createPart('categoryDescription'),
      createPart('categoryList'),
      createPart('productFilters'),
      createPart(
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
    createPart(
      'section',
      { tag: 'article' },
      createPart('breadcrumbs'),
      createPart('articleTitle', { level: 1 }),
      createPart('articleDate'),
      { type: 'articleImage', props: { config: { base: { ratio: '16/9' } } } },
      createPart('articleBody'),
    ),
  blog: ({ language, title = getWords(language).blog }) =>
    createPart(
      'section',
      {},
      createPart('breadcrumbs'),
      createPart('heading', { text: title, level: 1 }),
      createPart(
        'articleList',
        { limit: 20, paged: true },
        createPart('container', { tag: 'article' }, ...articleCard(2)),
      ),
    ),
  search: ({ language }) =>
    createPart(
      'section',
      {},
      createPart('heading', { text: getWords(language).search, level: 1 }),
      createPart('searchField', ownSearch(language)),
      createPart('productFilters'),
      createPart(
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
    return createPart(
      'container',
      {},
      createPart(
        'section',
        {},
        createPart('heading', { text: words.notFound, level: 1 }),
        createPart('text', { text: words.notFoundText }),
        createPart('searchField', ownSearch(language)),
        createPart('button', { text: words.toHome, href: { type: 'home' } }),
      ),
      createPart(
        'section',
        {},
        createPart('productList', { sort: 'created', dir: 'desc', limit: 4 }, card(words)),
      ),
    );
  },
};

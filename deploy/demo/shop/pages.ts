type Specials = Record<string, unknown>;
interface NestedNode {
  id: string;
  type: string;
  props: object;
  children: NestedNode[];
}

/** German texts by the id of their node. */
export type German = Record<string, string>;

const createNode = (
  id: string,
  type: string,
  specials: Specials = {},
  ...children: NestedNode[]
): NestedNode => ({
  id,
  type,
  children,
  props: { specials },
});
const withLayout = (node: NestedNode, config: object, style: object = {}): NestedNode => ({
  ...node,
  props: { ...node.props, config: { base: config }, style: { base: style } },
});

function createDocument(root: NestedNode) {
  const nodes: object[] = [];
  const add = ({ id, type, props, children }: NestedNode) => {
    nodes.push({ id, type, props, children: children.map((child) => child.id) });
    for (const child of children) add(child);
  };
  add(root);
  return { rootId: root.id, nodes };
}

const card = (id: string, level = 3) =>
  createNode(
    id,
    'product',
    {},
    withLayout(createNode(`${id}-picture`, 'productImage'), { ratio: '1/1' }),
    createNode(`${id}-title`, 'productTitle', { level }),
    createNode(`${id}-price`, 'price', { soldOutText: 'Sold out' }),
  );
const products = (id: string, source: object, limit: number, specials: Specials = {}, level?: number) =>
  createNode(id, 'productList', { source, limit, ...specials }, card(`${id}-card`, level));

/** The parts of the home page other than its texts. */
interface HomeParts {
  hero: string | null;
  shopId: string;
  /** The product of the month. */
  featuredId: string;
  /** Slugs and ids. */
  categories: readonly (readonly [slug: string, id: string])[];
  /** The id of the reviews app; its section is added once the app is installed. */
  appId?: string;
}

/** Returns the section with the product of the month and its reviews, and with reviews of the shop. */
function reviewsSection(appId: string, featuredId: string): NestedNode {
  const block = (id: string, text: string): NestedNode => ({
    id,
    type: 'blockRef',
    children: [],
    props: {
      specials: { appId, blockKey: 'reviews' },
      settings: { title: { specials: { text } } },
    },
  });
  const month = createNode(
    'month-row',
    'product',
    { productId: featuredId },
    withLayout(createNode('month-picture', 'productImage'), { ratio: '4/3' }),
    createNode(
      'month-words',
      'stack',
      {},
      createNode('month-label', 'text', { text: 'Tea of the month', tag: 'strong' }),
      createNode('month-name', 'productTitle', { level: 2 }),
      createNode('month-price', 'price'),
      block('month-reviews', 'What customers say of it'),
      createNode('month-cart', 'addToCart'),
    ),
  );
  return createNode(
    'month',
    'section',
    {},
    withLayout(month, { direction: 'row', collapse: true }, { alignItems: 'center' }),
  );
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one document, written as the tree that it is
export function homePage({ hero, shopId, featuredId, categories, appId }: HomeParts) {
  const point = (id: string, icon: string, title: string, text: string) =>
    createNode(
      id,
      'stack',
      {},
      createNode(`${id}-icon`, 'icon', { icon }),
      createNode(`${id}-title`, 'heading', { text: title, level: 3 }),
      createNode(`${id}-text`, 'text', { text }),
    );
  return createDocument(
    createNode(
      'home',
      'container',
      {},
      createNode(
        'welcome',
        'section',
        {},
        withLayout(
          createNode(
            'welcome-row',
            'stack',
            {},
            createNode(
              'welcome-words',
              'stack',
              {},
              createNode('claim', 'heading', { text: 'Tea that takes its time', level: 1 }),
              createNode('intro', 'text', {
                text: 'Leaves from gardens that we know, and stoneware made to hold them. Packed by hand, in small lots.',
              }),
              createNode('to-shop', 'button', {
                text: 'See the shop',
                href: { type: 'page', pageId: shopId },
              }),
            ),
            withLayout(createNode('hero', 'image', { src: hero, alt: 'Tea hills under a low sun' }), {
              ratio: '4/3',
            }),
          ),
          { direction: 'row', collapse: true },
          { alignItems: 'center' },
        ),
      ),
      createNode(
        'favourites',
        'section',
        {},
        createNode('favourites-title', 'heading', { text: 'Favourites', level: 2 }),
        products('featured', { kind: 'tag', tag: 'featured' }, 4),
        withLayout(
          createNode(
            'ways',
            'stack',
            {},
            ...categories.flatMap(([slug, categoryId]) => {
              const text = homeCategories[slug]?.[0];
              const href = { type: 'category', categoryId };
              return text ? [createNode(`way-${slug}`, 'button', { text, href, variant: 'secondary' })] : [];
            }),
          ),
          { direction: 'row' },
        ),
      ),
      ...(appId === undefined ? [] : [reviewsSection(appId, featuredId)]),
      createNode(
        'promises',
        'section',
        {},
        withLayout(
          createNode(
            'promises-grid',
            'grid',
            {},
            point('fresh', 'star', 'Fresh by season', 'Each harvest once, and only as much as we can sell.'),
            point('fair', 'heart', 'Fair to growers', 'We pay for the year in advance, and by the kilo.'),
            point('slow', 'clock', 'Sent within a day', 'Packed in paper, without plastic.'),
          ),
          { columns: 3 },
        ),
      ),
      createNode(
        'journal',
        'section',
        {},
        createNode('journal-title', 'heading', { text: 'From the journal', level: 2 }),
        createNode(
          'newest',
          'articleList',
          { limit: 3 },
          createNode(
            'story',
            'container',
            { tag: 'article' },
            withLayout(createNode('story-picture', 'articleImage'), { ratio: '16/9' }),
            createNode('story-title', 'articleTitle', { level: 3 }),
            createNode('story-excerpt', 'articleExcerpt'),
          ),
        ),
      ),
    ),
  );
}

/** The links from the home page to categories, in English and German, by their slugs. */
const homeCategories: Readonly<Record<string, readonly [english: string, german: string]>> = {
  tea: ['All teas', 'Alle Tees'],
  teaware: ['Teaware', 'Geschirr'],
  gifts: ['Gifts', 'Geschenke'],
};

export const homeGerman: German = {
  ...Object.fromEntries(Object.entries(homeCategories).map(([slug, [, german]]) => [`way-${slug}`, german])),
  claim: 'Tee, der sich Zeit lässt',
  intro: 'Blätter aus Gärten, die wir kennen, und Steinzeug dafür. Von Hand gepackt, in kleinen Mengen.',
  'to-shop': 'Zum Laden',
  'favourites-title': 'Lieblinge',
  'fresh-title': 'Frisch zur Saison',
  'fresh-text': 'Jede Ernte einmal, und nur so viel, wie wir verkaufen.',
  'fair-title': 'Fair zu denen, die anbauen',
  'fair-text': 'Wir zahlen das Jahr im Voraus, nach Gewicht.',
  'slow-title': 'In einem Tag unterwegs',
  'slow-text': 'In Papier gepackt, ohne Plastik.',
  'journal-title': 'Aus dem Journal',
};

/** The German texts of the section of the reviews app. */
export const reviewsGerman: German = { 'month-label': 'Tee des Monats' };

export const shopPage = createDocument(
  createNode(
    'shop',
    'section',
    {},
    createNode('shop-title', 'heading', { text: 'Shop', level: 1 }),
    products('all', { kind: 'all' }, 24, { paged: true }, 2),
  ),
);

export const aboutPage = (picture: string | null) =>
  createDocument(
    createNode(
      'about',
      'section',
      {},
      createNode('about-title', 'heading', { text: 'About us', level: 1 }),
      withLayout(createNode('about-picture', 'image', { src: picture, alt: 'Terraces at dusk' }), {
        ratio: '16/9',
      }),
      createNode('about-text', 'text', {
        text: 'We are two people, a kiln and a warehouse that smells of bergamot. Since 2014 we buy tea from nine families, and visit each of them once a year.',
      }),
      createNode('contact-title', 'heading', { text: 'Write to us', level: 2 }),
      createNode(
        'contact',
        'form',
        { name: 'contact' },
        createNode('contact-email', 'field', {
          label: 'E-mail',
          name: 'email',
          inputType: 'email',
          required: true,
        }),
        createNode('contact-words', 'field', {
          label: 'Message',
          name: 'message',
          inputType: 'textarea',
          required: true,
        }),
        createNode('contact-send', 'button', { text: 'Send' }),
      ),
    ),
  );

export const aboutGerman: German = {
  'about-title': 'Über uns',
  'about-text':
    'Wir sind zwei Leute, ein Ofen und ein Lager, das nach Bergamotte riecht. Seit 2014 kaufen wir bei neun Familien, und besuchen jede einmal im Jahr.',
  'contact-title': 'Schreiben Sie uns',
  'contact-send': 'Senden',
};

export const theme = {
  colors: {
    primary: '#2f5d50',
    onPrimary: '#ffffff',
    background: '#fffdf9',
    surface: '#f5eee2',
    text: '#26302b',
    muted: '#59635c',
    border: '#ddd3c2',
    accent: '#8f3f24',
  },
  fonts: { heading: { stack: 'serif' }, body: { stack: 'system' } },
  scale: 1.05,
  radius: 10,
  spacing: 24,
};

/** The text of an article: its paragraphs, and headings between them. */
export interface ArticleText {
  paragraphs: readonly string[];
  heading: string;
  after: string;
}

/** Limits the width to a comfortable line length. */
const readable = (of: NestedNode): NestedNode =>
  withLayout(of, {}, { maxWidth: '44rem', fontSize: '1.125rem' });

/** Returns an article in the editor's own elements: its picture, its texts, and a product that fits. */
export const articlePage = (
  { paragraphs, heading, after }: ArticleText,
  { cover, title, productId }: { cover: string | null; title: string; productId: string },
) =>
  createDocument(
    createNode(
      'article',
      'section',
      { tag: 'article' },
      createNode('title', 'heading', { text: title, level: 1 }),
      withLayout(createNode('cover', 'image', { src: cover, alt: '' }), { ratio: '16/9' }),
      ...paragraphs.map((text, i) => readable(createNode(`text-${i}`, 'text', { text }))),
      createNode('heading', 'heading', { text: heading, level: 2 }),
      readable(createNode('after', 'text', { text: after })),
      createNode('divider', 'divider'),
      withLayout(
        createNode(
          'product',
          'product',
          { productId },
          withLayout(createNode('product-picture', 'productImage'), { ratio: '4/3' }),
          createNode(
            'product-words',
            'stack',
            {},
            createNode('product-title', 'productTitle', { level: 3 }),
            createNode('product-price', 'price'),
            createNode('product-cart', 'addToCart'),
          ),
        ),
        { direction: 'row', collapse: true },
        { alignItems: 'center' },
      ),
    ),
  );

/** Returns the texts of an article by the ids of its nodes. */
export const articleGerman = (title: string, { paragraphs, heading, after }: ArticleText): German => ({
  title,
  ...Object.fromEntries(paragraphs.map((text, i) => [`text-${i}`, text])),
  heading,
  after,
});

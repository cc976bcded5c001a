type Specials = Record<string, unknown>;
interface Part {
  id: string;
  type: string;
  props: object;
  children: Part[];
}

/** German texts by the id of their node. */
export type German = Record<string, string>;

const part = (id: string, type: string, specials: Specials = {}, ...children: Part[]): Part => ({
  id,
  type,
  children,
  props: { specials },
});
const laidOut = (of: Part, config: object, style: object = {}): Part => ({
  ...of,
  props: { ...of.props, config: { base: config }, style: { base: style } },
});

function createDocument(root: Part) {
  const nodes: object[] = [];
  const add = ({ id, type, props, children }: Part) => {
    nodes.push({ id, type, props, children: children.map((child) => child.id) });
    for (const child of children) add(child);
  };
  add(root);
  return { rootId: root.id, nodes };
}

const card = (id: string, level = 3) =>
  part(
    id,
    'product',
    {},
    laidOut(part(`${id}-picture`, 'productImage'), { ratio: '1/1' }),
    part(`${id}-title`, 'productTitle', { level }),
    part(`${id}-price`, 'price', { soldOutText: 'Sold out' }),
  );
const products = (id: string, source: object, limit: number, specials: Specials = {}, level?: number) =>
  part(id, 'productList', { source, limit, ...specials }, card(`${id}-card`, level));

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
function reviewsSection(appId: string, featuredId: string): Part {
  const block = (id: string, text: string): Part => ({
    id,
    type: 'blockRef',
    children: [],
    props: {
      specials: { appId, blockKey: 'reviews' },
      settings: { title: { specials: { text } } },
    },
  });
  const month = part(
    'month-row',
    'product',
    { productId: featuredId },
    laidOut(part('month-picture', 'productImage'), { ratio: '4/3' }),
    part(
      'month-words',
      'stack',
      {},
      part('month-label', 'text', { text: 'Tea of the month', tag: 'strong' }),
      part('month-name', 'productTitle', { level: 2 }),
      part('month-price', 'price'),
      block('month-reviews', 'What customers say of it'),
      part('month-cart', 'addToCart'),
    ),
  );
  return part(
    'month',
    'section',
    {},
    laidOut(month, { direction: 'row', collapse: true }, { alignItems: 'center' }),
  );
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one document, written as the tree that it is
export function homePage({ hero, shopId, featuredId, categories, appId }: HomeParts) {
  const point = (id: string, icon: string, title: string, text: string) =>
    part(
      id,
      'stack',
      {},
      part(`${id}-icon`, 'icon', { icon }),
      part(`${id}-title`, 'heading', { text: title, level: 3 }),
      part(`${id}-text`, 'text', { text }),
    );
  return createDocument(
    part(
      'home',
      'container',
      {},
      part(
        'welcome',
        'section',
        {},
        laidOut(
          part(
            'welcome-row',
            'stack',
            {},
            part(
              'welcome-words',
              'stack',
              {},
              part('claim', 'heading', { text: 'Tea that takes its time', level: 1 }),
              part('intro', 'text', {
                text: 'Leaves from gardens that we know, and stoneware made to hold them. Packed by hand, in small lots.',
              }),
              part('to-shop', 'button', { text: 'See the shop', href: { type: 'page', pageId: shopId } }),
            ),
            laidOut(part('hero', 'image', { src: hero, alt: 'Tea hills under a low sun' }), { ratio: '4/3' }),
          ),
          { direction: 'row', collapse: true },
          { alignItems: 'center' },
        ),
      ),
      part(
        'favourites',
        'section',
        {},
        part('favourites-title', 'heading', { text: 'Favourites', level: 2 }),
        products('featured', { kind: 'tag', tag: 'featured' }, 4),
        laidOut(
          part(
            'ways',
            'stack',
            {},
            ...categories.flatMap(([slug, categoryId]) => {
              const text = homeCategories[slug]?.[0];
              const href = { type: 'category', categoryId };
              return text ? [part(`way-${slug}`, 'button', { text, href, variant: 'secondary' })] : [];
            }),
          ),
          { direction: 'row' },
        ),
      ),
      ...(appId === undefined ? [] : [reviewsSection(appId, featuredId)]),
      part(
        'promises',
        'section',
        {},
        laidOut(
          part(
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
      part(
        'journal',
        'section',
        {},
        part('journal-title', 'heading', { text: 'From the journal', level: 2 }),
        part(
          'newest',
          'articleList',
          { limit: 3 },
          part(
            'story',
            'container',
            { tag: 'article' },
            laidOut(part('story-picture', 'articleImage'), { ratio: '16/9' }),
            part('story-title', 'articleTitle', { level: 3 }),
            part('story-excerpt', 'articleExcerpt'),
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
  part(
    'shop',
    'section',
    {},
    part('shop-title', 'heading', { text: 'Shop', level: 1 }),
    products('all', { kind: 'all' }, 24, { paged: true }, 2),
  ),
);

export const aboutPage = (picture: string | null) =>
  createDocument(
    part(
      'about',
      'section',
      {},
      part('about-title', 'heading', { text: 'About us', level: 1 }),
      laidOut(part('about-picture', 'image', { src: picture, alt: 'Terraces at dusk' }), { ratio: '16/9' }),
      part('about-text', 'text', {
        text: 'We are two people, a kiln and a warehouse that smells of bergamot. Since 2014 we buy tea from nine families, and visit each of them once a year.',
      }),
      part('contact-title', 'heading', { text: 'Write to us', level: 2 }),
      part(
        'contact',
        'form',
        { name: 'contact' },
        part('contact-email', 'field', {
          label: 'E-mail',
          name: 'email',
          inputType: 'email',
          required: true,
        }),
        part('contact-words', 'field', {
          label: 'Message',
          name: 'message',
          inputType: 'textarea',
          required: true,
        }),
        part('contact-send', 'button', { text: 'Send' }),
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
const readable = (of: Part): Part => laidOut(of, {}, { maxWidth: '44rem', fontSize: '1.125rem' });

/** Returns an article in the editor's own elements: its picture, its texts, and a product that fits. */
export const articlePage = (
  { paragraphs, heading, after }: ArticleText,
  { cover, title, productId }: { cover: string | null; title: string; productId: string },
) =>
  createDocument(
    part(
      'article',
      'section',
      { tag: 'article' },
      part('title', 'heading', { text: title, level: 1 }),
      laidOut(part('cover', 'image', { src: cover, alt: '' }), { ratio: '16/9' }),
      ...paragraphs.map((text, i) => readable(part(`text-${i}`, 'text', { text }))),
      part('heading', 'heading', { text: heading, level: 2 }),
      readable(part('after', 'text', { text: after })),
      part('divider', 'divider'),
      laidOut(
        part(
          'product',
          'product',
          { productId },
          laidOut(part('product-picture', 'productImage'), { ratio: '4/3' }),
          part(
            'product-words',
            'stack',
            {},
            part('product-title', 'productTitle', { level: 3 }),
            part('product-price', 'price'),
            part('product-cart', 'addToCart'),
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

import { type Got, HTTPError } from 'got';
import { landscape, type Motif, productPicture } from './pictures.ts';

interface Tea {
  slug: string;
  name: string;
  german: string;
  text: string;
  germanText: string;
  picture: [motif: Motif, main: string, light: string, ground: string];
  tags: string[];
  /** Name and price, each a variant. */
  sizes: [name: string, priceCents: number][];
}

const green = '#3f6f5c';
const rust = '#a4532f';
const plum = '#6b3f54';
const blue = '#3c5f78';

const tea = (
  [slug, name, german]: [string, string, string],
  [text, germanText]: [string, string],
  picture: Tea['picture'],
  tags: string[],
  ...sizes: Tea['sizes']
): Tea => ({ slug, name, german, text, germanText, picture, tags, sizes });

const teas: readonly Tea[] = [
  tea(
    ['morning-breeze', 'Morning Breeze', 'Morgenbrise'],
    ['A bright Assam that stands up to milk.', 'Ein heller Assam, der auch Milch verträgt.'],
    ['tin', rust, '#c77a4e', '#f1d9c2'],
    ['tea', 'featured'],
    ['100 g', 990],
    ['250 g', 2190],
  ),
  tea(
    ['mountain-oolong', 'Mountain Oolong', 'Berg-Oolong'],
    [
      'Half-fermented leaves from high gardens, with a note of orchid.',
      'Halb fermentiert, aus hohen Gärten, mit einer Note von Orchidee.',
    ],
    ['bag', green, '#6f9a80', '#dbe6d6'],
    ['tea', 'featured'],
    ['50 g', 1290],
    ['100 g', 2390],
  ),
  tea(
    ['garden-sencha', 'Garden Sencha', 'Garten-Sencha'],
    ['First harvest, steamed, grassy and sweet.', 'Erste Ernte, gedämpft, grasig und süß.'],
    ['tin', green, '#8fb08d', '#e4ead2'],
    ['tea'],
    ['100 g', 1490],
  ),
  tea(
    ['evening-rooibos', 'Evening Rooibos', 'Abend-Rooibos'],
    ['Red bush with vanilla, without caffeine.', 'Rotbusch mit Vanille, ohne Koffein.'],
    ['bag', rust, '#d39a6a', '#f3dfcb'],
    ['tea'],
    ['100 g', 790],
    ['500 g', 2990],
  ),
  tea(
    ['ceremonial-matcha', 'Ceremonial Matcha', 'Zeremonien-Matcha'],
    ['Stone-ground from shaded leaves.', 'Auf Stein gemahlen, aus beschatteten Blättern.'],
    ['whisk', '#4b5a52', '#7f8d84', '#dfe7cf'],
    ['tea', 'featured'],
    ['30 g', 2490],
  ),
  tea(
    ['orchard-fruit', 'Orchard Fruit', 'Obstgarten'],
    ['Apple, quince and rosehip, good on ice.', 'Apfel, Quitte und Hagebutte, auch auf Eis.'],
    ['tin', plum, '#99697f', '#ecd9e0'],
    ['tea'],
    ['100 g', 890],
  ),
  tea(
    ['stoneware-cup', 'Stoneware Cup', 'Steinzeugtasse'],
    ['Thrown by hand, 250 ml, safe in the dishwasher.', 'Von Hand gedreht, 250 ml, für die Spülmaschine.'],
    ['cup', blue, '#7c9bb0', '#d9e4ea'],
    ['ware', 'featured'],
    ['Blue', 1890],
    ['Sand', 1890],
  ),
  tea(
    ['round-teapot', 'Round Teapot', 'Runde Kanne'],
    ['A pot for four, with a strainer of steel.', 'Eine Kanne für vier, mit einem Sieb aus Stahl.'],
    ['pot', plum, '#a07c8e', '#ecdde3'],
    ['ware'],
    ['1.2 l', 4900],
  ),
  tea(
    ['tea-for-two', 'Tea for Two', 'Tee zu zweit'],
    ['Pot and cup in one box, ready to give.', 'Kanne und Tasse in einer Schachtel, zum Verschenken.'],
    ['set', rust, '#c98d64', '#f4e3d0'],
    ['ware', 'gift'],
    ['Set', 6400],
  ),
  tea(
    ['glass-pot', 'Clay Pot', 'Tonkanne'],
    ['Small and unglazed, for oolong alone.', 'Klein und unglasiert, nur für Oolong.'],
    ['pot', '#8a4b32', '#b97c5e', '#efdccd'],
    ['ware'],
    ['0.3 l', 3600],
  ),
  tea(
    ['everyday-cup', 'Everyday Cup', 'Alltagstasse'],
    ['Light, white inside, stacks well.', 'Leicht, innen weiß, gut zu stapeln.'],
    ['cup', green, '#9db9a4', '#e2e9dd'],
    ['ware'],
    ['Single', 1200],
    ['Set of four', 4200],
  ),
  tea(
    ['tasting-box', 'Tasting Box', 'Probierschachtel'],
    ['Six teas of 20 g, and how to brew them.', 'Sechs Tees zu 20 g, und wie man sie aufgießt.'],
    ['bag', blue, '#87a5b8', '#dbe6ec'],
    ['tea', 'gift'],
    ['6 × 20 g', 2200],
  ),
];

const articles = [
  {
    slug: 'how-hot-is-hot-enough',
    title: 'How hot is hot enough?',
    german: 'Wie heiß ist heiß genug?',
    excerpt: 'Green tea forgives much, but no boiling water.',
    germanExcerpt: 'Grüner Tee verzeiht viel, nur kein kochendes Wasser.',
    content:
      '<p>Black tea wants water that boils. Oolong is happy at 90 °C, and green tea at 70 °C: wait five minutes after the ' +
      'kettle, or pour once from pot to pot.</p><h2>No thermometer?</h2><p>Small bubbles on the ground are 70 °C, ' +
      'strings of pearls 90 °C, a rolling boil 100 °C.</p>',
  },
  {
    slug: 'a-visit-to-the-garden',
    title: 'A visit to the garden',
    german: 'Ein Besuch im Garten',
    excerpt: 'Where our oolong grows, the morning begins above the clouds.',
    germanExcerpt: 'Wo unser Oolong wächst, beginnt der Morgen über den Wolken.',
    content:
      '<p>At 1,600 metres the leaves grow slowly, and slow leaves are sweet. They are picked by hand, withered in the sun, ' +
      'and rolled before the evening.</p>',
  },
  {
    slug: 'one-leaf-three-brews',
    title: 'One leaf, three brews',
    german: 'Ein Blatt, drei Aufgüsse',
    excerpt: 'Good leaves are not done after the first cup.',
    germanExcerpt: 'Gute Blätter sind nach der ersten Tasse nicht fertig.',
    content:
      '<p>The first brew is for the nose, the second for the mouth, the third for the talk. Give each a little more time: ' +
      'one minute, one and a half, three.</p>',
  },
] as const;

type Specials = Record<string, unknown>;
interface Part {
  id: string;
  type: string;
  props: object;
  children: Part[];
}

/** German texts by the id of the node that has them. */
type German = Record<string, string>;

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

function documentOf(root: Part) {
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

function homePage(hero: string, shopId: string) {
  const point = (id: string, icon: string, title: string, text: string) =>
    part(
      id,
      'stack',
      {},
      part(`${id}-icon`, 'icon', { icon }),
      part(`${id}-title`, 'heading', { text: title, level: 3 }),
      part(`${id}-text`, 'text', { text }),
    );
  return documentOf(
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
      ),
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

const homeGerman: German = {
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

const shopPage = documentOf(
  part(
    'shop',
    'section',
    {},
    part('shop-title', 'heading', { text: 'Shop', level: 1 }),
    products('all', { kind: 'all' }, 12, { paged: true }, 2),
  ),
);

const aboutPage = (picture: string) =>
  documentOf(
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

const aboutGerman: German = {
  'about-title': 'Über uns',
  'about-text':
    'Wir sind zwei Leute, ein Ofen und ein Lager, das nach Bergamotte riecht. Seit 2014 kaufen wir bei neun Familien, und besuchen jede einmal im Jahr.',
  'contact-title': 'Schreiben Sie uns',
  'contact-send': 'Senden',
};

const theme = {
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

/**
 * Fills the demo store with a shop to look at: a dozen products, pages, a blog, in English and German. `api` calls as the
 * store's owner. Whatever was made by a start that broke off is not made twice.
 */
export async function fillDemoShop(api: Got, storeId: string): Promise<void> {
  const store = `api/stores/${storeId}`;
  const once = (key: string) => ({ 'idempotency-key': `demo-shop-${key}` });
  // Each has a key, so one that is sent again is one. A busy machine's first start may be answered 503.
  const again = { limit: 5, methods: ['POST' as const] };
  const post = <Answer>(path: string, key: string, json: object) =>
    api.post(`${store}/${path}`, { json, headers: once(key), retry: again }).json<Answer>();

  async function upload(name: string, svg: string): Promise<string> {
    const body = new FormData();
    body.set('file', new Blob([svg], { type: 'image/svg+xml' }), `${name}.svg`);
    const made = api.post(`${store}/media`, { body, headers: once(`picture-${name}`), retry: again });
    return (await made.json<{ media: { id: string } }>()).media.id;
  }

  async function publish(path: string, save: object): Promise<void> {
    await api.put(`${store}/${path}`, { json: save });
    await api.post(`${store}/${path.replace(/\/draft$/, '')}/publish`, { json: {} }).catch(unlessPublished);
  }

  const german: object[] = [];
  const translate = (entityType: string, entityId: string, fields: Record<string, string>) => {
    for (const [field, value] of Object.entries(fields))
      german.push({ locale: 'de', entityType, entityId, field, value });
  };

  const [hero, dusk, mist, icon] = await Promise.all([
    upload('hills', landscape('#f6e3c9', '#e2934f', ['#a9bfa4', '#6d9079', '#3f6f5c'])),
    upload('dusk', landscape('#ead3d3', '#c9695a', ['#b79aa6', '#80637a', '#54405a'])),
    upload('mist', landscape('#dde9ec', '#f4ead2', ['#b6cbd0', '#7f9fab', '#4a6f80'])),
    upload('icon', productPicture('cup', green, '#9db9a4', '#f6efe4')),
  ]);
  await api.patch(store, {
    json: { name: 'Linden & Leaf', locales: ['en', 'de'], faviconMediaId: icon },
  });
  for (const [n, each] of teas.entries()) {
    const picture = await upload(each.slug, productPicture(...each.picture));
    const made = await post<{ product: { id: string } }>('products', `product-${each.slug}`, {
      name: each.name,
      slug: each.slug,
      status: 'active',
      tags: each.tags,
      mediaIds: [picture],
      description: `<p>${each.text}</p>`,
      variants: each.sizes.map(([name, priceCents]) => ({ name, priceCents, stock: n === 9 ? 0 : 40 })),
    });
    translate('product', made.product.id, { name: each.german, description: `<p>${each.germanText}</p>` });
  }
  const covers = [mist, hero, dusk];
  for (const [n, { german: title, germanExcerpt, ...article }] of articles.entries()) {
    const json = { ...article, status: 'published', coverMediaId: covers[n] };
    const made = await post<{ article: { id: string } }>('articles', `article-${article.slug}`, json);
    translate('article', made.article.id, { title, excerpt: germanExcerpt });
  }

  const page = async (name: string, germanName: string, description: string, isHomepage = false) => {
    const json = { name, ...(isHomepage && { isHomepage }), settings: { seo: { description } } };
    const made = await post<{ page: { id: string } }>('pages', `page-${name}`, json);
    translate('node', made.page.id, { name: germanName });
    return made.page.id;
  };
  const translateNodes = (pageId: string, texts: German) => {
    for (const [id, text] of Object.entries(texts)) translate('node', `${pageId}:${id}`, { text });
  };
  const homeId = await page('Home', 'Start', 'Tea from gardens that we know, and stoneware made to hold it.');
  const shopId = await page('Shop', 'Laden', 'All teas, cups and pots of Linden & Leaf.');
  const aboutId = await page('About', 'Über uns', 'Who we are, and how to reach us.');
  await publish(`pages/${shopId}/draft`, { document: shopPage });
  await publish(`pages/${aboutId}/draft`, { document: aboutPage(dusk) });
  await publish(`pages/${homeId}/draft`, { document: homePage(hero, shopId) });
  await publish('theme', { theme });
  translateNodes(homeId, homeGerman);
  translateNodes(shopId, { 'shop-title': 'Laden' });
  translateNodes(aboutId, aboutGerman);
  for (let i = 0; i < german.length; i += 50)
    await api.put(`${store}/translations`, { json: { entries: german.slice(i, i + 50) } });
}

/** A start that broke off has published it. */
function unlessPublished(error: unknown): void {
  if (!(error instanceof HTTPError) || error.response.statusCode !== 409) throw error;
}

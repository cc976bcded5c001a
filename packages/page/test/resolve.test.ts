import fc from 'fast-check';
import {
  findListQuery,
  type Json,
  limits,
  listKey,
  type MediaFacts,
  materialise,
  type PageFacts,
  type PerBreakpoint,
  type ProductFacts,
  references,
  render,
  resolve,
  type TreeBinding,
  type TreeNode,
} from '../src/index.ts';

interface Options {
  id?: string;
  specials?: Record<string, Json>;
  style?: PerBreakpoint;
  config?: PerBreakpoint;
  bindings?: TreeBinding[];
  island?: string;
}

const node = (type: string, { id = 'a', ...options }: Options = {}, ...children: TreeNode[]): TreeNode => ({
  path: id,
  entityId: id,
  type,
  style: {},
  config: {},
  specials: {},
  bindings: [],
  ...options,
  children,
});

const tea: ProductFacts = {
  id: 'prd_1',
  name: 'Tea <green>',
  url: '/p/tea',
  priceCents: 990,
  image: { url: '/tea.png', width: 8, height: 6 },
  variants: [
    { id: 'var_1', name: '50 g', priceCents: 990, stock: 0 },
    { id: 'var_2', name: '100 g', priceCents: 1790, stock: 3 },
  ],
};

const noFacts: PageFacts = { currency: 'EUR', products: new Map(), media: new Map(), pages: new Map() };
const withTea = (changes: Partial<ProductFacts> = {}): PageFacts => ({
  ...noFacts,
  products: new Map([['prd_1', { ...tea, ...changes }]]),
});
const html = (tree: TreeNode, facts: PageFacts = noFacts) => render(resolve(tree, facts)).html;
const text = (tree: TreeNode, facts?: PageFacts) => html(tree, facts).replace(/<[^>]*>/g, '');

describe('a product', () => {
  const parts = ['productImage', 'productTitle', 'price', 'variantPicker', 'addToCart'];
  const card = (productId: string | null, ...more: TreeNode[]) =>
    node('product', { specials: { productId } }, ...parts.map((type) => node(type, { id: type })), ...more);

  test('is shown by its name, picture, price and variants', () => {
    const shown = html(card('prd_1'), withTea());
    expect(shown).toContain('data-wb-product="prd_1"');
    expect(shown).toContain('<a href="/p/tea">Tea &lt;green&gt;</a>');
    expect(shown).toContain('src="/tea.png" width="8" height="6" alt="Tea &lt;green&gt;"');
    expect(shown).toContain('From €9.90');
    expect(shown).toContain('<option value="var_1" disabled="">50 g · €9.90 · Sold out</option>');
    expect(shown).toContain('data-wb-variant="var_2"');
    expect(shown).not.toMatch(/<button[^>]* disabled/);
    expect(html(card('prd_1'), { ...withTea(), language: 'de' })).toContain(
      '<option value="var_1" disabled="">50 g · 9,90&nbsp;€ · Ausverkauft</option>',
    );
  });

  test('that is sold out says so, and cannot be bought', () => {
    const variants = tea.variants.map((variant) => ({ ...variant, stock: 0 }));
    expect(html(node('addToCart', { specials: { productId: 'prd_1' } }), withTea({ variants }))).toMatch(
      /<button [^>]*disabled="">Sold out<\/button>/,
    );
  });

  test('with one variant leaves nothing to choose; without any it has no price', () => {
    const one = html(card('prd_1'), withTea({ variants: [tea.variants[1]!] }));
    expect(one).not.toContain('<select');
    const none = html(card('prd_1'), withTea({ variants: [], priceCents: null }));
    expect(none).not.toContain('wb-price');
    expect(none).toContain('Sold out');
  });

  test('that is unknown or gone shows nothing at all, whatever stands in it', () => {
    const badge = node('text', { id: 'badge', specials: { text: 'New!' } });
    expect(render(resolve(card('prd_gone', badge), withTea()))).toEqual({ html: '', css: '' });
    const page = node('section', {}, card('prd_gone', badge), node('text', { specials: { text: 'After' } }));
    expect(text(page, withTea())).toBe('After');
  });

  test('that is not chosen yet shows what its author wrote, and no button for nothing', () => {
    const own = node('productTitle', { id: 'own', specials: { text: 'Your product' } });
    const shown = html(card(null, own));
    expect(shown).toContain('Your product');
    expect(shown).not.toContain('<button');
    expect(html(node('addToCart'))).toBe('');
  });

  test('hands its product to what stands in it, the nearest first', () => {
    const inner = node(
      'product',
      { id: 'b', specials: { productId: 'prd_2' } },
      node('productTitle', { id: 'c' }),
    );
    const both: PageFacts = {
      ...noFacts,
      products: new Map([
        ['prd_1', tea],
        ['prd_2', { ...tea, id: 'prd_2', name: 'Cup' }],
      ]),
    };
    expect(
      text(node('product', { specials: { productId: 'prd_1' } }, inner, node('productTitle')), both),
    ).toBe('CupTea &lt;green&gt;');
  });
});

describe('a picture of the store', () => {
  const url = '/media/str_1/mda_1';
  const asset = { url, width: 800, height: 600, sources: [{ url: `${url}?w=320`, width: 320 }] };
  const facts = (more: Partial<MediaFacts> = {}): PageFacts => ({
    ...noFacts,
    media: new Map([['mda_1', { ...asset, ...more }]]),
    bases: ['https://shop.example', 'http://tea.localhost:8080'],
  });
  const image = (src: string, specials: Record<string, Json> = {}) =>
    node('image', { specials: { src, ...specials } });
  const shown = html(image('mda_1'), facts());

  test.each([
    url,
    `${url}?w=640`,
    `${url}?w=640&format=webp#x`,
    ` https://shop.example${url} `,
    `HTTPS://Shop.Example${url}?w=320`,
    `http://tea.localhost:8080${url}`,
  ])('is the same by its URL %s', (src) => {
    expect(html(image(src), facts())).toBe(shown);
    const gallery = (src: string) => html(node('gallery', { specials: { items: [{ src }] } }), facts());
    expect(gallery(src)).toBe(gallery('mda_1'));
    expect([...references(image(src)).mediaIds]).toEqual(['mda_1']);
  });

  test.each([
    '/media/str_2/mda_1',
    '/media/str_1/mda_2',
    `https://elsewhere.example${url}`,
    `//shop.example${url}`,
    `https://shop.example.elsewhere.example${url}`,
    `http://shop.example${url}`,
    `${url}/x`,
    `/x${url}`,
  ])('is not %s, which stays what it is', (src) => {
    const other = html(image(src), facts());
    expect(other).toContain(`src="${src}"`);
    expect(other).not.toContain('srcset');
  });

  test('keeps the width that is asked for where there is no other', () => {
    const background = { style: { base: { backgroundImage: { src: `${url}?w=640` } } } };
    const { css } = render(resolve(node('section', background), facts()));
    expect(css).toContain(`url("${url}?w=640")`);
    const video = node('video', { specials: { src: 'https://x.example/v.mp4', poster: `${url}?w=320` } });
    expect(html(video, facts())).toContain(`poster="${url}?w=320"`);
    expect([...references(node('section', background)).mediaIds]).toEqual(['mda_1']);
  });

  test('says its own alternative text where the page says none', () => {
    const alt = (tree: TreeNode, more = facts({ alt: 'A <cup>' })) =>
      /alt="([^"]*)"/.exec(html(tree, more))?.[1];
    expect(alt(image('mda_1'))).toBe('A &lt;cup&gt;');
    expect(alt(image('mda_1', { alt: 'Tea' }))).toBe('Tea');
    expect(alt(image('mda_1'), facts())).toBe('');
    const gallery = (item: object) => alt(node('gallery', { specials: { items: [item as Json] } }));
    expect(gallery({ src: 'mda_1' })).toBe('A &lt;cup&gt;');
    expect(gallery({ src: 'mda_1', text: 'Cups' })).toBe('Cups');
    const product = { ...withTea({ image: { ...asset, alt: 'Leaves' } }) };
    expect(alt(node('productImage', { specials: { productId: 'prd_1' } }), product)).toBe('Leaves');
  });

  const position = (tree: TreeNode, more = facts({ focalPoint: { x: 1 / 3, y: 1 } })) =>
    render(resolve(tree, more))
      .css.replace(/\.wb-[0-9a-z]+/g, '&')
      .match(/[^{}\n]*\{[^{}]*object-position[^{}]*\}/g);

  test('keeps its focal point in sight where it is cropped, and says nothing of it elsewhere', () => {
    const cropped = (options: Options) => position(node('image', { specials: { src: 'mda_1' }, ...options }));
    expect(cropped({})).toBeNull();
    expect(cropped({ style: { base: { objectFit: 'contain' } } })).toBeNull();
    const rule = '&:is(img,video),& :is(img,iframe){object-position:33.3333% 100%;}';
    expect(cropped({ style: { base: { objectFit: 'cover' } } })).toEqual([rule]);
    expect(cropped({ config: { base: { ratio: '1/1' } } })?.[0]).toContain('object-position:33.3333% 100%');
    expect(cropped({ style: { mobile: { objectFit: 'cover' } } })).toEqual([rule]);
    const own = { objectFit: 'cover', objectPosition: 'left' };
    expect(cropped({ style: { base: own } })).toEqual(['&{object-fit:cover;object-position:left;}']);
    expect(position(node('productImage', { specials: { src: 'mda_1' } }))).toEqual([rule]);
    const both = withTea({ image: { ...asset, focalPoint: { x: 0, y: 0.5 } } });
    expect(position(node('productImage', { specials: { productId: 'prd_1' } }), both)?.[0]).toContain(
      '0% 50%',
    );
  });

  test('does so in a gallery, each by itself', () => {
    const items: Json = [{ src: 'https://x.example/1.png' }, { text: 'no picture' }, { src: 'mda_1' }];
    expect(position(node('gallery', { specials: { items } }))).toEqual([
      '&>li:nth-child(2) img{object-position:33.3333% 100%;}',
    ]);
  });
});

describe('a list', () => {
  const listed = (specials: Record<string, Json>, ids: string[], page = 1, pages = 1): PageFacts => ({
    ...withTea(),
    products: new Map(
      ['prd_1', 'prd_2'].map((id) => [id, { ...tea, id, name: `Tea ${id}`, url: `/p/${id}` }]),
    ),
    lists: new Map([[listKey(findListQuery({ type: 'productList', specials })!), { ids, page, pages }]]),
  });
  const title = node('productTitle', { id: 's/title', style: { base: { color: 'red' } } });
  const list = (specials: Record<string, Json>, child: TreeNode = title) =>
    node('productList', { id: 's/list', specials }, child);

  test('has a copy of its child for each product that is there, in the order it is told, with one rule for all', () => {
    const query = { source: { kind: 'tag', tag: 'green' } };
    const facts = listed(query, ['prd_2', 'prd_gone', 'prd_1', 'prd_2']);
    const { html: shown, css } = render(resolve(list(query), facts), { canvas: true });
    expect([...shown.matchAll(/data-wb-node="([^"]*)"/g)].map(([, path]) => path)).toEqual([
      's/list',
      's/list/prd_2/title',
      's/list/prd_1/title',
    ]);
    expect([...shown.matchAll(/<a href="([^"]*)">([^<]*)/g)].map(([, ...found]) => found)).toEqual([
      ['/p/prd_2', 'Tea prd_2'],
      ['/p/prd_1', 'Tea prd_1'],
    ]);
    expect(css.split('{')).toHaveLength(2);
  });

  test('shows an app what is bound to the product of each copy', () => {
    const bindings = [{ appId: 'app_1', key: 'rating', field: 'specials.text' }];
    const facts: PageFacts = {
      ...listed({}, ['prd_1', 'prd_2']),
      appValue: (_appId, _key, owner, ownerId) => (owner === 'product' ? `of ${ownerId}` : undefined),
    };
    expect(html(list({}, node('text', { id: 's/t', bindings })), facts)).toContain(
      '<li><p class="wb-text">of prd_1</p></li><li><p class="wb-text">of prd_2</p></li>',
    );
  });

  test('leads to its other pages, with what is searched for', () => {
    const place = { home: './', blog: './blog/', cart: './cart', search: './search', query: 'a&b' };
    const links = (page: number, pages: number, more: object = {}) => {
      const shown = html(list({ paged: true }), {
        ...listed({ paged: true }, ['prd_1'], page, pages),
        ...more,
      });
      return [...shown.matchAll(/href="(\?[^"]*)" rel="(\w+)"/g)].map(([, ...found]) => found);
    };
    expect(links(1, 1)).toEqual([]);
    expect(links(1, 2)).toEqual([['?page=2', 'next']]);
    expect(links(2, 3)).toEqual([
      ['?page=1', 'prev'],
      ['?page=3', 'next'],
    ]);
    expect(links(2, 2, { place })).toEqual([['?q=a%26b&amp;page=1', 'prev']]);
  });

  test('that is empty says so if it has words for it, and one in another shows nothing', () => {
    expect(html(list({}), listed({}, []))).toBe('');
    expect(html(list({ emptyText: 'None' }), listed({ emptyText: 'None' }, []))).toBe(
      '<p class="wb-text wb-empty">None</p>',
    );
    expect(html(list({}, list({})), listed({}, ['prd_1']))).toBe(
      '<ul class="wb-product-list"><li></li></ul>',
    );
  });

  test('stops growing a page at 20,000 nodes', () => {
    const wide = node(
      'stack',
      { id: 's/w' },
      ...Array.from({ length: 15_000 }, (_, i) => node('text', { id: `s/${i}`, specials: { text: 'x' } })),
    );
    expect(html(list({}, wide), listed({}, ['prd_1', 'prd_2'])).split('<p').length - 1).toBe(30_000);
    const lists = Array.from({ length: 4 }, (_, i) => ({ ...list({}, wide), path: `s/l${i}` }));
    const page = html(node('section', { id: 's/r' }, ...lists), listed({}, ['prd_1', 'prd_2']));
    expect(page.split('<p').length - 1).toBe(30_000);
  });
});

describe('a page that would never end', () => {
  const long = 'x'.repeat(20_000);

  test('of one section many times stops at 8 MiB, and says of every node where it is', () => {
    const section = {
      rootId: 'root',
      nodes: [
        { id: 'root', type: 'section', children: Array.from({ length: 50 }, (_, i) => `t${i}`) },
        ...Array.from({ length: 50 }, (_, i) => ({
          id: `t${i}`,
          type: 'text',
          props: { specials: { text: long }, style: { base: { color: 'red', marginTop: `${i}px` } } },
        })),
      ],
    };
    const references = Array.from({ length: 390 }, (_, i) => ({
      id: `s${i}`,
      type: 'sectionRef',
      props: { specials: { sectionId: 'sec_1' } },
    }));
    const root = { id: 'root', type: 'section', children: references.map(({ id }) => id) };
    const sections = new Map([['sec_1', section]]);
    const document = { rootId: 'root', nodes: [root, ...references] };
    const tree = materialise(document, { sections, block: () => undefined, publish: true })!;
    const { html, css, spans: places } = render(resolve(tree, noFacts), { spans: true });
    expect(html.length + css.length).toBeGreaterThan(limits.rendered - 1);
    expect(html.length + css.length).toBeLessThan(limits.rendered + 2 * long.length);
    expect(html.endsWith('</p></section></section>')).toBe(true);
    expect(places).toHaveLength(1 + 390 * 51);
    expect(places.at(-1)).toMatchObject({ path: 's389/t49', ordinal: -1, elements: 0 });
  });

  test('of one article many times does so too', () => {
    const body = `<p>${'x'.repeat(490_000)}</p>`;
    const article = { title: '', url: '', excerpt: '', publishedAt: '2026-11-20T10:00:00.000Z', body };
    const bodies = Array.from({ length: 4_900 }, (_, i) => node('articleBody', { id: `${i}` }));
    const articles = new Map([['art_1', { id: 'art_1', ...article }]]);
    const place = { home: './', blog: './', cart: './cart', search: './search', articleId: 'art_1' };
    const page = html(node('section', { id: 'r' }, ...bodies), { ...noFacts, articles, place });
    expect(page.length).toBeGreaterThan(limits.rendered - 1);
    expect(page.length).toBeLessThan(limits.rendered + 2 * body.length);
  });
});

describe('an article', () => {
  const article = {
    id: 'art_1',
    title: 'A <walk>',
    url: './blog/walk',
    excerpt: 'Up',
    publishedAt: '2026-05-03T23:59:59.000Z',
  };
  const facts: PageFacts = { ...noFacts, articles: new Map([['art_1', { ...article, body: '<p>On</p>' }]]) };
  const place = { home: '../', blog: './', cart: '../cart', search: '../search', articleId: 'art_1' };
  const parts = ['articleTitle', 'articleDate', 'articleExcerpt', 'articleBody'];
  const all = node('container', {}, ...parts.map((type) => node(type, { id: type })));

  test('shows on its own page without a link to it, its day in the language of the page', () => {
    expect(html(all, { ...facts, place, language: 'de-AT' })).toBe(
      '<div class="wb-container"><h3 class="wb-heading wb-article-title">A &lt;walk&gt;</h3>' +
        '<p class="wb-article-date"><time datetime="2026-05-03T23:59:59.000Z">3. Mai 2026</time></p>' +
        '<p class="wb-text wb-article-excerpt">Up</p>' +
        '<div class="wb-rich-text wb-article-body"><p>On</p></div></div>',
    );
    expect(html(all, { ...facts, place })).toContain('>May 3, 2026<');
  });

  test('shows nowhere else but in lists', () => {
    expect(html(all, facts)).toBe('<div class="wb-container"></div>');
    const lists = new Map([
      [listKey(findListQuery({ type: 'articleList', specials: {} })!), { ids: ['art_1'], page: 1, pages: 1 }],
    ]);
    const list = node('articleList', { id: 'list' }, node('articleTitle', { id: 't' }));
    expect(html(list, { ...facts, lists })).toContain('<a href="./blog/walk">A &lt;walk&gt;</a>');
  });
});

describe('a custom field', () => {
  const fields = {
    text: { type: 'text', value: 'A <b>' },
    lines: { type: 'longText', value: 'One\nTwo' },
    html: { type: 'richText', value: '<p>Linen</p>' },
    count: { type: 'decimal', value: 1234.5 },
    is_new: { type: 'boolean', value: true },
    day: { type: 'date', value: '2026-05-03' },
    at: { type: 'instant', value: '2026-05-03T10:00:00.000Z' },
    link: { type: 'url', value: 'https://example.com/a' },
    many: { type: 'multiSelect', value: ['Linen', 'Silk'] },
    picture: { type: 'media', value: 'mda_1' },
    gone: { type: 'media', value: 'mda_9' },
    other: { type: 'product', value: 'prd_1' },
    'app_1/own': { type: 'text', value: 'Own' },
  } as const;
  const facts: PageFacts = {
    ...withTea({ fields }),
    media: new Map([['mda_1', { url: '/media/1.png', alt: 'A cup' }]]),
    articles: new Map([
      ['art_1', { id: 'art_1', title: 'A', url: './a', excerpt: '', publishedAt: '', fields }],
    ]),
    place: { home: './', blog: './', cart: './', search: './', articleId: 'art_1', categoryFields: fields },
    language: 'de',
  };
  const field = (type: string, key: string | null) => node(type, { specials: { key } });
  const shown = (key: string) =>
    html(node('product', { specials: { productId: tea.id } }, field('productField', key)), facts);

  test.each([
    ['text', '<p class="wb-field wb-product-field">A &lt;b&gt;</p>'],
    ['lines', '<p class="wb-field wb-product-field">One\nTwo</p>'],
    ['html', '<div class="wb-rich-text wb-field wb-product-field"><p>Linen</p></div>'],
    ['count', '>1.234,5<'],
    ['is_new', '>Ja<'],
    ['day', '<time datetime="2026-05-03">3. Mai 2026</time>'],
    ['at', '<time datetime="2026-05-03T10:00:00.000Z">3. Mai 2026</time>'],
    ['link', '<a href="https://example.com/a"'],
    ['many', '>Linen, Silk<'],
    ['picture', '<img class="wb-field wb-product-field"'],
    ['app_1/own', '>Own<'],
  ])('%s is printed as its type says', (key, part) => {
    expect(shown(key)).toContain(part);
  });

  test('that is not there, or of which nothing is left, prints nothing', () => {
    const nothing = html(node('product', { specials: { productId: tea.id } }), facts);
    for (const key of ['nowhere', 'gone', 'constructor']) expect(shown(key)).toBe(nothing);
    expect(html(field('productField', 'text'), facts)).toBe('');
    expect(html(field('articleField', null), facts)).toBe('');
  });

  test('of the article and of the category that a page is of', () => {
    expect(html(field('articleField', 'text'), facts)).toContain('wb-article-field">A &lt;b&gt;<');
    expect(html(field('categoryField', 'text'), facts)).toContain('wb-category-field">A &lt;b&gt;<');
  });
});

describe("an app's value", () => {
  const bindings = [{ appId: 'app_1', key: 'rating', field: 'specials.text' }];
  const bound = (specials: Record<string, Json> = {}) =>
    node('text', { id: 'bound', specials: { text: 'Authored', ...specials }, bindings });
  const facts = (values: Record<string, string>): PageFacts => ({
    ...withTea(),
    appValue: (appId, key, owner, ownerId) => values[[appId, key, owner, ownerId ?? ''].join(' ')],
  });
  const site = { 'app_1 rating site ': 'Site' };
  const owned = { 'app_1 rating product prd_1': 'Product', 'app_1 rating product prd_gone': 'Gone' };

  test('fills its field; without one the authored text stays', () => {
    expect(text(bound(), facts(site))).toBe('Site');
    expect(text(bound(), facts({}))).toBe('Authored');
    expect(text(bound())).toBe('Authored');
    expect(text(bound(), facts({ 'app_1 rating site ': '' }))).toBe('');
  });

  test('of a product counts on a node of that product only, and before the one of the site', () => {
    const all = facts({ ...site, ...owned });
    expect(text(bound(), all)).toBe('Site');
    expect(text(bound({ productId: 'prd_1' }), all)).toBe('Product');
    expect(text(node('product', { specials: { productId: 'prd_1' } }, bound()), all)).toBe('Product');
    expect(text(bound({ productId: 'prd_1' }), facts(site))).toBe('Site');
    expect(text(bound({ productId: 'prd_2' }), facts(owned))).toBe('Authored');
  });

  test('that the field cannot take counts as missing; what no page may hold is taken out of it', () => {
    const link = node('button', {
      specials: { href: '/authored' },
      bindings: [{ appId: 'app_1', key: 'rating', field: 'specials.href' }],
    });
    expect(html(link, facts({ 'app_1 rating site ': 'javascript:alert(1)' }))).toContain('href="/authored"');
    expect(html(link, facts({ 'app_1 rating site ': 'https://x.test/' }))).toContain(
      'href="https://x.test/"',
    );
    expect(text(bound(), facts({ 'app_1 rating site ': 'a'.repeat(20_001) }))).toBe('Authored');
    expect(text(bound(), facts({ 'app_1 rating site ': 'a\u0000\r\nb\ud800<b>' }))).toBe(
      'a\nb\ufffd&lt;b&gt;',
    );
  });

  test('fills no field that the element does not let be bound', () => {
    const odd = ['specials.tag', 'style.color', 'specials.__proto__', 'text'].map((field) => ({
      ...bindings[0]!,
      field,
    }));
    expect(text(node('text', { specials: { text: 'Authored' }, bindings: odd }), facts(site))).toBe(
      'Authored',
    );
  });

  test('is among the props of an island, with the product around it', () => {
    const island = { ...bound({ productId: 'prd_1' }), island: 'app.app_1.stars' };
    expect(html(island, facts(owned))).toContain(
      'data-wb-island="app.app_1.stars" data-wb-props="{&quot;productId&quot;:&quot;prd_1&quot;,&quot;tag&quot;:&quot;p&quot;,&quot;text&quot;:&quot;Product&quot;}"',
    );
  });
});

describe('texts and links', () => {
  test('are in the language of the page, and as they were written where there is no translation', () => {
    const translate: PageFacts['translate'] = (id, field) =>
      id === 'a' && field === 'text' ? 'Tee' : undefined;
    expect(text(node('text', { specials: { text: 'Tea' } }), { ...noFacts, translate })).toBe('Tee');
    expect(text(node('text', { id: 'b', specials: { text: 'Tea' } }), { ...noFacts, translate })).toBe('Tea');
  });

  test.each<[string, Json, string | undefined]>([
    ['a live page', { type: 'page', pageId: 'pag_1' }, '/about'],
    ['a place on it', { type: 'page', pageId: 'pag_1', anchorId: 'team' }, '/about#team'],
    ['a page that is not live', { type: 'page', pageId: 'pag_2' }, undefined],
    ['a product', { type: 'product', productId: 'prd_1' }, '/p/tea'],
    ['a product that is gone', { type: 'product', productId: 'prd_2' }, undefined],
    ['an article', { type: 'article', articleId: 'art_1' }, './blog/walk'],
    ['the blog', { type: 'blog' }, './blog/'],
    ['an address', { type: 'url', url: 'https://x.test/ä?a=1&b' }, 'https://x.test/ä?a=1&amp;b'],
    [
      'an e-mail',
      { type: 'email', email: 'a@b.c', subject: 'Hi & bye' },
      'mailto:a@b.c?subject=Hi%20%26%20bye',
    ],
    ['a telephone', { type: 'tel', tel: '+49 (0) 30-1' }, 'tel:+490301'],
    ['an anchor', { type: 'anchor', anchorId: 'top' }, '#top'],
    ['nothing', null, undefined],
  ])('lead to %s', (_, href, url) => {
    const pages = new Map([['pag_1', '/about']]);
    const articles = new Map([
      ['art_1', { id: 'art_1', title: '', url: './blog/walk', excerpt: '', publishedAt: '' }],
    ]);
    const place = { home: './', blog: './blog/', cart: './cart', search: './search' };
    const around = { ...withTea(), pages, articles, place };
    const shown = html(node('link', { specials: { text: 'Go', href } }), around);
    expect(/ href="([^"]*)"/.exec(shown)?.[1]).toBe(url);
  });

  test('a picture that is not in the library is left out; a URL stands as it is', () => {
    expect(html(node('image', { specials: { src: 'mda_1' } }))).toBe('');
    expect(html(node('image', { specials: { src: '/a b.png' } }))).toContain('src="/a%20b.png"');
    const media = new Map([['mda_1', { url: '/m.png' }]]);
    expect(html(node('image', { specials: { src: 'mda_1' } }), { ...noFacts, media })).toContain(
      'src="/m.png"',
    );
    const style = { base: { backgroundImage: { src: 'mda_1' } } };
    const box = resolve(node('section', { style }), { ...noFacts, media });
    expect(render(box).css).toContain('background-image:url("/m.png");');
    expect(render(resolve(node('section', { style }), noFacts)).css).toBe('');
  });

  test.each<[string, Record<string, Json>]>([
    ['link', { href: '/x' }],
    ['button', { text: '', href: '/x' }],
    ['heading', { text: '' }],
  ])('a %s that says nothing is left out, unless an island is to fill it', (type, specials) => {
    expect(html(node(type, { specials }))).toBe('');
    expect(html(node(type, { specials, island: 'app.app_1.stars' }))).not.toBe('');
    const named = { ...specials, ariaLabel: 'Go' };
    if (type !== 'heading') expect(html(node(type, { specials: named }))).toContain('aria-label="Go"');
  });

  test('a value of a wrong type counts as not set', () => {
    const odd = { text: 1, level: 'x', tag: 'script', anchorId: '"><b>', ariaLabel: {} };
    expect(html(node('heading', { specials: odd }))).toBe('<h2 class="wb-heading">Heading</h2>');
  });
});

describe('a page', () => {
  const page = (...children: TreeNode[]) => html(node('section', { id: 'root' }, ...children));

  test('gives an anchor to the first that claims it, and is one main, whoever else claims to be', () => {
    const claim = (id: string) =>
      node('container', { id, specials: { tag: 'main', anchorId: 'top' } }, node('text', { id: `${id}/t` }));
    expect(page(claim('a'), claim('b'))).toBe(
      '<section class="wb-section"><main class="wb-container" id="top"></main><div class="wb-container"></div></section>',
    );
  });

  test('leaves controls out of links, where HTML has no place for them', () => {
    const controls = ['field', 'select', 'checkbox', 'variantPicker', 'addToCart'].map((type) =>
      node(type, { id: type, specials: { options: ['a'] } }),
    );
    expect(page(node('link', { specials: { text: 'Go', href: '/x' } }, ...controls))).toBe(
      '<section class="wb-section"><a class="wb-link" href="/x">Go</a></section>',
    );
  });

  test('styles each of very many elements by itself', () => {
    const all = Array.from({ length: 5_000 }, (_, i) =>
      node('divider', { id: `n${i}`, style: { base: { opacity: 0.5 } } }),
    );
    const names = [...page(...all).matchAll(/class="wb-divider (wb-[0-9a-z]+)"/g)].map(([, name]) => name);
    expect(new Set(names).size).toBe(5_000);
  });

  test('nests the marks of a text in one order, whatever order they are stored in', () => {
    const rich = (...marks: string[]) => {
      const content = [{ type: 'text', text: 'x', marks: marks.map((type) => ({ type })) }];
      const doc = { type: 'doc', content: [{ type: 'paragraph', content }] };
      return page(node('richText', { specials: { doc } }));
    };
    expect(rich('code', 'italic', 'bold')).toContain('<strong><em><code>x</code></em></strong>');
    expect(rich('italic', 'bold', 'code')).toBe(rich('code', 'italic', 'bold'));
  });
});

describe('styles and data by width', () => {
  const css = (options: Options, type = 'text') =>
    render(resolve(node(type, { specials: { text: 'x' }, ...options }), noFacts)).css.replace(
      /\.wb-[0-9a-z]+/g,
      '&',
    );
  const tablet = (rules: string) => `@media (max-width: 991px){\n${rules}\n}\n`;
  const mobile = (rules: string) => `@media (max-width: 639px){\n${rules}\n}\n`;

  test('a narrower width says only what differs, and null falls back to the base sheet', () => {
    expect(
      css({ style: { base: { color: 'red' }, tablet: { color: 'red' }, mobile: { color: 'blue' } } }),
    ).toBe(`&{color:red;}\n${mobile('&{color:blue;}')}`);
    expect(css({ style: { base: { color: 'red' }, tablet: { color: null } } })).toBe(
      `&{color:red;}\n${tablet('&{color:revert-layer;}')}`,
    );
  });

  test.each<[PerBreakpoint, string]>([
    [{ base: { hidden: true } }, '&{display:none;}\n'],
    [{ tablet: { hidden: true } }, tablet('&{display:none;}')],
    [{ mobile: { hidden: true } }, mobile('&{display:none;}')],
    [
      { base: { hidden: true }, mobile: { hidden: false } },
      `&{display:none;}\n${mobile('&{display:revert-layer;}')}`,
    ],
    [
      { base: { hidden: false }, tablet: { hidden: true }, mobile: { hidden: null } },
      tablet('&{display:none;}') + mobile('&{display:revert-layer;}'),
    ],
    [{ base: { hidden: false } }, ''],
    [{ base: { hidden: 'yes' } }, ''],
  ])('hidden %j', (config, expected) => expect(css({ config })).toBe(expected));

  test('hidden comes before any display of its own, which returns where it is shown', () => {
    const style = { base: { display: 'flex' } };
    expect(css({ style, config: { tablet: { hidden: true }, mobile: { hidden: false } } })).toBe(
      `&{display:flex;}\n${tablet('&{display:none;}')}${mobile('&{display:flex;flex-wrap:wrap;}')}`,
    );
  });

  test('numbers have no exponent, at most four decimals, and no minus at nothing', () => {
    const opacity = (value: number) => css({ style: { base: { opacity: value } } });
    expect(opacity(1e-7)).toBe('&{opacity:0;}\n');
    expect(opacity(-0)).toBe('&{opacity:0;}\n');
    expect(opacity(1 / 3)).toBe('&{opacity:0.3333;}\n');
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (value) =>
        /^&\{opacity:[01](?:\.\d{1,4})?;\}\n$/.test(opacity(value)),
      ),
    );
  });

  test('a background picture cannot end its url()', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'"\'\\(){};|*^ \n/ax:'), maxLength: 12 }), (src) => {
        const rule = css({ style: { base: { backgroundImage: { src } } } });
        return rule === '' || /^&\{background-image:url\("[^"'\\(){};\n]*"\);\}\n$/.test(rule);
      }),
    );
  });

  test('values are the same however often, and in whatever order, they are asked for', () => {
    const values = Array.from({ length: 1500 }, (_, i) => `${i % 700}${i % 3 ? 'px' : ';'}`);
    const width = (value: string) => css({ style: { base: { width: value } } });
    const first = values.map(width);
    expect(first.filter((rule) => rule === '')).toHaveLength(500);
    expect([...values].reverse().map(width).reverse()).toEqual(first);
  });
});

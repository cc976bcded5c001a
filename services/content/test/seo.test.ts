import { getIdTime, newId, ProductCreated, ProductUpdated, StoreChanged } from '@waybill/contracts';
import {
  countStatements,
  eventually,
  isOnCitus,
  runSql,
  startSystem,
  type TestSystem,
} from '@waybill/testing';
import request from 'supertest';
import { content } from '../src/index.ts';
import { createPage, heading, type Node, text } from './documents.ts';
import { createNeighbours, getSlug, makeProduct } from './neighbours.ts';
import { newStore } from './store.ts';

const neighbours = createNeighbours();
let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([content, ...neighbours.services], { PUBLIC_BASE_URL: 'https://shop.example' });
});
afterAll(() => system.stop());

const evil = 'Tea</script><script>alert(1)</script><!-- & "';

async function open(locales: string[] | null = null) {
  const store = await newStore(system);
  const { storeId, api, edit } = store;
  const slug = getSlug(storeId);
  const facts = { id: storeId, name: 'Tea & Co', slug, currency: 'EUR', locales, isDevelopment: false };
  neighbours.stores.set(storeId, facts);
  const get = (path: string) =>
    request(system.internalUrl).get(`/s/${slug}/${path}`).redirects(0).set('accept', 'text/html');
  return {
    ...store,
    facts,
    site: `https://shop.example/s/${slug}/`,
    get,
    page: async (path: string): Promise<string> => (await get(path)).text,
    shows: (path: string, what: string, not = false) =>
      eventually(async () => (await get(path)).text.includes(what) !== not, {
        withinMs: 20_000,
        what: `${path} to show ${not ? 'no ' : ''}${what}`,
      }),
    /**
     * Polls, because a visit shows the current state, but a removal is announced by an event that may still be on its
     * way.
     */
    leads: (path: string, location: string) =>
      eventually(
        async () => {
          const { status, headers } = await get(path);
          expect([status, headers.location]).toEqual([301, location]);
          return true;
        },
        { withinMs: 20_000 },
      ),
    async put(name: string, change: Parameters<typeof makeProduct>[2] = {}) {
      const product = makeProduct(name, 1250, change);
      neighbours.products.set(`${storeId}/${product.id}`, product);
      await neighbours.tell(ProductCreated, storeId, { product });
      return product;
    },
    async change(product: ReturnType<typeof makeProduct>, change: object) {
      const changed = { ...product, ...change, updatedAt: new Date().toISOString() };
      neighbours.products.set(`${storeId}/${product.id}`, changed);
      await neighbours.tell(ProductUpdated, storeId, { product: changed });
    },
    async live(name: string, settings: object, ...nodes: Node[]): Promise<string> {
      const { id } = (await api('POST', '/api/v1/pages', { name, settings })).body.page;
      expect((await edit('PUT', `/pages/${id}/draft`, { document: createPage(...nodes) })).status).toBe(200);
      expect((await api('POST', `/api/v1/pages/${id}/publish`)).status).toBe(200);
      return id;
    },
  };
}

/** Returns the structured data of a page, by type. */
function dataIn(html: string): Record<string, Record<string, unknown>> {
  const found = [...html.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)];
  return Object.fromEntries(found.map(([, json]) => JSON.parse(json!)).map((each) => [each['@type'], each]));
}
const meta = (html: string, property: string) =>
  new RegExp(`<meta (?:property|name)="${property}" content="([^"]*)">`).exec(html)?.[1];

describe('the head of a page', () => {
  test('describes a product’s price, its availability and its breadcrumbs', async () => {
    const { put, page, site } = await open();
    const { slug } = await put(evil, { slug: 'tea', description: '<p>Green &amp; fresh</p>' });
    const html = await page(`products/${slug}`);
    expect(html).not.toContain('<script>alert');
    const { Product, BreadcrumbList } = dataIn(html);
    expect(Product).toMatchObject({
      '@context': 'https://schema.org',
      name: evil,
      url: `${site}products/tea`,
      description: 'Green & fresh',
      offers: { '@type': 'Offer', price: '12.50', priceCurrency: 'EUR' },
    });
    expect(BreadcrumbList!.itemListElement).toEqual([
      { '@type': 'ListItem', position: 1, name: 'Home', item: site },
      { '@type': 'ListItem', position: 2, name: evil, item: `${site}products/tea` },
    ]);
    expect([meta(html, 'og:type'), meta(html, 'og:url')]).toEqual(['product', `${site}products/tea`]);
    expect(html).toContain('<link rel="icon" href="../favicon.svg">');
  });

  test.each([
    ['HUF', '12.50'],
    ['JPY', '1250'],
    ['KWD', '1.250'],
    ['EUR', '12.50'],
  ])('says a price in %s with the decimals that the currency has: %s', async (currency, price) => {
    const { put, page, facts } = await open();
    neighbours.stores.set(facts.id, { ...facts, currency });
    await put('Tea', { slug: 'tea' });
    expect(dataIn(await page('products/tea')).Product!.offers).toMatchObject({
      price,
      priceCurrency: currency,
    });
  });

  test('links the other languages with the visitor’s search and chosen variant', async () => {
    const { put, page, site } = await open(['en', 'de']);
    await put('Tea', { slug: 'tea' });
    const choice = `products/tea?variant=${newId('variant')}`;
    const chosen = await page(choice);
    expect(chosen).toContain(`<a href="../de/${choice}" hreflang="de"`);
    expect(chosen).toContain(`<link rel="canonical" href="${site}products/tea">`);
    expect(await page('de/search?q=tea%20%26')).toContain('<a href=".././search?q=tea%20%26" hreflang="en"');
    expect(await page('search?page=1')).toContain('<a href="./de/search" hreflang="de"');
  });

  test('has the text of the description and of its translation, without tags', async () => {
    const { put, page, api } = await open(['en', 'de']);
    const hostile = '<p title="a > b">Grüner <b>Tee</b></p><script>var a = "x > y"</script><img alt="<p>c">';
    const product = await put('Tea', { slug: 'tea', description: hostile });
    expect(meta(await page('products/tea'), 'description')).toBe('Grüner Tee');
    const entry = { locale: 'de', entityType: 'product', entityId: product.id, field: 'description' };
    const entries = [{ ...entry, value: hostile }];
    expect((await api('PUT', '/api/v1/translations', { entries })).status).toBe(200);
    const html = await page('de/products/tea');
    expect([meta(html, 'description'), dataIn(html).Product!.description]).toEqual([
      'Grüner Tee',
      'Grüner Tee',
    ]);
  });

  test('prefers the page’s settings to generated values', async () => {
    const { live, page, storeId, api } = await open();
    const image = 'mda_01jd5w2k0q8v6m3n4p5r6s7t8v';
    const seo = { title: 'Best tea', description: 'Of all', imageMediaId: image };
    const id = await live('Home', { seo, title: 'Other' }, heading('h', 'Hello'), text('t', 'Words of it.'));
    const html = await page('');
    expect(html).toContain('<title>Best tea</title>');
    expect([meta(html, 'description'), meta(html, 'og:title'), meta(html, 'og:description')]).toEqual([
      'Of all',
      'Best tea',
      'Of all',
    ]);
    expect(meta(html, 'og:image')).toBe(`https://shop.example/media/${storeId}/${image}`);
    await api('PATCH', `/api/v1/pages/${id}`, { settings: { seo: { noindex: true } } });
    const hidden = await page('');
    expect([meta(hidden, 'robots'), meta(hidden, 'og:title'), dataIn(hidden)]).toEqual([
      'noindex',
      undefined,
      {},
    ]);
    await api('PATCH', `/api/v1/pages/${id}`, { settings: {} });
    expect(meta(await page(''), 'description')).toBe('Words of it.');
  });

  test('has the picture that the store has chosen', async () => {
    const { facts, storeId, live, shows, get } = await open();
    await live('Home', {}, heading('h', 'Hello'));
    const icon = await get('favicon.svg');
    expect(icon.headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect(icon.body.toString()).toContain('>T</text>');
    const faviconMediaId = 'mda_01jd5w2k0q8v6m3n4p5r6s7t8v';
    const store = { ...facts, faviconMediaId, updatedAt: new Date().toISOString() };
    const checkout = { maxQuantity: 1, expireUnpaidAfterMinutes: 60, expireManualAfterDays: 14 };
    await neighbours.tell(StoreChanged, storeId, { store, checkout } as never);
    await shows('', `<link rel="icon" href="/media/${storeId}/${faviconMediaId}">`);
  });
});

describe('beside the pages', () => {
  test('the sitemap has exactly the live pages, in each language', async () => {
    const { live, put, change, api, get, shows, site } = await open(['en', 'de']);
    await live('Home', {}, heading('h', 'Hello'));
    await live('Secret', { seo: { noindex: true } }, heading('h', 'Hello'));
    await api('POST', '/api/v1/pages', { name: 'Draft' });
    const tea = await put('Tea', { slug: 'tea' });
    await put('Later', { status: 'draft' });
    const article = { title: 'News', status: 'published', content: '<p>Hi</p>' };
    expect((await api('POST', '/api/v1/articles', article)).status).toBe(201);
    await api('POST', '/api/v1/articles', { title: 'Unread' });
    await shows('sitemap.xml', '/products/tea</loc>');
    const map = await get('sitemap.xml');
    expect(map.headers['content-type']).toBe('application/xml; charset=utf-8');
    const paths = [
      '',
      'de/',
      'products/tea',
      'de/products/tea',
      'blog/',
      'de/blog/',
      'blog/news',
      'de/blog/news',
    ];
    expect([...map.text.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) => url)).toEqual(
      paths.map((path) => site + path),
    );
    expect((await get('sitemap.xml').set('if-none-match', map.headers.etag!)).status).toBe(304);
    expect((await get('sitemap.xml?part=2')).status).toBe(404);
    await live('Blog', {}, heading('h', 'Our own'));
    await shows('sitemap.xml', '/blog</loc>');
    expect((await get('sitemap.xml')).text).not.toContain('/blog/</loc>');
    await change(tea, { status: 'archived' });
    await shows('sitemap.xml', '/products/tea', true);
    const robots = (await get('robots.txt')).text;
    expect(robots).toContain(`Sitemap: ${site}sitemap.xml\n`);
    // A rule covers every address that begins with it: `/cart` alone would close `/cartridges`, too.
    for (const rule of ['/cart$', '/cart?', '/de/search$', '/de/orders/'])
      expect(robots).toContain(`${rule}\n`);
    expect(robots).not.toMatch(/(?:cart|checkout|search)\n|\*\//);
  });

  test('the sitemap follows the pages’ visibility and publishes, and the addresses of categories', async () => {
    const { live, api, edit, get, site } = await open();
    const id = await live('Home', {}, heading('h', 'Hello'));
    const category = { name: 'News', slug: 'news' };
    const { blogCategory } = (await api('POST', '/api/v1/blog-categories', category)).body;
    const article = { title: 'Tea', status: 'published', categoryIds: [blogCategory.id] };
    await api('POST', '/api/v1/articles', article);
    const map = async () =>
      new Map(
        [...(await get('sitemap.xml')).text.matchAll(/<loc>(.*?)<\/loc><lastmod>(.*?)<\/lastmod>/g)].map(
          ([, url, at]) => [url!.slice(site.length), at!],
        ),
      );
    const first = await map();
    expect([...first.keys()]).toEqual(['', 'blog/', 'blog/category/news', 'blog/tea']);
    const said = async (settings: object) => {
      await api('PATCH', `/api/v1/pages/${id}`, { settings });
      const isInMap = (await map()).has('');
      expect(meta((await get('')).text, 'robots')).toBe(isInMap ? undefined : 'noindex');
      return isInMap;
    };
    expect(await said({ seo: { noindex: true } })).toBe(false);
    expect(await said({})).toBe(true);
    expect(await said({ noindex: true })).toBe(false);
    expect(await said({ seo: { noindex: false }, noindex: true })).toBe(true);
    expect(await said({ seo: { noindex: 'true' } })).toBe(true);
    expect(await said({ seo: 'true', noindex: true })).toBe(false);
    expect(await said({})).toBe(true);
    const before = (await map()).get('')!;
    await edit('PUT', `/pages/${id}/draft`, { document: createPage(heading('h', 'Good day')) });
    await api('POST', `/api/v1/pages/${id}/publish`);
    expect((await map()).get('')! > before).toBe(true);
    await api('PUT', `/api/v1/blog-categories/${blogCategory.id}`, { name: 'News', slug: 'latest' });
    expect([...(await map()).keys()]).toContain('blog/category/latest');
  });

  test('the feed has the newest articles with any content, translated where possible', async () => {
    const { storeId, api, get, page, site } = await open(['en', 'de']);
    const empty = (await get('feed.xml')).text;
    expect(empty).toContain(`<updated>${new Date(getIdTime(storeId)).toISOString()}</updated>`);
    const article = {
      title: evil,
      slug: 'tea',
      status: 'published',
      excerpt: 'Short',
      content: '<p>A &amp; b</p>',
    };
    const { id } = (await api('POST', '/api/v1/articles', article)).body.article;
    const entry = { locale: 'de', entityType: 'article', entityId: id, field: 'title', value: 'Tee' };
    expect((await api('PUT', '/api/v1/translations', { entries: [entry] })).status).toBe(200);
    const feed = await get('feed.xml');
    expect(feed.headers['content-type']).toBe('application/atom+xml; charset=utf-8');
    expect(feed.text).not.toContain('<script');
    expect(feed.text).toContain(`<link href="${site}blog/tea"/>`);
    expect(feed.text).toContain('&lt;p&gt;A &amp;amp; b&lt;/p&gt;</content>');
    expect((await get('de/feed.xml')).text).toContain('<title>Tee</title>');
    expect((await get('fr/feed.xml')).status).toBe(404);
    const html = await page('blog/tea');
    expect(html).toContain('<link rel="alternate" type="application/atom+xml" href="../feed.xml">');
    expect(dataIn(html).Article).toMatchObject({ headline: evil, description: 'Short' });
  });

  test('the feed is cached until it changes, and has a limited length', async () => {
    const { storeId, api, get } = await open(['en', 'de']);
    const write = async (title: string, content: string) =>
      (await api('POST', '/api/v1/articles', { title, content, status: 'published' })).body.article.id;
    const id = await write('First', '<p>Short</p>');
    for (let i = 0; i < 5; i++) await write(`Long ${i}`, `<p>${'&amp; '.repeat(82_000)}</p>`);
    const feed = async (path = 'feed.xml') => (await get(path)).text;
    const first = await feed();
    const count = (tag: string) => first.split(tag).length - 1;
    expect([count('<entry>'), count('</content>')]).toEqual([6, 4]);
    let isSame = false;
    const again = () =>
      countStatements(async () => {
        isSame = (await feed()) === first;
      });
    // Tasks of the service also run statements now and then.
    await eventually(async () => (await again()) === (isOnCitus ? 2 : 1));
    expect(isSame).toBe(true);
    await api('PUT', `/api/v1/articles/${id}`, { title: 'Third', status: 'published' });
    expect(await feed()).toContain('<title>Third</title>');
    expect(await feed('de/feed.xml')).toContain('<title>Third</title>');
    const entry = { locale: 'de', entityType: 'article', entityId: id, field: 'title', value: 'Dritter' };
    await api('PUT', '/api/v1/translations', { entries: [entry] });
    expect(await feed('de/feed.xml')).toContain('<title>Dritter</title>');
    const store = { ...neighbours.stores.get(storeId)!, name: 'Tea & Co of old' };
    await neighbours.tell(StoreChanged, storeId, {
      store: { ...store, updatedAt: new Date().toISOString() },
    });
    await eventually(async () => (await feed()).includes('<title>Tea &amp; Co of old</title>'));
  });

  test('the sitemap of a large store has the store’s new address at once', async () => {
    const { storeId, facts, get, put, shows } = await open();
    await put('Tea', { slug: 'tea' });
    await shows('products/tea', 'Tea');
    await runSql(
      system,
      'content',
      `insert into known_product (store_id, id, updated_at, is_deleted, slug, status)
       select '${storeId}', 'prd_' || n, now(), false, 'product-' || n, 'active' from generate_series(1, 5001) n`,
    );
    const addresses = async (slug: string) => {
      const map = await request(system.internalUrl).get(`/s/${slug}/sitemap.xml`);
      return new Set(
        [...map.text.matchAll(/<loc>https:\/\/shop\.example\/s\/([^/]+)\//g)].map(([, at]) => at),
      );
    };
    await eventually(async () => (await get('sitemap.xml')).text.includes('product-5001'));
    const slug = `${facts.slug}-moved`;
    const store = { ...facts, slug, updatedAt: new Date().toISOString() };
    await neighbours.tell(StoreChanged, storeId, { store });
    await eventually(async () => (await addresses(slug)).size > 0);
    expect(await addresses(slug)).toEqual(new Set([slug]));
  });

  test('a product’s former address redirects to its new one', async () => {
    const { put, change, get, leads, shows, site } = await open();
    const tea = await put('Tea', { slug: 'tea' });
    await shows('products/tea', 'Tea');
    await change(tea, { slug: 'green-tea' });
    await shows('products/green-tea', 'Tea');
    await leads('products/tea?a=b', `${new URL(site).pathname}products/green-tea?a=b`);
    await change({ ...tea, slug: 'green-tea' }, { status: 'archived' });
    await eventually(async () => (await get('products/tea')).status === 404);
  });
});

test('a product’s former address redirects also after it was not sold for a while', async () => {
  const { put, change, get, leads, shows, site } = await open();
  const tea = await put('Tea', { slug: 'tea' });
  await shows('products/tea', 'Tea');
  await change(tea, { status: 'draft' });
  await eventually(async () => (await get('products/tea')).status === 404);
  await change(tea, { slug: 'green-tea', status: 'draft' });
  await change({ ...tea, slug: 'green-tea' }, { status: 'active' });
  await shows('products/green-tea', 'Tea');
  await leads('products/tea', `${new URL(site).pathname}products/green-tea`);
});

describe('the address of a store without a homepage', () => {
  test('shows the store’s products, in its languages, until a page is live', async () => {
    const { put, api, live, page, get, shows, site } = await open(['en', 'de']);
    const mapped = async () =>
      [...(await page('sitemap.xml')).matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) =>
        url!.slice(site.length),
      );
    const empty = await get('');
    expect([empty.status, meta(empty.text, 'robots')]).toEqual([200, 'noindex']);
    expect(empty.text).toContain('<h1 class="wb-heading">Tea &amp; Co</h1>');
    expect(await mapped()).toEqual([]);
    await put('Tea', { slug: 'tea' });
    await shows('', '<a href="./products/tea">');
    expect(meta(await page(''), 'robots')).toBe(undefined);
    expect(await page('de/')).toContain('<html lang="de">');
    expect((await get('fr/')).status).toBe(404);
    await shows('sitemap.xml', '/products/tea</loc>');
    expect(await mapped()).toEqual(['', 'de/', 'products/tea', 'de/products/tea']);
    const { id } = (await api('POST', '/api/v1/pages', { name: 'Draft' })).body.page;
    expect([(await get('')).status, await mapped()]).toEqual([404, ['products/tea', 'de/products/tea']]);
    await api('DELETE', `/api/v1/pages/${id}`);
    expect((await mapped()).slice(0, 2)).toEqual(['', 'de/']);
    await live('Home', {}, heading('h', 'Hello'));
    expect(await page('')).toContain('Hello');
    expect((await mapped()).slice(0, 2)).toEqual(['', 'de/']);
  });
});

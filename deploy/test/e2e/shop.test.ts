import { eventually, hasChromium, launchChromium } from '@waybill/testing';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expectStatus } from '../../testing/accounts.ts';
import { type Reply, send } from '../../testing/client.ts';
import { formOf, noisyPng, upload } from '../../testing/uploads.ts';
import { runAxe } from '../console/browser.ts';
import { naughtyStrings } from './naughty-strings.ts';
import { documentOf, heading, Site } from './site.ts';
import { type SharedSystem, topologies } from './topologies.ts';

const hasBrowser = hasChromium('shopping on live pages');

const variants = [
  { name: '50 g', sku: 'S-50', priceCents: 900, stock: 5 },
  { name: '100 g', sku: 'S-100', priceCents: 1650, stock: 5 },
  { name: 'Tin', sku: 'S-T', priceCents: 2900, stock: 0 },
];
const customer = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  phone: '',
  line1: '12 St James’s Square',
  line2: '',
  postalCode: 'SW1Y 4JH',
  city: 'London',
  region: '',
  country: 'GB',
};

/** Texts that try to break out of their context: an attribute, a script, a style sheet, a comment, a header. */
const escapes = [
  '"><img src=x onerror=alert(1)>',
  "'><svg/onload=alert(1)>",
  '</textarea></title></script><script>alert(1)</script>',
  '--><script>alert(1)</script><!--',
  ']]></style><script>alert(1)</script>',
  'javascript:alert(1)',
  '//evil.example/x',
  '\\\\evil.example\\x',
  '%0d%0aSet-Cookie:%20a=b',
  'x\u0000<script>alert(1)</script>',
  '\u2028</script><script>alert(1)</script>',
  '\ud83d<script>alert(1)</script>',
];

/** A shopper without scripts: forms, a cookie, and the texts of pages. A page in a sandbox posts without cookies. */
class Shopper {
  readonly #ask: (method: string, path: string, sent: object) => Promise<Reply>;
  readonly #isInSandbox: boolean;
  #cookie = '';

  constructor(ask: (method: string, path: string, sent: object) => Promise<Reply>, isInSandbox = false) {
    this.#ask = ask;
    this.#isInSandbox = isInSandbox;
  }

  async #send(method: string, path: string, fields?: Record<string, string>): Promise<Reply> {
    const headers = {
      accept: 'text/html',
      ...(this.#cookie && !(fields && this.#isInSandbox) && { cookie: this.#cookie }),
      ...(fields && { 'content-type': 'application/x-www-form-urlencoded' }),
    };
    const body = fields && new URLSearchParams(fields).toString();
    const reply = await this.#ask(method, path, { headers, ...(body !== undefined && { body }) });
    const [set] = reply.headers['set-cookie'] ?? [];
    if (set) this.#cookie = set.split(';', 1)[0]!;
    return reply;
  }

  read = (path: string) => this.#send('GET', path);
  /** Submits a form and follows redirects as a browser does. */
  async post(path: string, fields: Record<string, string>): Promise<Reply & { at: string }> {
    let reply = await this.#send('POST', path, fields);
    let at = path;
    while (reply.status === 303) {
      at = new URL(reply.headers.location!, `http://store${at}`).pathname;
      const { search } = new URL(reply.headers.location!, `http://store${at}`);
      reply = await this.#send('GET', at + search);
    }
    return { ...reply, at };
  }
}

/** Fills in the checkout that a browser shows. */
async function fillIn(page: Page, values: Record<string, string> = customer) {
  for (const [name, value] of Object.entries(values)) {
    const field = page.locator(`#wb-f-${name}`);
    if (name === 'country') await field.selectOption(value);
    else await field.fill(value);
  }
}

/** Runs in a page: adds up by how much its content moves. */
const addUpShifts = `
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) window.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });`;
/** Runs in a page: returns that sum once the current state is drawn. */
const readShift = `new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(window.shift)))))`;

/** Returns the hidden fields of the checkout's form, with `fields` added or overriding them. */
function checkoutForm(text: string, fields: Record<string, string>): Record<string, string> {
  const hidden = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
  return { ...Object.fromEntries(hidden.map(([, name, value]) => [name!, value!])), ...fields };
}

describe.each(topologies)('$name', ({ share, inOneTopology }) => {
  let system: SharedSystem;
  beforeAll(async () => {
    system = await share();
  });

  async function openShop(name: string, called = 'Sencha') {
    const site = await Site.open(system.baseUrl, name);
    await site.live('Home', documentOf([heading('Welcome')]));
    const input = { name: called, slug: 'sencha', status: 'active', variants };
    const { product } = expectStatus(await site.api('POST', '/api/v1/products', input), 201).body;
    const { port } = new URL(system.baseUrl);
    const host = `${site.slug}.localhost:${port}`;
    const atOrigin = (method: string, path: string, sent: { headers: Record<string, string> }) =>
      send(system.baseUrl, method, path, { ...sent, headers: { host, ...sent.headers } });
    const inPlace = (method: string, path: string, sent: object) =>
      send(system.baseUrl, method, `/s/${site.slug}${path}`, sent);
    return { site, product, host, port, atOrigin, inPlace };
  }

  test('prices are written in the address’s language, and products are found in it', async () => {
    const { site, product, inPlace, atOrigin } = await openShop('Languages');
    const name = { entityType: 'product', entityId: product.id, locale: 'de', field: 'name', value: 'Tee' };
    expectStatus(await site.edit('PUT', '/translations', { entries: [name] }), 200);
    const shopper = new Shopper(inPlace);
    expect(expectStatus(await shopper.read('/de/products/sencha'), 200).text).toContain('9,00&nbsp;€');
    expect((await shopper.read('/products/sencha')).text).toContain('€9.00');
    // The default language is at the address without a locale.
    for (const [ask, path] of [
      [inPlace, `/s/${site.slug}/products/sencha?a=1`],
      [atOrigin, '/products/sencha?a=1'],
    ] as const) {
      const { status, headers } = await ask('GET', '/en/products/sencha?a=1', { headers: {} });
      expect([status, headers.location]).toEqual([301, path]);
    }
    const cart = await shopper.post('/de/cart', { buy: `${product.id}.${product.variants[0].id}` });
    expect(cart.text).toContain('9,00&nbsp;€');
    expect((await shopper.read('/search?q=senc')).text).toContain('products/sencha');

    // Texts that nobody has written are also in the page's language.
    const words = {
      de: ['9,00&nbsp;€', 'In den Warenkorb', 'Ausverkauft'],
      fr: ['9,00&nbsp;€', 'Ajouter au panier', 'Épuisé'],
      'pt-BR': ['€&nbsp;9,00', 'Adicionar ao carrinho', 'Esgotado'],
    };
    const english =
      />[^<]*\b(?:Add to cart|Choose|Sold out|From|Cart|Checkout|Home|Search|Menu|Quantity|Remove|Update|Continue)\b[^<]*</;
    for (const [locale, expected] of Object.entries(words)) {
      const entries = [{ ...name, locale, value: 'Sencha' }];
      expectStatus(await site.edit('PUT', '/translations', { entries }), 200);
      const pages = [
        (await shopper.read(`/${locale}/products/sencha`)).text,
        (await shopper.read(`/${locale}/search?q=senc`)).text,
        (await shopper.read(`/${locale}/cart`)).text,
      ].map((page) => page.slice(page.indexOf('<body')).replaceAll('>Home<', '><'));
      for (const word of expected)
        expect([locale, word, pages[0]!.includes(word)]).toEqual([locale, word, true]);
      for (const page of pages) expect([locale, english.exec(page)?.[0]]).toEqual([locale, undefined]);
    }
  });

  inOneTopology('a product’s own title, description and picture are in the head of its page', async () => {
    const { site, product, inPlace } = await openShop('Head');
    const shopper = new Shopper(inPlace);
    const read = async (path: string) => expectStatus(await shopper.read(path), 200).text;
    const patch = async (json: object) =>
      expectStatus(await site.api('PATCH', `/api/v1/products/${product.id}`, json), 200);
    // A page without any text of its own describes nothing, instead of listing prices and buttons.
    const plain = await read('/products/sencha');
    expect(plain).not.toContain('name="description"');
    expect(plain).toMatch(/<title>Sencha – /);
    const form = formOf([noisyPng(60, 60)], 'leaves.png');
    const path = `/api/stores/${site.storeId}/media`;
    const uploaded = await upload(site.baseUrl, site.owner.accessToken, form, { path });
    const imageMediaId: string = uploaded.body.media.id;
    await patch({
      description: '<p>Steamed leaves.</p>',
      seo: { title: 'Sencha & more', description: 'From Uji', imageMediaId },
    });
    await eventually(async () => (await read('/products/sencha')).includes('From Uji'));
    const page = await read('/products/sencha');
    expect(page).toContain('<title>Sencha &amp; more</title>');
    expect(page).toContain('<meta name="description" content="From Uji">');
    expect(page).toContain('<meta property="og:title" content="Sencha &amp; more">');
    expect(page).toMatch(new RegExp(`property="og:image" content="[^"]*${imageMediaId}`));
    expect(page).toMatch(/"@type":"Product","name":"Sencha"/);
    const entry = { entityType: 'product', entityId: product.id, locale: 'de' };
    // A translated name stands before a title in another language.
    const named = { entries: [{ ...entry, field: 'name', value: 'Dampftee' }] };
    expectStatus(await site.edit('PUT', '/translations', named), 200);
    const half = await read('/de/products/sencha');
    expect(half).toMatch(/<title>Dampftee – /);
    expect(half).toContain('<meta name="description" content="From Uji">');
    const entries = ['title', 'description'].map((field) => ({
      ...entry,
      field: `seo.${field}`,
      value: `De ${field}`,
    }));
    expectStatus(await site.edit('PUT', '/translations', { entries }), 200);
    const german = await read('/de/products/sencha');
    expect(german).toContain('<title>De title</title>');
    expect(german).toContain('<meta name="description" content="De description">');
    await patch({ seo: { title: '', description: '' } });
    await eventually(async () => (await read('/products/sencha')).includes('content="Steamed leaves."'));
  });

  inOneTopology('search engines are told the former price that the page strikes through', async () => {
    const { site, product, inPlace } = await openShop('Former prices');
    const shopper = new Shopper(inPlace);
    const [first] = product.variants;
    const price = (json: object) =>
      site.api('PATCH', `/api/v1/products/${product.id}/variants/${first.id}`, json);
    const page = async () => expectStatus(await shopper.read('/products/sencha'), 200).text;
    expectStatus(await price({ priceCents: 800, compareAtCents: 1100 }), 200);
    const shows = (former: string, other: string) =>
      eventually(
        async () => {
          const text = await page();
          const markup = `"priceType":"https://schema.org/StrikethroughPrice","price":"${former}"`;
          return (
            text.includes(markup) && text.includes(`€${former}</del>`) && !text.includes(`"price":"${other}"`)
          );
        },
        { withinMs: 15_000, what: `${former} to be struck through` },
      );
    await shows('11.00', '9.00');
    // In the EU it is the lowest price of the 30 days before.
    expectStatus(await site.edit('PUT', '/taxes', { homeCountry: 'DE' }), 200);
    await shows('9.00', '11.00');
  });

  inOneTopology('a category has a page with facets, at an address that its former ones lead to', async () => {
    const { site, inPlace } = await openShop('Categories', 'Loose');
    const shopper = new Shopper(inPlace);
    const make = async (path: string, json: object) =>
      expectStatus(await site.api('POST', `/api/v1/${path}`, json), 201).body;
    const options = [{ name: 'Size', values: ['S', 'M', 'L'] }];
    const shirt = async (name: string, sizes: Record<string, number>, vendor: string) => {
      const variants = Object.entries(sizes).map(([Size, stock]) => ({
        options: { Size },
        stock,
        priceCents: 1_000 + stock * 100,
        compareAtCents: Size === 'M' ? 9_900 : null,
      }));
      return (await make('products', { name, status: 'active', options, variants, vendor })).product;
    };
    const linen = await shirt('Linen shirt', { S: 3, M: 0 }, 'Ridge');
    const wool = await shirt('Wool shirt', { M: 5, L: 9 }, 'Vale');
    const { category: clothes } = await make('categories', {
      name: 'Clothes',
      description: '<p>To wear.</p>',
      seo: { title: 'All clothes', description: 'Shirts and more' },
    });
    const { category } = await make('categories', { name: 'Shirts', parentId: clothes.id });
    const productIds = [wool.id, linen.id];
    expectStatus(await site.api('PUT', `/api/v1/categories/${category.id}/products`, { productIds }), 200);

    const read = async (path: string) => expectStatus(await shopper.read(path), 200).text;
    await eventually(async () => (await read('/categories/shirts')).includes('Linen shirt'));
    const page = await read('/categories/shirts');
    expect(page.indexOf('Wool shirt')).toBeLessThan(page.indexOf('Linen shirt'));
    expect(page).toContain('<h1 class="wb-heading wb-category-title">Shirts</h1>');
    expect(page).toContain('<a href="../categories/clothes">Clothes</a>');
    expect(page).toMatch(/"@type":"BreadcrumbList".*"name":"Clothes".*"name":"Shirts"/);
    expect(page).toMatch(/name="filter\[option\.Size\]" value="M"/);
    expect(page).not.toContain('noindex');
    const parent = await read('/categories/clothes');
    expect(parent).toContain('<title>All clothes</title>');
    expect(parent).toContain('content="Shirts and more"');
    expect(parent).toMatch(/To wear\..*<a href="\.\.\/categories\/shirts">Shirts<\/a>/s);

    const filtered = await read(
      '/categories/shirts?filter[option.Size]=M&filter[available]=true&sort=price-desc',
    );
    expect(filtered).toContain('Wool shirt');
    expect(filtered).not.toContain('Linen shirt');
    expect(filtered).toContain('content="noindex');
    expect(filtered).toMatch(/value="M" checked=""/);
    expect(filtered).toMatch(/<a href="\?filter%5Bavailable%5D=true&amp;sort=price&amp;dir=desc">/);
    expect(await read('/search?q=shirt&filter[vendor]=Ridge')).not.toContain('Wool shirt');
    // The search takes categories, and a category takes words and a direction (`decisions.md 20.5`).
    const within = await read(`/search?category=shirts&category=${clothes.id}`);
    for (const name of ['Wool shirt', 'Linen shirt']) expect(within).toContain(name);
    expect(within).not.toContain('>Loose<');
    expect(within).toContain('<input type="hidden" name="category" value="shirts">');
    expect(await read('/search?q=loose&category=shirts')).not.toContain('>Loose<');
    expect(await read('/search?category=none')).not.toContain('>Loose<');
    const found = await read('/categories/shirts?q=wool');
    expect(found).toContain('Wool shirt');
    expect(found).not.toContain('Linen shirt');
    expect(found).toContain('<input type="hidden" name="q" value="wool">');
    const reversed = await read('/categories/shirts?dir=desc');
    expect(reversed.indexOf('Linen shirt')).toBeLessThan(reversed.indexOf('Wool shirt'));
    expectStatus(await shopper.read('/categories/none'), 404);

    // Each variant has an address, and each value of an option leads to one.
    const chosen = await read('/products/wool-shirt');
    const [medium, large] = wool.variants;
    expect(chosen).toContain(`<a class="wb-option" href="?variant=${large.id}"`);
    expect(chosen).toMatch(/aria-current="true"[^>]*>M</);
    expect(chosen).toContain(`value="${wool.id}.${medium.id}"`);
    expect(chosen).toMatch(/€15\.00 <del><span class="wb-hidden">Before: <\/span>€99\.00<\/del>/);
    const other = await read(`/products/wool-shirt?variant=${large.id}`);
    expect(other).toContain(`value="${wool.id}.${large.id}"`);
    expect(other).toMatch(/<link rel="canonical" href="[^"?]*wool-shirt">/);
    const soldOut = await read(`/products/linen-shirt?variant=${linen.variants[1].id}`);
    expect(soldOut).toMatch(
      /wb-option wb-option-off"[^>]*aria-current="true">M<span class="wb-hidden"> \(Sold out\)/,
    );
    expect(soldOut).toMatch(/wb-add-to-cart[^>]*disabled=""/);

    // Links, lists, the sitemap, and the former slug of a category.
    const list = {
      id: 'list',
      type: 'productList',
      props: { specials: { source: { kind: 'category', id: category.id }, sort: 'category' } },
      children: ['card'],
    };
    const link = {
      id: 'l',
      type: 'link',
      props: { specials: { text: 'All shirts', href: { type: 'category', categoryId: category.id } } },
    };
    const card = { id: 'card', type: 'product', children: ['title'] };
    const title = { id: 'title', type: 'productTitle' };
    const live = await site.live('Landing', documentOf([list, link], [card, title]));
    const landing = await read(`/${live.slug}`);
    expect(landing.indexOf('Wool shirt')).toBeLessThan(landing.indexOf('Linen shirt'));
    expect(landing).toContain('href="./categories/shirts"');
    expect(await read('/sitemap.xml')).toContain('/categories/shirts</loc>');
    const entries = ['name', 'seo.title'].map((field) => ({
      entityType: 'category',
      entityId: category.id,
      locale: 'de',
      field,
      value: field === 'name' ? 'Hemden' : 'Alle Hemden',
    }));
    const value = { entityType: 'product', entityId: wool.id, locale: 'de', field: 'options.0.name' };
    const option = { ...value, field: 'options.0.values.1', value: 'Mittel' };
    const all = [...entries, { ...value, value: 'Größe' }, option];
    expectStatus(await site.edit('PUT', '/translations', { entries: all }), 200);
    const german = await read('/de/categories/shirts');
    expect(german).toContain('>Hemden</h1>');
    expect(german).toContain('<title>Alle Hemden</title>');
    expect(german).toContain('Größe');
    // The cart and the checkout name variants as the page of the product does.
    await shopper.post('/de/cart', { buy: `${wool.id}.${medium.id}` });
    await shopper.post('/de/cart', { buy: `${wool.id}.${large.id}` });
    expect(await read('/de/cart')).toMatch(/<span>Mittel<\/span>.*<span>L<\/span>/s);
    expect(await read('/de/checkout')).toContain('Wool shirt · Mittel');
    expect(await read('/cart')).toContain('<span>M</span>');
    const patched = await site.api('PATCH', `/api/v1/categories/${category.id}`, { slug: 'tops' });
    expectStatus(patched, 200);
    await eventually(async () => (await shopper.read('/categories/shirts')).status === 301);
    const moved = await shopper.read('/categories/shirts');
    expect(moved.headers.location).toMatch(/\/categories\/tops$/);
    await site.shows(`/${live.slug}`, './categories/tops');
    // Another product is added, and no event of the category reports that.
    const { product: silk } = await make('products', {
      name: 'Silk shirt',
      status: 'active',
      variants: [{ priceCents: 100, stock: 1 }],
    });
    const added = await site.api('POST', `/api/v1/categories/${category.id}/products`, { add: [silk.id] });
    expectStatus(added, 200);
    await site.shows('/categories/tops', 'Silk shirt');
    await site.shows(`/${live.slug}`, 'Silk shirt');
  });

  test('a category page prints the public custom fields of its category, and never private ones', async () => {
    const { site, product, inPlace } = await openShop('Category fields');
    const shopper = new Shopper(inPlace);
    const values: Record<string, [type: string, value: unknown]> = {
      season: ['text', 'Spring <b>'],
      material: ['richText', '<p>Pure <em>linen</em></p>'],
      washing: ['list', ['cold', 'by hand']],
      since: ['date', '2024-05-17'],
      weight: ['decimal', 1250.5],
      vegan: ['boolean', true],
      more: ['url', 'https://care.example/linen'],
      best: ['product', product.id],
    };
    const define = (key: string, type: string, visibility: string) =>
      site.edit('POST', '/custom-fields', { entity: 'category', key, name: key, type, visibility });
    for (const [key, [type]] of Object.entries(values)) expectStatus(await define(key, type, 'public'), 201);
    const { customField: hidden } = expectStatus(await define('margin', 'text', 'private'), 201).body;
    const customFields = Object.fromEntries(Object.entries(values).map(([key, [, value]]) => [key, value]));
    const input = { name: 'Linen', customFields: { ...customFields, margin: 'Forty percent' } };
    const { category } = expectStatus(await site.api('POST', '/api/v1/categories', input), 201).body;
    expectStatus(await site.api('POST', '/api/v1/categories', { name: 'Bare' }), 201);
    const keys = [...Object.keys(values), 'margin', 'nowhere', 'constructor'];
    const document = documentOf(
      keys.map((key) => ({ id: key, type: 'categoryField', props: { specials: { key } } })),
    );
    expectStatus(await site.edit('PUT', '/templates/category/draft', { document }), 200);
    expectStatus(await site.edit('POST', '/templates/category/publish'), 200);
    const field = /<(p|div)[^>]*wb-category-field[^>]*>(.*?)<\/\1>/gs;
    const fieldsAt = async (path: string) =>
      [...expectStatus(await shopper.read(path), 200).text.matchAll(field)].map(([, , html]) => html!);
    await eventually(async () => (await fieldsAt('/categories/linen')).length === 8);
    const shown = await fieldsAt('/categories/linen');
    expect(shown.slice(0, 6)).toEqual([
      'Spring &lt;b&gt;',
      '<p>Pure <em>linen</em></p>',
      'cold, by hand',
      expect.stringContaining('2024'),
      '1,250.5',
      'Yes',
    ]);
    expect(shown[6]).toContain('href="https://care.example/linen"');
    expect(shown[7]).toMatch(/href="\.\.\/products\/sencha"[^>]*>Sencha</);
    const whole = (await shopper.read('/categories/linen')).text;
    expect(whole).not.toContain('Forty percent');
    expect(await fieldsAt('/categories/bare')).toEqual([]);

    const entries = Object.entries({
      season: 'Frühling',
      material: '<p>Reines <em>Leinen</em></p><script>alert(1)</script>',
      'washing.1': 'von Hand',
      since: 'no date is translated',
    }).map(([key, value]) => ({
      entityType: 'category',
      entityId: category.id,
      locale: 'de',
      field: `customFields.${key}`,
      value,
    }));
    expectStatus(await site.edit('PUT', '/translations', { entries }), 200);
    const german = await fieldsAt('/de/categories/linen');
    expect(german.slice(0, 4)).toEqual([
      'Frühling',
      '<p>Reines <em>Leinen</em></p>',
      'cold, von Hand',
      expect.stringContaining('2024'),
    ]);

    // A field that becomes public is shown; one that becomes private or is deleted is not.
    expectStatus(await site.edit('PATCH', `/custom-fields/${hidden.id}`, { visibility: 'public' }), 200);
    await eventually(async () => (await fieldsAt('/categories/linen')).includes('Forty percent'));
    expectStatus(await site.edit('DELETE', `/custom-fields/${hidden.id}`), 204);
    await eventually(async () => !(await fieldsAt('/categories/linen')).includes('Forty percent'));
    const change = { customFields: { season: 'Autumn' } };
    expectStatus(await site.api('PATCH', `/api/v1/categories/${category.id}`, change), 200);
    await eventually(async () => (await fieldsAt('/categories/linen'))[0] === 'Autumn');
  });

  inOneTopology(
    'a cart names products that are no longer sold, which must be removed before the order',
    async () => {
      const { site, product, inPlace } = await openShop('Gone');
      const shopper = new Shopper(inPlace);
      const [small, large] = product.variants;
      const others = variants.map(({ sku: _, ...variant }) => variant);
      const make = async (name: string) => {
        const input = { name, status: 'active', variants: others };
        return expectStatus(await site.api('POST', '/api/v1/products', input), 201).body.product;
      };
      const [archived, deleted] = [await make('Archived tea'), await make('Deleted tea')];
      for (const [of, variant] of [
        [product, small],
        [product, large],
        [archived, archived.variants[0]],
        [deleted, deleted.variants[0]],
      ])
        await shopper.post('/cart', { buy: `${of.id}.${variant.id}` });
      await site.api('PATCH', `/api/v1/products/${archived.id}`, { status: 'archived' });
      await site.api('DELETE', `/api/v1/products/${deleted.id}`);
      const left = product.variants.filter(({ id }: { id: string }) => id !== large.id);
      expectStatus(
        await site.api('PUT', `/api/v1/products/${product.id}`, { ...product, variants: left }),
        200,
      );

      const cart = expectStatus(await shopper.read('/cart'), 200).text;
      expect([...cart.matchAll(/data-wb-gone="(\w+)"/g)].map(([, reason]) => reason)).toEqual([
        'variantDeleted',
        'offSale',
        'deleted',
      ]);
      for (const name of ['Sencha · 100 g', 'Archived tea · 50 g', 'Deleted tea · 50 g'])
        expect(cart).toContain(name);
      expect(cart).not.toContain('value="checkout"');
      const blocked = await inPlace('GET', '/checkout', { headers: { accept: 'text/html' } });
      expect(blocked.status).toBe(200);
      const led = await shopper.read('/checkout');
      expect([led.status, led.headers.location]).toEqual([303, 'cart']);
      const sent = { [`quantity-${small.id}`]: '1', [`quantity-${deleted.variants[0].id}`]: '1' };
      const refused = await shopper.post('/checkout', { ...sent, ...customer, key: 'gone-order' });
      expect(refused.status).toBe(409);
      expect(refused.text).toContain('Deleted tea');
      for (const id of [large.id, archived.variants[0].id, deleted.variants[0].id])
        await shopper.post('/cart', { remove: id });
      expect((await shopper.read('/cart')).text).toContain('value="checkout"');
    },
  );

  inOneTopology('product feeds have an item a variant, with what Google and Meta require', async () => {
    const { site, product, inPlace } = await openShop('Feeds', 'Tea & "Cups", <b>');
    const { category } = (await site.api('POST', '/api/v1/categories', { name: 'Tea' })).body;
    const { category: green } = (
      await site.api('POST', '/api/v1/categories', { name: 'Green', parentId: category.id })
    ).body;
    await site.api('PUT', `/api/v1/categories/${green.id}/products`, { productIds: [product.id] });
    const options = [{ name: 'Colour', values: ['Red', 'Blue'] }];
    const { product: cup } = expectStatus(
      await site.api('POST', '/api/v1/products', {
        name: 'Cup',
        status: 'active',
        vendor: 'Ridge',
        description: '<p>Made by <b>hand</b></p>',
        options,
        variants: [
          {
            options: { Colour: 'Red' },
            priceCents: 900,
            compareAtCents: 1_200,
            stock: 1,
            barcode: '4006381333931',
            unit: { amount: 250, measure: 'ml', perAmount: 100 },
          },
          { options: { Colour: 'Blue' }, priceCents: 900 },
        ],
      }),
      201,
    ).body;
    await site.api('POST', '/api/v1/products', { name: 'A draft', variants: [{ priceCents: 1 }] });

    const google = expectStatus(await inPlace('GET', '/feeds/google.xml', { headers: {} }), 200);
    expect(google.headers).toMatchObject({
      'x-robots-tag': 'noindex',
      'cache-control': 'public, max-age=3600',
    });
    const items = google.text.match(/<item>.*<\/item>/g)!;
    expect(items).toHaveLength(5);
    const red = items.find((item) => item.includes(cup.variants[0].id))!;
    for (const part of [
      '<g:title>Cup – Red</g:title>',
      '<g:description>Made by hand</g:description>',
      `/products/cup?variant=${cup.variants[0].id}</g:link>`,
      '<g:availability>in_stock</g:availability>',
      '<g:price>12.00 EUR</g:price><g:sale_price>9.00 EUR</g:sale_price>',
      '<g:brand>Ridge</g:brand><g:gtin>4006381333931</g:gtin>',
      `<g:item_group_id>${cup.id}</g:item_group_id><g:color>Red</g:color>`,
      '<g:unit_pricing_measure>250 ml</g:unit_pricing_measure>',
    ])
      expect(red).toContain(part);
    expect(google.text).toContain('<g:title>Tea &amp; "Cups", &lt;b&gt; – 50 g</g:title>');
    expect(google.text).toContain('<g:product_type>Tea &gt; Green</g:product_type>');
    expect(google.text.match(/<g:description>Made by hand</g)).toHaveLength(2);

    const meta = expectStatus(await inPlace('GET', '/feeds/meta.csv', { headers: {} }), 200);
    const [head, ...rows] = meta.text.trim().split('\r\n');
    expect(head).toMatch(/^id,title,description,availability,condition,price,link,image_link,brand,/);
    expect(rows).toHaveLength(5);
    expect(meta.text).toContain('"Tea & ""Cups"", <b> – 50 g"');
    expect(meta.text).toMatch(/,out of stock,new,9\.00 EUR,.*,Ridge,/);

    // In the EU a former price is the lowest of the previous 30 days: this product has never had another price.
    const { taxes } = (await site.owner.call('GET', `/api/stores/${site.storeId}/taxes`)).body;
    const atHome = { ...taxes, homeCountry: 'DE' };
    expectStatus(await site.owner.call('PUT', `/api/stores/${site.storeId}/taxes`, atHome), 200);
    await eventually(
      async () => !(await inPlace('GET', '/feeds/google.xml', { headers: {} })).text.includes('sale_price'),
      { withinMs: 20_000, what: 'a feed without a former price' },
    );
  });

  test('large product feeds are served to few at once, and small ones are not delayed', async () => {
    const { site, product } = await openShop('Large feeds');
    const values = Array.from({ length: 250 }, (_, i) => `V${i}`);
    const input = {
      name: 'Screw',
      status: 'active',
      description: `<p>${'All of it is made of steel. '.repeat(300)}</p>`,
      options: [
        { name: 'Size', values },
        { name: 'Head', values: values.slice(0, 8) },
      ],
      variants: values.flatMap((Size) =>
        values.slice(0, 8).map((Head) => ({ priceCents: 100, options: { Size, Head } })),
      ),
    };
    expectStatus(await site.api('POST', '/api/v1/products', input), 201);
    const url = `${system.baseUrl}/s/${site.slug}/feeds/meta.csv`;
    const readers = await Promise.all([fetch(url), fetch(url)]);
    expect(readers.map(({ status }) => status)).toEqual([200, 200]);
    const third = await fetch(url);
    expect([third.status, third.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
    const other = await openShop('Small feeds');
    expectStatus(await other.inPlace('GET', '/feeds/meta.csv', { headers: {} }), 200);
    await readers[0]!.body!.cancel();
    let whole = '';
    await eventually(
      async () => {
        const reply = await fetch(url);
        whole = await reply.text();
        return reply.status === 200;
      },
      { withinMs: 30_000, what: 'a place for the next reader' },
    );
    expect(whole.trim().split('\r\n').length).toBe(1 + product.variants.length + 2_000);
    await readers[1]!.body!.cancel();
  });

  test.each(['at its own origin', 'in place'])(
    'an address of any depth that is none shows the store’s own page, whose links lead home, %s',
    async (where) => {
      const { site, atOrigin, inPlace } = await openShop(`Nothing ${where}`);
      const title = { entityType: 'product', locale: 'de', field: 'name', value: 'Tee' };
      const { products } = (await site.api('GET', '/api/v1/products')).body;
      const entries = [{ ...title, entityId: products[0].id }];
      expectStatus(await site.edit('PUT', '/translations', { entries }), 200);
      const read = (path: string, accept: string) =>
        (where === 'in place' ? inPlace : atOrigin)('GET', path, { headers: { accept } });
      const below = where === 'in place' ? `/s/${site.slug}` : '';
      for (const [path, home] of [
        ['/nothing', '/'],
        ['/tea/x/y', '/'],
        ['/products/sencha/more', '/'],
        ['/blog/category/a/b/c/', '/'],
        ['/de/a/b/c', '/de/'],
        ['/api/v1/products', '/'],
        [`/${'x/'.repeat(40)}`, '/'],
        ['/50%-off', '/'],
        ['/a/%zz/b', '/'],
        ['/a/%ff%00/b', '/'],
      ] as const) {
        const page = expectStatus(await read(path, 'text/html'), 404);
        expect([path, page.headers['content-type']]).toEqual([path, 'text/html; charset=utf-8']);
        const links = [...page.text.matchAll(/<a[^>]* href="([^"]+)"/g)].map(
          ([, href]) => new URL(href!.replaceAll('&amp;', '&'), `http://store${below}${path}`).pathname,
        );
        expect(links).toContain(below + home);
        expect((await read(path, 'application/json')).body).toMatchObject({ code: 'not_found' });
      }
    },
  );

  test('a store’s former address redirects to its current one with path and query', async () => {
    const { site, atOrigin, inPlace } = await openShop('Moving house');
    const slug = `${site.slug}-moved`;
    expectStatus(await site.owner.call('PATCH', `/api/stores/${site.storeId}`, { slug }), 200);
    const { port } = new URL(system.baseUrl);
    const paths = [
      ['', ''],
      ['/?a=1', '/?a=1'],
      ['/products/sencha?x=%20y&z', '/products/sencha?x=%20y&z'],
      ['/nothing/of/this', '/nothing/of/this'],
      ['/sitemap.xml', '/sitemap.xml'],
      ['/cart', '/cart'],
    ] as const;
    for (const accept of ['*/*', 'text/html']) {
      const headers = { accept };
      for (const [path, to] of paths) {
        await eventually(async () => (await inPlace('GET', path, { headers })).status === 301, {
          withinMs: 20_000,
          what: `${path} leading on`,
        });
        const placed = await inPlace('GET', path, { headers });
        expect([path, placed.headers.location]).toEqual([path, `/s/${slug}${to}`]);
        const own = await atOrigin('GET', path || '/', { headers });
        const location = `http://${slug}.localhost:${port}${to || '/'}`;
        expect([path, own.status, own.headers.location]).toEqual([path, 301, location]);
      }
    }
    const there = { host: `${slug}.localhost:${port}`, accept: 'text/html' };
    expectStatus(await send(system.baseUrl, 'GET', '/products/sencha', { headers: there }), 200);
    const taken = await site.owner.call('POST', '/api/stores', { name: 'Other', slug: site.slug });
    expect(expectStatus(taken, 409).body.code).toBe('duplicate_slug');
  });

  test.each(['at its own origin', 'in place'])('somebody without scripts buys %s', async (where) => {
    const { site, product, atOrigin, inPlace } = await openShop(`Forms ${where}`);
    const shopper = new Shopper(where === 'in place' ? inPlace : (atOrigin as never));
    const [small, large] = product.variants;
    const page = expectStatus(await shopper.read('/products/sencha'), 200).text;
    expect(page).toContain(`name="buy" value="${product.id}.${small.id}"`);
    expect(page).toContain('formaction="../cart"');
    expect(page).toContain('<form id="wb-buy" method="post" hidden></form>');

    const buy = { buy: `${product.id}.${small.id}` };
    expectStatus(await shopper.post('/cart', buy), 200);
    const chosen = { ...buy, [`variant-${product.id}`]: large.id };
    const cart = expectStatus(await shopper.post('/cart', chosen), 200);
    expect(cart.text).toContain('€25.50');
    expect(cart.headers).toMatchObject({ 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' });
    const fields = { [`quantity-${small.id}`]: '2', [`quantity-${large.id}`]: '1', remove: large.id };
    expect((await shopper.post('/cart', fields)).text).toContain('€18.00');
    const tooMany = (await shopper.post('/cart', { [`quantity-${small.id}`]: '99' })).text;
    expect(tooMany).toContain('There are fewer left.');
    expect(tooMany).toMatch(
      new RegExp(`<input id="wb-q-${small.id}"[^>]* value="99"[^>]* aria-invalid="true"`),
    );
    expect((await shopper.post('/cart', { [`quantity-${small.id}`]: '2' })).text).not.toContain('fewer left');
    const soldOut = await shopper.post('/cart', { buy: `${product.id}.${product.variants[2].id}` });
    expect(soldOut.text).not.toContain('€29.00');

    const checkout = await shopper.post('/cart', { [`quantity-${small.id}`]: '2', next: 'checkout' });
    expect([checkout.status, checkout.at]).toEqual([200, '/checkout']);
    const typed = checkoutForm(checkout.text, { ...customer, email: 'ada@', name: '', city: 'Lon\u0007don' });
    const wrong = expectStatus(await shopper.post('/checkout', typed), 422).text;
    expect(wrong).toMatch(
      /<input id="wb-f-name"[^>]* aria-invalid="true" aria-describedby="wb-f-name-error"/,
    );
    expect(wrong).toMatch(/<input id="wb-f-email"[^>]* aria-invalid="true"[^>]* value="ada@"/);
    expect(wrong).toContain('value="12 St James’s Square"');
    expect(wrong).toMatch(/id="wb-f-city-error">This contains characters that cannot be used/);

    const form = checkoutForm(wrong, customer);
    const [thanks, again] = await Promise.all([
      shopper.post('/checkout', form),
      shopper.post('/checkout', form),
    ]);
    expect([thanks.status, again.status, again.at]).toEqual([200, 200, thanks.at]);
    expect(thanks.at).toMatch(/^\/orders\/[0-9a-z]{26}-[\w-]{22}$/);
    expect(thanks.text).toContain('Thank you</h1>');
    expect(thanks.text).toContain('12 St James’s Square');
    expect(thanks.headers).toMatchObject({
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
    });
    expect((await site.owner.call('GET', `/api/stores/${site.storeId}/orders`)).body.total).toBe(1);
    expect((await shopper.read('/cart')).text).toContain('Your cart is empty.');
    expectStatus(await shopper.read(`${thanks.at.slice(0, -1)}${thanks.at.endsWith('A') ? 'Q' : 'A'}`), 404);

    const [{ id }] = (await site.owner.call('GET', `/api/stores/${site.storeId}/orders`)).body.orders;
    const paymentUrl = 'https://pay.example/o/1';
    const order = `/api/stores/${site.storeId}/orders/${id}`;
    expectStatus(await site.owner.call('PUT', `${order}/payment-link`, { url: paymentUrl }), 200);
    expect((await shopper.read(thanks.at)).text).toContain(
      `href="${paymentUrl}" rel="noreferrer">Pay now</a>`,
    );
    expectStatus(await site.owner.call('PATCH', order, { payment: 'paid' }), 200);
    expect((await shopper.read(thanks.at)).text).not.toContain('Pay now');
  });

  inOneTopology('sold-out products are named and removed, and the rest can be ordered', async () => {
    const { site, product, atOrigin } = await openShop('Sold Out');
    const shopper = new Shopper(atOrigin as never);
    const [small, large] = product.variants;
    const lines = { [`quantity-${small.id}`]: '1', [`quantity-${large.id}`]: '4', next: 'checkout' };
    const checkout = await shopper.post('/cart', lines);
    const sell = (id: string, delta: number) =>
      site.api('POST', `/api/v1/products/${product.id}/variants/${id}/stock`, { delta });
    expectStatus(await sell(small.id, -5), 200);
    expectStatus(await sell(large.id, -2), 200);
    // The page of the cart says so; a form that was opened earlier is refused.
    expect((await shopper.read('/cart')).text).toContain('Sold out');
    // A checkout that says that a line was taken out of the cart has taken it out.
    const other = new Shopper(atOrigin as never);
    for (const { id } of [small, large]) await other.post('/cart', { [`quantity-${id}`]: '1' });
    expect((await other.read('/cart')).text).toContain(`quantity-${small.id}`);
    expect((await other.read('/checkout')).text).toContain('Sencha · 50 g is sold out');
    const cartText = (await other.read('/cart')).text;
    expect(cartText).toContain(`quantity-${large.id}`);
    expect(cartText).not.toContain(`quantity-${small.id}`);
    const refuse = async (text: string, fields: object = {}) =>
      expectStatus(await shopper.post('/checkout', checkoutForm(text, { ...customer, ...fields })), 409).text;
    const rest = await refuse(checkout.text);
    // If fewer are left, the page says so, and says it again to a shopper who ignores that.
    expect(rest).toMatch(new RegExp(`name="quantity-${large.id}"[^>]* aria-invalid="true"`));
    expect(rest).toContain('Sencha · 50 g is sold out');
    expect(rest).not.toContain(`quantity-${small.id}`);
    const refused = await refuse(rest, { [`quantity-${large.id}`]: '4' });
    expect(refused).toMatch(new RegExp(`name="quantity-${large.id}"[^>]* aria-invalid="true"`));
    const fewer = checkoutForm(refused, { ...customer, [`quantity-${large.id}`]: '3' });
    expect((await shopper.post('/checkout', fewer)).text).toContain('3 × Sencha · 100 g');
  });

  /** Returns functions that change a product during a purchase as its merchant, and one that reads the orders. */
  function merchantOf({ site, product }: Awaited<ReturnType<typeof openShop>>) {
    const at = `/api/v1/products/${product.id}`;
    return {
      price: async (id: string, priceCents: number) =>
        expectStatus(await site.api('PATCH', at, { variants: [{ id, priceCents }] }), 200),
      stock: async (id: string, delta: number) =>
        expectStatus(await site.api('POST', `${at}/variants/${id}/stock`, { delta }), 200),
      archive: async () => expectStatus(await site.api('PATCH', at, { status: 'archived' }), 200),
      orders: async () =>
        (await site.owner.call('GET', `/api/stores/${site.storeId}/orders`)).body.orders as {
          totalCents: number;
        }[],
    };
  }

  test('a repeated form leads to its order, regardless of stock, prices and products', async () => {
    const shop = await openShop('Again');
    const merchant = merchantOf(shop);
    const [small, large] = shop.product.variants;
    await merchant.stock(small.id, -4);
    const shopper = new Shopper(shop.atOrigin as never);
    const lines = { [`quantity-${small.id}`]: '1', [`quantity-${large.id}`]: '1', next: 'checkout' };
    const form = checkoutForm((await shopper.post('/cart', lines)).text, customer);
    // The last one: a second shopper finds none left.
    const [thanks, twice] = await Promise.all([
      shopper.post('/checkout', form),
      shopper.post('/checkout', form),
    ]);
    expect(thanks.at).toMatch(/^\/orders\//);
    expect(twice.at).toBe(thanks.at);
    expect((await shopper.post('/checkout', form)).at).toBe(thanks.at);
    await merchant.price(large.id, 99_900);
    expect((await shopper.post('/checkout', form)).at).toBe(thanks.at);
    await merchant.archive();
    expect((await shopper.post('/checkout', form)).at).toBe(thanks.at);
    const other = expectStatus(await shopper.post('/checkout', { ...form, city: 'Paris' }), 409);
    expect(other.text).toContain('This form has placed an order before.');
    expect(await merchant.orders()).toHaveLength(1);
  });

  inOneTopology('a risen total is shown, and ordered only when the form is sent again', async () => {
    const shop = await openShop('Dearer');
    const merchant = merchantOf(shop);
    const [small, large] = shop.product.variants;
    const shopper = new Shopper(shop.atOrigin as never);
    const open = async () => {
      const lines = { [`quantity-${small.id}`]: '1', [`quantity-${large.id}`]: '1', next: 'checkout' };
      return (await shopper.post('/cart', lines)).text;
    };
    const changed = 'Prices have changed meanwhile.';
    const before = await open();
    expect(before).toContain('<strong>€25.50</strong>');
    await merchant.price(small.id, 99_900);
    const question = expectStatus(await shopper.post('/checkout', checkoutForm(before, customer)), 409).text;
    expect(question).toContain(changed);
    expect(question).toContain('<strong>€1,015.50</strong>');
    expect(question).toContain('value="London"');
    // The same applies to a form with a mistake, because no later page asks about the price.
    const wrong = { ...customer, city: '' };
    const mistaken = await shopper.post('/checkout', checkoutForm(before, wrong));
    expect([mistaken.status, mistaken.text.includes(changed)]).toEqual([409, true]);
    expect(await merchant.orders()).toEqual([]);
    const thanks = expectStatus(await shopper.post('/checkout', checkoutForm(question, customer)), 200);
    expect(thanks.at).toMatch(/^\/orders\//);

    // Less in total, although one of them costs more.
    const again = await open();
    await merchant.price(small.id, 90_000);
    await merchant.price(large.id, 1_700);
    expect((await shopper.post('/checkout', checkoutForm(again, customer))).at).toMatch(/^\/orders\//);
    // A higher total is no price change if the shopper has raised the quantity.
    const last = checkoutForm(await open(), { ...customer, [`quantity-${large.id}`]: '2' });
    expect((await shopper.post('/checkout', last)).at).toMatch(/^\/orders\//);
    const totals = (await merchant.orders()).map(({ totalCents }) => totalCents).sort((a, b) => a - b);
    expect(totals).toEqual([91_700, 93_400, 101_550]);
  });

  test('the page of an order links its parcel and its invoice, and accepts a return', async () => {
    const shop = await openShop('Sent');
    const { owner, storeId } = shop.site;
    const [, large] = shop.product.variants;
    const shopper = new Shopper(shop.atOrigin as never);
    const lines = { [`quantity-${large.id}`]: '2', next: 'checkout' };
    const form = checkoutForm((await shopper.post('/cart', lines)).text, customer);
    const { at, text } = await shopper.post('/checkout', form);
    expect(text).not.toContain('Track shipment');
    const { orders } = (await owner.call('GET', `/api/stores/${storeId}/orders`)).body;
    const order = `/api/stores/${storeId}/orders/${orders[0].id}`;
    const parcel = { carrier: 'dhl', trackingNumber: '0034' };
    expectStatus(await owner.call('POST', `${order}/fulfillments`, parcel), 201);
    const seller = { name: 'Tea Ltd.', line1: '1 Road', city: 'Bern', country: 'CH', vatId: 'CHE1' };
    const settings = `/api/stores/${storeId}/documents/settings`;
    const before = (await owner.call('GET', settings)).body.settings;
    const sold = { ...before, seller: { ...before.seller, ...seller } };
    expectStatus(await owner.call('PUT', settings, sold), 200);
    const { document } = expectStatus(
      await owner.call('POST', `${order}/documents`, { kind: 'invoice' }),
      201,
    ).body;

    expectStatus(await owner.call('POST', `${order}/payments`, {}), 201);
    expectStatus(await owner.call('POST', `${order}/refunds`, { amountCents: 500 }), 201);

    const page = (await shopper.read(at)).text;
    expect(page).toMatch(/<dt>Refunded<\/dt><dd>−[^<]*5\.00<\/dd>/);
    expect(page).toMatch(/<a href="https:\/\/www\.dhl\.de\/[^"]*0034"[^>]*>Track shipment<\/a>/);
    expect(page).toContain('<small>DHL 0034</small>');
    expect(page).toContain(`<a href="${document.url}">Invoice ${document.number}</a>`);
    const field = `return-${large.id}`;
    expect(page).toMatch(new RegExp(`name="${field}"[^>]* max="2"`));
    const ask = (fields: Record<string, string>) => shopper.post(at, { kind: 'return', ...fields });
    for (const wrong of ['-1', '1.5', 'abc'])
      expect(expectStatus(await ask({ [field]: wrong }), 422).text).toContain(
        'A quantity must be a whole number.',
      );
    expect(expectStatus(await ask({ [field]: '0' }), 422).text).toContain('Enter how many');
    expect(expectStatus(await ask({ [field]: '3' }), 409).text).toContain('more than you have bought');
    const question = expectStatus(await ask({ [field]: '2', reason: '<b>Too strong' }), 200).text;
    expect(question).toContain('Requested');
    // All of it is being returned, so no more can be requested.
    expect(question).not.toContain(`name="${field}"`);
    const { returns } = (await owner.call('GET', `${order}/returns`)).body;
    expect(returns).toMatchObject([
      { kind: 'return', state: 'requested', lines: [{ quantity: 2, reason: '<b>Too strong' }] },
    ]);
  });

  inOneTopology(
    'a shopper who has used up a discount sees the total without it, and orders at that',
    async () => {
      const shop = await openShop('Used up');
      const discount = { title: 'Welcome', kind: 'amount', amountCents: 300, limits: { perCustomer: 1 } };
      expectStatus(
        await shop.site.owner.call('POST', `/api/stores/${shop.site.storeId}/discounts`, discount),
        201,
      );
      const [, large] = shop.product.variants;
      const shopper = new Shopper(shop.atOrigin as never);
      const open = async () =>
        (await shopper.post('/cart', { [`quantity-${large.id}`]: '1', next: 'checkout' })).text;
      const first = await open();
      expect(first).toContain('<strong>€13.50</strong>');
      expect((await shopper.post('/checkout', checkoutForm(first, customer))).at).toMatch(/^\/orders\//);
      const question = expectStatus(
        await shopper.post('/checkout', checkoutForm(await open(), customer)),
        409,
      );
      expect(question.text).toContain('<strong>€16.50</strong>');
      expect((await shopper.post('/checkout', checkoutForm(question.text, customer))).at).toMatch(
        /^\/orders\//,
      );
    },
  );

  inOneTopology.each(['at its own origin', 'in place', 'in a sandbox'])(
    'a code that is typed in the cart counts there and at the checkout, %s',
    async (where) => {
      const { site, product, atOrigin, inPlace } = await openShop(`Codes ${where}`);
      const discount = { title: 'Spring', kind: 'amount', amountCents: 300, code: 'SPRING' };
      expectStatus(await site.owner.call('POST', `/api/stores/${site.storeId}/discounts`, discount), 201);
      const shopper = new Shopper(
        where === 'at its own origin' ? (atOrigin as never) : inPlace,
        where === 'in a sandbox',
      );
      const field = `quantity-${product.variants[1].id}`;
      await shopper.post('/cart', { buy: `${product.id}.${product.variants[1].id}` });
      expect((await shopper.read('/cart')).text).toContain('name="codes"');
      const wrong = (await shopper.post('/cart', { [field]: '1', codes: 'nothing' })).text;
      expect(wrong).toMatch(/aria-invalid="true"[\s\S]*nothing:/);
      expect(wrong).toContain('<strong>€16.50</strong>');
      const right = (await shopper.post('/cart', { [field]: '1', codes: 'spring' })).text;
      expect(right).toContain('<strong>€13.50</strong>');
      // A code that does not fit into the cookie is left out entirely.
      const long = (
        await shopper.post('/cart', { [field]: '1', codes: `spring ${'ü'.repeat(99)} ${'x'.repeat(90)}` })
      ).text;
      expect(long).toContain('<strong>€13.50</strong>');
      await shopper.post('/cart', { [field]: '1', codes: 'spring' });
      // A shopper who continues shopping keeps the code.
      await shopper.post('/cart', { [field]: '2' });
      const checkout = (await shopper.post('/cart', { [field]: '2', codes: 'spring', next: 'checkout' }))
        .text;
      expect(checkout).toContain('value="spring"');
      expect(checkout).toContain('<strong>€30.00</strong>');
      const ordered = await shopper.post(
        '/checkout',
        checkoutForm(checkout, { ...customer, codes: 'spring' }),
      );
      expect(ordered.at).toMatch(/^\/orders\//);
      expect((await shopper.read('/cart')).text).not.toContain('spring');
    },
  );

  inOneTopology.each(['at its own origin', 'in place', 'in a sandbox'])(
    'a form changes those lines of a cart that it names, by numbers alone, %s',
    async (where) => {
      const { product, atOrigin, inPlace } = await openShop(`Lines ${where}`);
      const shopper = new Shopper(
        where === 'at its own origin' ? (atOrigin as never) : inPlace,
        where === 'in a sandbox',
      );
      const [small, large] = product.variants;
      const [smallField, largeField] = [`quantity-${small.id}`, `quantity-${large.id}`];
      const quantities = async () =>
        [...(await shopper.read('/cart')).text.matchAll(/name="(quantity-[^"]+)" value="(\d+)"/g)].map(
          ([, name, value]) => [name, value],
        );
      await shopper.post('/cart', { buy: `${product.id}.${small.id}` });
      // Another tab has added the other one.
      await shopper.post('/cart', { buy: `${product.id}.${large.id}` });
      await shopper.post('/cart', { [smallField]: '2' });
      const both = [
        [smallField, '2'],
        [largeField, '1'],
      ];
      expect(await quantities()).toEqual(both);
      for (const none of ['', 'many', '1.5', '-1']) {
        await shopper.post('/cart', { [smallField]: none, [largeField]: '1' });
        expect([none, await quantities()]).toEqual([none, both]);
      }
      await shopper.post('/cart', { [smallField]: '', [largeField]: '' });
      expect(await quantities()).toEqual(both);
      expect((await shopper.post('/cart', { [largeField]: '1', next: 'checkout' })).at).toBe('/checkout');
      expect(await quantities()).toEqual(both);
      await shopper.post('/cart', { [smallField]: '0' });
      expect(await quantities()).toEqual([[largeField, '1']]);
      await shopper.post('/cart', { remove: large.id });
      expect(await quantities()).toEqual([]);
    },
  );

  inOneTopology(
    'an order empties its items from the cart, and an invalid quantity orders nothing',
    async () => {
      const shop = await openShop('Taken');
      const [small, large] = shop.product.variants;
      const shopper = new Shopper(shop.atOrigin as never);
      await shopper.post('/cart', { buy: `${shop.product.id}.${small.id}` });
      const checkout = await shopper.read('/checkout');
      await shopper.post('/cart', { buy: `${shop.product.id}.${large.id}` });
      const unclear = checkoutForm(checkout.text, { ...customer, [`quantity-${small.id}`]: '' });
      const refused = expectStatus(await shopper.post('/checkout', unclear), 422).text;
      expect(refused).toMatch(new RegExp(`name="quantity-${small.id}" value="1"[^>]* aria-invalid="true"`));
      expect((await shopper.post('/checkout', checkoutForm(checkout.text, customer))).at).toMatch(
        /^\/orders\//,
      );
      const cart = (await shopper.read('/cart')).text;
      expect([cart.includes(small.id), cart.includes(large.id)]).toEqual([false, true]);
    },
  );

  test("no other site's page fills a cart or orders, and a cart's cookie is the store's alone", async () => {
    const { product, atOrigin, inPlace, host, site } = await openShop('Elsewhere');
    const sent = (headers: Record<string, string>) => ({
      headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ buy: `${product.id}.${product.variants[0].id}` }).toString(),
    });
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'null' },
    ]) {
      const refused = expectStatus(await atOrigin('POST', '/cart', sent(headers as never)), 403);
      expect(refused.headers['set-cookie']).toBeUndefined();
      expectStatus(await atOrigin('POST', '/checkout', sent(headers as never)), 403);
    }
    const [cookie] = (await atOrigin('POST', '/cart', sent({ origin: `http://${host}` }))).headers[
      'set-cookie'
    ]!;
    expect(cookie).toMatch(/^wb-cart=[0-9a-z]{26}\.1; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
    const led = await inPlace('POST', '/cart', sent({ origin: 'null', 'sec-fetch-site': 'cross-site' }));
    expect(led.headers.location).toMatch(/^cart\?add=var_/);
    const there = await inPlace('GET', `/${led.headers.location}`, { headers: { accept: 'text/html' } });
    expect(there.headers['set-cookie']![0]).toContain(`; Path=/s/${site.slug}/;`);
    expectStatus(
      await inPlace('POST', '/cart', { body: '{}', headers: { 'content-type': 'application/json' } }),
      400,
    );
  });

  /** Sends each text as a visitor's input of every kind, and expects it in no tag, header or cookie. */
  async function expectShownAsText(texts: readonly string[]): Promise<void> {
    const { site, product, host, atOrigin, inPlace } = await openShop('Hostile');
    const field = (id: string, inputType: string) => {
      return { id, type: 'field', props: { specials: { label: id, name: id, inputType } } };
    };
    const form = { id: 'f', type: 'form', children: ['line', 'mail'] };
    const formPage = await site.live(
      'Ask',
      documentOf([form], [field('line', 'textarea'), field('mail', 'email')]),
    );
    const page = (await atOrigin('GET', `/${formPage.slug}`, { headers: {} })).text;
    const action = /action="(\/storefront\/[^"]+)"/.exec(page)![1]!;
    const id = product.variants[0].id;
    const wrong: unknown[] = [];
    for (const text of texts.map((each) => each.toWellFormed())) {
      const typed = encodeURIComponent(text);
      const posted = (fields: Record<string, string>, more: Record<string, string> = {}) => ({
        headers: {
          accept: 'text/html',
          origin: `http://${host}`,
          ...more,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams(fields).toString(),
      });
      const everywhere = Object.fromEntries(Object.keys(customer).map((name) => [name, text]));
      const cookie = `wb-cart=${typed}~${id.slice(4)}.1~${typed}.2`;
      const lines = { [`quantity-${id}`]: '1', [`quantity-${text}`]: text, next: text, remove: text };
      for (const [what, allowed, reply] of [
        ['search', [200], await atOrigin('GET', `/search?q=${typed}&page=${typed}`, { headers: {} })],
        ['cookie', [200], await atOrigin('GET', '/cart', { headers: { cookie } })],
        ['cart', [200, 303], await atOrigin('POST', '/cart', posted(lines, { cookie }))],
        ['add', [200, 303], await inPlace('GET', `/cart?add=${typed}`, { headers: {} })],
        ['checkout', [422], await atOrigin('POST', '/checkout', posted({ ...everywhere, ...lines }))],
        ['token', [404], await atOrigin('GET', `/orders/${typed}`, { headers: {} })],
        ['form', [422], await atOrigin('POST', action, posted({ line: text, mail: `${text} no` }))],
        ['locale', [404, 422], await inPlace('GET', `/${typed}/`, { headers: {} })],
      ] as const) {
        const { status, headers } = reply;
        const cookies = (headers['set-cookie'] ?? []).filter((each) => !/^wb-cart=[\w.~]*; /.test(each));
        const isRaw = /[<>]/.test(text) && reply.text.includes(text);
        const leads = headers.location ?? '';
        const isAway = leads !== '' && new URL(leads, `http://${host}/`).host !== host;
        if (isRaw || isAway || cookies.length > 0 || !(allowed as readonly number[]).includes(status))
          wrong.push([what, text.slice(0, 60), status, isRaw, leads, cookies]);
      }
    }
    expect(wrong).toEqual([]);
  }

  test('visitors’ input that tries to break out is shown as text, and is in no tag, header or cookie', () =>
    expectShownAsText(escapes));

  inOneTopology('so is visitors’ input with any characters that mean something', () =>
    expectShownAsText(naughtyStrings.filter((text) => /[<"'&;\r\n\0%{]|\.\./.test(text))),
  );

  const inChromium = hasBrowser ? inOneTopology : test.skip;
  let launched: Promise<Browser> | undefined;
  afterAll(async () => (await launched)?.close());
  /** Returns the suite's browser, of which `close` closes only what is opened by this: a start takes a second of CPU. */
  async function openBrowser(): Promise<Pick<Browser, 'newContext' | 'newPage' | 'close'>> {
    launched ??= launchChromium();
    const browser = await launched;
    const contexts: BrowserContext[] = [];
    const newContext = async (options?: BrowserContextOptions) => {
      const context = await browser.newContext(options);
      contexts.push(context);
      return context;
    };
    return {
      newContext,
      newPage: async (options) => (await newContext(options)).newPage(),
      close: async () => void (await Promise.all(contexts.map((context) => context.close()))),
    };
  }

  inChromium('somebody buys by keys alone, once, though something sells out meanwhile', async () => {
    // The name contains one of the longest German words.
    const called = 'Sencha Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz';
    const { site, product, host } = await openShop('Browser', called);
    const browser = await openBrowser();
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      const wrong: string[] = [];
      page.on('pageerror', (error) => wrong.push(String(error.stack)));
      page.on('request', (req) => {
        if (new URL(req.url()).host !== host) wrong.push(`asked ${req.url()}`);
      });
      page.on('console', (message) => {
        // The browser also reports refusals that the page shows.
        const isRefusal = /status of (409|422)/.test(message.text());
        const isIcon = message.location().url.endsWith('/favicon.ico');
        if (message.type() === 'error' && !isRefusal && !isIcon) wrong.push(message.text());
      });
      const accessible = async () => {
        for (const width of [360, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          expect([page.url(), width, await runAxe(page)]).toEqual([page.url(), width, []]);
          const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
          expect([page.url(), width, overflow]).toEqual([page.url(), width, 0]);
        }
      };
      const press = async (role: 'link' | 'button', what: string | RegExp) => {
        await page.getByRole(role, { name: what }).first().focus();
        await page.keyboard.press('Enter');
      };
      const isFocused = (selector: string) => page.locator(`${selector}:focus`).waitFor();

      await page.goto(`http://${host}/search?q=sencha`);
      await press('link', 'Sencha');
      const title = page.getByRole('heading', { level: 1, name: 'Sencha' });
      await title.waitFor();
      await accessible();
      const edgeOf = async (shown: Locator) => (await shown.boundingBox())!.x;
      // A product without pictures leaves no space for them.
      expect(await edgeOf(title)).toBe(await edgeOf(page.getByRole('navigation', { name: 'Breadcrumbs' })));
      await press('button', 'Add to cart');
      await page.getByRole('link', { name: 'Cart (1)' }).waitFor();
      await page.getByLabel('Choose').focus();
      await page.keyboard.press('ArrowDown');
      await press('button', 'Add to cart');
      await page.getByRole('link', { name: 'Cart (2)' }).waitFor();
      await page.getByRole('status').getByText('Added to the cart: Sencha').waitFor();
      await page.getByRole('status').getByRole('link', { name: 'Cart' }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('€25.50', { exact: true }).waitFor();
      await page.getByLabel(`Quantity: ${called} · 100 g`).focus();
      await page.keyboard.press('ArrowUp');
      await page.getByText('€42.00', { exact: true }).waitFor();
      await accessible();

      await press('button', 'Checkout');
      await page.getByRole('button', { name: 'Place order' }).waitFor();
      await page.getByText(`2 × ${called} · 100 g`).waitFor();
      await press('button', 'Place order');
      await isFocused('#wb-f-name');
      await accessible();
      for (const value of Object.values(customer).slice(0, -1)) {
        await page.keyboard.type(value);
        await page.keyboard.press('Tab');
      }
      // The button keeps the focus when the price for the country arrives.
      const letGo = Promise.withResolvers<void>();
      const isHeld = (url: URL) => url.pathname.endsWith('/checkout');
      await page.route(isHeld, (route) => letGo.promise.then(() => route.continue()));
      await page.keyboard.type('United Kingdom');
      await page.getByRole('button', { name: 'Place order' }).focus();
      await page.evaluate(`document.querySelector('.wb-summary').dataset.before = ''`);
      letGo.resolve();
      await page.locator('.wb-summary:not([data-before])').waitFor();
      await isFocused('button:text-is("Place order")');
      await page.unroute(isHeld);
      const [, large] = product.variants;
      const stock = `/api/v1/products/${product.id}/variants/${large.id}/stock`;
      expectStatus(await site.api('POST', stock, { delta: -5 }), 200);
      await press('button', 'Place order');
      await page.getByRole('alert').getByText(`${called} · 100 g is sold out`).waitFor();
      expect(await page.getByLabel('City').inputValue()).toBe('London');
      await accessible();
      await page.getByRole('button', { name: 'Place order' }).focus();
      await page.keyboard.press('Enter');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Thank you' }).waitFor();
      expect(page.url()).toMatch(/\/orders\/[0-9a-z]{26}-[\w-]{22}$/);
      await page.getByText(`1 × ${called} · 50 g`).waitFor();
      await accessible();
      expect((await site.owner.call('GET', `/api/stores/${site.storeId}/orders`)).body.total).toBe(1);
      await page.getByRole('link', { name: 'Cart', exact: true }).waitFor();

      // The count of a full cart appears in space that is reserved for it: nothing moves on a phone.
      await page.setViewportSize({ width: 360, height: 800 });
      await page.addInitScript(addUpShifts);
      for (const [quantity, count] of [
        [1, '1'],
        [42, '42'],
        [999, '99+'],
      ]) {
        await page.evaluate(`localStorage.setItem('wb-cart', '[["${large.id}",${quantity}]]')`);
        await page.goto(`http://${host}/products/sencha`);
        await page.getByRole('link', { name: `Cart (${count})`, exact: true }).waitFor();
        expect([count, await page.evaluate(readShift)]).toEqual([count, 0]);
        const hasRoom = `[...document.querySelectorAll('.wb-cart-count')].every((badge) => {
          const text = document.createRange();
          text.selectNodeContents(badge);
          return text.getBoundingClientRect().width <= badge.getBoundingClientRect().width;
        })`;
        const room = await page.evaluate(hasRoom);
        expect([count, room]).toEqual([count, true]);
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      }

      const plain = await browser.newPage({ javaScriptEnabled: false });
      await plain.goto(`http://${host}/products/sencha`);
      await plain.getByRole('button', { name: 'Add to cart' }).click();
      await plain.getByText('€9.00').first().waitFor();
      await plain.getByRole('button', { name: 'Checkout' }).click();
      await plain.getByText(`1 × ${called} · 50 g`).waitFor();
      expect(wrong).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  /** Creates a shop that sells to Germany, France, the United States and Switzerland, in six languages. */
  async function openWorldShop(called: string) {
    const shop = await openShop(called);
    const edit = async (method: string, path: string, body: object) =>
      expectStatus(await shop.site.edit(method, path, body), 200).body;
    await edit('PATCH', '', { locales: ['en', 'de', 'fr', 'es', 'it', 'nl'] });
    for (const preset of ['eu', 'ch']) await edit('POST', '/taxes/presets', { preset });
    await edit('PUT', '/taxes', { homeCountry: 'DE' });
    const parcel = { name: 'Parcel', kind: 'flat', priceCents: 490, freeFromCents: 5_000 };
    const express = { name: 'Express', kind: 'flat', priceCents: 1_290 };
    const zone = (name: string, countries: string[], ...rates: object[]) => ({ name, countries, rates });
    await edit('PUT', '/shipping', {
      zones: [
        zone('Home', ['DE'], parcel, express),
        zone('Near', ['FR', 'CH'], { ...parcel, priceCents: 990 }),
        zone('Far', ['*'], { ...parcel, priceCents: 1_990 }),
      ],
    });
    // In a cluster, the shop learns of its languages a moment later.
    const shopper = new Shopper(shop.atOrigin as never);
    await eventually(async () => (await shopper.read('/nl/products/sencha')).status === 200);
    return shop;
  }

  const walks = [
    { to: 'DE', at: '/de', city: 'Berlin', button: 'Zahlungspflichtig bestellen', thanks: 'Danke' },
    { to: 'FR', at: '/fr', city: 'Paris', button: 'Commander avec obligation de paiement', thanks: 'Merci' },
    { to: 'US', at: '', city: 'Boston', button: 'Place order', thanks: 'Thank you' },
    { to: 'CH', at: '/de', city: 'Bern', button: 'Zahlungspflichtig bestellen', thanks: 'Danke' },
  ] as const;
  /** The tax and the total of the checkout for a tin of tea at 9.00 and its parcel. */
  const sumsOfWalk = {
    DE: ['inkl. 19 % MwSt.', '13,90 €'],
    FR: ['dont 20 % TVA', '18,90 €'],
    US: ['', '€28.90'],
    CH: ['inkl. 8,1 % MWST', '18,90 €'],
  } as const;

  inChromium(
    'by keys alone an order is placed from Germany, France, the United States and Switzerland',
    async () => {
      const { host, site } = await openWorldShop('World');
      const browser = await openBrowser();
      try {
        for (const { to, at, city, button, thanks } of walks) {
          const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
          const page = await context.newPage();
          const reach = async (what: Locator) => {
            for (let tabs = 0; tabs < 80; tabs++) {
              if ((await what.and(page.locator(':focus')).count()) > 0) return;
              await page.keyboard.press('Tab');
            }
            throw new Error(`${to}: no key leads to ${what}`);
          };
          const [tax, total] = sumsOfWalk[to];
          await page.goto(`http://${host}${at}/products/sencha`);
          await reach(page.locator('button[form=wb-buy]').first());
          await page.keyboard.press('Enter');
          const cart = page.getByRole('status').getByRole('link');
          await cart.waitFor();
          await reach(cart);
          await page.keyboard.press('Enter');
          await page.waitForURL(/\/cart$/);
          await page.locator('[data-wb-line]').waitFor();
          await reach(page.locator('button[name=next]'));
          await page.keyboard.press('Enter');
          await page.waitForURL(/\/checkout$/);
          for (const [field, value] of Object.entries({ ...customer, city, postalCode: '12345' })) {
            if (field === 'country') continue;
            await reach(page.locator(`#wb-f-${field}`));
            await page.keyboard.type(value);
          }
          const country = page.locator('#wb-f-country');
          await reach(country);
          const name = await country.locator(`option[value=${to}]`).textContent();
          await page.keyboard.type(name!);
          expect([to, await country.inputValue()]).toEqual([to, to]);
          await reach(page.getByRole('button', { name: button }));
          await page.locator('.wb-total').getByText(total, { exact: true }).waitFor();
          const sums = (await page.locator('.wb-sums').textContent())!.replaceAll('\u00a0', ' ');
          if (tax) expect([to, sums]).toEqual([to, expect.stringContaining(tax)]);
          else expect(sums).not.toContain('%');
          if (to === 'FR') expect(await runAxe(page)).toEqual([]);
          await page.keyboard.press('Enter');
          await page.getByRole('heading', { level: 1, name: thanks }).waitFor();
          await page.locator('.wb-total').getByText(total, { exact: true }).waitFor();
          await context.close();
        }
        const { orders } = (await site.owner.call('GET', `/api/stores/${site.storeId}/orders`)).body;
        expect(
          orders.map(({ locale, customer: { shippingAddress } }: never) => [
            locale,
            (shippingAddress as { country: string }).country,
          ]),
        ).toEqual([
          ['de', 'CH'],
          ['en', 'US'],
          ['fr', 'FR'],
          ['de', 'DE'],
        ]);
      } finally {
        await browser.close();
      }
    },
  );

  inChromium(
    'without JavaScript an order is placed from France and Switzerland, each step with its sums',
    async () => {
      const { host } = await openWorldShop('World of forms');
      const browser = await openBrowser();
      try {
        for (const { to, at, city, button, thanks } of walks.filter(({ to }) => to === 'FR' || to === 'CH')) {
          const context = await browser.newContext({ javaScriptEnabled: false });
          const page = await context.newPage();
          const [tax, total] = sumsOfWalk[to];
          const press = async (what: Locator) => {
            await what.focus();
            await page.keyboard.press('Enter');
          };
          await page.goto(`http://${host}${at}/products/sencha`);
          await press(page.locator('button[form=wb-buy]').first());
          await page.waitForURL(/\/cart$/);
          await press(page.locator('button[name=next]'));
          await page.waitForURL(/\/checkout$/);
          await fillIn(page, { ...customer, city, country: to });
          await press(page.locator('button[name=show]'));
          await page.locator('.wb-total').getByText(total, { exact: true }).waitFor();
          expect((await page.locator('.wb-sums').textContent())!.replaceAll('\u00a0', ' ')).toContain(tax);
          expect(await page.locator('#wb-f-city').inputValue()).toBe(city);
          await press(page.getByRole('button', { name: button }));
          await page.getByRole('heading', { level: 1, name: thanks }).waitFor();
          await page.locator('.wb-total').getByText(total, { exact: true }).waitFor();
          await context.close();
        }
      } finally {
        await browser.close();
      }
    },
  );

  inOneTopology(
    'the order button states the obligation to pay in each language, as the law requires',
    async () => {
      const { atOrigin, product } = await openWorldShop('World of words');
      const shopper = new Shopper(atOrigin as never);
      await shopper.post('/cart', { buy: `${product.id}.${product.variants[0].id}` });
      const buttons = {
        de: 'Zahlungspflichtig bestellen',
        fr: 'Commander avec obligation de paiement',
        es: 'Pedido con obligación de pago',
        it: 'Ordine con obbligo di pagare',
        nl: 'Bestelling met betalingsverplichting',
      };
      for (const [language, text] of Object.entries({ '': 'Place order', ...buttons })) {
        const page = (await shopper.read(`${language && `/${language}`}/checkout`)).text;
        expect([language, page.match(/wb-button-primary" type="submit">([^<]+)</)?.[1]]).toEqual([
          language,
          text,
        ]);
      }
    },
  );

  inOneTopology('the quantity beside the button goes into the cart, also without scripts', async () => {
    const { product, inPlace } = await openShop('Quantity');
    const shopper = new Shopper(inPlace);
    const page = (await shopper.read('/products/sencha')).text;
    const field = new RegExp(
      `<input id="[^"]+" type="number" name="quantity-${product.id}" form="wb-buy" value="1"`,
    );
    expect(page).toMatch(field);
    const [small] = product.variants;
    const buy = `${product.id}.${small.id}`;
    const put = (quantity: string) => shopper.post('/cart', { buy, [`quantity-${product.id}`]: quantity });
    expect((await put('3')).text).toContain('€27.00');
    expect((await put('')).text).toContain('€36.00');
  });

  inOneTopology.each(['at its own origin', 'in a sandbox'])(
    'a quantity that is no whole number leaves the cart as it was, and the page says so, %s',
    async (where) => {
      const { site, product, inPlace, atOrigin } = await openShop(`Wrong quantities ${where}`);
      const german = {
        entityType: 'product',
        entityId: product.id,
        locale: 'de',
        field: 'name',
        value: 'Tee',
      };
      expectStatus(await site.edit('PUT', '/translations', { entries: [german] }), 200);
      const shopper = where === 'in a sandbox' ? new Shopper(inPlace, true) : new Shopper(atOrigin as never);
      const [small, large] = product.variants;
      const text = 'The quantity must be a whole number from 1 to 999.';
      const put = (quantity: string, path = '/cart') =>
        shopper.post(path, {
          buy: `${product.id}.${small.id}`,
          [`quantity-${product.id}`]: quantity,
        });
      expect((await put('2')).text).toContain('€18.00');
      for (const wrong of ['-1', '1.5', 'abc', '0', '1000', '1 2', '9'.repeat(100)]) {
        const cart = (await put(wrong)).text;
        expect([wrong, cart.includes(`role="alert" tabindex="-1">${text}`)]).toEqual([wrong, true]);
        expect(cart).toContain('€18.00');
      }
      expect((await put('x', '/de/cart')).text).toContain(
        'Die Menge muss eine ganze Zahl von 1 bis 999 sein.',
      );

      const other = { buy: `${product.id}.${large.id}` };
      expect((await shopper.post('/cart', other)).text).toContain('€34.50');
      for (const wrong of ['-1', '1.5', 'abc', '', '1000']) {
        const fields = { [`quantity-${small.id}`]: wrong, [`quantity-${large.id}`]: '2', next: 'checkout' };
        const cart = await shopper.post('/cart', fields);
        expect([wrong, cart.at]).toEqual([wrong, '/cart']);
        expect(cart.text).toMatch(
          new RegExp(`name="quantity-${small.id}" value="2"[^>]* aria-invalid="true"`),
        );
        expect(cart.text).toContain(`id="wb-q-${small.id}-error">${text}`);
        expect(cart.text).toContain('€34.50');
      }
      expect((await shopper.read('/cart')).text).not.toContain(' aria-invalid="true"');
      // A line can be removed whatever its field contains.
      const removed = await shopper.post('/cart', { [`quantity-${small.id}`]: 'x', remove: small.id });
      expect(removed.text).toContain('€16.50');
    },
  );

  inChromium(
    'somebody finds the way by menu and language, looks closely, and sees in the cart what it is',
    async () => {
      const { site, product, host } = await openShop('Looking');
      const pictures = await Promise.all(
        ['front', 'back'].map(async (name) => {
          const form = formOf([noisyPng(1200, 1200)], `${name}.png`);
          const { body } = await upload(site.baseUrl, site.owner.accessToken, form, {
            path: `/api/stores/${site.storeId}/media`,
          });
          return body.media.id as string;
        }),
      );
      const put = { mediaIds: pictures };
      expectStatus(await site.api('PATCH', `/api/v1/products/${product.id}`, put), 200);
      const entries = [
        { entityType: 'product', entityId: product.id, locale: 'de', field: 'name', value: 'Tee' },
      ];
      expectStatus(await site.edit('PUT', '/translations', { entries }), 200);
      await site.live('About', documentOf([heading('About')]));
      const browser = await openBrowser();
      try {
        for (const width of [390, 1280]) {
          const context = await browser.newContext({ viewport: { width, height: 844 } });
          const page = await context.newPage();
          const wrong: string[] = [];
          page.on('pageerror', (error) => wrong.push(String(error.stack)));
          const accessible = async () => {
            expect([page.url(), width, await runAxe(page)]).toEqual([page.url(), width, []]);
            expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
          };
          await page.goto(`http://${host}/products/sencha`);
          await page.getByRole('heading', { level: 1, name: 'Sencha' }).waitFor();
          await accessible();

          // Enlarged, and back to the same place.
          await page.getByRole('link', { name: 'Enlarge picture: Sencha' }).first().click();
          const closely = page.getByRole('dialog');
          await closely.getByText('1 / 2').waitFor();
          await accessible();
          await page.keyboard.press('ArrowRight');
          await closely.getByText('2 / 2').waitFor();
          const wide = async () => (await closely.locator('img').boundingBox())!.width;
          const before = await wide();
          await closely.getByRole('button', { name: 'Zoom' }).click();
          expect(await wide()).toBeGreaterThan(before * 1.2);
          await page.keyboard.press('Escape');
          await closely.waitFor({ state: 'detached' });
          await page.locator('.wb-zoom:focus').waitFor();

          await page.getByLabel('Quantity').fill('2');
          await page.getByRole('button', { name: 'Add to cart' }).click();
          await page.getByRole('link', { name: 'Cart (2)' }).waitFor();

          await page.getByRole('banner').locator('summary', { hasText: 'English' }).click();
          await page.getByRole('link', { name: 'Deutsch' }).click();
          await page.waitForURL(`http://${host}/de/products/sencha`);
          await page.getByRole('heading', { level: 1, name: 'Tee' }).waitFor();
          await page.getByRole('banner').locator('summary', { hasText: 'Deutsch' }).click();
          await page.getByRole('link', { name: 'English' }).click();
          await page.waitForURL(`http://${host}/products/sencha`);

          const about = page.getByRole('banner').getByRole('link', { name: 'About' });
          if (width === 390) {
            expect(await about.isVisible()).toBe(false);
            await page.getByRole('button', { name: 'Menu' }).click();
            await about.waitFor();
            await accessible();
            await page.getByRole('button', { name: 'Close' }).click();
            await about.waitFor({ state: 'hidden' });
            await page.getByRole('button', { name: 'Menu' }).click();
          }
          await about.click();
          await page.waitForURL(`http://${host}/about`);

          await page.goto(`http://${host}/cart`);
          const pictureWidth = "document.querySelector('[data-wb-line] img')?.naturalWidth ?? 0";
          await eventually(async () => ((await page.evaluate(pictureWidth)) as number) > 0, {
            what: 'the picture of a line',
          });
          await page.getByText('€18.00').first().waitFor();
          await accessible();

          await page.goto(`http://${host}/nowhere`);
          await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
          await page.getByRole('main').getByRole('link', { name: 'Sencha' }).first().waitFor();
          await accessible();
          await page.getByRole('link', { name: 'Go to the homepage' }).click();
          await page.waitForURL(`http://${host}/`);
          expect(wrong).toEqual([]);
          await context.close();
        }
      } finally {
        await browser.close();
      }
    },
  );

  inChromium('links to other languages follow the variant that is chosen in place', async () => {
    const { site, host } = await openShop('Options');
    const options = [{ name: 'Size', values: ['S', 'M'] }];
    const sizes = ['S', 'M'].map((Size) => ({ options: { Size }, priceCents: 900, stock: 1 }));
    const input = { name: 'Shirt', status: 'active', options, variants: sizes };
    const { product } = expectStatus(await site.api('POST', '/api/v1/products', input), 201).body;
    const name = { entityType: 'product', entityId: product.id, locale: 'de', field: 'name', value: 'Hemd' };
    expectStatus(await site.edit('PUT', '/translations', { entries: [name] }), 200);
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(`http://${host}/products/shirt`);
      await page.getByRole('link', { name: 'M', exact: true }).click();
      await page.waitForURL(`**/products/shirt?variant=${product.variants[1].id}`);
      await page.getByRole('navigation', { name: 'Language' }).locator('summary').click();
      await page.getByRole('link', { name: 'Deutsch' }).click();
      await page.waitForURL(`**/de/products/shirt?variant=${product.variants[1].id}`);
      await page.getByRole('heading', { level: 1, name: 'Hemd' }).waitFor();
    } finally {
      await browser.close();
    }
  });

  inChromium('a cart is not called empty before its lines are there, and then nothing moves', async () => {
    const { product, host } = await openShop('Slow');
    const [small] = product.variants;
    const browser = await openBrowser();
    try {
      const page = await browser.newPage({ viewport: { width: 360, height: 800 } });
      await page.addInitScript(addUpShifts);
      const empty = page.getByText('Your cart is empty.');
      const hold = async (pattern: string, method: string) => {
        const sent = Promise.withResolvers<void>();
        const held = Promise.withResolvers<void>();
        await page.route(pattern, async (route) => {
          if (route.request().method() !== method) return route.fallback();
          sent.resolve();
          await held.promise;
          await route.continue();
        });
        return { isSent: sent.promise, letGo: held.resolve };
      };
      await page.goto(`http://${host}/cart`);
      await empty.waitFor();
      await page.evaluate(`localStorage.setItem('wb-cart', '[["${small.id}", 2]]')`);
      const script = await hold('**/assets/shop.js', 'GET');
      const lines = await hold('**/cart', 'POST');
      await page.goto(`http://${host}/cart`, { waitUntil: 'commit' });
      await page.getByRole('heading', { level: 1, name: 'Cart' }).waitFor();
      expect(await empty.isVisible()).toBe(false);
      script.letGo();
      await lines.isSent;
      expect(await empty.isVisible()).toBe(false);
      lines.letGo();
      await page.getByText('€18.00', { exact: true }).first().waitFor();
      expect(await page.evaluate(readShift)).toBe(0);
      await page.unrouteAll();

      // When the server does not answer, the cart is unknown and not empty.
      await page.route('**/cart', (route) =>
        route.request().method() === 'POST'
          ? route.fulfill({ status: 503, contentType: 'application/json', body: '{}' })
          : route.fallback(),
      );
      await page.reload();
      await page.getByRole('alert').getByText('Please try again in a moment.').waitFor();
      expect(await empty.isVisible()).toBe(false);
      await page.unrouteAll();

      // A script that does not arrive hides nothing for long.
      await page.route('**/assets/shop.js', (route) => route.abort());
      await page.reload();
      await empty.waitFor();
      const plain = await browser.newPage({ javaScriptEnabled: false });
      await plain.goto(`http://${host}/cart`);
      expect(await plain.getByText('Your cart is empty.').isVisible()).toBe(true);
    } finally {
      await browser.close();
    }
  });

  inChromium('a cart in one tab keeps what another tab puts in', async () => {
    const { product, host } = await openShop('Tabs');
    const [small, large] = product.variants;
    const browser = await openBrowser();
    try {
      const context = await browser.newContext();
      const [tab, other] = [await context.newPage(), await context.newPage()];
      const readStoredCart = () => tab.evaluate("JSON.parse(localStorage.getItem('wb-cart'))");
      const put = async (choice: string) => {
        await other.goto(`http://${host}/products/sencha`);
        await other.getByLabel('Choose').selectOption({ label: choice });
        await other.getByRole('button', { name: 'Add to cart' }).click();
        await other.getByRole('status').getByText('Added to the cart: Sencha').waitFor();
      };
      const choices = await (async () => {
        await other.goto(`http://${host}/products/sencha`);
        return other.getByLabel('Choose').locator('option').allTextContents();
      })();
      const choiceOf = (name: string) => choices.find((each) => each.includes(name))!;
      const field = (name: string) => tab.getByLabel(`Quantity: Sencha · ${name}`);

      await put(choiceOf('50 g'));
      await tab.goto(`http://${host}/cart`);
      await tab.getByRole('link', { name: 'Cart (1)' }).waitFor();
      await put(choiceOf('100 g'));
      await field('50 g').fill('2');
      await field('50 g').press('Tab');
      await tab.getByText('€34.50', { exact: true }).waitFor();
      // The focus reached by then stays.
      await tab.getByRole('button', { name: 'Remove Sencha · 50 g' }).and(tab.locator(':focus')).waitFor();
      const both = [
        [small.id, 2],
        [large.id, 1],
      ];
      expect(await readStoredCart()).toEqual(both);

      // An empty text is no number: the field keeps its value.
      await field('50 g').fill('');
      await field('50 g').press('Tab');
      expect(await field('50 g').inputValue()).toBe('2');
      await field('50 g').fill('1.5');
      await field('50 g').press('Tab');
      expect(await field('50 g').inputValue()).toBe('2');
      expect(await readStoredCart()).toEqual(both);
      await field('50 g').fill('0');
      await field('50 g').press('Tab');
      await field('50 g').waitFor({ state: 'detached' });
      expect(await readStoredCart()).toEqual([[large.id, 1]]);

      await tab.getByRole('button', { name: 'Checkout' }).click();
      await tab.getByText('1 × Sencha · 100 g').waitFor();
      await put(choiceOf('50 g'));
      await fillIn(tab);
      await tab.getByRole('button', { name: 'Place order' }).click();
      await tab.getByRole('heading', { level: 1, name: 'Thank you' }).waitFor();
      expect(await readStoredCart()).toEqual([[small.id, 1]]);
    } finally {
      await browser.close();
    }
  });

  inChromium(
    'who goes from the checkout to the cart and back finds what they typed, until it is ordered',
    async () => {
      const { host, product } = await openShop('Back');
      const [small] = product.variants;
      const browser = await openBrowser();
      try {
        const page = await browser.newPage();
        await page.goto(`http://${host}/products/sencha`);
        await page.getByRole('button', { name: 'Add to cart' }).click();
        await page.getByRole('link', { name: 'Cart (1)' }).waitFor();
        await page.goto(`http://${host}/checkout`);
        await page.getByText('1 × Sencha').waitFor();
        await page.getByLabel('Name').fill('Ada');
        await page.getByLabel('City').fill('London');
        await page.getByRole('link', { name: 'Change cart' }).click();
        await page.getByLabel(/^Quantity: Sencha/).fill('2');
        await page.getByRole('button', { name: 'Checkout' }).click();
        await page.getByText('2 × Sencha').waitFor();
        expect([
          await page.getByLabel('Name').inputValue(),
          await page.getByLabel('City').inputValue(),
        ]).toEqual(['Ada', 'London']);
        await fillIn(page);
        const placeOrder = () => page.getByRole('button', { name: 'Place order' }).click();
        // For the page, visiting the order's page and returning to a cached one is the same.
        const left = page.waitForRequest('**/orders/*');
        await page.route('**/orders/*', (route) => route.fulfill({ status: 204 }), { times: 1 });
        await placeOrder();
        await left;
        await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
        await placeOrder();
        await page.getByRole('heading', { level: 1, name: 'Thank you' }).waitFor();
        // The typed text was ordered with, and is not kept.
        await page.evaluate(`localStorage.setItem('wb-cart', '[["${small.id}", 1]]')`);
        await page.goto(`http://${host}/checkout`);
        await page.getByText('1 × Sencha').waitFor();
        expect(await page.getByLabel('City').inputValue()).toBe('');

        // While a service is away, an order says so, and an opened page sends its lines only once.
        await fillIn(page);
        let sent = 0;
        await page.route('**/checkout', (route) => {
          if (route.request().method() !== 'POST') return route.fallback();
          sent++;
          return route.fulfill({ status: 503, contentType: 'application/json', body: '{}' });
        });
        await placeOrder();
        await page.getByRole('alert').getByText('could not be placed just now').waitFor();
        sent = 0;
        await page.reload({ waitUntil: 'networkidle' });
        expect(sent).toBe(1);
      } finally {
        await browser.close();
      }
    },
  );

  inChromium(
    'an order whose answer is lost is found, and one that has become dearer is asked about',
    async () => {
      const shop = await openShop('Lost');
      const merchant = merchantOf(shop);
      const [small, large] = shop.product.variants;
      await merchant.stock(small.id, -4);
      const browser = await openBrowser();
      try {
        const page = await browser.newPage();
        // Typing makes the page request its price again; a price is changed after that.
        await page.addInitScript(`{
          const { fetch } = globalThis;
          globalThis.pendingFetches = 0;
          globalThis.fetch = (...args) => {
            pendingFetches++;
            return fetch(...args).finally(() => pendingFetches--);
          };
        }`);
        const isPriced = () => page.evaluate<boolean>('pendingFetches === 0');
        const open = async (...lines: [string, number][]) => {
          await page.goto(`http://${shop.host}/cart`);
          await page.evaluate(`localStorage.setItem('wb-cart', '${JSON.stringify(lines)}')`);
          await page.goto(`http://${shop.host}/checkout`);
          await page.getByText(`${lines[0]![1]} × Sencha`).waitFor();
          await fillIn(page);
        };
        const placeOrder = () => page.getByRole('button', { name: 'Place order' }).click();
        // The browser gets no answer to the first form with an order, whether it reached the store or not.
        const loseFirst = async (reachesStore: boolean) => {
          let isLost = false;
          await page.unroute('**/checkout');
          await page.route('**/checkout', async (route) => {
            const body = route.request().postData() ?? '';
            // A form that only requests the price for an address orders nothing.
            const isOrder = body.includes('city=') && !/(?:^|&)show=/.test(body);
            if (isLost || !isOrder) return route.continue();
            isLost = true;
            const headers = { 'content-type': 'application/x-www-form-urlencoded' };
            if (reachesStore)
              expectStatus(await shop.atOrigin('POST', '/checkout', { headers, body } as never), 303);
            return route.abort('connectionreset');
          });
        };
        await loseFirst(true);
        await open([small.id, 1]);
        await placeOrder();
        await page.getByRole('heading', { level: 1, name: 'Thank you' }).waitFor();
        expect(await merchant.orders()).toHaveLength(1);
        expect(await page.evaluate("localStorage.getItem('wb-cart')")).toBe('[]');

        await open([large.id, 2]);
        await eventually(isPriced);
        await merchant.price(large.id, 2_000);
        await placeOrder();
        await page.getByRole('alert').getByText('Prices have changed meanwhile.').waitFor();
        await page.getByText('€40.00', { exact: true }).last().waitFor();
        expect(await merchant.orders()).toHaveLength(1);
        await placeOrder();
        await page.getByRole('heading', { level: 1, name: 'Thank you' }).waitFor();
        await page.getByText('€40.00', { exact: true }).last().waitFor();

        // The full page in the browser gives the reason as well, and keeps the typed text.
        await open([large.id, 2]);
        await eventually(isPriced);
        await merchant.price(large.id, 3_000);
        await loseFirst(false);
        await placeOrder();
        await page.getByRole('alert').getByText('Prices have changed meanwhile.').waitFor();
        expect(await page.getByLabel('City').inputValue()).toBe('London');
        await placeOrder();
        await page.getByRole('heading', { level: 1, name: 'Thank you' }).waitFor();
        const totals = (await merchant.orders()).map(({ totalCents }) => totalCents).sort((a, b) => a - b);
        expect(totals).toEqual([900, 4_000, 6_000]);
      } finally {
        await browser.close();
      }
    },
  );
});

import { AssetChanged, AssetsPurged, ProductUpdated, StoreChanged } from '@waybill/contracts';
import { ownOriginHeader } from '@waybill/kernel';
import { renderDocument } from '@waybill/page';
import { eventually, startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import { content } from '../src/index.ts';
import { blockRef, createPage, heading, link, product, text } from './documents.ts';
import { openLive } from './live-stores.ts';
import { createNeighbours, getSlug, makeProduct } from './neighbours.ts';
import { newStore } from './store.ts';

const neighbours = createNeighbours();
let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([content, ...neighbours.services], {
    PUBLIC_BASE_URL: 'https://shop.example',
  });
});
afterAll(() => system.stop());

const open = () => openLive(system);

describe('a live page', () => {
  test('is sent in an encoding that the browser accepts, each with its own ETag', async () => {
    const store = await open();
    await store.live('Home', createPage(heading('h', 'Hi')));
    const plain = await store.visit('/', { 'accept-encoding': 'identity' });
    expect(plain.headers['content-encoding']).toBeUndefined();
    const tags = new Set([plain.headers.etag]);
    for (const [taken, encoding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
    ] as const) {
      const acceptHeaders = { 'accept-encoding': taken };
      const { headers, text } = await store.visit('/', acceptHeaders);
      expect(headers).toMatchObject({
        'content-encoding': encoding,
        vary: expect.stringContaining('Accept-'),
      });
      expect(text).toBe(plain.text);
      expect(Number(headers['content-length'])).toBeLessThan(plain.text.length / 3);
      expect((await store.visit('/', { ...acceptHeaders, 'if-none-match': headers.etag! })).status).toBe(304);
      tags.add(headers.etag);
    }
    expect(tags.size).toBe(3);
  });

  test('is valid in a browser’s cache until it changes', async () => {
    const store = await open();
    const { id } = await store.live('Home', createPage(heading('h', 'Hi')));
    const first = await store.visit('/');
    const { etag } = first.headers as { etag: string };
    expect(first.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'public, max-age=0, must-revalidate',
      'content-length': String(Buffer.byteLength(first.text)),
      etag: expect.stringMatching(/^"[\w-]+"$/),
    });
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await store.visit('/', { 'if-none-match': tag });
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
    }
    expect((await store.visit('/', { 'if-none-match': '"x"' })).status).toBe(200);
    const head = await request(system.internalUrl).head(`/s/${store.slug}/`);
    expect([head.status, head.headers.etag, head.text]).toEqual([200, etag, undefined]);
    await store.patch(id, { name: 'Start' });
    const changed = await store.visit('/', { 'if-none-match': etag });
    expect([changed.status, changed.headers.etag === etag]).toEqual([200, false]);
  });

  test("lets only the platform's own scripts run, at the host that was asked", async () => {
    const store = await open();
    await store.live('Home', createPage(heading('h', 'Hi')));
    const { headers } = await store.visit('/');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`script-src ${new URL(system.internalUrl).host}/assets/;`);
    expect(policy).toContain("worker-src 'none';");
    expect(policy).toContain("connect-src 'self';");
    const scripts = async (headers: Record<string, string>) =>
      /script-src ([^;]*);/.exec(
        String((await store.visit('/', headers)).headers['content-security-policy']),
      )![1];
    // The gateway reports the host that the client requested.
    expect(await scripts({ 'x-waybill-host': 'shop.example:8443' })).toBe('shop.example:8443/assets/');
    for (const host of ['*', '*.example', 'a b', "a;script-src'unsafe-inline'", 'a,b', '[::1]:80', '']) {
      expect([host, await scripts({ 'x-waybill-host': host })]).toEqual([host, "'none'"]);
    }
    expect(policy).toMatch(/style-src 'sha256-[A-Za-z0-9+/]{43}='/);
    expect(policy).not.toContain('unsafe');
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'strict-origin-when-cross-origin',
    });
  });

  test('is sandboxed below /s and has its own origin elsewhere, with the same bytes', async () => {
    const store = await open();
    await store.live('Home', createPage(heading('h', 'Hi')));
    await store.live('About', createPage());
    const atHome = { [ownOriginHeader]: 'yes' };
    const [inPlace, own] = [await store.visit('/'), await store.visit('/', atHome)];
    expect([own.text, own.headers.etag]).toEqual([inPlace.text, inPlace.headers.etag]);
    const policy = own.headers['content-security-policy'];
    expect(policy).not.toContain('sandbox');
    const sandbox = 'allow-scripts allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox';
    expect(inPlace.headers['content-security-policy']).toBe(`${policy}; sandbox ${sandbox}`);
    const nothing = await store.visit('/nothing', { accept: 'text/html' });
    expect(nothing.headers['content-security-policy']).toContain('sandbox');
    expect((await store.visit('/about/?a=1', atHome)).headers.location).toBe('/about?a=1');
    expect((await store.visit('', atHome)).headers.location).toBe('/');
  });

  test('shows a change of name, slug and settings at once', async () => {
    const store = await open();
    await store.live('Home', createPage());
    const { id } = await store.live('About', createPage(), {
      settings: { title: 'All about us', mine: [1] },
    });
    expect((await store.visit('/about')).text).toContain('<title>All about us</title>');
    await store.patch(id, { name: 'Us' });
    expect((await store.visit('/about')).text).toContain('<title>All about us</title>');
    await store.patch(id, { settings: { description: 'A "shop" & more', noindex: true, lang: 'de' } });
    const { text } = await store.visit('/about');
    expect(text).toContain(`<title>Us – Store ${store.slug}</title>`);
    expect(text).toContain('<meta name="description" content="A &quot;shop&quot; &amp; more">');
    expect(text).toContain('<meta name="robots" content="noindex">');
    expect(text).toContain('<html lang="de">');
    await store.patch(id, { slug: 'us' });
    expect((await store.visit('/about')).headers.location).toBe(`/s/${getSlug(store.storeId)}/us`);
    expect((await store.visit('/us')).text).toContain(
      `<link rel="canonical" href="https://shop.example/s/${store.slug}/us">`,
    );
  });

  test('settings of a wrong type are ignored', async () => {
    const store = await open();
    const settings = { title: 7, description: ['x'], lang: 'not a tag', noindex: 'yes' };
    await store.live('Home', createPage(), { settings });
    const { text } = await store.visit('/');
    expect(text).toContain(`<title>Home – Store ${store.slug}</title>`);
    expect(text).toContain('<html lang="en">');
    expect(text).not.toContain('noindex');
  });

  test('has one address, and others redirect to it', async () => {
    const store = await open();
    await store.live('Home', createPage());
    await store.live('About', createPage());
    const leadsTo = async (from: string, to: string) => {
      const res = await store.visit(from);
      expect([res.status, res.headers.location]).toEqual([307, `/s/${store.slug}${to}`]);
    };
    await leadsTo('', '/');
    await leadsTo('?a=1', '/?a=1');
    await leadsTo('/home/', '/');
    await leadsTo('/about/', '/about');
    expect((await store.visit('/about?a=1')).status).toBe(200);
  });

  test('the homepage is also served under its slug, and names its canonical address', async () => {
    const store = await open();
    await store.live('Home', createPage());
    const res = await store.visit('/home');
    expect([res.status, res.text]).toEqual([200, (await store.visit('/')).text]);
    expect(res.text).toContain(`<link rel="canonical" href="https://shop.example/s/${store.slug}/">`);
  });

  test('404 for an unknown address is HTML for browsers and JSON for others', async () => {
    const store = await open();
    await store.live('Home', createPage());
    await store.api('POST', '/api/v1/pages', { name: 'Draft' });
    for (const path of ['/draft', '/nothing', '/%00', '/..%2f', '/Home', '/de/', '/x/y', '/de/nothing']) {
      const res = await store.visit(path);
      expect([path, res.status, res.body.code]).toEqual([path, 404, 'not_found']);
    }
    const page = await store.visit('/nothing', { accept: 'text/html,*/*' });
    expect(page.status).toBe(404);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'; script-src ");
    expect((await request(system.internalUrl).get('/s/no-such-store/')).status).toBe(404);
    const post = await request(system.internalUrl).post(`/s/${store.slug}/`);
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  test('a deleted page is not found at once', async () => {
    const store = await open();
    await store.live('Home', createPage());
    const { id } = await store.live('About', createPage());
    expect((await store.visit('/about')).status).toBe(200);
    await store.api('DELETE', `/api/v1/pages/${id}`);
    expect((await store.visit('/about')).status).toBe(404);
  });
});

describe('a former slug', () => {
  test('redirects permanently to the new address, with the query and in every locale, until another page takes the slug', async () => {
    const store = await open();
    const at = (path: string) => `/s/${getSlug(store.storeId)}${path}`;
    await store.live('Home', createPage());
    const page = await store.live('Old', createPage());
    const rename = (slug: string) => store.api('PATCH', `/api/v1/pages/${page.id}`, { slug });
    await store.api('PUT', '/api/v1/translations', {
      entries: [{ locale: 'de', entityType: 'product', entityId: 'x', field: 'name', value: 'x' }],
    });
    await rename('newer');
    await rename('newest');
    for (const [path, to] of [
      ['/old?a=1&b=%20', '/newest?a=1&b=%20'],
      ['/newer', '/newest'],
      ['/de/old?x', '/de/newest?x'],
    ]) {
      const res = await store.visit(path!);
      expect([path, res.status, res.headers.location]).toEqual([path, 301, at(to!)]);
    }
    const ownOrigin = await store.visit('/old').set(ownOriginHeader, '1');
    expect(ownOrigin.headers.location).toBe('/newest');
    expect((await store.visit('/fr/old')).status).toBe(404);
    await store.live('Newer', createPage(text('t', 'another')));
    expect((await store.visit('/newer')).text).toContain('another');
    await store.api('PATCH', `/api/v1/pages/${page.id}`, { isHomepage: true });
    expect((await store.visit('/old')).headers.location).toBe(at('/'));
    await rename('old');
    expect((await store.visit('/old')).status).toBe(200);
    expect((await store.visit('/newest')).headers.location).toBe(at('/'));
    await store.api('POST', `/api/v1/pages/${page.id}/unpublish`);
    expect((await store.visit('/newest')).status).toBe(404);
    await store.api('DELETE', `/api/v1/pages/${page.id}`);
    expect((await store.visit('/newest')).status).toBe(404);
  });

  test('of a page that was unpublished redirects once it is live again at another address', async () => {
    const store = await open();
    await store.live('Home', createPage());
    const page = await store.live('Old', createPage());
    const path = `/api/v1/pages/${page.id}`;
    expect((await store.api('POST', `${path}/unpublish`)).status).toBe(200);
    for (const slug of ['passing', 'old', 'new']) await store.api('PATCH', path, { slug });
    expect((await store.visit('/old')).status).toBe(404);
    expect((await store.api('POST', `${path}/publish`)).status).toBe(200);
    const res = await store.visit('/old?a=1');
    expect([res.status, res.headers.location]).toEqual([301, `/s/${getSlug(store.storeId)}/new?a=1`]);
    expect((await store.visit('/passing')).status).toBe(404);
    await store.live('Old', createPage(text('t', 'another')));
    expect((await store.visit('/old')).text).toContain('another');
  });

  test('of a page that was never live does not redirect', async () => {
    const store = await open();
    const { id } = (await store.api('POST', '/api/v1/pages', { name: 'Unseen' })).body.page;
    await store.api('PATCH', `/api/v1/pages/${id}`, { slug: 'other' });
    await store.edit('PUT', `/pages/${id}/draft`, { document: createPage() });
    await store.api('POST', `/api/v1/pages/${id}/publish`);
    expect((await store.visit('/unseen')).status).toBe(404);
  });
});

describe('/assets/wb.js', () => {
  test('is the runtime, with an ETag', async () => {
    const res = await request(system.internalUrl).get('/assets/wb.js');
    expect(res.status).toBe(200);
    expect(res.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(res.text).toContain("'WB'");
    const again = await request(system.internalUrl)
      .get('/assets/wb.js')
      .set('if-none-match', String(res.headers.etag));
    expect(again.status).toBe(304);
  });
});

describe('a store that changes', () => {
  test('changes the addresses and links of pages by its slug, and the prices by its currency', async () => {
    const store = await open();
    const tea = makeProduct('Tea', 900);
    neighbours.products.set(`${store.storeId}/${tea.id}`, tea);
    const { id } = await store.live('Home', createPage(product('p', tea.id)));
    await store.live('Links', createPage(link('l', id)));
    expect((await store.visit('/')).text).toContain('€');
    const tell = (slug: string, currency: string, updatedAt: string) =>
      neighbours.tell(StoreChanged, store.storeId, {
        store: { id: store.storeId, name: 'New & improved', slug, currency, updatedAt },
      });
    await tell(`${store.slug}-new`, 'USD', '2030-01-01T00:00:01.000Z');
    // A late event with an older time changes nothing.
    await tell(`${store.slug}-old`, 'JPY', '2030-01-01T00:00:00.000Z');
    await store.shows('-new/', '$');
    await store.shows('-new/links', 'href="./"');
    expect((await store.visit('-new/')).text).toContain('<title>Home – New &amp; improved</title>');
    expect((await store.visit('/')).status).toBe(404);
    expect((await store.api('GET', `/api/v1/pages/${id}`)).body.page.url).toBe(
      `https://shop.example/s/${store.slug}-new/`,
    );
  });

  test('of two stores with the same slug, the one that took it last has it', async () => {
    const [a, b] = [await open(), await open()];
    await a.live('Home', createPage(text('t', 'of a')));
    await b.live('Home', createPage(text('t', 'of b')));
    await neighbours.tell(StoreChanged, b.storeId, {
      store: {
        id: b.storeId,
        name: 'B',
        slug: a.slug,
        currency: 'EUR',
        updatedAt: '2030-01-01T00:00:00.000Z',
      },
    });
    await a.shows('/', 'of b');
  });
});

describe('a product that changes', () => {
  test('is shown with its changes, and only the pages that show it are rendered again', async () => {
    const store = await open();
    const tea = makeProduct('Tea', 900);
    neighbours.products.set(`${store.storeId}/${tea.id}`, tea);
    await store.live('Home', createPage(product('p', tea.id)));
    await store.live('Other', createPage(text('t', 'other')));
    const before = (await store.visit('/other')).headers.etag;
    for (const priceCents of [1000, 1100, 1200]) {
      const variants = [{ ...tea.variants[0]!, priceCents }];
      const next = { ...tea, priceCents, variants };
      neighbours.products.set(`${store.storeId}/${tea.id}`, next);
      await neighbours.tell(ProductUpdated, store.storeId, { product: next });
    }
    await store.shows('/', '12.00');
    expect((await store.visit('/other')).headers.etag).toBe(before);
  });

  test('while its page is being published shows its new state', async () => {
    const store = await open();
    const tea = makeProduct('Tea', 900);
    const key = `${store.storeId}/${tea.id}`;
    neighbours.products.set(key, tea);
    const { id } = (await store.api('POST', '/api/v1/pages', { name: 'Home' })).body.page;
    await store.live('Other', createPage(product('p', tea.id)));
    await store.edit('PUT', `/pages/${id}/draft`, { document: createPage(product('p', tea.id)) });
    const { arrived, release } = neighbours.pause('/internal/products/lookup');
    const publishing = store.api('POST', `/api/v1/pages/${id}/publish`).then(({ status }) => status);
    await arrived;
    const next = { ...tea, name: 'Green tea' };
    neighbours.products.set(key, next);
    await neighbours.tell(ProductUpdated, store.storeId, { product: next });
    // The change is handled by then, and the page that was made before it goes live after it.
    await store.shows('/other', 'Green tea');
    release();
    expect(await publishing).toBe(200);
    await store.shows('/', 'Green tea');
  });
});

describe('a picture', () => {
  test('comes from media, in a smaller size where that is enough', async () => {
    const store = await open();
    const id = `mda_${'0'.repeat(26)}`;
    const tea = makeProduct('Tea', 900, { mediaIds: [id] });
    neighbours.products.set(`${store.storeId}/${tea.id}`, tea);
    neighbours.assets.set(`${store.storeId}/${id}`, {
      id,
      kind: 'image',
      contentType: 'image/png',
      alt: '',
      focalPoint: null,
      width: 1000,
      height: 500,
    });
    await store.live(
      'Home',
      createPage(
        { id: 'i', type: 'image', props: { specials: { src: id, alt: 'Leaves' } } },
        {
          id: 'p',
          type: 'product',
          props: { specials: { productId: tea.id } },
          children: [{ id: 'q', type: 'productImage' }],
        },
      ),
    );
    const { text } = await store.visit('/');
    const path = `/media/${store.storeId}/${id}`;
    expect(text.split(`src="${path}"`)).toHaveLength(3);
    expect(text).toContain(`${path}?w=320&amp;format=webp 320w`);
    expect(text).not.toContain('w=1280');
  });

  test("is an asset by the store's own URL of it too, also one that an app gives, and follows what that says", async () => {
    const store = await open();
    const id = `mda_${'1'.repeat(26)}`;
    const key = `${store.storeId}/${id}`;
    const asset = {
      id,
      kind: 'image' as const,
      contentType: 'image/png',
      width: 1000,
      height: 500,
      alt: 'Leaves',
      focalPoint: null,
    };
    neighbours.assets.set(key, asset);
    const path = `/media/${store.storeId}/${id}`;
    const appId = `app_${'1'.repeat(26)}`;
    const bindings = [{ source: 'app.picture', field: 'specials.src' }];
    neighbours.apps.set(store.storeId, [
      {
        appId,
        appName: 'App',
        versionId: 'ver_1',
        versionNumber: 1,
        choice: 1,
        connectOrigins: [],
        blocks: [
          { key: 'b', name: 'B', rootId: 'w', nodes: [{ id: 'w', type: 'image', props: { bindings } }] },
        ],
        islands: [],
      },
    ]);
    neighbours.appValues.set(store.storeId, [
      { appId, key: 'picture', owner: 'site', ownerId: null, value: `${path}?w=640` },
    ]);
    const config = { base: { ratio: '1/1' } };
    const document = createPage(
      { id: 'i', type: 'image', props: { config, specials: { src: `https://shop.example${path}?w=320` } } },
      { id: 'j', type: 'image', props: { specials: { src: `https://elsewhere.example${path}` } } },
      blockRef('k', appId, 'b'),
    );
    const page = await store.live('Home', document);
    const { text } = await store.visit('/');
    expect(text.split(`${path}?w=320&amp;format=webp 320w`)).toHaveLength(3);
    expect(text.split('width="1000" height="500" alt="Leaves"')).toHaveLength(3);
    expect(text).toContain(`src="https://elsewhere.example${path}" alt=""`);
    const canvas = await store.edit('POST', `/pages/${page.id}/canvas`, { document });
    expect(text).toContain(renderDocument(document, canvas.body.sources).html);

    neighbours.assets.set(key, { ...asset, alt: 'Fresh leaves', focalPoint: { x: 0.25, y: 1 } });
    await neighbours.tell(AssetChanged, store.storeId, { assetId: id });
    await store.shows('/', 'alt="Fresh leaves"');
    await store.shows('/', 'object-position:25% 100%');

    const covered = await store.api('POST', '/api/v1/articles', { title: 'Leaves', coverMediaId: id });
    expect(covered.body.article.coverMediaId).toBe(id);
    await store.api('POST', '/api/v1/articles', { title: 'Later' });
    neighbours.assets.delete(key);
    await neighbours.tell(AssetsPurged, store.storeId, { assetIds: [id] });
    await eventually(async () => !(await store.visit('/')).text.includes('srcset'));
    expect((await store.visit('/')).status).toBe(200);
    const { article } = (await store.api('GET', `/api/v1/articles/${covered.body.article.id}`)).body;
    expect(article).toMatchObject({ coverMediaId: null, coverMedia: null });
    expect(article.updatedAt > covered.body.article.updatedAt).toBe(true);
    const { articles } = (await store.api('GET', '/api/v1/articles?sort=updated')).body;
    expect(articles.map(({ title }: { title: string }) => title)).toEqual(['Leaves', 'Later']);
  });
});

describe('the address of a store', () => {
  const addresses = async (env: Record<string, string>, slug: string) => {
    const there = await startSystem([content, ...neighbours.services], env);
    try {
      const { storeId, api, edit } = await newStore(there);
      const facts = { name: 'Shop', slug, currency: 'EUR', locales: null, isDevelopment: false };
      neighbours.stores.set(storeId, { id: storeId, ...facts });
      const { id } = (await api('POST', '/api/v1/pages', { name: 'Home' })).body.page;
      await edit('PUT', `/pages/${id}/draft`, { document: createPage() });
      const { url } = (await api('POST', `/api/v1/pages/${id}/publish`)).body.page;
      expect((await api('GET', '/api/v1/pages')).body.pages[0].url).toBe(url);
      const { text } = await request(there.internalUrl).get(`/s/${slug}/`);
      return [url, /rel="canonical" href="([^"]*)"/.exec(text)?.[1]];
    } finally {
      await there.stop();
    }
  };
  const domain = { PUBLIC_BASE_URL: 'https://api.shops.example:8443', SITES_DOMAIN: 'shops.example' };

  const onLoopback = { PUBLIC_BASE_URL: 'http://127.0.0.1:8080' };
  const long = 'x'.repeat(64);

  test.each([
    ['its own', domain, 'tea', 'https://tea.shops.example:8443/', 'https://tea.shops.example:8443/'],
    ...['api', long].map(
      (slug) =>
        [
          'below /s where it cannot have one',
          domain,
          slug,
          `https://api.shops.example:8443/s/${slug}/`,
          `https://api.shops.example:8443/s/${slug}/`,
        ] as const,
    ),
    [
      'for the API the one that every client finds',
      onLoopback,
      'oolong',
      'http://127.0.0.1:8080/s/oolong/',
      'http://oolong.localhost:8080/',
    ],
  ] as const)('is %s', async (_, env, slug, url, canonical) => {
    expect(await addresses(env as Record<string, string>, slug as string)).toEqual([url, canonical]);
  });
});

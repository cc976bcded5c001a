import { eventually, hasChromium, launchChromium, type Receiver, startReceiver } from '@waybill/testing';
import { expectStatus } from '../../testing/accounts.ts';
import { send } from '../../testing/client.ts';
import { approvedIslandApp } from './island-app.ts';
import { documentOf, heading, linkTo, Site } from './site.ts';
import { type SharedSystem, topologies } from './topologies.ts';

const hasBrowser = hasChromium('stores at origins of their own');

/** An island that stores data, and shows the data that it finds. */
const leavingIsland = `class {
  constructor(element) {
    let found;
    try {
      localStorage.setItem(location.host, 'was here');
      document.cookie = location.host.split(':')[0] + '=1';
      found = [...Object.keys(localStorage), ...document.cookie.split('; ')].sort().join(' ');
    } catch (error) {
      found = error.name;
    }
    element.textContent = 'Found: ' + found;
  }
}`;

/**
 * Returns a script that reports what it can access of these origins: by a request, in a frame, in a window that it
 * opens.
 */
const lookAround = (origins: string[]) => `Promise.all(${JSON.stringify(origins)}.map(async (origin) => {
  const look = async (target) => {
    try {
      // Until it has gone there it is an empty page of our own.
      for (let turn = 0; target.location.href === 'about:blank' && turn < 600; turn++)
        await new Promise((resolve) => setTimeout(resolve, 50));
      return 'sees ' + target.document.body.innerHTML + target.localStorage.length;
    } catch (error) {
      return error.name;
    }
  };
  const frame = document.createElement('iframe');
  frame.src = origin + '/docs';
  document.body.append(frame);
  return Promise.all([
    fetch(origin + '/api/me', { credentials: 'include' }).then(({ status }) => status, ({ name }) => name),
    look(frame.contentWindow),
    look(window.open(origin + '/docs')),
  ]);
}))`;

describe.each(topologies)('$name', ({ share, inOneTopology }) => {
  const inChromium = hasBrowser ? inOneTopology : test.skip;
  let receiver: Receiver;
  let system: SharedSystem;
  const open = (name: string) => Site.open(system.baseUrl, name);
  beforeAll(async () => {
    receiver = await startReceiver();
    system = await share();
  });
  afterAll(() => receiver.close());

  test('a page gets from its draft to its live bytes with one event', async () => {
    const site = await open('First Steps');
    const events = ['page.published'];
    expectStatus(await site.api('POST', '/api/v1/webhooks', { url: receiver.url, events }), 201);
    const page = await site.page('Home');
    expect(page).toMatchObject({ isHomepage: true, live: false, url: null });
    expect((await site.publish(page.id)).body.code).toBe('nothing_to_publish');
    await site.save(page.id, documentOf([heading('Welcome & enjoy')]));
    const preview = expectStatus(await site.edit('POST', `/pages/${page.id}/preview`), 200);
    expect((await site.visit('/')).status).toBe(404);

    const published = expectStatus(await site.publish(page.id), 200).body.page;
    expect(published).toMatchObject({ live: true, hasDraft: false });
    expect(published.url).toMatch(new RegExp(`^https?://[^/]+/s/${site.slug}/$`));
    const live = expectStatus(await site.visit('/'), 200);
    expect(live.text).toBe(preview.text);
    expect(live.text).toContain('Welcome &amp; enjoy</h2>');
    const { etag } = live.headers as { etag: string };
    expect((await site.visit('/', { 'if-none-match': etag })).status).toBe(304);
    expect((await site.visit('')).headers.location).toBe(`/s/${site.slug}/`);
    const call = await eventually(() => receiver.calls[0]);
    expect(JSON.parse(call.body)).toMatchObject({ type: 'page.published', data: { page: published } });
    expect((await site.publish(page.id)).body.code).toBe('nothing_to_publish');
    expect(receiver.calls).toHaveLength(1);
  });

  inOneTopology('of ten pages that become the homepage at once one does', async () => {
    const site = await open('Homes');
    const pages = await Promise.all(Array.from({ length: 10 }, (_, i) => site.page(`Page ${i}`)));
    await Promise.all(
      pages.map(({ id }) => site.api('PATCH', `/api/v1/pages/${id}`, { isHomepage: true, position: 0 })),
    );
    const all = (await site.api('GET', '/api/v1/pages')).body.pages as {
      isHomepage: boolean;
      position: number;
    }[];
    expect(all.filter(({ isHomepage }) => isHomepage)).toHaveLength(1);
    expect(all.map(({ position }) => position)).toEqual(all.map((_, i) => i));
  });

  test('a product has a page of its own, in the frame and the looks of its store', async () => {
    const site = await open('Shop');
    await site.live('Home', documentOf([heading('Welcome')]));
    const input = {
      name: 'Sencha',
      slug: 'sencha',
      status: 'active',
      variants: [{ priceCents: 900, stock: 3 }],
    };
    expectStatus(await site.api('POST', '/api/v1/products', input), 201);
    const { text: shown } = expectStatus(await site.visit('/products/sencha'), 200);
    expect(shown).toContain('>Sencha</h1>');
    expect(shown).toContain('€9.00');
    expectStatus(
      await site.edit('PUT', '/templates/footer/draft', { document: documentOf([heading('The end')]) }),
      200,
    );
    expectStatus(await site.edit('POST', '/templates/footer/publish'), 200);
    expectStatus(await site.edit('PUT', '/theme', { theme: { colors: { primary: '#7a1f3d' } } }), 200);
    expectStatus(await site.edit('POST', '/theme/publish'), 200);
    const again = expectStatus(await site.visit('/products/sencha'), 200).text;
    expect(again).toContain('The end');
    const file = /href="\.\.(\/theme-[0-9a-f]+\.css)"/.exec(again)![1]!;
    expect(expectStatus(await site.visit(file), 200).text).toContain('--wb-color-primary:#7a1f3d;');
    expect((await site.visit('/search?q=sench')).text).toContain('>Sencha</a>');
  });

  test("a product's price reaches the live page that shows it, a new slug of the store its address", async () => {
    const site = await open('Prices');
    const variants = (priceCents: number) => ({
      name: 'Tea',
      status: 'active',
      variants: [{ sku: 'T', priceCents, stock: 3 }],
    });
    const { product } = expectStatus(await site.api('POST', '/api/v1/products', variants(900)), 201).body;
    const shown = { id: 'p', type: 'product', props: { specials: { productId: product.id } } };
    const parts = ['productTitle', 'price'].map((type) => ({ id: type, type }));
    const below = parts.map(({ id }) => id);
    await site.live('Home', documentOf([{ ...shown, children: below }], parts));
    expect((await site.visit('/')).text).toContain('9.00');
    expectStatus(await site.api('PUT', `/api/v1/products/${product.id}`, variants(1250)), 200);
    await site.shows('/', '12.50');
    const slug = `${site.slug}-moved`;
    expectStatus(await site.owner.call('PATCH', `/api/stores/${site.storeId}`, { slug }), 200);
    await site.shows('-moved/', '12.50');
  });

  test("at its own origin a store has pages without a prefix, and nothing of the system's or another's", async () => {
    const [site, other] = [await open('Own Origin'), await open('Another')];
    const about = await site.live('Home', documentOf([heading('Welcome home')]));
    await site.live('About', documentOf([linkTo(about.id)]));
    await other.live('Home', documentOf([heading('Elsewhere')]));
    const { port } = new URL(system.baseUrl);
    const at = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
      send(system.baseUrl, method, path, { headers: { host: `${site.slug}.localhost:${port}`, ...headers } });
    const origin = `http://${site.slug}.localhost:${port}`;

    const home = expectStatus(await at('/'), 200);
    const inPlace = await site.visit('/');
    expect([home.text, home.headers.etag]).toEqual([inPlace.text, inPlace.headers.etag]);
    expect(home.text).toContain(`<link rel="canonical" href="${origin}/">`);
    expect(home.headers['content-security-policy']).not.toContain('sandbox');
    expect(inPlace.headers['content-security-policy']).toMatch(
      /; sandbox (?!.*allow-same-origin)allow-scripts/,
    );
    expect((await at('/about')).text).toContain('href="./"');
    expect(await at('/about/')).toMatchObject({ status: 307, headers: { location: '/about' } });
    expect(await at(`/s/${site.slug}/about`)).toMatchObject({
      status: 307,
      headers: { location: `${origin}/about` },
    });
    expect(expectStatus(await at('/assets/wb.js'), 200).headers['access-control-allow-origin']).toBe('*');
    expectStatus(await at(`/storefront/${site.storeId}/orders`, 'POST'), 400);

    const credential = { authorization: `Bearer ${site.owner.accessToken}` };
    for (const path of [
      '/api/v1/products',
      '/api/me',
      `/api/stores/${site.storeId}`,
      '/docs',
      '/openapi.json',
      '/healthz',
      '/nothing',
      '/console',
      `/s/${other.slug}/`,
      `/storefront/${other.storeId}/orders`,
      '/.well-known/jwks.json',
    ]) {
      for (const method of ['GET', 'POST']) {
        const { status } = await at(path, method, credential);
        // At the address of a page, other methods do not exist.
        expect([path, method, status === 405 ? 404 : status]).toEqual([path, method, 404]);
      }
    }
    const nowhere = { host: `no-such-store.localhost:${port}`, accept: 'text/html' };
    const missing = expectStatus(await send(system.baseUrl, 'GET', '/', { headers: nowhere }), 404);
    expect(missing.text).toContain('Page not found');

    const led = await site.visit('/about?a=1', { 'sec-fetch-dest': 'document' });
    expect(led).toMatchObject({ status: 307, headers: { location: `${origin}/about?a=1` } });
  });

  inChromium("islands of two stores see nothing of each other's, nor of the API's origin", async () => {
    const app = await approvedIslandApp(system, leavingIsland);
    const sites = [await open('Island One'), await open('Island Two')];
    for (const site of sites) {
      await app.installIn(site.storeId, site.owner);
      await site.live('Home', documentOf([app.node]));
    }
    const { port } = new URL(system.baseUrl);
    const browser = await launchChromium();
    try {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${system.baseUrl}/docs`);
      await page.evaluate("localStorage.setItem('token', 'secret'); document.cookie = 'session=secret'");

      for (const [i, site] of sites.entries()) {
        await page.goto(`${system.baseUrl}/s/${site.slug}/`);
        const host = `${site.slug}.localhost`;
        expect(page.url()).toBe(`http://${host}:${port}/`);
        await page.getByText(`Found: ${host}:${port} ${host}=1`, { exact: true }).waitFor();
        const elsewhere = [system.baseUrl, `http://${sites[1 - i]!.slug}.localhost:${port}`];
        const seen = await page.evaluate(lookAround(elsewhere));
        expect(seen).toEqual(elsewhere.map(() => ['TypeError', 'SecurityError', 'SecurityError']));
        expect(await page.evaluate("fetch('/api/me').then(({ status }) => status)")).toBe(404);
      }

      // On the system's own origin, in a frame: the island runs, and has no access to anything.
      await page.route(`${system.baseUrl}/frame`, (route) =>
        route.fulfill({ contentType: 'text/html', body: `<iframe src="/s/${sites[0]!.slug}/"></iframe>` }),
      );
      await page.goto(`${system.baseUrl}/frame`);
      await page.frameLocator('iframe').getByText('Found: SecurityError', { exact: true }).waitFor();
      expect(page.frames()[1]!.url()).toBe(`${system.baseUrl}/s/${sites[0]!.slug}/`);
      const [seen] = await page.frames()[1]!.evaluate<unknown[]>(lookAround([system.baseUrl]));
      expect(seen).toEqual(['TypeError', 'SecurityError', 'SecurityError']);
    } finally {
      await browser.close();
    }
  });
});

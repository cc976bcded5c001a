import { createHash } from 'node:crypto';
import {
  approveVersion,
  installApp,
  publishPage,
  type RegisteredApp,
  type ReviewsApp,
  registerApp,
  reviewsBlock,
  scopes,
  signIn,
  startReviewsApp,
  submitVersion,
  Waybill,
} from '@waybill/example-app';
import { eventually, hasChromium, launchChromium } from '@waybill/testing';
import { expectStatus, newKey, newPerson, newStore } from './accounts.ts';
import { type Caller, callerOf, type Reply, send } from './client.ts';
import { type StartedSystem, topologies, unlimited } from './topologies.ts';

const appData = '/api/v1/app-data';
const codeOf = ({ status, body }: Reply) => (status < 300 ? `${status}` : `${status} ${body.code}`);

const inChromium = hasChromium('islands of live pages') ? test : test.skip;

describe.each(topologies)('$name', ({ start }) => {
  let system: StartedSystem;
  let url: string;
  let app: ReviewsApp;
  let registered: RegisteredApp;
  let developer: Waybill;
  let reviewer: Waybill;
  beforeAll(async () => {
    app = await startReviewsApp();
    system = await start({ WEBHOOK_TRUSTED_TARGETS: `127.0.0.1/32:${app.port}`, ...unlimited });
    url = system.baseUrl;
    developer = await signIn(url, system.demo.developer);
    reviewer = await signIn(url, system.demo.reviewer);
    registered = await registerApp(url, developer, app);
    await approveVersion(reviewer, await submitVersion(developer, registered));
  });
  afterAll(async () => {
    await system.stop();
    await app.stop();
  });

  /** A merchant's store with the app in it. */
  async function storeWithApp(of = registered, connectOrigins: readonly string[] = []) {
    const merchant = await newPerson(url);
    const storeId = await newStore(merchant);
    await installApp(new Waybill(url, merchant.accessToken), storeId, of, app, { scopes, connectOrigins });
    const path = `/api/stores/${storeId}/apps/${of.appId}`;
    const change = async (method: string, rest = '', body?: object) =>
      expectStatus(
        await merchant.call(method, path + rest, body ?? (method === 'POST' ? {} : undefined)),
        method === 'DELETE' && rest === '' ? 204 : 200,
      );
    return {
      merchant,
      storeId,
      install: app.install(storeId),
      token: callerOf(url, app.install(storeId).accessToken),
      change,
      read: async () => expectStatus(await merchant.call('GET', path), 200).body.install,
    };
  }

  const oauth = (form: Record<string, string>, endpoint = 'token') =>
    send(url, 'POST', `/oauth/${endpoint}`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        client_id: registered.appId,
        client_secret: registered.clientSecret,
        ...form,
      }).toString(),
    });
  const refresh = (refreshToken: string) =>
    oauth({ grant_type: 'refresh_token', refresh_token: refreshToken });
  const listed = (call: Caller) => call('GET', appData);

  describe('an app token', () => {
    test('acts on its store and no other, with the scopes that the merchant agreed to', async () => {
      const [one, two] = [await storeWithApp(), await storeWithApp()];
      const key = await newKey(one.merchant, one.storeId, ['products.write', 'products.read']);
      const made = await callerOf(url, key.secret)('POST', '/api/v1/products', { name: 'Tea' });
      expectStatus(made, 201);
      expect((await one.token('GET', '/api/v1/products')).body.total).toBe(1);
      expect((await two.token('GET', '/api/v1/products')).body.total).toBe(0);
      expect(codeOf(await one.token('POST', '/api/v1/products', { name: 'Tea' }))).toBe(
        '403 insufficient_scope',
      );
      expect((await one.token('GET', '/api/v1/products')).headers.ratelimit).toBeDefined();
    });

    test('hears of products by webhook, and keeps values of them', async () => {
      const { merchant, storeId, token } = await storeWithApp();
      const { secret } = await newKey(merchant, storeId, ['products.write']);
      const key = callerOf(url, secret);
      const { product } = (await key('POST', '/api/v1/products', { name: 'Tea' })).body;
      const values = async () => (await listed(token)).body.appData;
      await eventually(async () => (await values()).length === 1);
      await app.addReview(storeId, product.id, 5);
      await app.addReview(storeId, product.id, 4);
      const shown = (await values()).map((row: { owner: string; key: string; value: string }) => [
        row.owner,
        row.key,
        row.value,
      ]);
      expect(shown).toEqual([
        ['site', 'count', '2 reviews'],
        ['product', 'count', '2 reviews'],
        ['site', 'rating', '4.5'],
        ['product', 'rating', '4.5'],
      ]);
      expectStatus(await key('DELETE', `/api/v1/products/${product.id}`), 204);
      await eventually(async () => (await values()).length === 2);
    });

    test('alone opens app data: an API key with the scopes does not', async () => {
      const { merchant, storeId } = await storeWithApp();
      const { secret } = await newKey(merchant, storeId, ['appdata.read', 'appdata.write']);
      const key = callerOf(url, secret);
      for (const reply of [
        await listed(key),
        await key('PUT', appData, { key: 'x', value: 'x' }),
        await key('PUT', appData),
        await key('DELETE', `${appData}/x`),
      ]) {
        expect(codeOf(reply)).toBe('403 insufficient_scope');
      }
    });
  });

  describe('what takes effect on the very next request of a token', () => {
    test('disabling and enabling, twenty times over', async () => {
      const { token, change } = await storeWithApp();
      for (let i = 0; i < 20; i++) {
        expect(codeOf(await listed(token))).toBe('200');
        await change('POST', '/disable');
        expect(codeOf(await listed(token))).toBe('401 app_token_invalid');
        await change('DELETE', '/disable');
      }
    });

    test('uninstalling; it stays so after a reinstall, which brings a token of its own and finds the data', async () => {
      const store = await storeWithApp();
      expectStatus(await store.token('PUT', appData, { key: 'kept', value: 'x' }), 200);
      await store.change('DELETE');
      expect(codeOf(await listed(store.token))).toBe('401 app_token_invalid');
      await installApp(new Waybill(url, store.merchant.accessToken), store.storeId, registered, app);
      expect(codeOf(await listed(store.token))).toBe('401 app_token_invalid');
      const again = await listed(callerOf(url, app.install(store.storeId).accessToken));
      expect(again.body.appData).toMatchObject([{ key: 'kept' }]);
    });

    test('suspending the app, in every store, and putting it back', async () => {
      const stores = [await storeWithApp(), await storeWithApp()];
      const all = async () => Promise.all(stores.map(async ({ token }) => codeOf(await listed(token))));
      for (let i = 0; i < 5; i++) {
        expect(await all()).toEqual(['200', '200']);
        await reviewer.post(`/api/review/apps/${registered.appId}/suspend`);
        expect(await all()).toEqual(['401 app_token_invalid', '401 app_token_invalid']);
        await reviewer.delete(`/api/review/apps/${registered.appId}/suspend`);
      }
    });

    test('revoking it', async () => {
      const { install, token } = await storeWithApp();
      expect(codeOf(await listed(token))).toBe('200');
      expectStatus(await oauth({ token: install.accessToken }, 'revoke'), 200);
      expect(codeOf(await listed(token))).toBe('401 app_token_invalid');
    });

    test('the scopes of another version: by itself, by consent and by a rollback', async () => {
      const own = await registerApp(url, developer, app);
      const first = await submitVersion(developer, own);
      await approveVersion(reviewer, first);
      const { token, change, read } = await storeWithApp(own);
      const may = async () => [
        codeOf(await token('GET', '/api/v1/products')),
        codeOf(await token('GET', '/api/v1/orders')),
      ];
      const denied = '403 insufficient_scope';
      expect(await may()).toEqual(['200', denied]);
      const fewer = scopes.filter((scope) => scope !== 'products.read');
      await approveVersion(reviewer, await submitVersion(developer, own, { scopes: fewer }));
      await eventually(async () => (await read()).versionNumber === 2);
      expect(await may()).toEqual([denied, denied]);
      const more = [...scopes, 'orders.read'];
      await approveVersion(reviewer, await submitVersion(developer, own, { scopes: more }));
      await eventually(async () => (await read()).waitingVersionId !== null);
      expect(await may()).toEqual([denied, denied]);
      await change('POST', '/consent', { scopes: more });
      expect(await may()).toEqual(['200', '200']);
      await change('POST', '/rollback', { versionId: first });
      expect(await may()).toEqual(['200', denied]);
      app.register({ baseUrl: url, ...registered });
    });
  });

  describe('refreshing', () => {
    /** The tokens of a store of its own. */
    async function newPair() {
      const merchant = await newPerson(url);
      const storeId = await newStore(merchant);
      const redirectUri = app.redirectUri;
      const path = `/api/stores/${storeId}/apps/${registered.appId}/install`;
      const reply = expectStatus(await merchant.call('POST', path, { scopes, redirectUri }), 201);
      const code = new URL(reply.body.redirectTo).searchParams.get('code')!;
      return expectStatus(
        await oauth({ grant_type: 'authorization_code', code, redirect_uri: redirectUri }),
        200,
      ).body;
    }
    const isGood = async (token: string) => codeOf(await listed(callerOf(url, token))) === '200';

    test('twenty times at once leaves one pair that works', async () => {
      for (let round = 0; round < 3; round++) {
        const { refresh_token } = await newPair();
        const all = await Promise.all(Array.from({ length: 20 }, () => refresh(refresh_token)));
        expect(all.map(({ status }) => status)).toEqual(Array(20).fill(200));
        const good = await Promise.all(all.map(({ body }) => isGood(body.access_token)));
        expect(good.filter(Boolean).length).toBe(1);
        const survivor = all[good.indexOf(true)]!.body;
        expectStatus(await refresh(survivor.refresh_token), 200);
      }
    });

    test('with a used token ends all tokens on the next request, cached or not', async () => {
      const first = await newPair();
      expect(await isGood(first.access_token)).toBe(true);
      const second = expectStatus(await refresh(first.refresh_token), 200).body;
      expect(await isGood(first.access_token)).toBe(true);
      expect(await isGood(second.access_token)).toBe(true);
      expect(codeOf(await refresh(first.refresh_token))).toBe('400 invalid_grant');
      expect(await isGood(first.access_token)).toBe(false);
      expect(await isGood(second.access_token)).toBe(false);
    });

    test('a refresh token is no credential', async () => {
      const { refresh_token } = await newPair();
      expect(codeOf(await listed(callerOf(url, refresh_token)))).toBe('401 refresh_token_not_accepted');
    });
  });

  describe('on live pages', () => {
    /** A store whose published page shows the app's block twice: in a product that was reviewed, and by itself. */
    async function storeWithPage(of = registered, connectOrigins: readonly string[] = []) {
      const store = await storeWithApp(of, connectOrigins);
      const { secret } = await newKey(store.merchant, store.storeId, ['products.write', 'pages.write']);
      const key = new Waybill(url, secret);
      const { product } = await key.post<{ product: { id: string } }>('/api/v1/products', {
        name: 'Earl Grey',
        status: 'active',
        variants: [{ priceCents: 890, stock: 3 }],
      });
      await app.addReview(store.storeId, product.id, 4);
      const merchant = new Waybill(url, store.merchant.accessToken);
      const shop = { storeId: store.storeId, key, productId: product.id };
      const page = await publishPage(merchant, shop, of);
      const { pathname } = new URL(page.url, url);
      const html = async () => (await send(url, 'GET', pathname)).text;
      return {
        ...store,
        productId: product.id,
        pageUrl: `${url}${pathname}`,
        publishAgain: () => publishPage(merchant, shop, of),
        html,
        /** Waits until the page shows every one of these texts and none of those. */
        shows: (texts: string[], none: string[] = []) =>
          eventually(
            async () => {
              const text = await html();
              return texts.every((each) => text.includes(each)) && !none.some((each) => text.includes(each));
            },
            { what: `${texts} without ${none} on the page` },
          ),
      };
    }

    test('blocks come and go with their install, and values change, within seconds', async () => {
      const { storeId, merchant, productId, html, shows, change } = await storeWithPage();
      const block = ['What customers say', 'All reviews'];
      const text = await html();
      for (const each of [...block, 'Earl Grey', '4.0', '1 review<', '/assets/wb.js', 'integrity="sha256-']) {
        expect(text).toContain(each);
      }
      expect(text).toContain(`data-wb-island="app.${registered.appId}.stars"`);
      const [module] = /\/islands\/[0-9a-f]{64}\.js/.exec(text)!;
      expect((await send(url, 'GET', module)).text).toContain(`'app.${registered.appId}.stars'`);

      await app.addReview(storeId, productId, 5);
      await shows(['4.5', '2 reviews']);
      const nothing = [...block, 'data-wb-island'];
      await change('POST', '/disable');
      await shows(['Earl Grey'], nothing);
      await change('DELETE', '/disable');
      await shows([...block, '2 reviews']);
      await reviewer.post(`/api/review/apps/${registered.appId}/suspend`);
      await shows(['Earl Grey'], nothing);
      await reviewer.delete(`/api/review/apps/${registered.appId}/suspend`);
      await shows(block);
      await change('DELETE');
      await shows(['Earl Grey'], nothing);
      await installApp(new Waybill(url, merchant.accessToken), storeId, registered, app);
      await shows([...block, '4.5', '2 reviews']);
      // Seven times a page is waited for.
    });

    inChromium('the island of the block runs, on both of its places', async () => {
      const { pageUrl } = await storeWithPage();
      const browser = await launchChromium();
      try {
        const page = await browser.newPage();
        await page.goto(pageUrl);
        await page.getByText('★★★★☆').nth(1).waitFor();
        expect(await page.getByLabel('4.0 of 5').count()).toBe(2);
      } finally {
        await browser.close();
      }
    });

    inChromium(
      'an island runs no module but the page’s own, and connects where its version says',
      async () => {
        const pathOf = (module: string) => `/islands/${createHash('sha256').update(module).digest('hex')}.js`;
        const ran = (what: string) => `document.title = '${what} ran'; export {};`;
        // One that stays a draft, and one of another app, approved but not on this page.
        const elsewhere = await registerApp(url, developer, app);
        const own = await registerApp(url, developer, app);
        const { version } = await developer.post<{ version: { id: string } }>(`${own.path}/versions`, {
          scopes: [],
        });
        const draft = `${own.path}/versions/${version.id}/islands`;
        await developer.put(draft, { islands: [{ name: 'stars' }] });
        await developer.upload(`${draft}/module?name=stars`, 'text/javascript', ran('draft'));
        await approveVersion(
          reviewer,
          await submitVersion(developer, elsewhere, { module: ran('elsewhere') }),
        );
        expect((await send(url, 'GET', pathOf(ran('elsewhere')))).status).toBe(200);
        expect((await send(url, 'GET', pathOf(ran('draft')))).status).toBe(404);

        const module = `
        const tries = {
          draft: () => import('${pathOf(ran('draft'))}'),
          elsewhere: () => import('${pathOf(ran('elsewhere'))}'),
          foreign: () => import('https://foreign.example/module.js'),
          worker: () => new Promise((resolve, reject) => {
            const worker = new Worker(import.meta.url, { type: 'module' });
            worker.onerror = reject;
            setTimeout(resolve, 1000);
          }),
          undeclared: () => fetch('https://undeclared.example/'),
          declared: () => fetch('https://api.example.com/'),
          site: () => fetch('/healthz'),
        };
        const outcomes = Promise.all(Object.entries(tries).map(async ([name, work]) => {
          try { await work(); return name + ' works'; } catch { return name + ' is refused'; }
        }));
        window.WB.register('app.${own.appId}.stars', class {
          constructor(element) { outcomes.then((all) => { element.textContent = all.join(', '); }); }
        });`;
        const connectOrigins = ['https://api.example.com'];
        await approveVersion(reviewer, await submitVersion(developer, own, { module, connectOrigins }));
        const { pageUrl } = await storeWithPage(own, connectOrigins);
        const { headers } = await send(url, 'GET', new URL(pageUrl).pathname);
        const { host } = new URL(url);
        expect(headers['content-security-policy']).toContain(
          `script-src ${host}/assets/ ${host}${pathOf(module)};`,
        );
        const browser = await launchChromium();
        try {
          const page = await browser.newPage();
          const asked: string[] = [];
          await page.route('https://**', async (route) => {
            asked.push(new URL(route.request().url()).hostname);
            const headers = { 'access-control-allow-origin': '*' };
            await route.fulfill({ headers, contentType: 'text/javascript', body: ran('foreign') });
          });
          await page.goto(pageUrl);
          const outcome = page.locator(`[data-wb-island="app.${own.appId}.stars"]`).first();
          await outcome.getByText('site works').waitFor();
          expect(await outcome.textContent()).toBe(
            'draft is refused, elsewhere is refused, foreign is refused, worker is refused, ' +
              'undeclared is refused, declared works, site works',
          );
          expect(asked).toEqual(['api.example.com']);
          expect(await page.title()).not.toContain('ran');
        } finally {
          await browser.close();
          app.register({ baseUrl: url, ...registered });
        }
      },
    );

    test('another version shows at the next publish, with what the merchant set; a rollback at once', async () => {
      const own = await registerApp(url, developer, app);
      const [first] = [await submitVersion(developer, own)];
      await approveVersion(reviewer, first);
      const { merchant, storeId, shows, html, change, read, publishAgain } = await storeWithPage(own);
      const renamed = {
        ...reviewsBlock,
        nodes: reviewsBlock.nodes.map((node) =>
          node.id === 'title' ? { ...node, props: { specials: { text: 'In their own words' } } } : node,
        ),
      };
      const wall = { ...reviewsBlock, key: 'wall', name: 'Wall' };
      await approveVersion(reviewer, await submitVersion(developer, own, { blocks: [renamed, wall] }));
      await eventually(async () => (await read()).versionNumber === 2);
      expect(await html()).toContain('What customers say');
      await publishAgain();
      await shows(['In their own words', 'All reviews'], ['What customers say']);

      const preview = `/api/stores/${storeId}/apps/${own.appId}/rollback?versionId=${first}`;
      expect((await merchant.call('GET', preview)).body).toEqual({
        missingBlocks: [{ key: 'wall', name: 'Wall', pages: [] }],
      });
      await change('POST', '/rollback', { versionId: first });
      await shows(['What customers say', 'All reviews'], ['In their own words']);
      app.register({ baseUrl: url, ...registered });
    });
  });
});

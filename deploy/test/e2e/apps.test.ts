import { createHash } from 'node:crypto';
import { permissions } from '@waybill/contracts';
import {
  approveVersion,
  installApp,
  listenToInstalls,
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
import { eventually, hasChromium, launchChromium, type Receiver, startReceiver } from '@waybill/testing';
import { expectStatus, join, newKey, newPerson, newStore } from '../../testing/accounts.ts';
import { type Caller, createCaller, type Reply, send } from '../../testing/client.ts';
import { noisyPng } from '../../testing/uploads.ts';
import { codeChallenge, codeVerifier } from './pkce.ts';
import { type SharedSystem, topologies } from './topologies.ts';

const appData = '/api/v1/app-data';
const codeOf = ({ status, body }: Reply) => (status < 300 ? `${status}` : `${status} ${body.code}`);

const hasBrowser = hasChromium('islands of live pages');

describe.each(topologies)('$name', ({ share, inOneTopology }) => {
  const inChromium = hasBrowser ? inOneTopology : test.skip;
  let system: SharedSystem;
  let url: string;
  let app: ReviewsApp;
  let receiver: Receiver;
  let registered: RegisteredApp;
  let developer: Waybill;
  let reviewer: Waybill;
  beforeAll(async () => {
    const port = Number(process.env.WAYBILL_TEST_APP_PORT);
    [app, receiver] = await Promise.all([startReviewsApp(port), startReceiver()]);
    system = await share();
    url = system.baseUrl;
    developer = await signIn(url, system.demo.developer);
    reviewer = await signIn(url, system.demo.reviewer);
    registered = await registerApp(url, developer, app);
    await listenToInstalls(developer, registered, app);
    await approveVersion(reviewer, await submitVersion(developer, registered));
  });
  afterAll(async () => {
    await Promise.all([app.stop(), receiver.close()]);
  });

  /** Creates a merchant's store with the app installed. */
  async function storeWithApp(
    of = registered,
    agreed: { scopes?: readonly string[]; connectOrigins?: readonly string[] } = {},
  ) {
    const merchant = await newPerson(url);
    const storeId = await newStore(merchant);
    await installApp(new Waybill(url, merchant.accessToken), storeId, of, app, { scopes, ...agreed });
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
      token: createCaller(url, app.install(storeId).accessToken),
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

  test('a merchant finds an app in the directory, with its icon and what it asks for', async () => {
    const login = await createCaller(url, undefined)('POST', '/api/auth/login', system.demo.developer);
    const { accessToken } = expectStatus(login, 200).body;
    const call = createCaller(url, accessToken);
    const word = registered.appId;
    expectStatus(await call('PATCH', registered.path, { isListed: true, description: word }), 200);
    const icon = noisyPng(64, 64);
    const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'image/png' };
    const put = await send(url, 'PUT', `${registered.path}/icon`, { headers, body: icon });
    const { iconUrl } = expectStatus(put, 200).body.app;
    const merchant = await newPerson(url);
    const found = expectStatus(await merchant.call('GET', `/api/apps?q=${word}`), 200).body;
    const asksFor = { id: registered.appId, iconUrl, scopes, blocks: [{ key: reviewsBlock.key }] };
    expect(found).toMatchObject({ total: 1, apps: [asksFor] });
    const profile = await merchant.call('GET', `/api/apps/${registered.appId}`);
    expect(expectStatus(profile, 200).body.app).toMatchObject(asksFor);
    const served = await send(url, 'GET', new URL(iconUrl, url).pathname);
    expect([served.status, served.headers]).toEqual([
      200,
      expect.objectContaining({
        'content-type': 'image/png',
        'content-length': String(icon.length),
        'x-content-type-options': 'nosniff',
      }),
    ]);
    expect(codeOf(await send(url, 'GET', '/api/apps'))).toBe('401 missing_credential');
    expectStatus(await call('PATCH', registered.path, { isListed: false }), 200);
  });

  test('an app hears of its installs, and its developer reads what it was called about', async () => {
    const { storeId, change, read } = await storeWithApp();
    const becomes = (state: string) =>
      eventually(() => app.getInstallState(storeId) === state, { what: state });
    await becomes('installed');
    await change('POST', '/disable');
    await becomes('disabled');
    await change('DELETE');
    await becomes('uninstalled');
    const login = await createCaller(url, undefined)('POST', '/api/auth/login', system.demo.developer);
    const call = createCaller(url, expectStatus(login, 200).body.accessToken);
    const { installs } = expectStatus(await call('GET', `${registered.path}/installs?limit=200`), 200).body;
    const { id, versionId } = await read();
    expect(installs.find((each: { storeId: string }) => each.storeId === storeId)).toMatchObject({
      id,
      versionId,
      state: 'uninstalled',
    });
    const list = `${registered.path}/deliveries?eventType=app.uninstalled`;
    const { deliveries } = expectStatus(await call('GET', list), 200).body;
    const again = await call('POST', `${registered.path}/deliveries/${deliveries[0].id}/redeliver`);
    expectStatus(again, 202);
    const stranger = await newPerson(url);
    expect(codeOf(await stranger.call('GET', list))).toBe('404 not_found');
    expect(codeOf(await send(url, 'GET', list))).toBe('401 missing_credential');
  });

  describe('an app token', () => {
    test('acts on its store and no other, with the scopes that the merchant agreed to', async () => {
      const [one, two] = [await storeWithApp(), await storeWithApp()];
      const key = await newKey(one.merchant, one.storeId, ['products.write', 'products.read']);
      const created = await createCaller(url, key.secret)('POST', '/api/v1/products', { name: 'Tea' });
      expectStatus(created, 201);
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
      const key = createCaller(url, secret);
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

    inOneTopology('alone opens app data: an API key with the scopes does not', async () => {
      const { merchant, storeId } = await storeWithApp();
      const { secret } = await newKey(merchant, storeId, ['appdata.read', 'appdata.write']);
      const key = createCaller(url, secret);
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
      const again = await listed(createCaller(url, app.install(store.storeId).accessToken));
      expect(again.body.appData).toMatchObject([{ key: 'kept' }]);
    });

    test('uninstalling; what it has defined is hidden once that is answered', async () => {
      const own = await registerApp(url, developer, app);
      const granted = [...scopes, 'products.write', 'integrations.read', 'integrations.write'];
      await approveVersion(reviewer, await submitVersion(developer, own, { scopes: [...new Set(granted)] }));
      const { storeId, merchant, token, change } = await storeWithApp(own, { scopes: [...new Set(granted)] });
      const score = { entity: 'product', key: 'score', type: 'integer', name: 'Score' };
      expectStatus(await token('POST', '/api/v1/custom-fields', score), 201);
      const customFields = { [`${own.appId}/score`]: 4 };
      const created = await token('POST', '/api/v1/products', { name: 'Tea', customFields });
      const { product } = expectStatus(created, 201).body;
      const path = `/api/stores/${storeId}/products/${product.id}`;
      const values = async () =>
        expectStatus(await merchant.call('GET', path), 200).body.product.customFields;
      expect(await values()).toEqual(customFields);
      await change('DELETE');
      expect(await values()).toEqual({});
    });

    test('uninstalling one that takes payments, whose token still reports on what is open, and on nothing else', async () => {
      const own = await registerApp(url, developer, app);
      await developer.patch(own.path, { webhookUrl: `${receiver.url}/pay` });
      await developer.post(`${own.path}/webhook-secret`);
      const granted = [...scopes, 'orders.read', 'orders.write'];
      const taking = { scopes: granted, payments: { name: 'Example Pay' } };
      const { version } = await developer.post<{ version: { id: string } }>(`${own.path}/versions`, taking);
      await developer.post(`${own.path}/versions/${version.id}/submit`);
      await approveVersion(reviewer, version.id);
      const { storeId, merchant, token, install, change } = await storeWithApp(own, { scopes: granted });
      const methods = `/api/stores/${storeId}/payment-methods`;
      const method = { provider: 'app', name: 'Example Pay', appId: own.appId, capture: 'manual' };
      const added = await merchant.call('POST', methods, { ...method, isEnabled: true });
      const paymentMethodId = expectStatus(added, 201).body.paymentMethod.id;
      const key = createCaller(
        url,
        (await newKey(merchant, storeId, ['products.write', 'orders.read'])).secret,
      );
      const tea = { name: 'Tea', status: 'active', variants: [{ priceCents: 900, stock: 5 }] };
      const { product } = expectStatus(await key('POST', '/api/v1/products', tea), 201).body;
      const called = (type: string, orderId: string) =>
        eventually(
          () =>
            receiver.calls
              .filter(({ path }) => path === '/pay')
              .map(({ body }) => JSON.parse(body))
              .find((call) => call.type === type && call.data.session.orderId === orderId)?.data.session,
          { what: `the app to be called for ${type}` },
        );
      const buy = async () => {
        const placed = await send(url, 'POST', `/storefront/${storeId}/orders`, {
          headers: { 'idempotency-key': `buy-${Math.random()}` },
          json: {
            items: [{ variantId: product.variants[0].id, quantity: 1 }],
            customer: { name: 'Ann', email: 'ann@example.com' },
            paymentMethodId,
          },
        });
        const { order, payment } = expectStatus(placed, 201).body;
        const { id } = await called('payment.sessionRequested', order.id);
        return { order, payment, session: `/api/v1/payment-sessions/${id}` };
      };
      type Bought = Awaited<ReturnType<typeof buy>>;
      const [ended, open] = (await Promise.all([buy(), buy()])) as [Bought, Bought];
      expectStatus(await token('POST', ended.session, { status: 'captured' }), 200);
      expectStatus(await token('POST', open.session, { status: 'authorized' }), 200);
      const stateOf = async ({ order }: Bought) =>
        (await key('GET', `/api/v1/orders/${order.id}`)).body.order.payment;
      await eventually(async () => (await stateOf(open)) === 'authorized', { what: 'the authorisation' });
      await change('DELETE');
      const gone = '401 app_token_invalid';
      for (const [method, path] of [
        ['GET', '/api/v1/store'],
        ['GET', '/api/v1/products'],
        ['GET', '/api/v1/orders'],
        ['GET', `/api/v1/orders/${open.order.id}/payments`],
        ['POST', `/api/v1/payments/${open.payment.id}/capture`],
        ['GET', open.session],
        ['PUT', open.session],
        ['POST', `${open.session}/x`],
        ['POST', '/api/v1/payment-sessions'],
        ['POST', '/api/v1/nothing'],
      ] as const)
        expect([path, codeOf(await token(method, path))]).toEqual([path, gone]);
      expect(codeOf(await token('POST', ended.session, { status: 'refunded' }))).toBe('404 not_found');
      const capture = `/api/stores/${storeId}/payments/${open.payment.id}/capture`;
      const capturing = merchant.call('POST', capture, {});
      await called('payment.captureRequested', open.order.id);
      expectStatus(await token('POST', open.session, { status: 'captured' }), 200);
      expect((await capturing).body.payment.status).toBe('captured');
      expect(await stateOf(open)).toBe('paid');
      expect(codeOf(await token('POST', open.session, { status: 'captured' }))).toBe('404 not_found');
      // It answers a requested refund, once.
      const refunding = merchant.call('POST', `/api/stores/${storeId}/orders/${open.order.id}/refunds`, {
        amountCents: 300,
      });
      await called('payment.refundRequested', open.order.id);
      expectStatus(await token('POST', open.session, { status: 'refunded' }), 200);
      expect((await refunding).status).toBe(201);
      expect(codeOf(await token('POST', open.session, { status: 'refunded' }))).toBe('404 not_found');
      const form = { client_id: own.appId, client_secret: own.clientSecret };
      expect((await oauth({ ...form, token: install.accessToken }, 'revoke')).status).toBe(200);
      expect(codeOf(await token('POST', open.session, { status: 'captured' }))).toBe(gone);
      app.register({ baseUrl: url, ...registered });
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

  describe('webhooks', () => {
    const listening = ['webhooks.read', 'webhooks.write'];
    const events = ['customer.created', 'order.created', 'product.created'];
    const shopper = { name: 'Ann Shopper', email: 'ann.shopper@example.com', phone: '+41 79 000 00 00' };

    /** Creates a store with an app that may only create webhooks, and with a product for sale. */
    async function storeWithListener() {
      const own = await registerApp(url, developer, app);
      await approveVersion(reviewer, await submitVersion(developer, own, { scopes: listening }));
      const store = await storeWithApp(own, { scopes: listening });
      app.register({ baseUrl: url, ...registered });
      const key = createCaller(url, (await newKey(store.merchant, store.storeId, permissions)).secret);
      const variants = [{ sku: 'T', priceCents: 890, stock: 100 }];
      const created = await key('POST', '/api/v1/products', { name: 'Tea', status: 'active', variants });
      const [{ id: variantId }] = expectStatus(created, 201).body.product.variants;
      // Webhooks created from here on are not called about that product: the app's usual webhook has been.
      const [{ id }] = (await key('GET', '/api/v1/webhooks')).body.webhooks;
      await eventually(async () => (await key('GET', `/api/v1/webhooks/${id}/deliveries`)).body.total === 1);
      let orders = 0;
      return {
        ...store,
        ...own,
        key,
        /** A first purchase: a customer and an order; and the merchant adds another product. */
        async happen() {
          const nth = ++orders;
          const customer = { ...shopper, email: `${nth}.${shopper.email}` };
          const order = await send(url, 'POST', `/storefront/${store.storeId}/orders`, {
            headers: { 'idempotency-key': `order-${nth}` },
            json: { items: [{ variantId, quantity: 1 }], customer },
          });
          expectStatus(order, 201);
          expectStatus(await key('POST', '/api/v1/products', { name: `Tea ${nth}` }), 201);
        },
        async subscribe(call: Caller, name: string) {
          const target = `${receiver.url}/${store.storeId}/${name}`;
          return expectStatus(await call('POST', '/api/v1/webhooks', { url: target, events }), 201).body
            .webhook;
        },
        /** Returns the events that an endpoint has received, each once: a failed call may have been repeated. */
        listReceived(name: string) {
          const calls = receiver.calls.filter(({ path }) => path === `/${store.storeId}/${name}`);
          const events = calls.map(
            ({ body }) => JSON.parse(body) as { id: string; type: string; data: Record<string, object> },
          );
          return [...new Map(events.map((event) => [event.id, event])).values()];
        },
        /** Waits until the endpoint has received this many events of each kind. */
        async hears(name: string, times: number) {
          const what = `${times} times ${events} at ${name}`;
          await eventually(() => this.listReceived(name).length >= times * events.length, { what });
          return this.listReceived(name);
        },
      };
    }
    const idsAlone = (data: Record<string, object>) =>
      Object.values(data).every((thing) => Object.keys(thing).join() === 'id');

    test('tell an app of what it may not read, and nothing that is in it', async () => {
      const store = await storeWithListener();
      expect(await store.subscribe(store.token, 'app')).toMatchObject({
        appId: store.appId,
        description: '',
        reducedEvents: events,
      });
      expect(await store.subscribe(store.key, 'merchant')).toMatchObject({ appId: null, reducedEvents: [] });
      await store.happen();
      const [own, merchants] = [await store.hears('app', 1), await store.hears('merchant', 1)];
      expect(own.map(({ type, data }) => [type, Object.keys(data).join(), idsAlone(data)]).sort()).toEqual([
        ['customer.created', 'customer', true],
        ['order.created', 'order', true],
        ['product.created', 'product', true],
      ]);
      expect(JSON.stringify(own)).not.toContain('hopper');
      expect(JSON.stringify(merchants)).toContain(shopper.phone);
      const idsOf = (received: typeof own) =>
        received.map(({ data }) => Object.values(data).map((thing) => (thing as { id: string }).id)).sort();
      expect(idsOf(own)).toEqual(idsOf(merchants));
    });

    inOneTopology(
      'are seen, changed and removed by the app that made them and by the merchant, no other app',
      async () => {
        const store = await storeWithListener();
        const theirs = await store.subscribe(store.key, 'merchant');
        const own = await store.subscribe(store.token, 'app');
        await store.happen();
        await Promise.all([store.hears('app', 1), store.hears('merchant', 1)]);
        const all = async (call: Caller) => {
          const { webhooks, total } = (await call('GET', '/api/v1/webhooks')).body;
          return { total, ids: webhooks.map(({ id }: { id: string }) => id) };
        };
        const deliveries = (await store.key('GET', `/api/v1/webhooks/${theirs.id}/deliveries`)).body
          .deliveries;
        const path = `/api/v1/webhooks/${theirs.id}`;
        const redirected = { url: `${receiver.url}/${store.storeId}/thief`, events };
        for (const reply of [
          await store.token('GET', path),
          await store.token('PUT', path, redirected),
          await store.token('DELETE', path),
          await store.token('GET', `${path}/deliveries`),
          await store.token('GET', `${path}/deliveries/${deliveries[0].id}`),
          await store.token('POST', `${path}/deliveries/${deliveries[0].id}/redeliver`),
        ]) {
          expect(codeOf(reply)).toBe('404 not_found');
        }
        // The third one is the webhook that the app created when it was installed.
        expect(await all(store.token)).toMatchObject({ total: 2, ids: [own.id, expect.any(String)] });
        expect(await all(store.key)).toMatchObject({
          total: 3,
          ids: expect.arrayContaining([own.id, theirs.id]),
        });
        expect((await store.key('GET', path)).body.webhook).toEqual(theirs);

        // A webhook that the merchant replaces stays the app's, and so do its rights to read.
        const replaced = { url: own.url, events, description: 'By the merchant' };
        const { webhook } = expectStatus(
          await store.key('PUT', `/api/v1/webhooks/${own.id}`, replaced),
          200,
        ).body;
        expect(webhook).toMatchObject({
          appId: store.appId,
          description: 'By the merchant',
          reducedEvents: events,
        });
        expectStatus(await store.token('PUT', `/api/v1/webhooks/${own.id}`, { url: own.url, events }), 200);
        expect((await store.key('GET', `/api/v1/webhooks/${own.id}`)).body.webhook).toMatchObject({
          description: '',
          reducedEvents: events,
        });
        expectStatus(await store.token('DELETE', `/api/v1/webhooks/${own.id}`), 204);
        expect((await all(store.key)).ids).not.toContain(own.id);
      },
    );

    test('are silent while the app is disabled, suspended or uninstalled, and go on with what is new', async () => {
      const store = await storeWithListener();
      const own = await store.subscribe(store.token, 'app');
      await store.subscribe(store.key, 'merchant');
      const suspension = `/api/review/apps/${store.appId}/suspend`;
      const merchant = new Waybill(url, store.merchant.accessToken);
      const absences: [leave: () => Promise<unknown>, comeBack: () => Promise<unknown>][] = [
        [() => store.change('POST', '/disable'), () => store.change('DELETE', '/disable')],
        [() => reviewer.post(suspension), () => reviewer.delete(suspension)],
        [
          () => store.change('DELETE'),
          () =>
            merchant.post(`/api/stores/${store.storeId}/apps/${store.appId}/install`, { scopes: listening }),
        ],
      ];
      receiver.answer((call, res) => {
        res.writeHead(call.path === `/${store.storeId}/app` ? 500 : 200).end();
      });
      await store.happen();
      await store.hears('app', 1);
      const deliveries = async () =>
        (await store.key('GET', `/api/v1/webhooks/${own.id}/deliveries`)).body.deliveries as {
          status: string;
        }[];
      await eventually(async () => (await deliveries()).every(({ status }) => status === 'retrying'));
      let heard = 1;
      for (const [nth, [leave, comeBack]] of absences.entries()) {
        await leave();
        await store.happen();
        await store.hears('merchant', 2 * nth + 2);
        // Waiting calls were cancelled, and the events in the meantime left no record.
        await eventually(async () => (await deliveries()).every(({ status }) => status === 'cancelled'));
        expect((await deliveries()).length).toBe(heard * events.length);
        expect(store.listReceived('app').length).toBe(heard * events.length);
        await comeBack();
        await store.happen();
        await store.hears('app', ++heard);
        await eventually(async () => (await deliveries()).every(({ status }) => status !== 'pending'));
      }
      receiver.answer(200);
    });

    inOneTopology('tell what a key and the role of its creator allow when the call is made', async () => {
      const store = await storeWithListener();
      const creator = await newPerson(url);
      await join(store.merchant, store.storeId, creator, 'admin');
      const { keyId, secret } = await newKey(creator, store.storeId, [
        'webhooks.write',
        'webhooks.read',
        'customers.read',
        'products.read',
      ]);
      const { id } = await store.subscribe(createCaller(url, secret), 'creator');
      const members = `/api/stores/${store.storeId}/members`;
      let nth = 0;
      const reduced = async () => {
        await store.happen();
        const received = (await store.hears('creator', ++nth)).slice(-events.length);
        const { webhook } = (await store.key('GET', `/api/v1/webhooks/${id}`)).body;
        const types = received.filter(({ data }) => idsAlone(data)).map(({ type }) => type);
        expect(webhook.reducedEvents).toEqual(types.sort());
        return types;
      };
      expect(await reduced()).toEqual(['order.created']);
      // Nothing changes: revoking a key stops its requests, not the webhooks that it has created.
      expectStatus(
        await store.merchant.call('DELETE', `/api/stores/${store.storeId}/api-keys/${keyId}`),
        204,
      );
      expect(await reduced()).toEqual(['order.created']);
      expectStatus(await store.merchant.call('DELETE', `${members}/${creator.userId}`), 204);
      expect(await reduced()).toEqual(events);
      await join(store.merchant, store.storeId, creator, 'viewer');
      expect(await reduced()).toEqual(['order.created']);
    });
  });

  describe('refreshing', () => {
    /** Returns the tokens of a new store. */
    async function newPair() {
      const merchant = await newPerson(url);
      const storeId = await newStore(merchant);
      const redirectUri = app.redirectUri;
      const path = `/api/stores/${storeId}/apps/${registered.appId}/install`;
      const reply = expectStatus(
        await merchant.call('POST', path, { scopes, redirectUri, codeChallenge }),
        201,
      );
      const code = new URL(reply.body.redirectTo).searchParams.get('code')!;
      return expectStatus(
        await oauth({
          grant_type: 'authorization_code',
          code,
          redirect_uri: redirectUri,
          code_verifier: codeVerifier,
        }),
        200,
      ).body;
    }
    const isGood = async (token: string) => codeOf(await listed(createCaller(url, token))) === '200';

    inOneTopology('twenty times at once leaves one pair that works', async () => {
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

    inOneTopology('a refresh token is no credential', async () => {
      const { refresh_token } = await newPair();
      expect(codeOf(await listed(createCaller(url, refresh_token)))).toBe('401 refresh_token_not_accepted');
    });
  });

  describe('on live pages', () => {
    /** Creates a store whose published page shows the app's block twice: within a reviewed product, and by itself. */
    async function storeWithPage(of = registered, connectOrigins: readonly string[] = []) {
      const store = await storeWithApp(of, { connectOrigins });
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
        /** Waits until the page shows all of these texts and none of those. */
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
      // The test waits for a page seven times.
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
        // One that stays a draft, and one of another app, which is approved but not on this page.
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
        // The draft's module is served to a development store.
        const { store: bench } = await developer.post<{ store: { id: string } }>(
          `${own.path.split('/apps/')[0]}/stores`,
          { name: 'Bench' },
        );
        const choice = { versionId: version.id, scopes: [] };
        await developer.post(`/api/stores/${bench.id}/apps/${own.appId}/install`, choice);
        const development = pathOf(ran('draft')).replace('/islands/', `/islands/dev/${bench.id}/`);
        expect((await send(url, 'GET', development)).status).toBe(200);

        const module = `
        const tries = {
          draft: () => import('${pathOf(ran('draft'))}'),
          development: () => import('${url}${development}'),
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
          const requests: string[] = [];
          await page.route('https://**', async (route) => {
            requests.push(new URL(route.request().url()).hostname);
            const headers = { 'access-control-allow-origin': '*' };
            await route.fulfill({ headers, contentType: 'text/javascript', body: ran('foreign') });
          });
          await page.goto(pageUrl);
          const outcome = page.locator(`[data-wb-island="app.${own.appId}.stars"]`).first();
          await outcome.getByText('site works').waitFor();
          expect(await outcome.textContent()).toBe(
            'draft is refused, development is refused, elsewhere is refused, foreign is refused, worker is refused, ' +
              'undeclared is refused, declared works, site works',
          );
          expect(requests).toEqual(['api.example.com']);
          expect(await page.title()).not.toContain('ran');
        } finally {
          await browser.close();
          app.register({ baseUrl: url, ...registered });
        }
      },
    );

    test('another version shows at the next publish with the merchant’s settings, a rollback at once', async () => {
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
        missingBlocks: [{ key: 'wall', name: 'Wall', pages: [], places: [], hasMore: false }],
      });
      await change('POST', '/rollback', { versionId: first });
      await shows(['What customers say', 'All reviews'], ['In their own words']);
      app.register({ baseUrl: url, ...registered });
    });
  });
});

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { permissions } from '@waybill/contracts';
import { eventually, type ReceivedCall, type Receiver, startReceiver } from '@waybill/testing';
import { Webhook } from 'standardwebhooks';
import { expectStatus, join, newKey, newPerson, newStore } from '../../testing/accounts.ts';
import { type Caller, createCaller } from '../../testing/client.ts';
import { type SharedSystem, sharedSpans, topologies } from './topologies.ts';

const products = '/api/v1/products';

/** Verifies a call by hand, `store-api.md 5.3`. */
function verify(secret: string, { headers, body }: ReceivedCall): boolean {
  const seconds = Math.floor(Date.parse(String(headers['x-wb-timestamp'])) / 1000);
  const expected = `sha256=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
  const signature = String(headers['x-wb-signature']);
  return (
    signature.length === expected.length && timingSafeEqual(Buffer.from(signature), Buffer.from(expected))
  );
}

describe.each(topologies)('$name', ({ share, inOneTopology }) => {
  let receiver: Receiver;
  let system: SharedSystem;
  let shop: Caller;
  beforeAll(async () => {
    receiver = await startReceiver();
    system = await share();
    const owner = await newPerson(system.baseUrl);
    const { secret } = await newKey(owner, await newStore(owner), permissions);
    shop = createCaller(system.baseUrl, secret);
  });
  afterAll(() => receiver.close());

  describe("a newcomer's path", () => {
    const callAt = (path: string, nth: number) =>
      eventually(() => receiver.calls.filter((call) => call.path === path)[nth], { what: `call ${nth}` });

    test('leads from a key to verified calls for a product made, changed and removed', async () => {
      const created = await shop('POST', '/api/v1/webhooks', {
        url: `${receiver.url}/first`,
        events: ['product.created', 'product.updated', 'product.deleted'],
      });
      expectStatus(created, 201);
      const { webhook, secret } = created.body;
      expect(webhook).toMatchObject({ id: expect.stringMatching(/^whe_/), status: 'active' });

      const createdProduct = await shop('POST', products, {
        name: 'Earl Grey',
        status: 'active',
        variants: [
          { sku: 'EG-100', priceCents: 690, stock: 12 },
          { sku: 'EG-250', priceCents: 1490, stock: 3 },
        ],
      });
      const { product } = expectStatus(createdProduct, 201).body;
      expect(product).toMatchObject({
        id: expect.stringMatching(/^prd_/),
        number: 1,
        slug: 'earl-grey',
        priceCents: 690,
        totalStock: 15,
      });

      const call = await callAt('/first', 0);
      expect(verify(secret, call)).toBe(true);
      expect(verify(secret, { ...call, body: `${call.body} ` })).toBe(false);
      const envelope = new Webhook(secret).verify(call.body, call.headers as Record<string, string>);
      expect(envelope).toEqual({
        id: expect.stringMatching(/^evt_/),
        type: 'product.created',
        createdAt: expect.any(String),
        data: { product },
      });
      expect(call.headers['x-wb-attempt']).toBe('1');

      const deliveries = await eventually(async () => {
        const { body } = await shop('GET', `/api/v1/webhooks/${webhook.id}/deliveries`);
        return body.deliveries[0]?.status === 'delivered' && body;
      });
      expect(deliveries).toMatchObject({
        total: 1,
        deliveries: [{ eventType: 'product.created', attempt: 1, lastStatusCode: 200, lastError: '' }],
      });

      const replaced = await shop('PUT', `${products}/${product.id}`, { name: 'Lady Grey' });
      expect(expectStatus(replaced, 200).body.product).toMatchObject({
        number: 1,
        name: 'Lady Grey',
        slug: 'earl-grey',
        status: 'draft',
        variants: [],
        priceCents: null,
      });
      const update = JSON.parse((await callAt('/first', 1)).body);
      expect(update).toMatchObject({ type: 'product.updated', data: replaced.body });

      expectStatus(await shop('DELETE', `${products}/${product.id}`), 204);
      const removal = await callAt('/first', 2);
      expect(verify(secret, removal)).toBe(true);
      expect(JSON.parse(removal.body)).toMatchObject({
        type: 'product.deleted',
        data: { product: { id: product.id, number: 1, slug: 'earl-grey' } },
      });
      expect((await shop('GET', `${products}/${product.id}`)).body.code).toBe('not_found');

      expect((await shop('GET', '/api/v1/webhooks')).text).not.toContain('whsec_');
      expectStatus(await shop('DELETE', `/api/v1/webhooks/${webhook.id}`), 204);
    });

    test('a failed delivery is redelivered at the owner’s request', async () => {
      receiver.answer((call, res) => res.writeHead(call.path === '/down' ? 500 : 200).end());
      const created = await shop('POST', '/api/v1/webhooks', {
        url: `${receiver.url}/down`,
        events: ['product.created'],
      });
      const { webhook } = expectStatus(created, 201).body;
      await shop('POST', products, { name: 'Assam' });
      const path = `/api/v1/webhooks/${webhook.id}/deliveries`;
      const [delivery] = await eventually(async () => {
        const { deliveries } = (await shop('GET', path)).body;
        return deliveries[0]?.status === 'retrying' && deliveries;
      });
      expect(delivery).toMatchObject({ attempt: 1, lastStatusCode: 500, nextAttemptAt: expect.any(String) });
      receiver.answer(200);
      expectStatus(await shop('POST', `${path}/${delivery.id}/redeliver`), 202);
      await eventually(async () => (await shop('GET', path)).body.deliveries[0].status === 'delivered');
      const [first, second] = receiver.calls.filter((call) => call.path === '/down');
      expect(second!.headers['x-wb-attempt']).toBe('2');
      expect(second!.headers['x-wb-event-id']).toBe(first!.headers['x-wb-event-id']);
      expectStatus(await shop('DELETE', `/api/v1/webhooks/${webhook.id}`), 204);
    });
  });

  describe('a key whose creator lost the role that made it', () => {
    const everything = ['products.read', 'products.write', 'webhooks.read', 'webhooks.write'];

    inOneTopology.each([
      ['viewer', 403, 403],
      ['editor', 201, 403],
      ['admin', 201, 201],
    ])('as %s reads all, products are answered %i and webhooks %i', async (role, product, webhook) => {
      const owner = await newPerson(system.baseUrl);
      const storeId = await newStore(owner);
      const creator = await newPerson(system.baseUrl);
      await join(owner, storeId, creator, 'admin');
      const call = createCaller(system.baseUrl, (await newKey(creator, storeId, everything)).secret);
      const member = `/api/stores/${storeId}/members/${creator.userId}`;
      expectStatus(await owner.call('PATCH', member, { role }), 200);
      expect((await call('GET', products)).status).toBe(200);
      expect((await call('GET', '/api/v1/webhooks')).status).toBe(200);
      expect((await call('POST', products, { name: 'Tea' })).status).toBe(product);
      const body = { url: receiver.url, events: ['product.created'] };
      expect((await call('POST', '/api/v1/webhooks', body)).status).toBe(webhook);
    });
  });

  describe('products through the gateway', () => {
    let call: Caller;
    beforeAll(async () => {
      const owner = await newPerson(system.baseUrl);
      const { secret } = await newKey(owner, await newStore(owner), ['products.read', 'products.write']);
      call = createCaller(system.baseUrl, secret);
    });
    const create = (body: object) => call('POST', products, body);

    inOneTopology.each([
      [{}, 'invalid_body'],
      [{ name: '' }, 'invalid_body'],
      [{ name: 'Tea', status: 'sold' }, 'invalid_status'],
      [{ name: 'Tea', slug: 'Not A Slug' }, 'invalid_slug'],
      [{ name: 'Tea', variants: [{ priceCents: 1.5 }] }, 'invalid_price'],
      [{ name: 'Tea', variants: [{ priceCents: -1 }] }, 'invalid_price'],
      [{ name: 'Tea', variants: [{ priceCents: '5' }] }, 'invalid_price'],
      [{ name: 'Tea', tags: null }, 'invalid_body'],
    ])('400 for %j: %s, with the places of the problems', async (body, code) => {
      const reply = await create(body);
      expect(reply).toMatchObject({ status: 400, body: { code } });
      expect(reply.body.details[0]).toEqual({ pointer: expect.any(String), message: expect.any(String) });
    });

    inOneTopology.each([' ', '\u200b', '\t\u00a0'])(
      'a name that shows nothing is refused: %j',
      async (name) => {
        for (const body of [{ name }, { name: 'Tea', variants: [{ name, priceCents: 1 }] }])
          expect(await create(body)).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
      },
    );

    inOneTopology('server-owned fields are ignored, scripts are not kept, slugs are told apart', async () => {
      const sent = { id: 'prd_x', number: 99, priceCents: 1, totalStock: 5, createdAt: 'never' };
      const described = { ...sent, name: 'Oolong', description: '<b>Good</b><script>bad()</script>' };
      const { product } = expectStatus(await create(described), 201).body;
      expect(product).toMatchObject({ number: 1, slug: 'oolong', priceCents: null, totalStock: 0 });
      expect(product.description).toBe('<b>Good</b>');
      expect((await create({ name: 'Oolong' })).body.product.slug).toBe('oolong-2');
      expect(await create({ name: 'Other', slug: 'oolong' })).toMatchObject({
        status: 409,
        body: { code: 'duplicate_slug' },
      });
      const variant = { sku: 'OO-1', priceCents: 100 };
      expectStatus(await create({ name: 'A', variants: [variant] }), 201);
      expect((await create({ name: 'B', variants: [variant] })).body.code).toBe('duplicate_sku');
    });

    inOneTopology('paging, search, sort and their fallbacks', async () => {
      const list = async (query: string) => (await call('GET', `${products}?${query}`)).body;
      const numbers = async (query: string) =>
        (await list(query)).products.map(({ number }: { number: number }) => number);
      expect(await list('limit=1&offset=1')).toMatchObject({ products: [{ slug: 'oolong-2' }], total: 3 });
      expect(await numbers('limit=0&offset=-1&sort=colour&dir=up&status=sold')).toEqual([1, 2, 3]);
      expect(await numbers('limit=100000')).toEqual([1, 2, 3]);
      expect(await numbers('dir=desc')).toEqual([3, 2, 1]);
      expect(await numbers('q=OOLONG')).toEqual([1, 2]);
      expect(await numbers('q=%25')).toEqual([]);
      expect(await numbers('q=oo-1')).toEqual([3]);
      expect(await numbers('sort=price&dir=desc')).toEqual([3, 2, 1]);
    });

    test('unknown fields are ignored, or refused in strict mode', async () => {
      const strict = { prefer: 'handling=strict' };
      const ask = (body: object, headers: Record<string, string>) => call('POST', products, body, headers);
      const misspelt = { name: 'Strict', descripton: 'x', variants: [{ priceCents: 1, stok: 2 }] };
      const refused = await ask(misspelt, strict);
      expect(refused).toMatchObject({ status: 400, headers: { 'preference-applied': 'handling=strict' } });
      expect(refused.body).toMatchObject({
        code: 'invalid_body',
        details: [
          { pointer: '/descripton', message: 'is not known here (did you mean description?)' },
          { pointer: '/variants/0/stok', message: 'is not known here (did you mean stock?)' },
        ],
      });
      const created = expectStatus(
        await ask({ name: ' Strict ', variants: [{ priceCents: 1 }] }, strict),
        201,
      );
      expect(created.headers['preference-applied']).toBe('handling=strict');
      const { product } = created.body;
      expect([product.name, product.slug]).toEqual(['Strict', 'strict']);
      const path = `${products}/${product.id}`;
      // The result of a GET can always be sent back.
      expectStatus(await call('PUT', path, (await call('GET', path)).body.product, strict), 200);
      const lenient = await call('PATCH', path, { nmae: 'x' });
      expect([lenient.status, lenient.headers['preference-applied']]).toEqual([200, undefined]);
      expectStatus(await call('DELETE', path), 204);
    });

    inOneTopology('a replacement that changes nothing leaves updatedAt as it is', async () => {
      const { product } = (await create({ name: 'Same', tags: ['a'] })).body;
      const again = await call('PUT', `${products}/${product.id}`, { name: 'Same', tags: ['a'] });
      expect(again.body.product).toEqual(product);
    });
  });

  test('a change is one trace in the collector, from the gateway to the webhook call', async () => {
    const hook = { url: `${receiver.url}/traced`, events: ['product.created'] };
    expectStatus(await shop('POST', '/api/v1/webhooks', hook), 201);
    const way = [
      ['gateway', 'POST'],
      ['catalog', `POST ${products}`],
      ['webhooks', 'process webhooks.fan-out'],
      ['delivery', 'POST'],
    ];
    const spansOf = async (traceId: string) => {
      const ofTrace = (await sharedSpans()).filter((span) => span.traceId === traceId);
      const found = way.flatMap(
        ([service, name]) => ofTrace.find((span) => span.service === service && span.name === name) ?? [],
      );
      return found.length === way.length ? found : null;
    };
    // If events of others come at the same moment, the batch has a trace of its own that links to theirs; then the test
    // repeats.
    const spans = await eventually(async () => {
      const traceId = randomBytes(16).toString('hex');
      const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
      expectStatus(await shop('POST', products, { name: 'Traced' }, { traceparent }), 201);
      return eventually(() => spansOf(traceId), { withinMs: 10_000 }).catch(() => null);
    });
    const [door, change, , call] = spans.map(({ spanId }) => spanId);
    const parents = spans.map(({ parentSpanId }) => parentSpanId);
    expect(parents).toEqual(['00f067aa0ba902b7', door, change, change]);
    expect(spans.at(-1)!.attributes).toMatchObject({
      'http.response.status_code': 200,
      'waybill.event.type': 'product.created',
      'waybill.attempt': 1,
    });
    const received = receiver.calls.filter(({ path }) => path === '/traced');
    expect(received.at(-1)!.headers.traceparent).toBe(`00-${spans[0]!.traceId}-${call}-01`);
  });
});

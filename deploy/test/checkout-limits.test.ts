import { catalog } from '@waybill/catalog';
import { newId } from '@waybill/contracts';
import { identity } from '@waybill/identity';
import { orders } from '@waybill/orders';
import { startSystem } from '@waybill/testing';
import request from 'supertest';
import { type Shops, startShops } from './shops.ts';

describe('the limit of a store', () => {
  const limit = 4;
  let shops: Shops;
  beforeAll(async () => {
    shops = await startShops({ STOREFRONT_ORDERS_PER_MINUTE: String(limit) });
  });
  afterAll(() => shops.stop());

  test('answers 429 rate_limited with Retry-After, stores nothing, and does not affect other stores', async () => {
    const [store, other] = [await shops.newStore(), await shops.newStore()];
    const product = await store.product([20]);
    const variantId = product.variants[0]!.id;
    for (let i = 0; i < limit; i++) expect((await store.buy(variantId)).status).toBe(201);
    const refused = await store.buy(variantId, 1, 'refused');
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60 / limit);
    expect(
      await shops.query(
        'orders',
        `select * from checkout where idempotency_key = checkout_key_hash('refused')`,
      ),
    ).toEqual([]);
    expect(await store.stocks(product.id)).toEqual([20 - limit]);
    const elsewhere = (await other.product([5])).variants[0]!.id;
    expect((await other.buy(elsewhere)).status).toBe(201);
  });

  test('a repeated key does not count, and is answered after the limit is reached', async () => {
    const store = await shops.newStore();
    const product = await store.product([20]);
    const variantId = product.variants[0]!.id;
    const first = await store.buy(variantId, 1, 'again');
    for (let i = 0; i < 3 * limit; i++)
      expect((await store.buy(variantId, 1, 'again')).body).toEqual(first.body);
    for (let i = 1; i < limit; i++) expect((await store.buy(variantId)).status).toBe(201);
    expect((await store.buy(variantId)).status).toBe(429);
    expect((await store.buy(variantId, 1, 'again')).body).toEqual(first.body);
    expect(await store.buy(variantId, 2, 'again')).toMatchObject({
      status: 409,
      body: { code: 'idempotency_conflict' },
    });
  });

  test('an invalid order does not count', async () => {
    const store = await shops.newStore();
    const variantId = (await store.product([20])).variants[0]!.id;
    await store.settle({ maxQuantity: 2 });
    for (let i = 0; i < 3 * limit; i++) {
      expect((await store.buy(variantId, 3)).status).toBe(400);
      expect((await store.checkout({}, `wrong-${i}`)).status).toBe(400);
    }
    expect((await store.buy(variantId, 2)).status).toBe(201);
  });
});

describe('the limit of an address', () => {
  test('answers 429 rate_limited with Retry-After for any requests', async () => {
    const limited = await startSystem([identity, catalog, orders], {
      RATE_LIMIT_PER_MINUTE: '1',
      RATE_LIMIT_BURST: '3',
    });
    try {
      const replies = [];
      for (let i = 0; i < 4; i++)
        replies.push(
          await request(limited.internalUrl)
            .post(`/storefront/${newId('store')}/orders`)
            .send({}),
        );
      expect(replies.map(({ status }) => status)).toEqual([400, 400, 400, 429]);
      expect(replies[3]).toMatchObject({
        body: { code: 'rate_limited' },
        headers: { 'ratelimit-policy': '"default";q=1;w=60;burst=3' },
      });
      expect(Number(replies[3]!.headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(replies[3]!.headers['retry-after'])).toBeLessThanOrEqual(60);
    } finally {
      await limited.stop();
    }
  });
});

import { catalog } from '@waybill/catalog';
import {
  CustomerCreated,
  OrderCreated,
  OrderUpdated,
  type Permission,
  type Principal,
  ProductUpdated,
} from '@waybill/contracts';
import { identity } from '@waybill/identity';
import { defineConfig, defineService } from '@waybill/kernel';
import { orders } from '@waybill/orders';
import { startSystem, type TestSystem } from '@waybill/testing';
import pg from 'pg';
import request from 'supertest';
import Type from 'typebox';

/** The customer, unless a test names one. */
export const person = { name: 'Bob Ross', email: 'Bob@Example.com' };

export type Member = Extract<Principal, { kind: 'user' }>;

export type Shops = Awaited<ReturnType<typeof startShops>>;

/** Starts all services of a checkout, with limits that nobody reaches unless `settings` changes them. */
export async function startShops(settings: Record<string, string> = {}) {
  const heard: { name: string; storeId: string; data: Record<string, Record<string, unknown>> }[] = [];
  const listener = defineService({
    name: 'listener',
    config: defineConfig(Type.Object({})),
    aggregates: [],
    subscriptions: () => [
      {
        queue: 'listener.all',
        events: [OrderCreated, OrderUpdated, CustomerCreated, ProductUpdated],
        batch: 100,
        handle: async (events) =>
          void heard.push(
            ...events.map(({ name, storeId, data }) => ({ name, storeId, data: JSON.parse(data) })),
          ),
      },
    ],
  });
  const system: TestSystem = await startSystem([identity, catalog, orders, listener], {
    RATE_LIMIT_PER_MINUTE: '100000000',
    RATE_LIMIT_BURST: '1000000',
    STOREFRONT_ORDERS_PER_MINUTE: '1000000',
    ...settings,
  });

  async function newMember(name: string): Promise<Member> {
    const account = { email: `${name.toLowerCase()}@example.com`, password: 'correct horse', name };
    const { body } = await request(system.internalUrl).post('/api/auth/register').send(account);
    return { kind: 'user', userId: body.user.id, email: body.user.email };
  }
  const ann = await newMember('Ann');
  let keys = 0;

  async function query(service: string, text: string, values: unknown[] = []) {
    const client = new pg.Client(system.databaseUrl(service));
    await client.connect();
    try {
      return (await client.query(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** Creates a store, with functions for its merchant and its shoppers. */
  async function newStore(currency = 'EUR', by = ann) {
    const created = await request(system.internalUrl)
      .post('/api/stores')
      .set(await system.as(by))
      .send({ name: 'Tea House', currency });
    const storeId: string = created.body.store.id;
    const merchant: Principal = { ...by, storeId, role: 'owner' };
    const scopes: Permission[] = [
      'products.read',
      'products.write',
      'orders.read',
      'orders.write',
      'customers.read',
      'discounts.read',
      'discounts.write',
    ];
    const principal: Principal = {
      kind: 'apiKey',
      storeId,
      keyId: 'key_1',
      scopes,
      creatorPermissions: scopes,
    };
    const api = async (method: 'get' | 'post' | 'put' | 'patch' | 'delete', path: string, body?: object) =>
      request(system.internalUrl)
        [method](`/api/v1/${path}`)
        .set(await system.as(principal))
        .send(body);
    const checkout = (body: object, key = `key-${++keys}`) =>
      request(system.internalUrl)
        .post(`/storefront/${storeId}/orders`)
        .set('idempotency-key', key)
        .send(body);
    return {
      storeId,
      api,
      checkout,
      /** Changes the rules of its checkout. */
      async settle(checkout: object) {
        const path = `/api/stores/${storeId}`;
        const res = await request(system.internalUrl)
          .patch(path)
          .set(await system.as(merchant))
          .send({ checkout });
        if (res.status !== 200) throw new Error(res.text);
      },
      async product(stocks: readonly number[], status = 'active') {
        const variants = stocks.map((stock, i) => ({ priceCents: 100 * (i + 1), stock, name: `Size ${i}` }));
        const res = await api('post', 'products', { name: 'Tea', status, variants });
        return res.body.product as { id: string; variants: { id: string }[] };
      },
      buy: (variantId: string, quantity = 1, key?: string) =>
        checkout({ items: [{ variantId, quantity }], customer: person }, key),
      async stocks(productId: string): Promise<number[]> {
        const { product } = (await api('get', `products/${productId}`)).body;
        const stocks = product.variants.map(({ stock }: { stock: number }) => stock);
        expect(product.totalStock).toBe(stocks.reduce((sum: number, stock: number) => sum + stock, 0));
        return stocks;
      },
      events: (name: string) =>
        heard.filter((event) => event.storeId === storeId && event.name.endsWith(name)),
    };
  }

  return { system, newMember, query, newStore, stop: () => system.stop() };
}

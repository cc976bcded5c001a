import {
  CustomerCreated,
  CustomerDeleted,
  CustomerErased,
  CustomerUpdated,
  DocumentIssued,
  FulfillmentCreated,
  FulfillmentUpdated,
  MailRequested,
  newId,
  OrderCancelled,
  OrderCreated,
  OrderUpdated,
  PaymentUpdated,
  type Permission,
  type Principal,
  RefundCreated,
  ReturnUpdated,
  UnitsReturned,
} from '@waybill/contracts';
import { defineConfig, defineService, type ServiceDefinition } from '@waybill/kernel';
import { createStubService, keptConnections, startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import Type from 'typebox';
import { orders } from '../src/index.ts';

const config = defineConfig(Type.Object({}));

/** A look-up of a store waits for this. */
export const lookUp: { waits: (() => Promise<void>) | null } = { waits: null };

/** Checkout settings of stores that differ from the defaults. */
export const checkoutSettings = new Map<string, object>();

/** A stand-in for identity in which every store exists. */
const identity = createStubService('identity', {
  'GET /internal/stores/{storeId}': async ({ params }) => {
    await lookUp.waits?.();
    return {
      store: { id: params.storeId, name: 'S', slug: 's', currency: 'EUR' },
      checkout: {
        maxQuantity: 999,
        expireUnpaidAfterMinutes: 0,
        expireManualAfterDays: 0,
        refundLimitCents: null,
        returnDays: 14,
        ...checkoutSettings.get(params.storeId!),
      },
    };
  },
});

/** A stand-in for the catalog in which every variant costs one cent and never sells out. */
const catalog = createStubService('catalog', {
  'POST /internal/reservations': ({
    body,
  }: {
    body: { items: { variantId: string; quantity: number }[] };
  }) => ({
    outcome: 'reserved',
    lines: body.items.map(({ variantId, quantity }) => ({
      productId: newId('product'),
      variantId,
      sku: null,
      name: 'Tea',
      variantName: '',
      quantity,
      unitPriceCents: 1,
      totalCents: quantity,
    })),
  }),
});

export interface HeardEvent {
  name: string;
  storeId: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of an event's data
  data: any;
}

export interface OrdersSystem extends TestSystem {
  heard: HeardEvent[];
}

/** Starts the orders service with stand-ins that accept everything, and without limits except those in `env`. */
export async function startOrders(
  env: Record<string, string> = {},
  others: readonly ServiceDefinition[] = [],
): Promise<OrdersSystem> {
  const heard: HeardEvent[] = [];
  const listener = defineService({
    name: 'listener',
    config,
    aggregates: [],
    subscriptions: () => [
      {
        queue: 'listener.all',
        events: [
          OrderCreated,
          OrderUpdated,
          PaymentUpdated,
          FulfillmentCreated,
          FulfillmentUpdated,
          DocumentIssued,
          MailRequested,
          RefundCreated,
          ReturnUpdated,
          UnitsReturned,
          OrderCancelled,
          CustomerCreated,
          CustomerUpdated,
          CustomerDeleted,
          CustomerErased,
        ],
        batch: 100,
        handle: async (events) =>
          void heard.push(
            ...events.map(({ name, storeId, data }) => ({ name, storeId, data: JSON.parse(data) })),
          ),
      },
    ],
  });
  const limits = {
    RATE_LIMIT_PER_MINUTE: '100000000',
    RATE_LIMIT_BURST: '1000000',
    STOREFRONT_ORDERS_PER_MINUTE: '1000000',
  };
  const system = await startSystem([identity, catalog, orders, listener, ...others], { ...limits, ...env });
  return Object.assign(system, { heard });
}

let keys = 0;

/** Returns a client for a new store. */
export function newStore(system: OrdersSystem) {
  const storeId = newId('store');
  const all: Permission[] = ['orders.read', 'orders.write', 'customers.read', 'customers.write'];
  type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
  const sendAs = async (
    scopes: Permission[],
    method: Method,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const principal: Principal = {
      kind: 'apiKey',
      storeId,
      keyId: 'key_1',
      scopes,
      creatorPermissions: scopes,
    };
    const call = request(system.internalUrl)
      [method](`/api/v1/${path}`)
      .agent(keptConnections)
      .set({ ...(await system.as(principal)), ...headers });
    return body === undefined
      ? call
      : call.set('content-type', 'application/json').send(JSON.stringify(body));
  };
  const send = (method: Method, path: string, body?: unknown, headers?: Record<string, string>) =>
    sendAs(all, method, path, body, headers);
  return {
    storeId,
    send,
    sendAs,
    /** Places an order with this total. */
    order(totalCents: number, customer: object = {}) {
      return this.orderOf([totalCents], customer);
    },
    /** Places an order of several variants with these quantities. */
    async orderOf(quantities: readonly number[], customer: object = {}) {
      return (await this.place(quantities, customer)).order;
    },
    /** Places an order and also returns the token by which its shopper finds it again. */
    async place(quantities: readonly number[], customer: object = {}) {
      const res = await request(system.internalUrl)
        .post(`/storefront/${storeId}/orders`)
        .set('idempotency-key', `key-${++keys}`)
        .send({
          items: quantities.map((quantity) => ({ variantId: newId('variant'), quantity })),
          customer: { name: 'Ann', email: 'ann@example.com', ...customer },
        });
      if (res.status !== 201) throw new Error(`${res.status}: ${res.text}`);
      return res.body;
    },
    patch: (id: string, body: unknown) => send('patch', `orders/${id}`, body),
    async customer(body: object) {
      const res = await send('post', 'customers', body);
      if (res.status !== 201) throw new Error(`${res.status}: ${res.text}`);
      return res.body.customer;
    },
    events: (name: string) =>
      system.heard.filter((event) => event.storeId === storeId && event.name === name),
  };
}

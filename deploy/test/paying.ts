import {
  MailRequested,
  newId,
  type Permission,
  type Principal,
  paymentCalls,
  type Refund,
  RefundCreated,
} from '@waybill/contracts';
import { defineConfig, defineService } from '@waybill/kernel';
import { orders } from '@waybill/orders';
import { payments } from '@waybill/payments';
import {
  createStubService,
  eventually,
  type StripeEmulator,
  startStripeEmulator,
  startSystem,
} from '@waybill/testing';
import request from 'supertest';
import Type from 'typebox';

/** The currencies of stores that do not sell in euros. */
const currencies = new Map<string, string>();

const identity = createStubService('identity', {
  'GET /internal/stores/{storeId}': ({ params: { storeId = '' } }) => ({
    store: { id: storeId, name: 'S', slug: 'teas', currency: currencies.get(storeId) ?? 'EUR' },
    checkout: { maxQuantity: 100_000, expireUnpaidAfterMinutes: 0, expireManualAfterDays: 0 },
  }),
});

/** A stand-in of catalog where every variant costs one cent and never runs out. */
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
  'POST /internal/reservations/release': () => ({}),
});

/** A stand-in of the app platform where every app takes payments. */
const appPlatform = createStubService('app-platform', {
  'POST /internal/app-payments/lookup': () => ({ payments: { name: 'Example Pay' } }),
});

export const secretKey = 'sk_test_51HxyzSecret';

/** Starts orders and payments with an emulator of Stripe; queries to it happen only on request. */
export async function startPaying(env: Record<string, string> = {}) {
  const stripe: StripeEmulator = await startStripeEmulator();
  const requests: {
    type: string;
    data: {
      appId: string;
      session: { id: string; paymentId: string; amountCents: number };
      requestId: string;
    };
  }[] = [];
  const mails: { storeId: string; mail: { template: string } }[] = [];
  const refunds: Refund[] = [];
  const app = defineService({
    name: 'app',
    config: defineConfig(Type.Object({})),
    aggregates: [],
    subscriptions: () => [
      {
        queue: 'app.mails',
        events: [MailRequested],
        batch: 100,
        handle: async (events) =>
          void mails.push(...events.map(({ storeId, data }) => ({ storeId, mail: JSON.parse(data).mail }))),
      },
      {
        queue: 'app.refunds',
        events: [RefundCreated],
        batch: 100,
        handle: async (events) => void refunds.push(...events.map(({ data }) => JSON.parse(data).refund)),
      },
      {
        queue: 'app.calls',
        events: Object.values(paymentCalls),
        batch: 100,
        handle: async (events) =>
          void requests.push(
            ...events.map(({ name, data }) => ({
              type: name.slice('payments.'.length),
              data: JSON.parse(data),
            })),
          ),
      },
    ],
  });
  const system = await startSystem([identity, catalog, appPlatform, orders, payments, app], {
    STRIPE_API_URL: stripe.url,
    PUBLIC_BASE_URL: 'https://shop.example/',
    PAYMENT_LOOKUP_DELAYS_SECONDS: '3600',
    RATE_LIMIT_PER_MINUTE: '100000000',
    RATE_LIMIT_BURST: '1000000',
    STOREFRONT_ORDERS_PER_MINUTE: '1000000',
    ...env,
  });
  let keys = 0;

  function newStore(currency?: string) {
    const storeId = newId('store');
    if (currency) currencies.set(storeId, currency);
    const call = async (
      principal: Principal,
      method: 'get' | 'post' | 'patch' | 'delete',
      path: string,
      body?: object,
      headers: Record<string, string> = {},
    ) =>
      request(system.internalUrl)
        [method](path)
        .set({ ...(await system.as(principal)), ...headers })
        .send(body);
    const admin: Principal = {
      kind: 'user',
      userId: newId('user'),
      email: 'a@example.com',
      storeId,
      role: 'admin',
    };
    const scopes: Permission[] = ['orders.read', 'orders.write'];
    const key: Principal = { kind: 'apiKey', storeId, keyId: 'key_1', scopes, creatorPermissions: scopes };
    const methods = `/api/stores/${storeId}/payment-methods`;
    const store = {
      storeId,
      async method(body: object) {
        const added = await call(admin, 'post', methods, { isEnabled: true, ...body });
        expect([added.status, added.body.code]).toEqual([201, undefined]);
        return added.body.paymentMethod;
      },
      stripeMethod: (body: object = {}) =>
        store.method({ provider: 'stripe', name: 'Card', secretKey, ...body }),
      changeMethod: (id: string, body: object) => call(admin, 'patch', `${methods}/${id}`, body),
      asAdmin: (method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object) =>
        call(admin, method, `/api/stores/${storeId}/${path}`, body),
      api: (
        method: 'get' | 'post' | 'patch' | 'delete',
        path: string,
        body?: object,
        headers?: Record<string, string>,
      ) => call(key, method, `/api/v1/${path}`, body, headers),
      checkout: (totalCents: number, body: object = {}, idempotencyKey = `key-${++keys}`) =>
        request(system.internalUrl)
          .post(`/storefront/${storeId}/orders`)
          .set('idempotency-key', idempotencyKey)
          .send({
            items: [{ variantId: 'var_01jd5w2k0q8v6m3n4p5r6s7t8v', quantity: totalCents }],
            customer: { name: 'Ann', email: 'ann@example.com' },
            ...body,
          }),
      async buy(totalCents: number, paymentMethodId: string) {
        const { status, body } = await store.checkout(totalCents, { paymentMethodId });
        expect([status, body.code]).toEqual([201, undefined]);
        const { order, token, payment } = body;
        const orderNow = async () => (await store.api('get', `orders/${order.id}`)).body.order;
        return {
          order,
          token,
          payment,
          session: stripe.sessionOf(payment.id)!,
          orderNow,
          money: async () => {
            const { payment: state, paidCents, refundedCents, dueCents } = await orderNow();
            return [state, paidCents, refundedCents, dueCents];
          },
          paymentNow: async () => (await store.api('get', `payments/${payment.id}`)).body.payment,
          page: async () =>
            (await request(system.internalUrl).get(`/storefront/${storeId}/orders/${token}`)).body,
          payAgain: (methodId: string) =>
            request(system.internalUrl)
              .post(`/storefront/${storeId}/orders/${token}/payments`)
              .send({ paymentMethodId: methodId }),
        };
      },
      /** Reports as an app. */
      report: (
        appId: string,
        sessionId: string,
        body: object,
        as: Partial<Extract<Principal, { kind: 'app' }>> = {},
      ) =>
        call(
          { kind: 'app', storeId, appId, installId: newId('install'), scopes, ...as },
          'post',
          `/api/v1/payment-sessions/${sessionId}`,
          body,
        ),
      /** Returns the request to an app about a payment. */
      waitForRequest: (type: string, paymentId: string) =>
        eventually(
          () =>
            requests.find((each) => each.type === type && each.data.session.paymentId === paymentId)?.data,
          { what: `the app to be asked for ${type}` },
        ),
      /** Sends an event of Stripe about one of its objects. */
      async tell(methodId: string, type: string, objectId: string, id?: string) {
        const { secret } = [...stripe.webhooks.values()].find(({ url }) => url.includes(methodId))!;
        const { body, headers } = stripe.event(type, stripe.objectOf(objectId), secret, id ? { id } : {});
        return request(system.internalUrl).post(`/payments/${methodId}/events`).set(headers).send(body);
      },
    };
    return store;
  }

  return {
    stripe,
    system,
    /** The requests to apps. */
    requests: requests,
    /** Returns the refunds of an order that `refund.created` has reported. */
    refundsOf: (orderId: string) => refunds.filter((refund) => refund.orderId === orderId),
    mails: {
      /** Returns the mails requested for a store's admins. */
      of: (storeId: string, template?: string) =>
        mails
          .filter((each) => each.storeId === storeId && (!template || each.mail.template === template))
          .map(({ mail }) => mail),
    },
    newStore,
    async stop() {
      await system.stop();
      await stripe.close();
    },
  };
}

export type PayingSystem = Awaited<ReturnType<typeof startPaying>>;
export type PayingStore = ReturnType<PayingSystem['newStore']>;
export type Purchase = Awaited<ReturnType<PayingStore['buy']>>;

/** Waits until a payment has a status. */
export const untilPayment = (purchase: Purchase, status: string) =>
  eventually(async () => ((await purchase.paymentNow()).status === status ? purchase.paymentNow() : null), {
    what: `the payment to be ${status}`,
  });

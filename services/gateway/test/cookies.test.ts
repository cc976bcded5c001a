import { aggregate, defineConfig, defineRoutes, defineService } from '@waybill/kernel';
import { startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import Type from 'typebox';
import { gateway } from '../src/index.ts';

/** A service that answers with the cookies that it received. */
const telling = (name: string, path: `/${string}`) =>
  defineService({
    name,
    config: defineConfig(Type.Object({})),
    aggregates: [
      aggregate(
        defineRoutes({
          tell: { method: 'POST', path, access: 'public', summary: '', answer: [200, Type.Unknown()] },
        }),
        () => ({ tell: async ({ headers }) => ({ service: name, cookie: headers.cookie ?? null }) }),
      ),
    ],
  });

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([
    gateway,
    telling('identity', '/api/auth/{action}'),
    telling('content', '/s/{storeSlug}'),
    telling('orders', '/storefront/{storeId}/orders'),
    telling('media', '/media/{id}'),
    telling('app-platform', '/oauth/{action}'),
  ]);
});
afterAll(() => system.stop());

const cookie = '__Secure-waybill-session=secret; wb-cart=1.2; other=1';
const ask = (path: string) => request(system.url).post(path).set({ cookie });

test('identity receives the session cookie', async () => {
  expect((await ask('/api/auth/refresh')).body).toEqual({ service: 'identity', cookie });
});

test('content receives the cart cookie, and not the session’s', async () => {
  expect((await ask('/s/demo')).body).toEqual({ service: 'content', cookie: 'wb-cart=1.2' });
});

test.each([
  ['orders', '/storefront/demo/orders'],
  ['media', '/media/1'],
  ['app-platform', '/oauth/token'],
])('%s gets none', async (service, path) => {
  expect((await ask(path)).body).toEqual({ service, cookie: null });
});

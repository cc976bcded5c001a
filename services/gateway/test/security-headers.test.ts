import { createStubService, startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import { gateway } from '../src/index.ts';
import { classifyAnswer } from '../src/security-headers.ts';

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([gateway, createStubService('identity', {})], {
    PUBLIC_BASE_URL: 'https://waybill.example',
  });
});
afterAll(() => system.stop());

const get = (path: string, host = 'waybill.example') =>
  request(system.url).get(path).redirects(0).set({ host });

const everywhere = {
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=31536000',
};

test.each([
  ['/', 'no-referrer'],
  ['/healthz', 'no-referrer'],
  ['/openapi.json', 'no-referrer'],
  ['/api/v1/products', 'no-referrer'],
  ['/api/stores/x/pages/y/preview', 'no-referrer'],
  ['/unknown', 'no-referrer'],
  ['/internal/x', 'no-referrer'],
  ['/oauth/token', 'no-referrer'],
  ['/docs', 'no-referrer'],
  ['/docs/', 'no-referrer'],
  ['/docs/no-such-guide', 'no-referrer'],
  ['/console/', 'same-origin'],
  ['/console/frame', 'same-origin'],
  ['/console/mail-frame', 'same-origin'],
  ['/console/assets/none.js', 'same-origin'],
  ['/s/demo/', 'strict-origin-when-cross-origin'],
  ['/storefront/x/cart', 'strict-origin-when-cross-origin'],
  ['/media/x/y', 'strict-origin-when-cross-origin'],
  ['/assets/x.js', 'strict-origin-when-cross-origin'],
  ['/islands/x.js', 'strict-origin-when-cross-origin'],
])('%s has the headers of its kind', async (path, referrer) => {
  const { headers } = await get(path);
  expect(headers).toMatchObject(everywhere);
  expect(headers['referrer-policy']).toBe(referrer);
});

test('early refusals have the headers of every answer', async () => {
  expect((await get('/api/v1/products').set('host', 'no host')).headers).toMatchObject(everywhere);
});

test('data is neither executed nor framed, whatever type a browser assumes', async () => {
  for (const path of ['/api/v1/products', '/openapi.json', '/unknown', '/console/assets/none.js'])
    expect((await get(path)).headers['content-security-policy']).toBe(
      "default-src 'none'; frame-ancestors 'none'",
    );
});

test('the console answers only at the system’s own host and at this machine’s', async () => {
  for (const host of [
    'waybill.example',
    'waybill.example:443',
    'WAYBILL.example',
    'localhost:8080',
    '127.0.0.1',
  ])
    expect([host, (await get('/console/', host)).status]).toEqual([host, 200]);
  for (const host of ['other.example', '192.0.2.7', 'gateway:8080', 'waybill.example.other.example'])
    expect([host, (await get('/console/', host)).status]).toEqual([host, 404]);
});

test.each([
  ['/api/v1/products', 'page'],
  ['/console', 'page'],
  ['/media/x/y', 'file'],
  ['/', 'page'],
])('at a store’s own origin %s is a %s', (path, kind) => {
  expect(classifyAnswer(path, true)).toBe(kind);
});

test.each([
  ['/console/', 'img-src'],
  ['/console/', 'media-src'],
  ['/console/frame', 'img-src'],
  ['/console/mail-frame', 'img-src'],
])(
  '%s shows media of the public address, by whichever name of the host it was opened: %s',
  async (path, kind) => {
    const { headers } = await get(path, 'localhost:8080');
    const sources = headers['content-security-policy']!.split('; ').find((each) => each.startsWith(kind));
    expect(sources).toContain(`${kind} 'self' https://waybill.example`);
  },
);

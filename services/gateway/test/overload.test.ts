import { aggregate, defineConfig, defineRoutes, defineService } from '@waybill/kernel';
import { eventually, startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import Type from 'typebox';
import { gateway } from '../src/index.ts';

/** Requests that the service has received and not yet answered. */
let held: (() => void)[] = [];
const content = defineService({
  name: 'content',
  config: defineConfig(Type.Object({})),
  aggregates: [
    aggregate(
      defineRoutes({
        hold: {
          method: 'GET',
          path: '/s/{storeSlug}',
          access: 'public',
          summary: '',
          answer: [200, Type.Unknown()],
        },
      }),
      () => ({ hold: () => new Promise<object>((resolve) => held.push(() => resolve({}))) }),
    ),
  ],
});

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([gateway, content], { TRUSTED_PROXY_HOPS: '1' });
});
afterAll(() => system.stop());

const askFrom = (address: string) =>
  request(system.url)
    .get('/s/demo')
    .set('x-forwarded-for', address)
    .then((reply) => reply);
/** Sends a request from a different network each time. */
const askFromEverywhere = (_: unknown, i: number) => askFrom(`198.51.${i >> 8}.${i & 255}`);

// The first case has fewer requests than the process begins at once; in the second, the last ones have waited in line.
test.each([2, 350])('beyond %i requests in flight 503 immediately, and health is answered', async (room) => {
  await system.restart({ MAX_REQUESTS_IN_FLIGHT: String(room) });
  held = [];
  const taken = Array.from({ length: room }, askFromEverywhere);
  await eventually(() => held.length === room);
  expect(await askFrom('203.0.113.1')).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    body: { code: 'resource_unavailable' },
  });
  const write = await request(system.url)
    .post('/api/auth/login')
    .set({ 'x-forwarded-for': '203.0.113.1', prefer: 'handling=strict' })
    .send({});
  expect(write).toMatchObject({ status: 503, headers: { 'preference-applied': 'handling=strict' } });
  expect((await request(system.url).get('/healthz')).status).toBe(200);
  for (const answer of held) answer();
  expect((await Promise.all(taken)).every(({ status }) => status === 200)).toBe(true);
  const next = askFrom('203.0.113.1');
  await eventually(() => held.length === room + 1);
  held.at(-1)!();
  expect((await next).status).toBe(200);
});

test('a network with stalled requests gets at most half of the capacity, even from many addresses', async () => {
  await system.restart({ MAX_REQUESTS_IN_FLIGHT: '20' });
  held = [];
  let refused = 0;
  const stalled = Array.from({ length: 20 }, async (_, i) => {
    const { status } = await askFrom(`2001:db8::${i.toString(16)}`);
    if (status === 503) refused++;
  });
  await eventually(() => held.length + refused === 20);
  const heldCount = held.length;
  const other = askFrom('203.0.113.1');
  await Promise.race([other, eventually(() => held.length > heldCount)]);
  for (const answer of held) answer();
  await Promise.all(stalled);
  expect(heldCount).toBe(11);
  expect((await other).status).toBe(200);
});

import { aggregate, defineConfig, defineRoutes, defineService } from '@waybill/kernel';
import { eventually, startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import Type from 'typebox';
import { gateway } from '../src/index.ts';

/** Those whom the service below has and does not answer. */
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
  system = await startSystem([gateway, content]);
});
afterAll(() => system.stop());

// Fewer than are begun however long they take, and more, of which the last have stood in line.
test.each([2, 350])('beyond %i requests in flight 503 at once, and health is told', async (room) => {
  await system.restart({ MAX_REQUESTS_IN_FLIGHT: String(room) });
  held = [];
  const ask = () =>
    request(system.url)
      .get('/s/demo')
      .then((reply) => reply);
  const taken = Array.from({ length: room }, ask);
  await eventually(() => held.length === room);
  expect(await ask()).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    body: { code: 'resource_unavailable' },
  });
  expect((await request(system.url).get('/healthz')).status).toBe(200);
  for (const answer of held) answer();
  expect((await Promise.all(taken)).every(({ status }) => status === 200)).toBe(true);
  const next = ask();
  await eventually(() => held.length === room + 1);
  held.at(-1)!();
  expect((await next).status).toBe(200);
});

import {
  addressHeader,
  aggregate,
  defineConfig,
  defineRoutes,
  defineService,
  type RouteDefinition,
} from '@waybill/kernel';
import { startSystem } from '@waybill/testing';
import request from 'supertest';
import Type from 'typebox';
import { gateway } from '../src/index.ts';

const tell: RouteDefinition = {
  method: 'GET',
  path: '/s/{storeSlug}',
  access: 'public',
  summary: '',
  answer: [200, Type.Unknown()],
};
/** A service that answers with the address that a request came from. */
const content = defineService({
  name: 'content',
  config: defineConfig(Type.Object({})),
  aggregates: [
    aggregate(
      defineRoutes({ tell }),
      () =>
        ({
          tell: async ({ headers }: { headers: Record<string, string> }) => ({
            address: headers[addressHeader],
          }),
        }) as never,
    ),
  ],
});

describe.each([0, 1, 2])('behind %i proxies', (hops) => {
  let url: string;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const system = await startSystem([gateway, content], { TRUSTED_PROXY_HOPS: String(hops) });
    ({ url } = system);
    stop = system.stop;
  });
  afterAll(() => stop());
  const fetchAddress = async (forwarded: string) => {
    const { status, body } = await request(url).get('/s/tea').set('x-forwarded-for', forwarded);
    expect(status).toBe(200);
    return body.address;
  };
  /** The proxies append their values to the value that the client sent. */
  const byProxies = (seen: string) =>
    ['6.6.6.6', seen, ...Array(Math.max(hops - 1, 0)).fill('10.0.0.1')].join(', ');
  const self = expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$|^::1$/);

  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['::ffff:203.0.113.7', '::ffff:203.0.113.7'],
  ])('an address is that which the outermost one saw, with a port or without: %s', async (seen, address) => {
    expect(await fetchAddress(byProxies(seen))).toEqual(hops === 0 ? self : address);
  });

  test.each([
    'unknown',
    '',
    ' ',
    '203.0.113',
    '203.0.113.7:port',
    '203.0.113.7:1:2',
    '[203.0.113.7]:1',
    '[2001:db8::1',
    '2130706433',
    '0x7f.1',
    '[::1]x',
    '_hidden',
    '203.0.113.7;drop',
    `${'['.repeat(5_000)}`,
    `${'1'.repeat(5_000)}:1`,
  ])('what is no address is the proxy itself, whatever the client says: %s', async (seen) => {
    expect(await fetchAddress(byProxies(seen))).toEqual(self);
  });
});

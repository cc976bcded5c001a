import { errors } from '@waybill/contracts';
import {
  aggregate,
  defineConfig,
  defineRoutes,
  defineService,
  ownOriginHeader,
  type RouteDefinition,
} from '@waybill/kernel';
import { createStubService, startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import Type from 'typebox';
import { gateway } from '../src/index.ts';

const [demoId, otherId] = ['0', '1'].map((digit) => `str_${digit.repeat(26)}`) as [string, string];
const stores: Record<string, string> = { demo: demoId, other: otherId };

/** A service whose routes answer with the request that they received. */
function telling(name: string, ...paths: RouteDefinition['path'][]) {
  const route = (method: 'GET' | 'POST', path: RouteDefinition['path']): RouteDefinition => ({
    method,
    path,
    access: 'public',
    summary: '',
    answer: [200, Type.Unknown()],
  });
  const routes = Object.fromEntries(
    paths.flatMap((path, i) => [
      [`get${i}`, route('GET', path)],
      [`post${i}`, route('POST', path)],
    ]),
  );
  const tell = async ({ url, headers }: { url: string; headers: Record<string, string> }) => ({
    service: name,
    url,
    isAtOwnOrigin: headers[ownOriginHeader] !== undefined,
  });
  return defineService({
    name,
    config: defineConfig(Type.Object({})),
    aggregates: [
      aggregate(
        defineRoutes(routes),
        () => Object.fromEntries(Object.keys(routes).map((each) => [each, tell])) as never,
      ),
    ],
  });
}

/** The assignment of stores to addresses. */
const identity = createStubService('identity', {
  'GET /internal/domains/{hostname}'({ params }) {
    const isFormer = params.hostname === 'former.example.com';
    if (params.hostname !== 'shop.example.com' && !isFormer) throw errors.not_found();
    return { store: { id: demoId, slug: 'demo' }, isFormer };
  },
  'GET /internal/store-slugs/{slug}'({ params }: { params: { slug: string } }) {
    const id = stores[params.slug];
    if (!id) throw errors.not_found();
    return { store: { id } };
  },
});
const services = [
  gateway,
  identity,
  telling('content', '/s/{storeSlug}', '/s/{storeSlug}/{slug}', '/s/{storeSlug}/{a}/{b}', '/assets/{file}'),
  telling('media', '/media/{storeId}/{id}'),
  telling('orders', '/storefront/{storeId}/orders'),
  telling('app-platform', '/islands/{file}', '/islands/dev/{storeId}/{file}'),
];

const navigation = { 'sec-fetch-dest': 'document' };

/** Describes requests to a system with these settings, sent as if it were reached at any host. */
function describeAt(name: string, env: Record<string, string>, tests: (at: At) => void) {
  describe(name, () => {
    let system: TestSystem;
    beforeAll(async () => {
      system = await startSystem(services, env);
    });
    afterAll(() => system.stop());
    tests((host, path, headers = {}, method = 'get') =>
      request(system.url)
        [method](path)
        .redirects(0)
        .set({ host, ...headers }),
    );
  });
}
type At = (
  host: string,
  path: string,
  headers?: Record<string, string>,
  method?: 'get' | 'post',
) => request.Test;

describeAt('with nothing said, each store has an origin below localhost', {}, (at) => {
  test.each(['demo.localhost', 'demo.localhost:8080', 'DEMO.LocalHost.:1', 'demo.localhost.'])(
    'at %s its pages have no prefix',
    async (host) => {
      for (const [path, url] of [
        ['/', '/s/demo/'],
        ['/about?a=1', '/s/demo/about?a=1'],
        ['/docs', '/s/demo/docs'],
        ['/s', '/s/demo/s'],
      ] as const) {
        const { body } = await at(host, path);
        expect(body).toEqual({ service: 'content', url, isAtOwnOrigin: true });
      }
    },
  );

  test.each(['/api/v1/products', '/api/stores', '/api/me', '/docs/x', '/openapi.json/x', '/oauth/token'])(
    'nothing of the system answers there: %s',
    async (path) => {
      const read = await at('demo.localhost', path);
      // If anything answers, it is a page of the store.
      expect([404, `/s/demo${path}`]).toContain(read.status === 404 ? 404 : read.body.url);
      expect(read.body.service ?? 'content').toBe('content');
    },
  );
  test.each(['/api/v1/products', '/api/auth/login', '/api/stores', '/oauth/token', '/s/other/'])(
    'nor is anything written: POST %s',
    async (path) => {
      const res = await at('demo.localhost', path, {}, 'post');
      expect([res.status, res.body.code]).toEqual([404, 'not_found']);
    },
  );

  test('routes that its pages need work, for this store only', async () => {
    const answers = async (path: string, host = 'demo.localhost') => {
      const { status, body } = await at(host, path);
      return status === 200 ? body.url : status;
    };
    for (const path of [
      '/assets/wb.js',
      '/islands/x.js',
      `/media/${demoId}/a`,
      `/storefront/${demoId}/orders`,
      `/islands/dev/${demoId}/x.js`,
    ]) {
      expect(await answers(path)).toBe(path);
    }
    for (const path of [
      `/media/${otherId}/a`,
      `/storefront/${otherId}/orders`,
      `/storefront/${otherId.replace('s', '%73')}/orders`,
      `/islands/dev/${otherId}/x.js`,
      '/media/%E0/a',
    ]) {
      expect([path, await answers(path)]).toEqual([path, 404]);
    }
    expect(await answers(`/media/${demoId}/a`, 'nobody.localhost')).toBe(404);
    // Without a path below it, the name is an ordinary page.
    expect(await answers('/media')).toBe('/s/demo/media');
  });

  test('a former domain redirects to the store, with path and query', async () => {
    for (const path of ['/', '/about?a=1&b=%20', `/media/${demoId}/a`, '//evil.example/x']) {
      const { status, headers } = await at('former.example.com', path);
      expect([status, headers.location]).toEqual([
        301,
        expect.stringMatching(/^http:\/\/demo\.localhost:\d+\//),
      ]);
      expect(headers.location!.endsWith(path)).toBe(true);
    }
    expect((await at('former.example.com', '/cart', {}, 'post')).status).toBe(404);
  });

  test('a path below /s redirects to the page; that of another store is 404', async () => {
    const own = await at('demo.localhost', '/s/demo/about?a=1');
    expect([own.status, own.headers.location]).toEqual([
      307,
      expect.stringMatching(/^http:\/\/demo\.localhost:\d+\/about\?a=1$/),
    ]);
    expect((await at('demo.localhost', '/s/other')).body.url).toBe('/s/demo/s/other');
  });

  test.each(['a.b.localhost', 'a_b.localhost', '-.localhost', 'a--b.localhost'])(
    '%s is no store',
    async (host) => {
      for (const path of ['/', '/assets/wb.js', '/api/v1/products', '/healthz']) {
        expect((await at(host, path)).status).toBe(404);
      }
    },
  );

  test.each([
    '127.0.0.1:8080',
    '[::1]:8080',
    'localhost',
    'localhost:8080',
    'localhost.',
    'gateway:8080',
    'demo.localhost.example',
  ])('at %s the system itself answers', async (host) => {
    expect((await at(host, '/healthz')).status).toBe(200);
    expect((await at(host, '/s/demo/')).body).toEqual({
      service: 'content',
      url: '/s/demo/',
      isAtOwnOrigin: false,
    });
  });

  test('a host of any length is read in linear time', async () => {
    const before = process.cpuUsage();
    const hosts = ['a', 'a.', '-', '1.'].map((unit) => `x.${unit.repeat(12_000 / unit.length)}_`);
    for (const host of hosts) await Promise.all(Array.from({ length: 80 }, () => at(host, '/healthz')));
    // An algorithm with quadratic time would take seconds.
    expect(process.cpuUsage(before).user).toBeLessThan(2_500_000);
  });

  test('a navigation to a page below /s is redirected to its origin; other requests are answered in place', async () => {
    for (const [path, to] of [
      ['/s/demo', '/'],
      ['/s/demo?a=/b', '/?a=/b'],
      ['/s/demo/', '/'],
      ['/s/demo/de/about?a=1', '/de/about?a=1'],
      ['/s/demo//evil.example', '//evil.example'],
    ] as const) {
      const res = await at('127.0.0.1', path, navigation);
      expect(res.status).toBe(307);
      const { port } = new URL(res.request.url);
      expect(res.headers).toMatchObject({
        location: `http://demo.localhost:${port}${to}`,
        vary: 'Sec-Fetch-Dest',
      });
    }
    for (const dest of ['iframe', 'empty', 'script', 'object']) {
      const res = await at('127.0.0.1', '/s/demo/', { 'sec-fetch-dest': dest });
      expect([res.status, res.headers.vary]).toEqual([200, 'Sec-Fetch-Dest']);
    }
    expect((await at('127.0.0.1', '/s/demo/', navigation, 'post')).status).toBe(200);
  });

  test('a slug that is too long for DNS is always answered in place', async () => {
    for (const slug of ['x'.repeat(64), 'Demo', '%64emo']) {
      expect((await at('127.0.0.1', `/s/${slug}/`, navigation)).status).toBe(200);
    }
    expect((await at('127.0.0.1', `/s/${'x'.repeat(63)}/`, navigation)).status).toBe(307);
  });

  test('the host is read from neither a client’s header nor an unknown proxy', async () => {
    const named = await at('127.0.0.1', '/s/demo/', {
      [ownOriginHeader]: 'yes',
      'x-forwarded-host': 'demo.localhost',
    });
    expect(named.body).toMatchObject({ url: '/s/demo/', isAtOwnOrigin: false });
    expect((await at('demo.localhost', '/healthz', { 'x-forwarded-host': '127.0.0.1' })).body.url).toBe(
      '/s/demo/healthz',
    );
  });
});

describeAt(
  'with a domain of stores',
  { PUBLIC_BASE_URL: 'https://api.shops.example:8443/', SITES_DOMAIN: 'Shops.example' },
  (at) => {
    test('scheme and port are those of the system', async () => {
      const res = await at('api.shops.example:8443', '/s/demo/a', navigation);
      expect(res.headers.location).toBe('https://demo.shops.example:8443/a');
      expect((await at('demo.shops.example:8443', '/')).body.url).toBe('/s/demo/');
      expect((await at('demo.localhost', '/s/demo/')).body.isAtOwnOrigin).toBe(false);
    });
    test("a store that is called as the system's own host is shown in place", async () => {
      expect((await at('api.shops.example', '/healthz')).status).toBe(200);
      expect((await at('api.shops.example', '/s/api/', navigation)).body.isAtOwnOrigin).toBe(false);
    });
  },
);

describe.each([
  ['reached elsewhere than on loopback', { PUBLIC_BASE_URL: 'https://shop.example' }],
  ['where it is turned off', { SITES_DOMAIN: 'off' }],
])('%s, no store has an origin of its own', (_, env) => {
  describeAt('', env, (at) => {
    test('every request is answered in place', async () => {
      const res = await at('127.0.0.1', '/s/demo/', navigation);
      expect([res.status, res.headers.vary]).toEqual([200, undefined]);
      expect((await at('demo.localhost', '/healthz')).status).toBe(200);
    });
  });
});

test.each(['10.0.0.1', 'a b', 'shops.example:80', 'https://shops.example'])(
  'SITES_DOMAIN=%s ends the start',
  (domain) => {
    expect(() =>
      gateway.config.read({ WAYBILL_PRINCIPAL_KEY: 'x'.repeat(43), SITES_DOMAIN: domain }),
    ).toThrow(/^SITES_DOMAIN: /);
  },
);

describeAt('at a domain of its merchant’s', { PUBLIC_BASE_URL: 'https://waybill.example' }, (at) => {
  test.each(['shop.example.com', 'Shop.Example.COM.:8443'])(
    '%s shows the store, without a prefix',
    async (host) => {
      const { body } = await at(host, '/about?a=1');
      expect(body).toEqual({ service: 'content', url: '/s/demo/about?a=1', isAtOwnOrigin: true });
      expect((await at(host, `/storefront/${demoId}/orders`)).body.service).toBe('orders');
    },
  );
  test('no route of the system or of another store answers there', async () => {
    const host = 'shop.example.com';
    for (const path of [
      '/api/v1/products',
      '/api/stores',
      '/console/',
      '/docs',
      '/s/other/',
      '/internal/domains/allowed',
    ])
      expect((await at(host, path)).body.service ?? 'content').toBe('content');
    expect((await at(host, '/api/stores', {}, 'post')).status).toBe(404);
    expect((await at(host, `/storefront/${otherId}/orders`)).status).toBe(404);
  });
  test.each([
    ['/s/demo/about?a=1', '/about?a=1'],
    ['/s/demo', '/'],
    ['/s/demo//evil.example/', '/evil.example/'],
    ['/s/demo/\\\\evil.example/', '/evil.example/'],
  ])('%s leads to %s of the same host', async (path, home) => {
    const { status, headers } = await at('shop.example.com', path);
    expect([status, headers.location]).toEqual([307, home]);
  });
  test.each(['waybill.example', 'unknown.example.com', '127.0.0.1', '[::1]', 'gateway'])(
    '%s is the system',
    async (host) => {
      expect((await at(host, '/', { accept: 'text/html' })).headers.location).toBe('/console/');
      expect((await at(host, '/internal/domains/allowed?domain=shop.example.com')).status).toBe(404);
    },
  );
});

describe('a proxy that terminates TLS', () => {
  test('learns the names of stores at the internal address', async () => {
    const system = await startSystem(services, { SITES_DOMAIN: 'sites.example' });
    const ask = (domain: string) =>
      request(system.internalUrl).get('/internal/domains/allowed').query({ domain });
    try {
      for (const domain of ['shop.example.com', 'SHOP.example.com', 'demo.sites.example'])
        expect((await ask(domain)).status).toBe(200);
      for (const domain of ['other.example.com', 'nobody.sites.example', '127.0.0.1', 'a/b', '..'])
        expect((await ask(domain)).status).toBe(404);
    } finally {
      await system.stop();
    }
  });
});

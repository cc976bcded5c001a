import { newId, type Principal, permissions } from '@waybill/contracts';
import type { RouteDefinition } from '@waybill/kernel';
import { startSystem, type TestSystem } from '@waybill/testing';
import fc from 'fast-check';
import request from 'supertest';
import { services } from '../services.ts';

const storeId = newId('store');
const scopes = [...permissions];
const person = { kind: 'user', userId: newId('user'), email: 'ann@example.com' } as const;
const principals = {
  user: person,
  member: { ...person, storeId, role: 'owner' },
  scope: { kind: 'apiKey', storeId, keyId: newId('apiKey'), scopes, creatorPermissions: scopes },
  app: { kind: 'app', storeId, appId: newId('app'), installId: newId('install'), scopes },
} satisfies Record<string, Principal>;

/** Every route of every service. */
const routes = services.flatMap(({ name, aggregates }) =>
  aggregates.flatMap((aggregate) =>
    Object.values(aggregate.routes).map((route: RouteDefinition) => ({
      title: `${name}: ${route.method} ${route.path}`,
      route,
      params: [...route.path.matchAll(/\{(\w+)\}/g)].map(([, param]) => param!),
      fields: Object.keys(route.query?.properties ?? {}),
    })),
  ),
);

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem(services, { WAYBILL_DEMO: 'off' });
});
afterAll(() => system.stop());

async function headersFor({ access }: RouteDefinition): Promise<Record<string, string>> {
  if (access === 'public') return {};
  if (access === 'service') return { authorization: `Bearer ${system.serviceToken}` };
  if (access === 'user') return system.as(principals.user);
  if (access === 'credential') return system.as(principals.scope);
  return system.as(principals[Object.keys(access)[0] as 'scope' | 'app' | 'member']);
}

/** Returns the path with a plausible value for each parameter. */
function pathOf(route: RouteDefinition, values: Readonly<Record<string, string | undefined>> = {}): string {
  return route.path.replaceAll(/\{(\w+)\}/g, (_, param: string) => {
    const kind = route.ids?.[param];
    return values[param] ?? (param === 'storeId' ? storeId : kind ? newId(kind) : 'nothing');
  });
}

async function send(route: RouteDefinition, path: string) {
  const method = route.method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
  const call = request(system.internalUrl)
    [method](path)
    .set(await headersFor(route))
    .redirects(0);
  return route.method === 'GET' ? call : call.send({});
}

/** Percent-encoded text of all kinds, valid and invalid, without slashes or characters that end a path. */
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom('%00', '%ED%A0%80', '%FF', '%C0%80', '%E2%28', '%', '%z', '%0A', '%27', '%25'),
      fc.constantFrom('%F0%9F%98%80', '%E2%80%AE', '%EF%BB%BF', '-', '..', '%5C', '_', "'", 'x', '1e9'),
      fc.integer({ min: 0, max: 600 }).map((length) => 'x'.repeat(length)),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((pieces) => pieces.join(''))
  .filter((text) => text !== '.' && text !== '..');

describe.each(routes.filter(({ params }) => params.length > 0))('$title', ({ route, params }) => {
  const names = ['%00', 'a%00b', '%ED%A0%80', '%FF', '%', 'x'.repeat(513), 'x'.repeat(10_000)];
  test('404 for what can name nothing, in the place of each parameter', async () => {
    for (const param of params) {
      for (const name of names) {
        const { status } = await send(route, pathOf(route, { [param]: name }));
        expect(`${param} ${name.slice(0, 20)} ${status}`).toBe(`${param} ${name.slice(0, 20)} 404`);
      }
    }
  });
});

test('no path parameter or query value of any route causes a server error', async () => {
  const requests = fc.constantFrom(...routes).chain(({ title, route, params, fields }) =>
    fc.record({
      title: fc.constant(title),
      route: fc.constant(route),
      values: fc.record(Object.fromEntries(params.map((param) => [param, texts])), { requiredKeys: [] }),
      query: fc.array(fc.tuple(fc.constantFrom(...fields, 'another'), texts), { maxLength: 4 }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(requests, async ({ title, route, values, query }) => {
      const search = query.map(([name, value]) => `${name}=${value}`).join('&');
      const { status } = await send(route, `${pathOf(route, values)}?${search}`);
      expect(`${title} ${Math.floor(status / 100)}xx`).not.toBe(`${title} 5xx`);
    }),
    { numRuns: 3_000 },
  );
}, 120_000);

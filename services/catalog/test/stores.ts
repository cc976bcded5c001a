import {
  CategoryCreated,
  CategoryDeleted,
  CategoryUpdated,
  type Principal,
  ProductCreated,
  ProductDeleted,
  ProductUpdated,
} from '@waybill/contracts';
import { defineConfig, defineService } from '@waybill/kernel';
import { keptConnections, startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import Type from 'typebox';
import { catalog } from '../src/index.ts';

const heard: { id: string; name: string; storeId: string; data: unknown }[] = [];
const listener = defineService({
  name: 'listener',
  config: defineConfig(Type.Object({})),
  aggregates: [],
  subscriptions: () => [
    {
      queue: 'listener.all',
      events: [
        ProductCreated,
        ProductUpdated,
        ProductDeleted,
        CategoryCreated,
        CategoryUpdated,
        CategoryDeleted,
      ],
      batch: 100,
      handle: async (events) =>
        void heard.push(...events.map((event) => ({ ...event, data: JSON.parse(event.data) }))),
    },
  ],
});

export let system: TestSystem;
/** Starts the catalog and a listener that records its events, for all tests of a file. */
export function useCatalog(): void {
  beforeAll(async () => {
    system = await startSystem([catalog, listener]);
  });
  afterAll(() => system.stop());
}

let stores = 0;
/** Returns a client for a new store. */
export function newStore() {
  const storeId = `str_${String(++stores).padStart(26, '0')}`;
  const scopes: Extract<Principal, { kind: 'apiKey' }>['scopes'] = [
    'products.read',
    'products.write',
    'integrations.read',
    'integrations.write',
  ];
  const principal: Principal = {
    kind: 'apiKey',
    storeId,
    keyId: 'key_1',
    scopes,
    creatorPermissions: scopes,
  };
  const send = async (
    method: 'get' | 'post' | 'put' | 'patch' | 'delete',
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    resource = 'products',
    as: Principal = principal,
  ) => {
    const call = request(system.internalUrl)
      [method](`/api/v1/${resource}${path}`)
      .agent(keptConnections)
      .set({ ...(await system.as(as)), ...headers });
    return body === undefined
      ? call
      : call.set('content-type', 'application/json').send(JSON.stringify(body));
  };
  return {
    storeId,
    categories: (
      method: 'get' | 'post' | 'put' | 'patch' | 'delete',
      path = '',
      body?: unknown,
      headers = {},
    ) => send(method, path, body, headers, 'categories'),
    /** Previews a rule as an owner, through the route for members. */
    preview: async (body: object) =>
      request(system.internalUrl)
        .post(`/api/stores/${storeId}/categories/preview`)
        .agent(keptConnections)
        .set(
          await system.as({
            kind: 'user',
            userId: 'usr_1',
            email: 'ann@example.com',
            storeId,
            role: 'owner',
          } as Principal),
        )
        .send(body),
    /** Sends a request as an app of the store, to any resource. */
    asApp: (
      appId: string,
      method: 'get' | 'post' | 'put' | 'patch' | 'delete',
      path: string,
      body?: unknown,
    ) => {
      const [resource = '', ...rest] = path.split('/');
      return send(method, rest.length > 0 ? `/${rest.join('/')}` : '', body, {}, resource, {
        kind: 'app',
        storeId,
        appId,
        installId: 'ins_1',
        scopes,
      } as Principal);
    },
    fields: (method: 'get' | 'post' | 'patch' | 'delete', path = '', body?: unknown, headers = {}) =>
      send(method, path, body, headers, 'custom-fields'),
    get: (path = '') => send('get', path),
    post: (body: unknown, path = '', headers = {}) => send('post', path, body, headers),
    put: (id: string, body: unknown) => send('put', `/${id}`, body),
    patch: (id: string, body: unknown, headers = {}) => send('patch', `/${id}`, body, headers),
    delete: (id: string) => send('delete', `/${id}`),
    create: async (body: object) => {
      const res = await send('post', '', body);
      expect(res.status).toBe(201);
      return res.body.product;
    },
    names: async (query: string) =>
      (await send('get', `?${query}`)).body.products.map((p: { name: string }) => p.name),
    /** Returns the store's events in the order of the changes; they may arrive in another one. */
    events: () =>
      heard
        .filter((event) => event.storeId === storeId)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .map(({ name, data }) => ({ name, data })),
  };
}

import { eventually } from '@waybill/testing';
import { createClient, isWaybillError, items, pages, WaybillError } from '../src/index.ts';
import { dropped, json, startServer } from './server.ts';

let server: Awaited<ReturnType<typeof startServer>>;
let waits: number[] = [];

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(() => {
  waits = [];
});

const client = (options = {}) =>
  createClient({
    baseUrl: server.baseUrl,
    credential: 'wbk_x',
    sleep: async (ms) => void waits.push(ms),
    ...options,
  });

test('a call sends its path, query and credential, and gives the body', async () => {
  server.answer(json(200, { products: [], total: 0, nextCursor: null }));
  const { total } = await client().get('/api/v1/products', { params: { query: { q: 'tea', limit: 5 } } });
  expect(total).toBe(0);
  expect(server.seen).toMatchObject([
    { method: 'GET', url: '/api/v1/products?q=tea&limit=5', headers: { authorization: 'Bearer wbk_x' } },
  ]);
});

test('a refusal is thrown with its code, its problems and the number of its request', async () => {
  const details = [{ pointer: '/name', message: 'must not be empty' }];
  server.answer(json(400, { error: 'Bad.', code: 'invalid_body', details }, { 'x-request-id': 'r1' }));
  const failed = await client()
    .post('/api/v1/products', { body: { name: '' } })
    .catch((error) => error);
  expect(failed).toBeInstanceOf(WaybillError);
  expect(failed).toMatchObject({ code: 'invalid_body', status: 400, problems: details, requestId: 'r1' });
  expect(isWaybillError(failed, 'not_found')).toBe(false);
  expect(isWaybillError(failed, 'not_found', 'invalid_body')).toBe(true);
});

test('what a proxy says in its own words is an error as well', async () => {
  server.answer((_, res) => void res.writeHead(404, { 'content-type': 'text/html' }).end('<h1>no</h1>'));
  await expect(client().get('/api/v1/products')).rejects.toMatchObject({
    code: 'unexpected_answer',
    status: 404,
  });
});

test('a service that is away for a moment is asked again, after as long as it says', async () => {
  server.answer(
    json(503, { error: '', code: 'resource_unavailable' }, { 'retry-after': '3' }),
    json(429, { error: '', code: 'rate_limited' }),
    json(200, { products: [], total: 0, nextCursor: null }),
  );
  await client().get('/api/v1/products');
  expect(server.seen).toHaveLength(3);
  expect(waits[0]).toBe(3000);
});

test('a write that is repeated carries one key all along', async () => {
  server.answer(
    json(503, { error: '', code: 'resource_unavailable' }),
    json(201, { product: { id: 'prd_1' } }),
  );
  await client().post('/api/v1/products', { body: { name: 'Tea' } });
  const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toHaveLength(2);
  expect(keys[0]).toMatch(/^[\w-]{36}$/);
  expect(keys[1]).toBe(keys[0]);
  expect(server.seen[1]!.body).toBe(server.seen[0]!.body);
});

test('a write prefers to be refused for unknown fields, but not in production nor where the caller says otherwise', async () => {
  const sendPreference = async (headers = {}) => {
    server.answer(json(201, { product: { id: 'prd_1' } }));
    await client().post('/api/v1/products', { body: { name: 'Tea' }, headers });
    return server.seen[0]!.headers.prefer;
  };
  expect(await sendPreference()).toBe('handling=strict');
  expect(await sendPreference({ prefer: 'handling=lenient' })).toBe('handling=lenient');
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    expect(await sendPreference()).toBeUndefined();
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
  server.answer(json(200, { products: [], total: 0, nextCursor: null }));
  await client().get('/api/v1/products');
  expect(server.seen[0]!.headers.prefer).toBeUndefined();
});

test('a write in Deno does not read the environment unless it may', async () => {
  const sendPreference = async (state: string) => {
    server.answer(json(201, { product: { id: 'prd_1' } }));
    Reflect.set(globalThis, 'Deno', { permissions: { querySync: () => ({ state }) } });
    try {
      await client().post('/api/v1/products', { body: { name: 'Tea' } });
    } finally {
      Reflect.deleteProperty(globalThis, 'Deno');
    }
    return server.seen[0]!.headers.prefer;
  };
  expect(await sendPreference('prompt')).toBeUndefined();
  expect(await sendPreference('denied')).toBeUndefined();
  expect(await sendPreference('granted')).toBe('handling=strict');
});

test("a caller's own key is left as it is", async () => {
  server.answer(json(201, { product: { id: 'prd_1' } }));
  await client().post('/api/v1/products', { body: { name: 'Tea' }, headers: { 'idempotency-key': 'mine' } });
  expect(server.seen[0]!.headers['idempotency-key']).toBe('mine');
});

test('a write whose answer was lost is answered when the server is through with it', async () => {
  const running = json(409, { error: '', code: 'idempotency_in_progress' }, { 'retry-after': '1' });
  server.answer(dropped, running, json(201, { product: { id: 'prd_1' } }));
  const { product } = await client().post('/api/v1/products', { body: { name: 'Tea' } });
  expect(product.id).toBe('prd_1');
  expect(server.seen.map(({ headers }) => headers['idempotency-key'])).toHaveLength(3);
  expect(waits.at(-1)).toBeGreaterThanOrEqual(1000);
  server.answer(json(409, { error: '', code: 'duplicate_slug' }));
  await expect(client().post('/api/v1/products', { body: { name: 'Tea' } })).rejects.toMatchObject({
    code: 'duplicate_slug',
  });
  expect(server.seen).toHaveLength(1);
});

test('what would wait too long is told at once, and what stays away is given up', async () => {
  server.answer(json(429, { error: '', code: 'rate_limited' }, { 'retry-after': '60' }));
  await expect(client().get('/api/v1/products')).rejects.toMatchObject({ code: 'rate_limited' });
  expect(server.seen).toHaveLength(1);
  server.answer(json(503, { error: '', code: 'resource_unavailable' }));
  await expect(client({ retries: 1 }).get('/api/v1/products')).rejects.toMatchObject({ status: 503 });
  expect(server.seen).toHaveLength(2);
});

test('a connection that breaks is tried again, and is an error of its own in the end', async () => {
  server.answer(dropped, json(200, { products: [], total: 0, nextCursor: null }));
  await expect(client().get('/api/v1/products')).resolves.toMatchObject({ total: 0 });
  const unreachable = client({ baseUrl: 'http://127.0.0.1:1' });
  await expect(unreachable.get('/api/v1/products')).rejects.toMatchObject({ code: 'unreachable', status: 0 });
});

test('an answer of success that is none of ours, or breaks off, is an error as any other', async () => {
  server.answer((_, res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hi</h1>'));
  await expect(client().get('/api/v1/products')).rejects.toMatchObject({
    code: 'unexpected_answer',
    status: 200,
  });
  server.answer((_, res) => {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    res.write('{"products":', () => res.destroy());
  });
  await expect(client().get('/api/v1/products')).rejects.toMatchObject({ code: 'unreachable', status: 0 });
});

test('who gives up while a repeat waits hears of it at once', async () => {
  server.answer(json(503, { error: '', code: 'resource_unavailable' }, { 'retry-after': '15' }));
  const patient = createClient({ baseUrl: server.baseUrl, credential: 'wbk_x' });
  const givingUp = new AbortController();
  const request = patient.get('/api/v1/products', { signal: givingUp.signal });
  await eventually(() => server.seen.length === 1);
  setTimeout(() => givingUp.abort(), 50);
  const startedAt = Date.now();
  await expect(request).rejects.toMatchObject({ name: 'AbortError' });
  expect(Date.now() - startedAt).toBeLessThan(5_000);
  expect(server.seen).toHaveLength(1);
});

test('sign-in is not repeated by itself: it has no key', async () => {
  server.answer(json(503, { error: '', code: 'resource_unavailable' }));
  await expect(
    client().post('/api/auth/login', { body: { email: 'a@example.com', password: 'x' } }),
  ).rejects.toMatchObject({ status: 503 });
  expect(server.seen).toHaveLength(1);
});

test('all pages come one after the other, by cursor', async () => {
  const names = ['a', 'b', 'c'];
  server.answer((req, res) => {
    const at = Number(new URL(req.url!, server.baseUrl).searchParams.get('after') ?? 0);
    const nextCursor = at + 1 < names.length ? String(at + 1) : null;
    json(200, { products: [{ id: 'p', name: names[at] }], total: 3, nextCursor })(req, res);
  });
  const found: string[] = [];
  const api = client();
  const list = pages((after) =>
    api.get('/api/v1/products', { params: { query: { ...(after && { after }) } } }),
  );
  for await (const { name } of items(list, 'products')) found.push(name);
  expect(found).toEqual(names);
});

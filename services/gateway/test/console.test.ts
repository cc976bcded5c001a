import { gunzipSync } from 'node:zlib';
import { startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import { gateway } from '../src/index.ts';

let system: TestSystem;
let page: string;
beforeAll(async () => {
  system = await startSystem([gateway]);
  page = (await get('/console/')).text;
});
afterAll(() => system.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  request(system.url).get(path).redirects(0).set(headers);
/** Returns the addresses of the assets that the page links to. */
const assets = () => [...page.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path!);

test('every screen loads the same page, and the files that it refers to exist', async () => {
  expect(page).toMatch(/^<!doctype html>/);
  for (const path of ['/console', '/console/sign-in?next=%2F', '/console/stores/str_x/products'])
    expect((await get(path)).text).toBe(page);
  expect(assets().length).toBeGreaterThan(2);
  for (const path of assets()) {
    const { status, headers } = await get(path);
    expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
  }
});

test('only its own files run, and it cannot be framed', async () => {
  const { headers } = await get('/console/', { host: 'gateway:8080' });
  const policy = headers['content-security-policy'];
  expect(policy).toContain("default-src 'none';");
  expect(policy).toContain('script-src gateway:8080/console/assets/;');
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).not.toContain('unsafe');
  expect(headers).toMatchObject({
    'cross-origin-opener-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
  });
});

test('content of merchants and apps is drawn without scripts, forms or pop-ups', async () => {
  const { status, headers } = await get('/console/frame');
  expect(status).toBe(200);
  const policy = headers['content-security-policy']!;
  expect(policy.split('; ')).toEqual(
    expect.arrayContaining(["default-src 'none'", "form-action 'none'", "frame-ancestors 'self'"]),
  );
  expect(policy).not.toMatch(/script-src|style-src|connect-src/);
  const mail = (await get('/console/mail-frame')).headers['content-security-policy']!;
  expect(mail).toContain("default-src 'none'; ");
  expect(mail).not.toMatch(/script|connect-src|frame-src/);
  expect((await get('/console/frame/x')).headers['content-security-policy']).toContain('script-src');
});

test.each([
  ['localhost:8080', 200],
  ['127.0.0.1', 200],
  ['[::1]:8080', 200],
  ['192.0.2.7:8080', 200],
  ['gateway', 200],
  ['rebound.example', 404],
  ['rebound.example.:80', 404],
])('at the host %s it answers %d while nobody has said where the system is', async (host, status) => {
  for (const path of ['/console/', '/console/frame', ...assets().slice(0, 1)])
    expect((await get(path, { host })).status).toBe(status);
});

test('files are sent in an encoding that the client accepts', async () => {
  const path = assets().find((asset) => asset.endsWith('.js'))!;
  const plain = await get(path, { 'accept-encoding': 'identity' });
  expect(plain.headers['content-encoding']).toBeUndefined();
  const zipped = await get(path, { 'accept-encoding': 'gzip' }).buffer(true).parse(bytes);
  expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  // supertest may already have decompressed it.
  const body = zipped.body as Buffer;
  expect((body[0] === 0x1f ? gunzipSync(body) : body).toString()).toBe(plain.text ?? plain.body.toString());
  expect((await get(path, { 'accept-encoding': 'br, gzip' })).headers['content-encoding']).toBe('br');
});

test('unknown files are 404, and only reads are allowed', async () => {
  for (const path of ['/console/assets/x.js', '/console/assets/..%2Findex.html', '/console/assets/'])
    expect((await get(path)).status).toBe(404);
  const posted = await request(system.url).post('/console/');
  expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD']);
  expect((await request(system.url).head('/console/')).headers['content-length']).toBe(
    String(Buffer.byteLength(page)),
  );
});

test('a browser is redirected to the console; a program gets the links', async () => {
  const { status, headers } = await get('/', { accept: 'text/html,*/*' });
  expect([status, headers.location]).toEqual([307, '/console/']);
  const index = await get('/', { accept: 'application/json' });
  expect([index.status, JSON.parse(index.text).docs]).toEqual([200, expect.stringMatching(/\/docs$/)]);
});

test('a guide that does not exist is a page with the guides for a browser, and an error for a program', async () => {
  const shown = await get('/docs/no-such-guide', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
  expect([shown.status, shown.type]).toEqual([404, 'text/html']);
  expect(shown.text).toContain('<h1>Page not found</h1>');
  expect(shown.text).toMatch(/<nav aria-label="Guides"><ul><li><a href="\/docs\/[a-z-]+">/);
  for (const accept of ['*/*', 'application/json']) {
    const refused = await get('/docs/no-such-guide', { accept });
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([404, 'not_found']);
  }
});

test("a store's own origin has none of it", async () => {
  expect((await get('/console/', { host: 'demo.localhost' })).text).not.toBe(page);
});

function bytes(res: request.Response, done: (error: Error | null, body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  const stream = res as unknown as NodeJS.ReadableStream;
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => done(null, Buffer.concat(chunks)));
}

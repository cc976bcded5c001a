import { createHmac } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type ReviewsApp, startReviewsApp } from '../src/index.ts';

const secret = 'whsec_test';
const product = { id: 'prd_1' };
const storeId = 'str_1';

/** The parts of Waybill that the app calls: tokens, a webhook, values. */
const waybill = http.createServer(async (req, res) => {
  if (req.url === '/api/v1/app-data') {
    const { key, value, ownerId = null } = (await json(req)) as Record<string, string>;
    values.set(`${key} of ${ownerId}`, value!);
  }
  const answers: Record<string, object> = {
    '/oauth/token': { access_token: 'wba_x', refresh_token: 'wbr_x', store_id: storeId },
    '/api/v1/webhooks': { webhook: {}, secret },
  };
  res.end(JSON.stringify(answers[req.url!] ?? {}));
});
const values = new Map<string, string>();

let app: ReviewsApp;
beforeAll(async () => {
  await new Promise<void>((done) => waybill.listen(0, '127.0.0.1', done));
  app = await startReviewsApp();
  const baseUrl = `http://127.0.0.1:${(waybill.address() as AddressInfo).port}`;
  app.register({ baseUrl, appId: 'app_1', clientSecret: 'x' });
  const { state } = app.beginInstall();
  expect((await fetch(`${app.redirectUri}?code=c&state=${state}`)).status).toBe(200);
});
afterAll(async () => {
  await app.stop();
  waybill.closeAllConnections();
  await new Promise((done) => waybill.close(done));
});

const tellOfProduct = (key = secret, more = '') =>
  tell(`webhooks/${storeId}`, key, { type: 'product.created', data: { product }, more });

async function tell(path: string, key: string, call: object): Promise<number> {
  const body = JSON.stringify(call);
  const timestamp = new Date().toISOString();
  const signed = `${Math.floor(Date.parse(timestamp) / 1000)}.${body}`;
  const signature = `sha256=${createHmac('sha256', key).update(signed).digest('hex')}`;
  const headers = { 'x-wb-timestamp': timestamp, 'x-wb-signature': signature };
  const url = `http://127.0.0.1:${app.port}/${path}`;
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

test('a new product has no reviews; a call that comes again after one does not take it back', async () => {
  expect(await tellOfProduct()).toBe(200);
  expect(values.get('count of prd_1')).toBe('No reviews yet');
  await app.addReview(storeId, product.id, 5);
  expect(await tellOfProduct()).toBe(200);
  expect(Object.fromEntries(values)).toEqual({
    'rating of prd_1': '5.0',
    'count of prd_1': '1 review',
    'rating of null': '5.0',
    'count of null': '1 review',
  });
});

test('a call that nobody signed with the secret is refused', async () => {
  expect(await tellOfProduct('whsec_other')).toBe(401);
});

test('a call without headers, with broken ones, or with too much in it is refused, and the app lives on', async () => {
  const now = new Date().toISOString();
  const url = `http://127.0.0.1:${app.port}/webhooks/${storeId}`;
  const call = async (headers: Record<string, string>, body = '{}') =>
    (await fetch(url, { method: 'POST', headers, body })).status;
  expect(await call({})).toBe(401);
  for (const signature of ['', 'sha256=', 'x', 'é'.repeat(71), 'f'.repeat(4_000)])
    expect(await call({ 'x-wb-timestamp': now, 'x-wb-signature': signature })).toBe(401);
  expect(await call({ 'x-wb-timestamp': 'never', 'x-wb-signature': `sha256=${'0'.repeat(64)}` })).toBe(401);
  expect(await tellOfProduct(secret, 'x'.repeat(4 * 1024 * 1024))).toBe(401);
  expect(await tellOfProduct()).toBe(200);
});

test('what it was told last of an install holds, in whatever order; without a secret it hears nothing', async () => {
  const sendState = (state: string, updatedAt: string, key = secret) =>
    tell('lifecycle', key, { type: 'app.disabled', data: { install: { storeId, state, updatedAt } } });
  expect(await sendState('installed', '2026-01-01T00:00:00.000Z')).toBe(404);
  app.useWebhookSecret(secret);
  expect(await sendState('disabled', '2026-01-02T00:00:00.000Z')).toBe(200);
  expect(await sendState('installed', '2026-01-01T00:00:00.000Z')).toBe(200);
  expect(await sendState('uninstalled', '2026-01-03T00:00:00.000Z', 'whsec_other')).toBe(401);
  expect(app.getInstallState(storeId)).toBe('disabled');
});

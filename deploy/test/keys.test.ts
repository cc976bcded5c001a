import { randomBytes } from 'node:crypto';
import { catalog } from '@waybill/catalog';
import { delivery } from '@waybill/delivery';
import { gateway } from '@waybill/gateway';
import { identity } from '@waybill/identity';
import { eventually, type Receiver, startReceiver, startSystem, type TestSystem } from '@waybill/testing';
import { webhooks } from '@waybill/webhooks';
import { generateSync } from 'otplib';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import request from 'supertest';

const newKey = () => randomBytes(32).toString('base64url');
const settings = [
  'WAYBILL_PRINCIPAL_KEY',
  'WAYBILL_USER_TOKEN_KEY',
  'WAYBILL_WEBHOOK_ENCRYPTION_KEY',
  'WAYBILL_SERVICE_TOKEN',
] as const;
const old = Object.fromEntries(settings.map((name) => [name, newKey()]));
const fresh = Object.fromEntries(settings.map((name) => [name, newKey()]));
const lists = (text: (name: string) => string) =>
  Object.fromEntries(settings.map((name) => [`${name}S`, text(name)]));

let receiver: Receiver;
let system: TestSystem;
beforeAll(async () => {
  receiver = await startReceiver();
  system = await startSystem([identity, catalog, webhooks, delivery, gateway], {
    ...old,
    WEBHOOK_TRUSTED_TARGETS: receiver.trusted,
  });
});
afterAll(async () => {
  await system.stop();
  await receiver.close();
});

const send = (
  method: 'get' | 'post',
  path: string,
  token: string,
  body?: object,
  headers: Record<string, string> = {},
) => {
  const call = request(system.url)
    [method](path)
    .set({ ...(token && { authorization: `Bearer ${token}` }), ...headers });
  return body ? call.send(body) : call;
};
const keyIds = async () =>
  (await request(system.url).get('/.well-known/jwks.json')).body.keys.map(({ kid }: { kid: string }) => kid);
const keyIdOf = (token: string) => JSON.parse(String(Buffer.from(token.split('.')[0]!, 'base64url'))).kid;
const asService = (token: string) =>
  request(system.internalUrl)
    .post('/internal/rights/lookup')
    .set('authorization', `Bearer ${token}`)
    .send({});

async function everyOne(service: string, statement: string): Promise<string[]> {
  const client = new pg.Client(system.databaseUrl(service));
  await client.connect();
  const { rows } = await client.query({ text: statement, rowMode: 'array' });
  await client.end();
  return rows.flat();
}

test('every key is replaced without an outage: old alone, both, new alone', async () => {
  const account = { email: 'ann@example.com', password: 'correct horse battery' };
  const { accessToken: first, refreshToken } = (
    await send('post', '/api/auth/register', '', { ...account, name: 'Ann' })
  ).body;
  const { store } = (await send('post', '/api/stores', first, { name: 'Tea' })).body;
  const url = `${receiver.url}/${store.id}`;
  const webhook = { url, events: ['product.created'] };
  const { secret } = (await send('post', `/api/stores/${store.id}/webhooks`, first, webhook)).body;
  const { secret: totp } = (await send('post', '/api/me/totp', first, {})).body;
  const codeOf = (steps: number) =>
    generateSync({ secret: totp, epoch: Math.floor(Date.now() / 1000) + steps * 30 });
  expect((await send('post', '/api/me/totp/confirm', first, { code: codeOf(-1) })).status).toBe(200);
  const create = (token: string, name: string) =>
    send('post', `/api/stores/${store.id}/products`, token, { name }, { 'idempotency-key': name });
  const heard = async (name: string) => {
    const call = await eventually(() => receiver.calls.find(({ body }) => body.includes(`"${name}"`)));
    new Webhook(secret).verify(call!.body, call!.headers as Record<string, string>);
  };
  const { product } = (await create(first, 'Oolong')).body;
  await heard('Oolong');
  const before = await keyIds();
  expect(before).toEqual([keyIdOf(first)]);

  await system.restart(lists((name) => `new:${fresh[name]},old:${old[name]}`));
  const replayed = await create(first, 'Oolong');
  expect([replayed.body.product?.id, replayed.headers['idempotent-replayed']]).toEqual([product.id, 'true']);
  const login = await send('post', '/api/auth/login', '', { ...account, code: codeOf(0) });
  expect(login.status).toBe(200);
  const { accessToken: second } = login.body;
  expect(await keyIds()).toEqual([keyIdOf(second), ...before]);
  expect(keyIdOf(second)).not.toBe(keyIdOf(first));
  expect((await create(second, 'Sencha')).status).toBe(201);
  await heard('Sencha');
  for (const keys of [old, fresh]) expect((await asService(keys.WAYBILL_SERVICE_TOKEN!)).status).toBe(400);
  const sealed = async () => [
    ...(await everyOne('identity', 'select totp_secret from user_account where totp_secret is not null')),
    ...(await everyOne('webhooks', 'select sealed_secret from webhook_endpoint')),
  ];
  expect(await sealed()).toHaveLength(2);
  await eventually(async () => (await sealed()).every((text) => text.startsWith('new.')), {
    what: 'secrets that are sealed with the new key',
  });

  await system.restart(lists((name) => `new:${fresh[name]}`));
  expect((await send('get', '/api/me', first)).status).toBe(401);
  expect((await send('get', '/api/me', second)).status).toBe(200);
  expect((await send('post', '/api/auth/refresh', '', { refreshToken })).status).toBe(200);
  expect((await send('post', '/api/auth/login', '', { ...account, code: codeOf(1) })).status).toBe(200);
  expect((await create(second, 'Sencha')).headers['idempotent-replayed']).toBe('true');
  expect((await create(second, 'Assam')).status).toBe(201);
  await heard('Assam');
  expect((await asService(old.WAYBILL_SERVICE_TOKEN!)).status).toBe(401);
  expect((await asService(fresh.WAYBILL_SERVICE_TOKEN!)).status).toBe(400);
});

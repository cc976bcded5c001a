import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { catalog } from '@waybill/catalog';
import { delivery } from '@waybill/delivery';
import { gateway } from '@waybill/gateway';
import { identity } from '@waybill/identity';
import {
  eventually,
  type Receiver,
  runSql,
  serverUrl,
  startReceiver,
  startSystem,
  type TestSystem,
} from '@waybill/testing';
import { webhooks } from '@waybill/webhooks';
import { generateSync } from 'otplib';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import request from 'supertest';
import { runKeys } from '../ops/keys/keys.ts';
import { sealedWith } from '../ops/keys/sealed.ts';
import { databaseServices } from '../servers/databases.ts';

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

const verifyAll = () => everyOne('identity', 'update user_account set email_verified_at = now()');

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
  await verifyAll();
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

test('a key that is still needed is not dropped until everything is sealed again', async () => {
  await system.restart({ ...lists(() => ''), ...old });
  const account = { email: 'bob@example.com', password: 'correct horse battery', name: 'Bob' };
  const { accessToken } = (await send('post', '/api/auth/register', '', account)).body;
  const { store } = (await send('post', '/api/stores', accessToken, { name: 'Coffee' })).body;
  const webhook = { url: `${receiver.url}/coffee`, events: ['product.created'] };
  expect((await send('post', `/api/stores/${store.id}/webhooks`, accessToken, webhook)).status).toBe(201);
  await verifyAll();
  expect((await send('post', '/api/me/totp', accessToken, {})).status).toBe(200);
  const keyed = { 'idempotency-key': 'once' };
  const body = { name: 'Mocha' };
  await send('post', `/api/stores/${store.id}/products`, accessToken, body, keyed).expect(201);

  const { dataDir, namespace } = system;
  const names = {
    userTokenKey: 'WAYBILL_USER_TOKEN_KEY',
    webhookEncryptionKey: 'WAYBILL_WEBHOOK_ENCRYPTION_KEY',
    'serviceToken.catalog': 'WAYBILL_SERVICE_TOKEN',
    principalKey: 'WAYBILL_PRINCIPAL_KEY',
  };
  const both = Object.entries(names).map(([secret, name]) => [secret, `k2:${fresh[name]},k1:${old[name]}`]);
  const path = join(dataDir, 'secrets.json');
  const written = JSON.stringify(Object.fromEntries(both));
  await writeFile(path, written);
  const drop = (secret: string, of = namespace) =>
    runKeys(['drop', secret, 'k1'], dataDir, async () => [
      { adminUrl: serverUrl, namespace: of, dataDir, close: async () => {} },
    ]);
  const where = (service: string) => `\\(database ${namespace}_${service} on [^)]+\\); nothing was dropped`;
  await expect(drop('userTokenKey')).rejects.toThrow(
    new RegExp(`^k1 alone opens \\d secrets of second factors ${where('identity')}`),
  );
  await expect(drop('webhookEncryptionKey')).rejects.toThrow(
    new RegExp(`^k1 alone opens \\d signing secrets of webhook endpoints ${where('webhooks')}`),
  );
  await expect(drop('serviceToken.catalog')).rejects.toThrow(
    new RegExp(`^k1 alone opens \\d kept answers to requests with an Idempotency-Key ${where('catalog')}`),
  );
  await expect(drop('userTokenKey', 'nowhere')).rejects.toThrow(
    /nowhere_identity on .+ cannot be looked into .+; nothing was dropped/,
  );
  expect(await readFile(path, 'utf8')).toBe(written);

  await system.restart(lists((name) => `new:${fresh[name]},old:${old[name]}`));
  await eventually(async () => (await drop('userTokenKey').catch(() => null)) === undefined);
  await eventually(async () => (await drop('webhookEncryptionKey').catch(() => null)) === undefined);
  // A client that repeats a request within the day must get its answer.
  await expect(drop('serviceToken.catalog')).rejects.toThrow('alone opens');
  await runSql(system, 'catalog', `update idempotent_answer set created_at = now() - interval '25 hours'`);
  await drop('serviceToken.catalog');
  // The token of all services in one process seals in all databases.
  expect(sealedWith('serviceToken.standalone').map(({ service }) => service)).toEqual(databaseServices);
  // It seals no stored data, so no database is read.
  await drop('principalKey', 'nowhere');
  expect(Object.values(JSON.parse(await readFile(path, 'utf8')))).toEqual(
    Object.values(names).map((name) => `k2:${fresh[name]}`),
  );
});

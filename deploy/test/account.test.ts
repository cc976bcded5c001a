import { appPlatform } from '@waybill/app-platform';
import { catalog } from '@waybill/catalog';
import { content } from '@waybill/content';
import { newId } from '@waybill/contracts';
import { gateway } from '@waybill/gateway';
import { identity } from '@waybill/identity';
import { orders } from '@waybill/orders';
import { eventually, runSql, startSystem, type TestSystem } from '@waybill/testing';
import { documentOf, heading } from './e2e/site.ts';

/** What a user does with the own account, through the gateway and across the services that know of it. */

let system: TestSystem;
beforeAll(async () => {
  const unlimited = { RATE_LIMIT_PER_MINUTE: '100000000', RATE_LIMIT_BURST: '1000000' };
  system = await startSystem([gateway, identity, catalog, orders, content, appPlatform], unlimited);
});
afterAll(() => system.stop());

interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape
  body: any;
}

async function call(
  token: string | null,
  method: string,
  path: string,
  json?: object,
  headers = {},
): Promise<Reply> {
  const res = await fetch(`${system.url}${path}`, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(json && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json && { body: JSON.stringify(json) }),
  });
  const text = await res.text();
  return { status: res.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}

const password = 'correct horse battery';
let people = 0;

async function newPerson() {
  const email = `account-${++people}@example.com`;
  const { body } = await call(null, 'POST', '/api/auth/register', { email, password, name: 'Ann' });
  return { email, id: body.user.id as string, token: body.accessToken as string };
}
const login = async (email: string, secret = password) =>
  (await call(null, 'POST', '/api/auth/login', { email, password: secret }, { 'user-agent': 'Elsewhere/1' }))
    .body.accessToken as string;
const newStore = async (token: string): Promise<{ id: string; slug: string }> =>
  (await call(token, 'POST', '/api/stores', { name: 'Shop' })).body.store;
const newKey = async (token: string, storeId: string): Promise<string> =>
  (
    await call(token, 'POST', `/api/stores/${storeId}/api-keys`, {
      name: 'K',
      scopes: ['pages.read', 'pages.write'],
    })
  ).body.secret;
const statusOf = async (token: string) => (await call(token, 'GET', '/api/me')).status;

test('a session that is ended, and those that a new password ends, are refused from the next request on', async () => {
  const { email, token } = await newPerson();
  const [first, second] = [await login(email), await login(email)];
  expect(await Promise.all([token, first, second].map(statusOf))).toEqual([200, 200, 200]);
  const { sessions } = (await call(second, 'GET', '/api/me/sessions')).body;
  expect(sessions[0]).toMatchObject({ isCurrent: true, userAgent: 'Elsewhere/1', ip: '127.0.0.1' });
  expect((await call(token, 'DELETE', `/api/me/sessions/${sessions[1].id}`)).status).toBe(204);
  expect(await Promise.all([token, first, second].map(statusOf))).toEqual([200, 401, 200]);
  const change = { current: password, password: 'another horse battery' };
  expect(await call(second, 'POST', '/api/auth/password', change)).toMatchObject({ status: 200, body: {} });
  expect(await Promise.all([token, second].map(statusOf))).toEqual([401, 200]);
});

test('an account goes when others own what it owned; its keys stop, its own stores are closed, its address is free', async () => {
  const [owner, other] = [await newPerson(), await newPerson()];
  const [shared, alone] = [await newStore(owner.token), await newStore(owner.token)];
  const key = await newKey(owner.token, shared.id);
  const keyOfAlone = await newKey(owner.token, alone.id);
  const { page } = (await call(keyOfAlone, 'POST', '/api/v1/pages', { name: 'Home' })).body;
  await call(owner.token, 'PUT', `/api/stores/${alone.id}/pages/${page.id}/draft`, {
    document: documentOf([heading('Hello')]),
  });
  expect((await call(keyOfAlone, 'POST', `/api/v1/pages/${page.id}/publish`)).status).toBe(200);
  await eventually(async () => (await call(null, 'GET', `/s/${alone.slug}/`)).status === 200);
  const { org } = (await call(owner.token, 'POST', '/api/orgs', { name: 'Acme' })).body;
  const member = { email: other.email, role: 'admin' };
  await call(owner.token, 'POST', `/api/stores/${shared.id}/members`, member);
  await call(owner.token, 'POST', `/api/orgs/${org.id}/members`, { ...member, role: 'developer' });

  const leave = (secret = password) => call(owner.token, 'DELETE', '/api/me', { password: secret });
  expect(await leave('wrong')).toMatchObject({ status: 401, body: { code: 'invalid_login' } });
  const refusal = { code: 'last_owner', storeIds: [shared.id], orgIds: [org.id] };
  expect(await leave()).toMatchObject({ status: 409, body: refusal });
  await call(owner.token, 'PATCH', `/api/stores/${shared.id}/members/${other.id}`, { role: 'owner' });
  expect((await leave()).body).toMatchObject({ storeIds: [], orgIds: [org.id] });
  await call(owner.token, 'PATCH', `/api/orgs/${org.id}/members/${other.id}`, { role: 'owner' });
  expect((await call(key, 'GET', '/api/v1/pages')).status).toBe(200);
  await runSql(
    system,
    'identity',
    `update user_account set email_verified_at = now() where id = '${owner.id}'`,
  );

  expect(await leave()).toEqual({ status: 204, body: '' });
  expect(await statusOf(owner.token)).toBe(401);
  for (const each of [key, keyOfAlone]) expect((await call(each, 'GET', '/api/v1/pages')).status).toBe(403);
  const { members } = (await call(other.token, 'GET', `/api/stores/${shared.id}/members`)).body;
  expect(members).toMatchObject([{ userId: other.id, role: 'owner' }]);
  await eventually(async () => {
    const res = await call(other.token, 'GET', `/api/orgs/${org.id}/members`);
    return res.body.members.length === 1;
  });
  await eventually(async () => (await call(null, 'GET', `/s/${alone.slug}/`)).status === 404);
  const items = [{ variantId: newId('variant'), quantity: 1 }];
  const order = { items, customer: { name: 'A', email: 'a@example.com' } };
  const placed = await call(null, 'POST', `/storefront/${alone.id}/orders`, order, {
    'idempotency-key': 'k',
  });
  expect(placed.status).toBe(404);
  expect((await call(null, 'POST', '/api/auth/login', { email: owner.email, password })).body.code).toBe(
    'invalid_login',
  );
  const again = await call(null, 'POST', '/api/auth/register', { email: owner.email, password, name: 'New' });
  expect(again.status).toBe(201);
  expect((await call(again.body.accessToken, 'GET', '/api/stores')).body.total).toBe(0);
});

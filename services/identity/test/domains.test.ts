import type { Role } from '@waybill/contracts';
import {
  type DnsServer,
  eventually,
  runSql,
  startDnsServer,
  startSystem,
  type TestSystem,
} from '@waybill/testing';
import fc from 'fast-check';
import request from 'supertest';
import { scheduleNextCheck } from '../src/domains/domains.ts';
import { identity } from '../src/index.ts';
import { type Client, createClient, type Person } from './people.ts';

let system: TestSystem;
let dns: DnsServer;
let client: Client;
beforeAll(async () => {
  dns = await startDnsServer();
  const env = {
    DNS_SERVERS: dns.address,
    PUBLIC_BASE_URL: 'https://waybill.example',
    SITES_DOMAIN: 'sites.example',
  };
  system = await startSystem([identity], env);
  client = createClient(system);
});
afterAll(async () => {
  await system.stop();
  await dns.close();
});

let shops = 0;
async function newShop() {
  const owner = await client.newPerson('Zoë');
  const storeId = await client.newStore(owner);
  const path = `/api/stores/${storeId}/domains`;
  const as = (role: Role = 'owner', person: Person = owner) => client.as(person, storeId, role);
  return {
    storeId,
    path,
    as,
    hostname: `shop-${++shops}.example.com`,
    add: (hostname: string) => as().post(path, { hostname }),
    list: async () => (await as().get(path)).body.domains,
  };
}
const publish = ({ name, value }: { name: string; value: string }) =>
  dns.records.set(name, ['v=spf1 -all', value]);
const storeAt = async (hostname: string) =>
  (
    await request(system.internalUrl)
      .get(`/internal/domains/${hostname}`)
      .set('authorization', `Bearer ${system.serviceToken}`)
  ).body.store?.id;
/** Makes all waiting domains due now. */
const hurry = () => runSql(system, 'identity', 'update domain set due_at = now()');
/** Has hostnames looked up until it is so. A look-up that is under way finds what DNS had before, and is followed late. */
const untilChecked = (isSo: () => Promise<boolean>) =>
  eventually(async () => {
    await hurry();
    return isSo();
  });
const getStatusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];

test('a hostname belongs to a store once DNS has the record, and to none after its removal', async () => {
  const { add, as, path, list, hostname, storeId } = await newShop();
  const { status, body } = await add(` ${hostname.toUpperCase()}.`);
  expect([status, body.domain]).toEqual([
    201,
    {
      id: expect.stringMatching(/^dom_[0-9a-z]{26}$/),
      hostname,
      state: 'pending',
      txt: {
        name: `_waybill.${hostname}`,
        value: expect.stringMatching(/^waybill-verification=[0-9a-f]{40}$/),
      },
      createdAt: expect.any(String),
    },
  ]);
  expect(await storeAt(hostname)).toBeUndefined();
  publish(body.domain.txt);
  await untilChecked(async () => (await list())[0].state === 'active');
  expect(await list()).toEqual([{ ...body.domain, state: 'active' }]);
  const read = () => as().get(`${path}/${body.domain.id}`);
  expect((await read()).body).toEqual({ domain: { ...body.domain, state: 'active' } });
  expect(await storeAt(hostname)).toBe(storeId);
  expect((await as().delete(`${path}/${body.domain.id}`)).status).toBe(204);
  expect([await list(), await storeAt(hostname)]).toEqual([[], undefined]);
  expect(getStatusAndCode(await read())).toEqual([404, 'not_found']);
  expect(getStatusAndCode(await as().delete(`${path}/${body.domain.id}`))).toEqual([404, 'not_found']);
});

test('who has not made the record waits, and cannot ask for what another store shows itself at', async () => {
  const [one, other] = [await newShop(), await newShop()];
  const first = await other.add(one.hostname);
  const { body } = await one.add(one.hostname);
  expect(getStatusAndCode(await one.add(one.hostname))).toEqual([409, 'duplicate_name']);
  publish(body.domain.txt);
  await untilChecked(async () => (await storeAt(one.hostname)) === one.storeId);
  expect((await other.list())[0].state).toBe('pending');
  // The second domain has its own record, and waits until the name is free.
  dns.records.set(body.domain.txt.name, [body.domain.txt.value, first.body.domain.txt.value]);
  await hurry();
  const third = await newShop();
  expect(getStatusAndCode(await third.add(one.hostname))).toEqual([409, 'duplicate_name']);
  expect(await storeAt(one.hostname)).toBe(one.storeId);
  await one.as().delete(`${one.path}/${body.domain.id}`);
  await eventually(async () => {
    await hurry();
    return (await storeAt(one.hostname)) === other.storeId;
  });
});

test('a hostname without its record is lost after the third check, and silence changes nothing', async () => {
  const { add, hostname, storeId } = await newShop();
  const { txt } = (await add(hostname)).body.domain;
  publish(txt);
  await hurry();
  await eventually(async () => (await storeAt(hostname)) === storeId);
  dns.records.delete(txt.name);
  await runSql(system, 'identity', 'update domain set misses = 2, due_at = now()');
  await eventually(async () => (await storeAt(hostname)) === undefined);
});

test.each([
  'localhost',
  'shop.localhost',
  'example',
  '10.0.0.1',
  '[::1]',
  'a..b',
  '-a.example.com',
  'a_b.example.com',
  'shop.example.com/path',
  'shop.example.com?query',
  'shop.example.com#x',
  'shop\\.example.com',
  'sh\top.example.com',
  'shop%2eexample.com',
])('%s is no name that can be asked for', async (hostname) => {
  const { add } = await newShop();
  const { status, body } = await add(hostname);
  expect([status, body.code, body.details[0].pointer]).toEqual([400, 'invalid_body', '/hostname']);
});

test('the system’s own names are refused; others are normalised as in DNS', async () => {
  const { add } = await newShop();
  for (const own of ['waybill.example', 'x.waybill.example', 'sites.example', 'other.sites.example'])
    expect((await add(own)).status).toBe(400);
  expect((await add('Café.example.com')).body.domain.hostname).toBe('xn--caf-dma.example.com');
});

test('a store has at most 10,000, and only members who manage it change them', async () => {
  const { storeId, path, as, add, hostname } = await newShop();
  await runSql(
    system,
    'identity',
    `insert into domain (store_id, id, hostname, token, due_at)
     select '${storeId}', 'dom_' || i, i || '.example.org', 'x', now() + interval '1 day' from generate_series(1, 10000) as i`,
  );
  expect(getStatusAndCode(await add(hostname))).toEqual([409, 'too_many_domains']);
  for (const role of ['viewer', 'editor'] as const) {
    expect(getStatusAndCode(await as(role).get(path))).toEqual([403, 'insufficient_role']);
    expect(getStatusAndCode(await as(role).post(path, { hostname }))).toEqual([403, 'insufficient_role']);
  }
});

test('only three definite misses deactivate a hostname, and only the record activates one', () => {
  const created_at = new Date(0);
  const finding = fc.constantFrom('there', 'missing', 'unknown');
  fc.assert(
    fc.property(fc.array(finding, { maxLength: 30 }), fc.nat(40 * 86_400_000), (findings, now) => {
      let at: Pick<Parameters<typeof scheduleNextCheck>[0], 'state' | 'misses'> = {
        state: 'pending',
        misses: 0,
      };
      for (const each of findings) {
        const next = scheduleNextCheck({ ...at, created_at }, each, now);
        expect(next.dueInSeconds).toBeGreaterThanOrEqual(20);
        expect(next.dueInSeconds).toBeLessThanOrEqual(86_400);
        if (each === 'there') expect(next.state).toBe('active');
        else if (at.state === 'pending') expect(next.state).toBe('pending');
        else if (next.state === 'pending') expect([each, at.misses]).toEqual(['missing', 2]);
        at = next;
      }
    }),
  );
});

test('a former hostname redirects to its store until another store proves it', async () => {
  const [one, other] = [await newShop(), await newShop()];
  const at = async () =>
    (
      await request(system.internalUrl)
        .get(`/internal/domains/${one.hostname}?former=true`)
        .set('authorization', `Bearer ${system.serviceToken}`)
    ).body;
  const { domain } = (await one.add(one.hostname)).body;
  expect(await at()).toMatchObject({ code: 'not_found' });
  publish(domain.txt);
  await untilChecked(async () => (await storeAt(one.hostname)) === one.storeId);
  expect(await at()).toMatchObject({ store: { id: one.storeId }, isFormer: false });
  expect((await one.as().delete(`${one.path}/${domain.id}`)).status).toBe(204);
  expect(await storeAt(one.hostname)).toBeUndefined();
  expect(await at()).toMatchObject({ store: { id: one.storeId }, isFormer: true });
  const next = (await other.add(one.hostname)).body.domain;
  expect(await at()).toMatchObject({ store: { id: one.storeId }, isFormer: true });
  publish(next.txt);
  await untilChecked(async () => (await storeAt(one.hostname)) === other.storeId);
  await other.as().delete(`${other.path}/${next.id}`);
  expect(await at()).toMatchObject({ store: { id: other.storeId }, isFormer: true });
});

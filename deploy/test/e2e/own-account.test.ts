import { newId } from '@waybill/contracts';
import { eventually } from '@waybill/testing';
import {
  expectStatus,
  join,
  joinOrg,
  newKey,
  newPerson,
  newStore,
  type Person,
  verify,
} from '../../testing/accounts.ts';
import { type Caller, createCaller, type Reply } from '../../testing/client.ts';
import { codeChallenge, codeVerifier } from './pkce.ts';
import { documentOf, heading, Site } from './site.ts';
import { type SharedSystem, topologies } from './topologies.ts';

/** Users manage their own accounts, across the services that know of them. */
describe.each(topologies)('$name', ({ share }) => {
  let system: SharedSystem;
  let anybody: Caller;
  beforeAll(async () => {
    system = await share();
    anybody = createCaller(system.baseUrl, undefined);
  });

  const codeOf = ({ status, body }: Reply) => `${status} ${body?.code}`;
  const login = ({ email, password }: Person) =>
    anybody('POST', '/api/auth/login', { email, password }, { 'user-agent': 'Elsewhere/1' });
  async function elsewhere(person: Person): Promise<Caller> {
    return createCaller(system.baseUrl, expectStatus(await login(person), 200).body.accessToken);
  }
  const statuses = async (...callers: Caller[]) =>
    (await Promise.all(callers.map((call) => call('GET', '/api/me')))).map(({ status }) => status);

  test('ended sessions are refused from the next request on', async () => {
    const owner = await newPerson(system.baseUrl);
    const [first, second] = [await elsewhere(owner), await elsewhere(owner)];
    expect(await statuses(owner.call, first, second)).toEqual([200, 200, 200]);
    const { sessions } = (await second('GET', '/api/me/sessions')).body;
    expect(sessions[0]).toMatchObject({
      isCurrent: true,
      userAgent: 'Elsewhere/1',
      ip: expect.stringMatching(/127\.0\.0\.1|::1/),
    });
    expectStatus(await owner.call('DELETE', `/api/me/sessions/${sessions[1].id}`), 204);
    expect(await statuses(owner.call, first, second)).toEqual([200, 401, 200]);
    const change = { current: owner.password, password: 'another horse battery' };
    expect(codeOf(await anybody('POST', '/api/auth/password', change))).toBe('401 missing_credential');
    expectStatus(await second('POST', '/api/auth/password', change), 200);
    expect(await statuses(owner.call, second)).toEqual([401, 200]);
  });

  test('the session of a login code ends with the one that gave the code, its access token included', async () => {
    const person = await newPerson(system.baseUrl);
    const { code } = expectStatus(
      await person.call('POST', '/api/me/login-codes', { codeChallenge }),
      201,
    ).body;
    const derived = expectStatus(
      await anybody('POST', '/api/auth/login-codes', { code, codeVerifier }),
      200,
    ).body;
    const program = createCaller(system.baseUrl, derived.accessToken);
    expect(await statuses(person.call, program)).toEqual([200, 200]);
    const { refreshToken } = person;
    expectStatus(await anybody('POST', '/api/auth/logout', { refreshToken }), 200);
    expect(await statuses(person.call, program)).toEqual([401, 401]);
    const refreshed = await anybody('POST', '/api/auth/refresh', { refreshToken: derived.refreshToken });
    expect(codeOf(refreshed)).toBe('401 invalid_refresh_token');
  });

  test('sign-ins are their own to read, and show in no audit of a store', async () => {
    const person = await newPerson(system.baseUrl);
    const storeId = await newStore(person);
    await elsewhere(person);
    expect((await login({ ...person, password: 'wrong' })).status).toBe(401);
    const { signIns, nextCursor } = expectStatus(await person.call('GET', '/api/me/sign-ins'), 200).body;
    const common = { userAgent: 'Elsewhere/1', ip: expect.stringMatching(/127\.0\.0\.1|::1/) };
    expect([signIns, nextCursor]).toMatchObject([
      [
        { ...common, outcome: 'failed' },
        { ...common, outcome: 'ok' },
      ],
      null,
    ]);
    const { entries } = (await person.call('GET', `/api/stores/${storeId}/audit`)).body;
    expect(entries).toMatchObject([{ action: 'store.created' }]);
    expect(codeOf(await anybody('GET', '/api/me/sign-ins'))).toBe('401 missing_credential');
  });

  test('a second factor needs a verified address', async () => {
    const person = await newPerson(system.baseUrl);
    expect(codeOf(await person.call('POST', '/api/me/totp', {}))).toBe('409 email_unverified');
    await verify(person);
    expectStatus(await person.call('POST', '/api/me/totp', {}), 200);
  });

  test('an account goes when others own what it owned: keys stop, stores of its own are closed', async () => {
    const site = await Site.open(system.baseUrl, 'Alone');
    const { owner } = site;
    const other = await newPerson(system.baseUrl);
    const shared = await newStore(owner);
    const { secret } = await newKey(owner, shared, ['pages.read']);
    await join(owner, shared, other, 'admin');
    const { org } = expectStatus(await owner.call('POST', '/api/orgs', { name: 'Acme' }), 201).body;
    await joinOrg(owner, org.id, other, 'developer');
    const { slug } = await site.live('Home', documentOf([heading('Hello')]));
    await site.shows(`/${slug}`, 'Hello');

    const leave = (password = owner.password) => owner.call('DELETE', '/api/me', { password });
    expect(codeOf(await leave('wrong'))).toBe('401 invalid_login');
    expect(expectStatus(await leave(), 409).body).toMatchObject({
      code: 'last_owner',
      storeIds: [shared],
      orgIds: [org.id],
    });
    const toOwner = { role: 'owner' };
    expectStatus(await owner.call('PATCH', `/api/stores/${shared}/members/${other.userId}`, toOwner), 200);
    expectStatus(await owner.call('PATCH', `/api/orgs/${org.id}/members/${other.userId}`, toOwner), 200);
    const read = (key: Caller) => key('GET', '/api/v1/pages');
    const key = createCaller(system.baseUrl, secret);
    expect([(await read(key)).status, (await read(site.api)).status]).toEqual([200, 200]);

    expectStatus(await leave(), 204);
    expect(await statuses(owner.call)).toEqual([401]);
    expect(codeOf(await read(key))).toBe('403 insufficient_scope');
    expect(codeOf(await read(site.api))).toBe('403 insufficient_scope');
    expect(codeOf(await login(owner))).toBe('401 invalid_login');
    const { members } = (await other.call('GET', `/api/stores/${shared}/members`)).body;
    expect(members).toMatchObject([{ userId: other.userId, role: 'owner' }]);
    await eventually(async () => {
      const { body } = await other.call('GET', `/api/orgs/${org.id}/members`);
      return body.members.length === 1;
    });
    await eventually(async () => (await site.visit(`/${slug}`)).status === 404);
    const order = {
      items: [{ variantId: newId('variant'), quantity: 1 }],
      customer: { name: 'Ann', email: 'ann@example.com' },
    };
    const path = `/storefront/${site.storeId}/orders`;
    const placed = await anybody('POST', path, order, { 'idempotency-key': newId('event') });
    expect(codeOf(placed)).toBe('404 not_found');
  });
});

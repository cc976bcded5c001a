import { runSql, shiftTimes, startSystem, type TestSystem, waitForMailedToken } from '@waybill/testing';
import { identity } from '../src/index.ts';
import { type Client, createClient, type Person, password, repeat } from './people.ts';

const listed = 'listed@platform.example';

let system: TestSystem;
let client: Client;
beforeAll(async () => {
  system = await startSystem([identity], {
    PLATFORM_REVIEWER_EMAILS: ` Listed@Platform.example ,newcomer@platform.example,`,
    WAYBILL_DEMO: 'on',
  });
  client = createClient(system);
});
afterAll(() => system.stop());

const getStatusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];
const add = async (email: string): Promise<string> =>
  (await client.internal('reviewers', { email })).body.token;
const reset = (token: string, secret = 'a new password') =>
  client.post('/api/auth/reset', { token, password: secret });
const login = (email: string, secret = 'a new password') =>
  client.post('/api/auth/login', { email, password: secret });

/** Returns the gateway's view of the session in an access token; null: the session has ended. */
async function session(accessToken: string): Promise<{ isReviewer: boolean } | null> {
  const { sid, sub } = JSON.parse(String(Buffer.from(accessToken.split('.')[1]!, 'base64url')));
  const { status, body } = await client.internal('sessions/resolve', { sessionId: sid, userId: sub });
  return status === 404 ? null : body;
}
const isReviewer = async (email: string) =>
  (await session((await login(email)).body.accessToken))?.isReviewer;

describe('the address of a reviewer', () => {
  test('registers, verifies, and is a reviewer from then on', async () => {
    const email = 'newcomer@platform.example';
    const registered = await client.post('/api/auth/register', {
      email: 'Newcomer@Platform.Example',
      password,
      name: 'Rita',
    });
    expect(registered.status).toBe(201);
    const { accessToken } = registered.body;
    expect(await session(accessToken)).toMatchObject({ isReviewer: false });
    const token = await waitForMailedToken(system.dataDir, email, 'verify');
    expect((await client.post('/api/auth/verify', { token })).status).toBe(200);
    expect(await session(accessToken)).toMatchObject({ isReviewer: true });
  });

  test('makes an existing account a reviewer only after a mailed link has set its password', async () => {
    const squatter = await client.newPerson();
    const email = 'listed.later@platform.example';
    await runSql(
      system,
      'identity',
      `update user_account set email = '${email}' where id = '${squatter.id}'`,
    );
    const token = await add(email);
    expect(await session(squatter.accessToken)).toEqual(expect.objectContaining({ isReviewer: false }));
    expect((await reset(token)).status).toBe(200);
    expect(await session(squatter.accessToken)).toBeNull();
    expect(getStatusAndCode(await login(email, password))).toEqual([401, 'invalid_login']);
    expect(await isReviewer(email)).toBe(true);
  });

  test('is checked when the process starts; the demo’s counts only with a demo', () => {
    const read = (env: Record<string, string>) => [
      ...identity.config.read({ WAYBILL_USER_TOKEN_KEY: 'A'.repeat(43), ...env }).reviewerEmails,
    ];
    expect(read({})).toEqual([]);
    expect(read({ WAYBILL_DEMO: 'on' })).toEqual(['reviewer@example.com']);
    expect(read({ PLATFORM_REVIEWER_EMAILS: ' Ann@X.example ,,b@y.example' })).toEqual([
      'ann@x.example',
      'b@y.example',
    ]);
    expect(() => read({ PLATFORM_REVIEWER_EMAILS: 'ann@x.example;b@y.example' })).toThrow(
      'PLATFORM_REVIEWER_EMAILS: "ann@x.example;b@y.example" is not an e-mail address',
    );
  });
});

describe('POST /internal/reviewers', () => {
  test('creates a missing account without a known password', async () => {
    const token = await add('New.Reviewer@example.com');
    for (const secret of ['', password])
      expect((await login('new.reviewer@example.com', secret)).status).toBe(401);
    await reset(token);
    expect(await isReviewer('new.reviewer@example.com')).toBe(true);
  });
  test('what it gave is taken back; what the configuration gives is not', async () => {
    const { email } = await client.newPerson();
    const remove = (address: string) => client.internal('reviewers/remove', { email: address });
    expect(getStatusAndCode(await remove(email))).toEqual([404, 'not_found']);
    await reset(await add(email));
    expect(await isReviewer(email)).toBe(true);
    expect((await remove(email)).status).toBe(200);
    expect(await isReviewer(email)).toBe(false);

    await reset(await add(listed));
    expect(getStatusAndCode(await remove(listed))).toEqual([409, 'invalid_state']);
    expect(await isReviewer(listed)).toBe(true);
  });
  test('is for services', async () => {
    for (const path of ['reviewers', 'reviewers/remove', 'users', 'sessions/resolve'])
      expect((await client.post(`/internal/${path}`, { email: listed })).status).toBe(401);
  });
});

describe('POST /internal/users', () => {
  const vouch = (email: string, secret: string) =>
    client.internal('users', { email, password: secret, name: 'Demo' });

  test('creates a user with a listed address as a reviewer immediately, and a repetition does nothing', async () => {
    const email = 'reviewer@example.com';
    expect((await vouch(email, 'a new password')).status).toBe(200);
    expect(await isReviewer(email)).toBe(true);
    expect((await vouch(email, 'something else')).status).toBe(200);
    expect(await isReviewer(email)).toBe(true);
  });
  test('verifies nobody who has the address with another password', async () => {
    const { email } = await client.newPerson();
    expect(getStatusAndCode(await vouch(email, 'not its password'))).toEqual([409, 'duplicate_email']);
  });
});

describe('POST /api/auth/reset', () => {
  let person: Person;
  let token: string;
  beforeEach(async () => {
    person = await client.newPerson();
    token = await add(person.email);
  });

  test('sets the password once, and ends every session of the user', async () => {
    const other = (await login(person.email, password)).body;
    expect((await reset(token)).body).toEqual({});
    expect(getStatusAndCode(await reset(token))).toEqual([400, 'invalid_token']);
    for (const each of [person, other]) {
      expect(await session(each.accessToken)).toBeNull();
      const { refreshToken } = each;
      expect((await client.post('/api/auth/refresh', { refreshToken })).status).toBe(401);
    }
    expect((await login(person.email, password)).status).toBe(401);
    expect((await login(person.email)).status).toBe(200);
  });
  test('of ten simultaneous requests one sets it', async () => {
    const all = await repeat(10, (i) => reset(token, `password number ${i}`));
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)]);
    const winner = all.findIndex(({ status }) => status === 200);
    expect((await login(person.email, `password number ${winner}`)).status).toBe(200);
  });
  test('no session of the old password begins meanwhile', async () => {
    const [, ...logins] = await Promise.all([
      reset(token),
      ...Array.from({ length: 8 }, () => login(person.email, password)),
    ]);
    for (const { status, body } of logins as { status: number; body: { accessToken: string } }[])
      if (status === 200) expect(await session(body.accessToken)).toBeNull();
  });
  test('uses up the other links of the user, and lets in who was locked out', async () => {
    const second = await add(person.email);
    await repeat(11, () => login(person.email, 'wrong'));
    expect((await login(person.email, password)).status).toBe(429);
    await reset(second);
    expect(getStatusAndCode(await reset(token))).toEqual([400, 'invalid_token']);
    expect((await login(person.email)).status).toBe(200);
  });
  test('not after an hour', async () => {
    await runSql(
      system,
      'identity',
      `update one_time_token set ${shiftTimes('expires_at', '1 hour')} where subject = '${person.id}'`,
    );
    expect(getStatusAndCode(await reset(token))).toEqual([400, 'invalid_token']);
    expect((await login(person.email, password)).status).toBe(200);
  });
  test.each(['', 'A'.repeat(43), '💥'.repeat(1000)])('400 invalid_token for %j', async (wrong) => {
    expect(getStatusAndCode(await reset(wrong))).toEqual([400, 'invalid_token']);
  });
  test('only hashes of tokens are stored', async () => {
    expect(token).toMatch(/^[\w-]{43}$/);
    await expect(
      runSql(
        system,
        'identity',
        `do $$ begin if exists (select from one_time_token where hash = '${token}') then raise 'stored'; end if; end $$`,
      ),
    ).resolves.toEqual([]);
  });
});

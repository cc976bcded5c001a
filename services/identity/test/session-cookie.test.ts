import { runSql, shiftTimes, startSystem, type TestSystem } from '@waybill/testing';
import { identity } from '../src/index.ts';
import { type Client, createClient, type Person, parseSessionId, password, repeat } from './people.ts';

const host = 'console.example:8443';
const page = { 'sec-fetch-site': 'same-origin', 'x-waybill-host': host };
const secure = '__Secure-waybill-session';

let system: TestSystem;
let client: Client;
beforeAll(async () => {
  system = await startSystem([identity], { PUBLIC_BASE_URL: 'https://waybill.example' });
  client = createClient(system);
});
afterAll(() => system.stop());

type Headers = Record<string, string>;
const ask = (path: string, body: object, headers: Headers) =>
  client.post(`/api/auth/${path}`, body, '192.0.2.1', headers);
type Reply = Awaited<ReturnType<typeof ask>>;

const formatStatus = ({ status, body }: Reply) => `${status} ${body.code ?? ''}`.trim();
const getCookie = ({ headers }: Reply): string => headers['set-cookie']![0]!.split(';', 1)[0]!;

const login = (person: Person, headers: Headers = page) =>
  ask('login', { email: person.email, password, session: 'cookie' }, headers);
async function signIn(person: Person): Promise<string> {
  const res = await login(person);
  expect(res.status).toBe(200);
  return getCookie(res);
}
const refresh = (cookie: string, headers: Headers = page) => ask('refresh', {}, { ...headers, cookie });
const listSessionIds = async (person: Person) =>
  (await client.as(person).get('/api/me/sessions')).body.sessions.map(({ id }: { id: string }) => id);

describe('a session in a cookie', () => {
  test('is sent only to identity, is invisible to scripts and other sites, and its token appears nowhere else', async () => {
    const person = await client.newPerson();
    const res = await login(person);
    expect(Object.keys(res.body).sort()).toEqual(['accessToken', 'expiresAt', 'user']);
    const [value, ...attributes] = res.headers['set-cookie']![0]!.split('; ');
    expect(value).toMatch(new RegExp(`^${secure}=[\\w-]{43}$`));
    const thirtyDays = 'Max-Age=2592000';
    expect(attributes.sort()).toEqual(
      [thirtyDays, 'HttpOnly', 'Path=/api/auth', 'SameSite=Strict', 'Secure'].sort(),
    );
    expect(res.headers['cache-control']).toBe('private, no-store');
  });

  test('begins with registering, too', async () => {
    const body = { email: 'console@example.com', password, name: 'Con', session: 'cookie' };
    const res = await ask('register', body, page);
    expect([res.status, res.body.refreshToken]).toEqual([201, undefined]);
    expect((await refresh(getCookie(res))).body.user.email).toBe('console@example.com');
  });

  test('is refreshed without a body, each time with another cookie', async () => {
    let cookie = await signIn(await client.newPerson());
    for (let i = 0; i < 3; i++) {
      const res = await refresh(`theme=dark; ${cookie}; other=1`);
      expect(res.status).toBe(200);
      expect(res.body).not.toHaveProperty('refreshToken');
      expect(getCookie(res)).not.toBe(cookie);
      cookie = getCookie(res);
    }
    const bare = await fetch(`${system.internalUrl}/api/auth/refresh`, {
      method: 'POST',
      headers: { ...page, cookie },
    });
    expect(bare.status).toBe(200);
  });

  test('ends with logout, which removes the cookie', async () => {
    const person = await client.newPerson();
    const cookie = await signIn(person);
    const res = await ask('logout', {}, { ...page, cookie });
    expect(res.status).toBe(200);
    expect(res.headers['set-cookie']).toEqual([
      `${secure}=; Max-Age=0; Path=/api/auth; HttpOnly; SameSite=Strict; Secure`,
    ]);
    expect(formatStatus(await refresh(cookie))).toBe('401 invalid_refresh_token');
    expect((await ask('logout', {}, page)).status).toBe(200);
  });

  test.each(['sign-out everywhere', 'a reset of the password'])('ends with %s', async (what) => {
    const person = await client.newPerson();
    const cookie = await signIn(person);
    if (what === 'sign-out everywhere') await client.as(person).delete('/api/me/sessions');
    else {
      const { body } = await client.internal('reviewers', { email: person.email });
      expect((await ask('reset', { token: body.token, password: 'another password' }, {})).status).toBe(200);
    }
    expect(formatStatus(await refresh(cookie))).toBe('401 invalid_refresh_token');
  });

  test('ends when the same browser signs in again, without ending others', async () => {
    const person = await client.newPerson();
    const first = await login(person);
    const again = await login(person, { ...page, cookie: getCookie(first) });
    const left = await listSessionIds(person);
    expect(left).toHaveLength(2);
    expect(left).not.toContain(parseSessionId(first.body.accessToken));
    expect(left).toContain(parseSessionId(again.body.accessToken));
    expect(left).toContain(person.sessionId);
  });
});

describe('tabs of one browser', () => {
  const tenSecondsPass = () =>
    runSql(
      system,
      'identity',
      `update refresh_token set ${shiftTimes('used_at', '10 s')}, ${shiftTimes('expires_at', '10 s')}`,
    );

  test('that refresh simultaneously all continue, also a late one', async () => {
    const cookie = await signIn(await client.newPerson());
    const all = await repeat(5, () => refresh(cookie));
    expect(all.map(({ status }) => status)).toEqual(Array(5).fill(200));
    // One tab refreshes twice before another tab's cookie and the first cookie arrive.
    const next = getCookie(await refresh(getCookie(await refresh(getCookie(all[0]!)))));
    const late = [await refresh(next), await refresh(cookie), await refresh(getCookie(all[1]!))];
    expect(late.map(({ status }) => status)).toEqual([200, 200, 200]);
    await tenSecondsPass();
    expect((await refresh(getCookie(late[0]!))).status).toBe(200);
  });

  test('end the session if an old cookie returns after ten seconds', async () => {
    const person = await client.newPerson();
    const cookie = await signIn(person);
    const second = getCookie(await refresh(cookie));
    const third = getCookie(await refresh(second));
    await tenSecondsPass();
    expect(formatStatus(await refresh(cookie))).toBe('401 invalid_refresh_token');
    expect(formatStatus(await refresh(third))).toBe('401 invalid_refresh_token');
    expect(await listSessionIds(person)).toEqual([person.sessionId]);
  });

  test('nor for a token in a body: what was used before the last ends the session at once', async () => {
    const { refreshToken } = await client.newPerson();
    const next = (await ask('refresh', { refreshToken }, page)).body.refreshToken;
    await ask('refresh', { refreshToken: next }, page);
    expect(formatStatus(await ask('refresh', { refreshToken }, page))).toBe('401 invalid_refresh_token');
    expect(formatStatus(await ask('refresh', { refreshToken: next }, page))).toBe(
      '401 invalid_refresh_token',
    );
  });
});

describe('who asks with the cookie', () => {
  let person: Person;
  let cookie: string;
  beforeAll(async () => {
    person = await client.newPerson();
    cookie = await signIn(person);
  });
  const host443 = { 'x-waybill-host': 'console.example' };

  test.each<[string, Headers]>([
    ['nobody says', { 'x-waybill-host': host }],
    ['another site', { ...page, 'sec-fetch-site': 'cross-site' }],
    ['a neighbour of the same site', { ...page, 'sec-fetch-site': 'same-site' }],
    ['the address bar', { ...page, 'sec-fetch-site': 'none' }],
    [
      'another site, whatever its Origin',
      { ...host443, 'sec-fetch-site': 'cross-site', origin: 'https://console.example' },
    ],
    ['a page in a sandbox', { ...host443, origin: 'null' }],
    ['another origin', { ...host443, origin: 'https://evil.example' }],
    ['another port', { ...host443, origin: 'https://console.example:8443' }],
    ['a page without TLS', { ...host443, origin: 'http://console.example' }],
    ['a name that begins alike', { ...host443, origin: 'https://console.example.evil.example' }],
    ['a path for an origin', { ...host443, origin: 'https://console.example/' }],
    ['a host that is none', { 'x-waybill-host': 'a b', origin: 'https://a b' }],
  ])('403 cross_origin for %s', async (_, headers) => {
    expect(formatStatus(await refresh(cookie, headers))).toBe('403 cross_origin');
    expect(formatStatus(await ask('logout', {}, { ...headers, cookie }))).toBe('403 cross_origin');
    expect(formatStatus(await login(person, headers))).toBe('403 cross_origin');
    const body = { email: 'cross@example.com', password, name: 'C', session: 'cookie' };
    expect(formatStatus(await ask('register', body, headers))).toBe('403 cross_origin');
    expect((await refresh(cookie)).status).toBe(200);
  });

  test.each<[string, Headers]>([
    ['by its Origin, as it was asked', { ...host443, origin: 'https://console.example' }],
    ['by its Origin, with a port', { 'x-waybill-host': host, origin: `https://${host}` }],
    ['by its Origin, as the setting says', { ...host443, origin: 'https://waybill.example' }],
    [
      'whatever the capitals of the host',
      { 'x-waybill-host': 'Console.Example', origin: 'https://console.example' },
    ],
  ])('is let in %s', async (_, headers) => {
    const own = await signIn(person);
    expect((await refresh(own, headers)).status).toBe(200);
  });

  test('without a cookie is not signed in; a program that forgot its token hears so', async () => {
    expect(formatStatus(await ask('refresh', {}, page))).toBe('401 invalid_refresh_token');
    for (const path of ['refresh', 'logout']) {
      const res = await ask(path, {}, {});
      expect([formatStatus(res), res.body.details]).toEqual([
        '400 invalid_body',
        [{ pointer: '/refreshToken', message: 'is missing' }],
      ]);
    }
  });

  test('with two of that name, one of which a neighbour must have set, is not signed in', async () => {
    const own = await signIn(person);
    for (const both of [`${secure}=strange; ${own}`, `${own}; ${secure}=strange`])
      expect(formatStatus(await refresh(both))).toBe('401 invalid_refresh_token');
    expect((await refresh(own)).status).toBe(200);
  });

  test('a token in the body counts, whatever the cookie and the origin', async () => {
    const { id, refreshToken } = await client.newPerson();
    const headers = { cookie: await signIn(person), 'sec-fetch-site': 'cross-site' };
    const res = await ask('refresh', { refreshToken }, headers);
    expect([res.status, res.body.user.id, res.headers['set-cookie']]).toEqual([200, id, undefined]);
    expect(
      (await ask('logout', { refreshToken: res.body.refreshToken }, headers)).headers,
    ).not.toHaveProperty('set-cookie');
    expect((await refresh(headers.cookie)).status).toBe(200);
  });

  test('no other route accepts it', async () => {
    const headers = { ...page, cookie: await signIn(person) };
    for (const path of ['/api/me', '/api/stores', '/api/me/sessions']) {
      const res = await fetch(`${system.internalUrl}${path}`, { headers });
      expect(res.status).toBe(401);
    }
  });
});

test('without TLS the cookie is not Secure, and named by the port, as browsers keep cookies for all of a host', async () => {
  const local = await startSystem([identity], { PUBLIC_BASE_URL: 'http://127.0.0.1:8080' });
  try {
    const person = createClient(local);
    const { email } = await person.newPerson();
    const headers = { 'x-waybill-host': 'localhost:8080', origin: 'http://localhost:8080' };
    const body = { email, password, session: 'cookie' };
    const res = await person.post('/api/auth/login', body, '192.0.2.1', headers);
    expect(res.headers['set-cookie']![0]).toMatch(/^waybill-session-8080=[\w-]{43}; /);
    expect(res.headers['set-cookie']![0]).not.toContain('Secure');
  } finally {
    await local.stop();
  }
});

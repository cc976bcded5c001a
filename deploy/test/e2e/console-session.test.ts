import { hasChromium, launchChromium } from '@waybill/testing';
import { expectStatus, newPerson, newStore, type Person } from '../../testing/accounts.ts';
import { type Caller, createCaller, type Reply } from '../../testing/client.ts';
import { type SharedSystem, topologies } from './topologies.ts';

const hasBrowser = hasChromium('a console’s session in a browser');

/**
 * Returns an expression for `page.evaluate` with the result of `fetch` in a page: a status, or the name of the error.
 */
const fetching = (url: string, init: object) =>
  `fetch(${JSON.stringify(url)}, ${JSON.stringify(init)}).then(({ status }) => status, ({ name }) => name)`;

describe.each(topologies)('$name', ({ share, inOneTopology }) => {
  const inChromium = hasBrowser ? inOneTopology : test.skip;
  let system: SharedSystem;
  let page: Caller;
  let person: Person;
  beforeAll(async () => {
    system = await share();
    const anybody = createCaller(system.baseUrl, undefined);
    page = (method, path, json, headers = {}) =>
      anybody(method, path, json, { 'sec-fetch-site': 'same-origin', ...headers });
    person = await newPerson(system.baseUrl);
  });

  const cookieOf = ({ headers }: Reply) => headers['set-cookie']![0]!.split(';', 1)[0]!;
  const codeOf = ({ status, body }: Reply) => `${status} ${body.code}`;
  const as = (accessToken: string) => createCaller(system.baseUrl, accessToken);
  async function signIn(): Promise<Reply> {
    const { email, password } = person;
    return expectStatus(await page('POST', '/api/auth/login', { email, password, session: 'cookie' }), 200);
  }
  const refresh = (cookie: string, headers = {}) =>
    page('POST', '/api/auth/refresh', undefined, { cookie, ...headers });

  test('a console signs in, continues by its cookie alone, and signs out', async () => {
    const signedIn = await signIn();
    expect(signedIn.body.refreshToken).toBeUndefined();
    expect(signedIn.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^waybill-session-\d+=[\w-]{43}; Max-Age=2592000; Path=\/api\/auth; HttpOnly; SameSite=Strict$/,
      ),
    ]);
    const tabs = await Promise.all([1, 2, 3].map(() => refresh(cookieOf(signedIn))));
    for (const tab of tabs) expectStatus(tab, 200);
    const { accessToken } = tabs[0]!.body;
    expectStatus(await as(accessToken)('GET', '/api/me'), 200);
    const cookie = cookieOf(expectStatus(await refresh(cookieOf(tabs[2]!)), 200));
    const out = expectStatus(await page('POST', '/api/auth/logout', undefined, { cookie }), 200);
    expect(out.headers['set-cookie']![0]).toContain('Max-Age=0');
    expect(codeOf(await refresh(cookie))).toBe('401 invalid_refresh_token');
    expect(codeOf(await as(accessToken)('GET', '/api/me'))).toBe('401 user_token_required');
  });

  test('pages of other origins cannot use the cookie, and no other route takes it', async () => {
    const cookie = cookieOf(await signIn());
    const { host } = new URL(system.baseUrl);
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: `http://demo.${host}` },
    ])
      expect(codeOf(await refresh(cookie, headers))).toBe('403 cross_origin');
    const older = createCaller(system.baseUrl, undefined);
    const byOrigin = (origin: string) => older('POST', '/api/auth/refresh', undefined, { cookie, origin });
    expect(codeOf(await byOrigin('https://evil.example'))).toBe('403 cross_origin');
    expect(codeOf(await older('POST', '/api/auth/refresh', undefined, { cookie }))).toBe('403 cross_origin');
    expectStatus(await byOrigin(system.baseUrl), 200);
    for (const path of ['/api/me', '/api/stores', '/api/v1/products', '/api/orgs'])
      expect(codeOf(await page('GET', path, undefined, { cookie }))).toBe('401 missing_credential');
    const atStore = { cookie, host: `${system.demo.storeSlug}.localhost:${new URL(system.baseUrl).port}` };
    expect(codeOf(await page('POST', '/api/auth/refresh', undefined, atStore))).toBe('404 not_found');
  });

  test('it ends with a sign-out everywhere', async () => {
    const { headers, body } = await signIn();
    expectStatus(await as(body.accessToken)('DELETE', '/api/me/sessions'), 204);
    expect(codeOf(await refresh(cookieOf({ headers } as Reply)))).toBe('401 invalid_refresh_token');
  });

  test('neither a cookie nor its token is in the system’s output', async () => {
    const token = cookieOf(await signIn()).split('=')[1]!;
    await refresh(`waybill-session-1=${token}; waybill-session-1=${token}`);
    expect(await system.output()).not.toContain(token);
  });

  test('it starts with the user’s memberships', async () => {
    const ann = await newPerson(system.baseUrl);
    const storeId = await newStore(ann);
    const { org } = expectStatus(await ann.call('POST', '/api/orgs', { name: 'Tea apps' }), 201).body;
    const { body } = expectStatus(await ann.call('GET', '/api/me'), 200);
    expect(body).toEqual({
      user: expect.objectContaining({ id: ann.userId }),
      stores: [
        { id: storeId, name: 'Tea House', slug: expect.any(String), role: 'owner', isDevelopment: false },
      ],
      hasMoreStores: false,
      orgs: [{ id: org.id, name: 'Tea apps', role: 'owner' }],
      hasMoreOrgs: false,
      isReviewer: false,
    });
  });

  test('the sign-in page of a developer’s machine offers the demo’s accounts, which work', async () => {
    const anybody = createCaller(system.baseUrl, undefined);
    const { accounts } = expectStatus(await anybody('GET', '/api/demo'), 200).body;
    expect(accounts.map(({ role }: { role: string }) => role)).toEqual(['merchant', 'reviewer', 'developer']);
    for (const { email, password } of accounts)
      expectStatus(await anybody('POST', '/api/auth/login', { email, password }), 200);
    expect(accounts[0]).toMatchObject(system.demo.merchant);
    const rebound = await anybody('GET', '/api/demo', undefined, { host: 'evil.example' });
    expect(codeOf(rebound)).toBe('404 not_found');
    const proxied = await anybody('GET', '/api/demo', undefined, { 'x-forwarded-for': '203.0.113.5' });
    expect(codeOf(proxied)).toBe('404 not_found');
  });

  inChromium('a browser keeps it from scripts, and from pages of other origins', async () => {
    const { email, password } = person;
    const body = JSON.stringify({ email, password, session: 'cookie' });
    const signIn = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    const post = { method: 'POST', credentials: 'include' };
    const { port } = new URL(system.baseUrl);
    const browser = await launchChromium();
    try {
      // The pages' own policies would refuse requests before the server does.
      const context = await browser.newContext({ bypassCSP: true });
      const tabs = [await context.newPage(), await context.newPage()] as const;
      for (const tab of tabs) await tab.goto(`${system.baseUrl}/healthz`);
      expect(await tabs[0].evaluate(fetching('/api/auth/login', signIn))).toBe(200);
      expect(await tabs[0].evaluate('document.cookie')).toBe('');
      const atOnce = tabs.flatMap((tab) =>
        [1, 2].map(() => tab.evaluate(fetching('/api/auth/refresh', post))),
      );
      expect(await Promise.all(atOnce)).toEqual([200, 200, 200, 200]);

      // At a store's own origin, and at another name of this machine.
      const elsewhere = await context.newPage();
      for (const host of ['demo.localhost', 'localhost']) {
        await elsewhere.goto(`http://${host}:${port}/healthz`);
        for (const path of ['refresh', 'logout'])
          expect(await elsewhere.evaluate(fetching(`${system.baseUrl}/api/auth/${path}`, post))).toBe(
            'TypeError',
          );
      }
      // In a sandbox, as live pages are on the console's own host. Without CORS the request is sent.
      await tabs[0].evaluate(`document.body.innerHTML = '<iframe sandbox="allow-scripts" srcdoc="A page">'`);
      await tabs[0].frameLocator('iframe').getByText('A page').waitFor();
      for (const path of ['refresh', 'logout']) {
        const answered = tabs[0].waitForResponse(`**/api/auth/${path}`);
        const inSandbox = fetching(`${system.baseUrl}/api/auth/${path}`, { ...post, mode: 'no-cors' });
        await tabs[0].frames()[1]!.evaluate(inSandbox);
        expect((await answered).status()).toBeGreaterThanOrEqual(400);
      }
      expect(await tabs[1].evaluate(fetching('/api/auth/refresh', post))).toBe(200);
      expect(await tabs[1].evaluate(fetching('/api/auth/logout', post))).toBe(200);
      expect(await tabs[0].evaluate(fetching('/api/auth/refresh', post))).toBe(401);
    } finally {
      await browser.close();
    }
  });
});

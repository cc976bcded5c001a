import {
  approveVersion,
  type RegisteredApp,
  registerApp,
  scopes,
  signIn,
  submitVersion,
} from '@waybill/example-app';
import { hasChromium } from '@waybill/testing';
import * as oauth from 'oauth4webapi';
import type { Browser } from 'playwright-core';
import { newPerson, newStore } from '../../testing/accounts.ts';
import { codeChallenge, codeVerifier } from '../e2e/pkce.ts';
import { type SharedSystem, topologies } from '../e2e/topologies.ts';
import { launchChromium, newVisitor, type Visitor } from './browser.ts';

const describeWithChromium = hasChromium('the consent page') ? describe : describe.skip;
const redirectUri = 'https://app.example/back';
const insecurely = { [oauth.allowInsecureRequests]: true } as const;

// The console is the same in every topology, and OAuth is tested on each without it.
describeWithChromium.each(topologies.slice(-1))('the consent page on $name', ({ share }) => {
  let system: SharedSystem;
  let browser: Browser;
  let ann: Visitor;
  let registered: RegisteredApp;
  let asked: URL;
  beforeAll(async () => {
    system = await share();
    const developer = await signIn(system.baseUrl, system.demo.developer);
    registered = await registerApp(system.baseUrl, developer, { redirectUri, register: () => {} });
    await approveVersion(
      await signIn(system.baseUrl, system.demo.reviewer),
      await submitVersion(developer, registered),
    );
    asked = new URL(`${system.baseUrl}/oauth/authorize`);
    asked.search = new URLSearchParams({
      response_type: 'code',
      client_id: registered.appId,
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      state: '007',
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
    }).toString();
    browser = await launchChromium();
    ann = await newVisitor(browser, system);
    await ann.context.route(`${redirectUri}**`, (route) => route.fulfill({ body: 'the app' }));
  });
  afterAll(() => browser?.close());
  afterEach(() => expect(ann.complaints()).toEqual([]));

  test('a merchant signs in, chooses a store, reads what is asked, and the app gets its tokens', async () => {
    const { page } = ann;
    const merchant = await newPerson(system.baseUrl);
    const [, chosen] = [await newStore(merchant, 'Corner shop'), await newStore(merchant, 'Tea house')];
    await page.goto(asked.href);
    await page.getByLabel('E-mail').fill(merchant.email);
    await page.getByLabel('Password').fill(merchant.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();

    await page.getByRole('heading', { level: 1, name: /^Connect / }).waitFor();
    await page.getByText('Store its own data about the store').waitFor();
    expect(await ann.findBarriers()).toEqual([]);
    await page.getByRole('button', { name: /Store/ }).click();
    await page.getByRole('option', { name: 'Tea house' }).click();
    await page.getByRole('button', { name: 'Allow access' }).click();
    await page.waitForURL(`${redirectUri}**`);

    const as = await oauth.processDiscoveryResponse(
      new URL(system.baseUrl),
      await oauth.discoveryRequest(new URL(system.baseUrl), { algorithm: 'oauth2', ...insecurely }),
    );
    const self: oauth.Client = { client_id: registered.appId };
    const callback = oauth.validateAuthResponse(as, self, new URL(page.url()), '007');
    const tokens = await oauth.processAuthorizationCodeResponse(
      as,
      self,
      await oauth.authorizationCodeGrantRequest(
        as,
        self,
        oauth.ClientSecretBasic(registered.clientSecret),
        callback,
        redirectUri,
        codeVerifier,
        insecurely,
      ),
    );
    const reply = await fetch(`${system.baseUrl}/api/v1/store`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    expect(await reply.json()).toMatchObject({ store: { id: chosen } });
  });

  test('a terminal on the same computer is signed in by a word, with a session of its own', async () => {
    const { page } = ann;
    const state = 'abc';
    const back = 'http://127.0.0.1:9999/**';
    await ann.context.route(back, (route) => route.fulfill({ body: 'the terminal' }));
    const where = new URLSearchParams({ challenge: codeChallenge, port: '9999', state });
    await page.goto(`${system.baseUrl}/console/login-code?${where}`);
    await page.getByText(codeChallenge.slice(0, 8)).waitFor();
    expect(await ann.findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.waitForURL(back);
    const { searchParams } = new URL(page.url());
    expect(searchParams.get('state')).toBe(state);
    const reply = await fetch(`${system.baseUrl}/api/auth/login-codes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: searchParams.get('code'), codeVerifier }),
    });
    expect([reply.status, await reply.json()]).toMatchObject([200, { refreshToken: expect.any(String) }]);
  });

  test('who declines is led back all the same, and says so', async () => {
    const { page } = ann;
    await page.goto(asked.href);
    await page.getByRole('button', { name: 'Decline' }).click();
    await page.waitForURL(`${redirectUri}**`);
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('error'), searchParams.get('state')]).toEqual(['access_denied', '007']);
  });
});

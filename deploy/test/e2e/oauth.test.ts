import {
  approveVersion,
  type RegisteredApp,
  registerApp,
  scopes,
  signIn,
  submitVersion,
  Waybill,
} from '@waybill/example-app';
import { createOAuth, isWaybillError, memoryTokens } from '@waybill/sdk';
import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { expectStatus, newPerson, newStore } from '../../testing/accounts.ts';
import { createCaller } from '../../testing/client.ts';
import { type SharedSystem, topologies } from './topologies.ts';

/** Without a query: openid-client removes all of it before it requests tokens. */
const redirectUri = 'https://app.example/back';
const state = 'a state & more';

/** Lets clients use http in tests; by default they require https. */
const insecurely = { [oauth.allowInsecureRequests]: true } as const;

describe.each(topologies)('$name', ({ share, inOneTopology }) => {
  let system: SharedSystem;
  let issuer: URL;
  let registered: RegisteredApp;
  beforeAll(async () => {
    system = await share();
    issuer = new URL(system.baseUrl);
    const developer = await signIn(system.baseUrl, system.demo.developer);
    registered = await registerApp(system.baseUrl, developer, { redirectUri, register: () => {} });
    const versionId = await submitVersion(developer, registered);
    await approveVersion(await signIn(system.baseUrl, system.demo.reviewer), versionId);
  });

  /** Creates a merchant with a store, who answers the requests of apps as the consent page does. */
  async function newMerchant() {
    const { accessToken, ...person } = await newPerson(system.baseUrl);
    const storeId = await newStore({ accessToken, ...person });
    const merchant = new Waybill(system.baseUrl, accessToken);
    return {
      storeId,
      /** Follows the address to which an app leads, and returns the one that leads back. */
      async answer(authorizationUrl: URL, decline = false): Promise<URL> {
        const { headers } = await fetch(authorizationUrl, { redirect: 'manual' });
        const location = new URL(headers.get('location')!);
        if (!location.pathname.startsWith('/console/')) return location;
        const parameters = Object.fromEntries(location.searchParams);
        const { redirectTo } = await merchant.post<{ redirectTo: string }>(
          `/api/stores/${storeId}/apps/${parameters.client_id}/authorize`,
          {
            scopes: parameters.scope!.split(' '),
            redirectUri: parameters.redirect_uri,
            state: parameters.state,
            codeChallenge: parameters.code_challenge,
            ...(decline && { decline }),
          },
        );
        return new URL(redirectTo);
      },
    };
  }

  /** Returns the status of the store's answer to an app's token. */
  const statusOf = async (token: string) =>
    (await createCaller(system.baseUrl, token)('GET', '/api/v1/products')).status;

  test('oauth4webapi completes authorisation, refresh, another authorisation and revocation', async () => {
    const as = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecurely }),
    );
    const self: oauth.Client = { client_id: registered.appId };
    const secret = oauth.ClientSecretBasic(registered.clientSecret);
    const merchant = await newMerchant();

    async function authorize() {
      const verifier = oauth.generateRandomCodeVerifier();
      const url = new URL(as.authorization_endpoint!);
      url.search = new URLSearchParams({
        response_type: 'code',
        client_id: registered.appId,
        redirect_uri: redirectUri,
        state,
        scope: scopes.join(' '),
        code_challenge_method: 'S256',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      }).toString();
      const parameters = oauth.validateAuthResponse(as, self, await merchant.answer(url), state);
      const reply = await oauth.authorizationCodeGrantRequest(
        as,
        self,
        secret,
        parameters,
        redirectUri,
        verifier,
        insecurely,
      );
      return oauth.processAuthorizationCodeResponse(as, self, reply);
    }

    const first = await authorize();
    expect(first).toMatchObject({ scope: scopes.join(' '), store_id: merchant.storeId });
    expect(await statusOf(first.access_token)).toBe(200);
    const refreshed = await oauth.processRefreshTokenResponse(
      as,
      self,
      await oauth.refreshTokenGrantRequest(as, self, secret, first.refresh_token!, insecurely),
    );
    expect(await statusOf(refreshed.access_token)).toBe(200);
    const again = await authorize();
    expect([await statusOf(refreshed.access_token), await statusOf(again.access_token)]).toEqual([401, 200]);
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(as, self, secret, again.refresh_token!, insecurely),
    );
    expect(await statusOf(again.access_token)).toBe(401);
  });

  test('the SDK completes authorisation, a lost refresh, a refresh and revocation', async () => {
    const merchant = await newMerchant();
    const { storeId } = merchant;
    const tokens = memoryTokens();
    let lose = false;
    const app = createOAuth({
      baseUrl: system.baseUrl,
      clientId: registered.appId,
      clientSecret: registered.clientSecret,
      redirectUri,
      scopes,
      tokens,
      async fetch(request) {
        const answer = await fetch(request);
        if (!lose || !request.url.endsWith('/oauth/token')) return answer;
        lose = false;
        throw new TypeError('The answer was lost on the way.');
      },
    });
    const { url, pending } = await app.begin();
    const first = await app.finish(await merchant.answer(new URL(url)), pending);
    expect(first).toMatchObject({ storeId, scopes: [...scopes] });
    const { store } = await app.client(storeId).get('/api/v1/store');
    expect(store.id).toBe(storeId);
    await tokens.set({ ...first, expiresAt: 0 });
    lose = true;
    await app.client(storeId).get('/api/v1/store');
    const second = (await tokens.get(storeId))!;
    expect(second.accessToken).not.toBe(first.accessToken);
    await app.revoke(storeId);
    expect(await statusOf(second.accessToken)).toBe(401);

    const again = await app.begin();
    const declined = app.finish(await merchant.answer(new URL(again.url), true), again.pending);
    expect(isWaybillError(await declined.catch((error) => error), 'access_denied')).toBe(true);
  });

  inOneTopology('openid-client completes it, gets the errors, and refuses another issuer', async () => {
    const config = await client.discovery(
      issuer,
      registered.appId,
      undefined,
      client.ClientSecretPost(registered.clientSecret),
      { algorithm: 'oauth2', execute: [client.allowInsecureRequests] },
    );
    const merchant = await newMerchant();
    const verifier = client.randomPKCECodeVerifier();
    const code_challenge = await client.calculatePKCECodeChallenge(verifier);
    const urlWith = (extra: Record<string, string> = {}) =>
      client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
        state,
        code_challenge,
        code_challenge_method: 'S256',
        ...extra,
      });
    const checks = { pkceCodeVerifier: verifier, expectedState: state };
    const grant = (back: URL) => client.authorizationCodeGrant(config, back, checks);

    const declined = await merchant.answer(urlWith(), true);
    await expect(grant(declined)).rejects.toMatchObject({ error: 'access_denied' });
    const wrong = await merchant.answer(urlWith({ scope: 'theme.write' }));
    await expect(grant(wrong)).rejects.toMatchObject({ error: 'invalid_scope' });
    const back = await merchant.answer(urlWith());
    const elsewhere = new URL(back);
    elsewhere.searchParams.set('iss', 'https://evil.example');
    await expect(grant(elsewhere)).rejects.toMatchObject({ code: 'OAUTH_INVALID_RESPONSE' });

    const first = await grant(back);
    expect(await statusOf(first.access_token)).toBe(200);
    const second = await client.refreshTokenGrant(config, first.refresh_token!);
    expect(await statusOf(second.access_token)).toBe(200);
    const third = await grant(await merchant.answer(urlWith()));
    expect([await statusOf(second.access_token), await statusOf(third.access_token)]).toEqual([401, 200]);
    await client.tokenRevocation(config, third.refresh_token!);
    expect(await statusOf(third.access_token)).toBe(401);
  });

  inOneTopology('an unknown client gets an error page', async () => {
    const reply = await createCaller(system.baseUrl, undefined)('GET', '/oauth/authorize?client_id=x');
    expect(expectStatus(reply, 400).headers['content-type']).toBe('text/html; charset=utf-8');
  });
});

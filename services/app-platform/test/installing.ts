import { hashCredential, type Permission } from '@waybill/contracts';
import { codeChallenge, codeVerifier, type Marketplace, redirectUri, type Store } from './marketplace.ts';

export const read: Permission[] = ['products.read'];
export const more: Permission[] = ['products.read', 'appdata.write'];

/** Builds the expected refusal with this status and code. */
export const code = (status: number, name: string) => ({ status, body: { code: name } });

/** Creates helpers for apps with approved versions, and for installing them in stores. */
export function installing(market: () => Marketplace) {
  /** Creates an app whose versions are approved with these scopes, one after the other. */
  async function appWith(...versions: Permission[][]) {
    const { appId, secret } = await market().newApp();
    const versionIds: string[] = [];
    const approve = async (scopes: Permission[], brings: Parameters<Marketplace['addVersion']>[2] = {}) => {
      const versionId = await market().addVersion(appId, scopes, brings);
      await market().approve(versionId);
      versionIds.push(versionId);
      return versionId;
    };
    for (const scopes of versions) await approve(scopes);
    return { appId, secret, versionIds, approve };
  }

  async function install(store: Store, appId: string, scopes: Permission[]) {
    const res = await store.post(`/${appId}/install`, { scopes });
    expect(res.status).toBe(201);
    return res.body.install;
  }
  const readInstall = async (store: Store, appId: string) => (await store.get(`/${appId}`)).body.install;
  const listHeard = (store: Store) =>
    market()
      .heard.filter(({ storeId }) => storeId === store.storeId)
      .map(({ data }) => data);

  async function obtainToken(store: Store, app: { appId: string; secret: string }, scopes: Permission[]) {
    const res = await store.post(`/${app.appId}/install`, { scopes, redirectUri, codeChallenge });
    expect(res.status).toBe(201);
    const { body } = await market().oauth('token', {
      grant_type: 'authorization_code',
      code: new URL(res.body.redirectTo).searchParams.get('code')!,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
      client_id: app.appId,
      client_secret: app.secret,
    });
    return body.access_token as string;
  }
  const resolve = (token: string) => market().internal('app-tokens/resolve', { hash: hashCredential(token) });
  const outcome = async (token: string) => {
    const { status, body } = await resolve(token);
    return status === 200 ? body.outcome : status;
  };
  return { appWith, install, readInstall, listHeard, obtainToken, resolve, outcome };
}

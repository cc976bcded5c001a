import { islandName, readIslandModule, reviewsBlock, scopes } from './contribution.ts';
import type { ReviewsApp } from './reviews-app.ts';
import { Waybill } from './waybill.ts';

/** A user's e-mail address and password. */
export interface Account {
  email: string;
  password: string;
}

/** A registered app and the path of its versions. */
export interface RegisteredApp {
  appId: string;
  clientSecret: string;
  /** `/api/orgs/{orgId}/apps/{appId}` */
  path: string;
}

/** Signs a user in; the access token is valid for 15 minutes. */
export async function signIn(baseUrl: string, { email, password }: Account): Promise<Waybill> {
  const { accessToken } = await new Waybill(baseUrl).post<{ accessToken: string }>('/api/auth/login', {
    email,
    password,
  });
  return new Waybill(baseUrl, accessToken);
}

/** The developer creates an organisation and registers the app in it; the app's secret is shown only this once. */
export async function registerApp(
  baseUrl: string,
  developer: Waybill,
  app: Pick<ReviewsApp, 'redirectUri' | 'register'>,
): Promise<RegisteredApp> {
  const { org } = await developer.post<{ org: { id: string } }>('/api/orgs', { name: 'Tea Reviewers' });
  const registered = await developer.post<{ app: { id: string }; clientSecret: string }>(
    `/api/orgs/${org.id}/apps`,
    { name: 'Reviews', redirectUris: [app.redirectUri] },
  );
  const [appId, { clientSecret }] = [registered.app.id, registered];
  app.register({ baseUrl, appId, clientSecret });
  return { appId, clientSecret, path: `/api/orgs/${org.id}/apps/${appId}` };
}

/** The developer sets the URL that is called about the app's installs, and gives the app the secret of these calls. */
export async function listenToInstalls(
  developer: Waybill,
  { path }: RegisteredApp,
  app: Pick<ReviewsApp, 'webhookUrl' | 'useWebhookSecret'>,
): Promise<void> {
  await developer.patch(path, { webhookUrl: app.webhookUrl });
  const { secret } = await developer.post<{ secret: string }>(`${path}/webhook-secret`);
  app.useWebhookSecret(secret);
}

/** The contents of an app version; missing parts take the app's defaults. */
export interface Contribution {
  scopes?: readonly string[];
  blocks?: readonly object[];
  /** The text of the island's module. */
  module?: string;
  /** Origins that the island may connect to, besides the page's own. */
  connectOrigins?: readonly string[];
}

/** The developer creates a version, adds its island and its block, and submits it for review. */
export async function submitVersion(
  developer: Waybill,
  app: RegisteredApp,
  contribution: Contribution = {},
): Promise<string> {
  const { version } = await developer.post<{ version: { id: string } }>(`${app.path}/versions`, {
    scopes: contribution.scopes ?? scopes,
    connectOrigins: contribution.connectOrigins ?? [],
  });
  const path = `${app.path}/versions/${version.id}`;
  await developer.put(`${path}/islands`, { islands: [{ name: islandName }] });
  const module = contribution.module ?? (await readIslandModule(app.appId));
  await developer.upload(`${path}/islands/module?name=${islandName}`, 'text/javascript', module);
  await developer.put(`${path}/blocks`, { blocks: contribution.blocks ?? [reviewsBlock] });
  await developer.post(`${path}/submit`);
  return version.id;
}

/** A reviewer of the platform approves the version; installs that have granted its scopes move to it. */
export async function approveVersion(reviewer: Waybill, versionId: string): Promise<void> {
  await reviewer.post(`/api/review/versions/${versionId}/approve`);
}

/** The merchant agrees and installs; the browser is then sent to the app, which gets its tokens. */
export async function installApp(
  merchant: Waybill,
  storeId: string,
  { appId }: RegisteredApp,
  app: ReviewsApp,
  consent: { scopes: readonly string[]; connectOrigins?: readonly string[] } = { scopes },
): Promise<void> {
  const { redirectTo } = await merchant.post<{ redirectTo: string }>(
    `/api/stores/${storeId}/apps/${appId}/install`,
    { ...consent, redirectUri: app.redirectUri, ...app.beginInstall() },
  );
  const reply = await fetch(redirectTo);
  if (!reply.ok) throw new Error(`the app has refused the install: ${await reply.text()}`);
}

/** The merchant puts the block on a page, once inside a product and once on its own, and publishes the page. */
export async function publishPage(
  merchant: Waybill,
  store: { storeId: string; key: Waybill; productId: string },
  { appId }: RegisteredApp,
): Promise<{ pageId: string; url: string }> {
  const { page } = await store.key.post<{ page: { id: string } }>('/api/v1/pages', { name: 'Reviews' });
  const block = (id: string, settings: object = {}) => ({
    id,
    type: 'blockRef',
    props: { specials: { appId, blockKey: reviewsBlock.key }, settings },
  });
  const document = {
    rootId: 'page',
    nodes: [
      { id: 'page', type: 'container', children: ['product', 'all'] },
      {
        id: 'product',
        type: 'product',
        children: ['name', 'own'],
        props: { specials: { productId: store.productId } },
      },
      { id: 'name', type: 'productTitle' },
      block('own'),
      block('all', { title: { specials: { text: 'All reviews' }, style: { base: { color: '#345678' } } } }),
    ],
  };
  await merchant.put(`/api/stores/${store.storeId}/pages/${page.id}/draft`, { document });
  const published = await store.key.post<{ page: { url: string } }>(`/api/v1/pages/${page.id}/publish`);
  return { pageId: page.id, url: published.page.url };
}

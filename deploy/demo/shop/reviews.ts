import { islandName, readIslandModule, reviewsBlock, scopes } from '@waybill/example-app';
import got from 'got';
import type { Maker } from './maker.ts';

/** The parties that bring the reviews app from its developer into the store. */
interface Reviewing {
  url: string;
  storeId: string;
  developer: Maker;
  reviewer: Maker;
  merchant: Maker;
  /** The proof that the installation was begun by the client that completes it. */
  verifier: { verifier: string; challenge: string };
  /** The products with reviews, those with the most reviews first. */
  productIds: readonly string[];
}

/** Nobody listens there: the demo completes the installation itself, in the app's place. */
const redirectUri = 'http://127.0.0.1:9401/installed';

/** A block of the next version: only the rating, for a product's card. */
const ratingBlock = {
  key: 'rating',
  name: 'Rating',
  icon: 'star',
  rootId: 'rating',
  nodes: [
    {
      id: 'rating',
      type: 'text',
      island: islandName,
      props: {
        specials: { text: 'No rating yet', tag: 'small' },
        bindings: [{ source: 'app.rating', field: 'specials.text' }],
      },
    },
  ],
};

/**
 * Creates the reviews app as its developer would, has it approved and installed, adds values to show, and submits a
 * version that waits for review. Returns the app's id.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: each request needs the answers of the last
export async function addReviewsApp({
  url,
  storeId,
  developer,
  reviewer,
  merchant,
  verifier: { verifier, challenge },
  productIds,
}: Reviewing): Promise<string> {
  const { org } = await developer.post<{ org: { id: string } }>('api/orgs', 'org', { name: 'Tea Reviewers' });
  const { app, clientSecret } = await developer.post<{ app: { id: string }; clientSecret: string }>(
    `api/orgs/${org.id}/apps`,
    'app',
    {
      name: 'Reviews',
      description: 'Shows what customers say of a product, and of the whole shop.',
      redirectUris: [redirectUri],
    },
  );
  const path = `api/orgs/${org.id}/apps/${app.id}`;

  const readState = async (versionId: string) => {
    const { version } = await developer.api
      .get(`${path}/versions/${versionId}`)
      .json<{ version: { state: string } }>();
    return version.state;
  };
  const submit = async (name: string, blocks: object[]) => {
    const { version } = await developer.post<{ version: { id: string } }>(`${path}/versions`, name, {
      scopes,
      connectOrigins: [],
    });
    const at = `${path}/versions/${version.id}`;
    if ((await readState(version.id)) !== 'draft') return version.id;
    await developer.api.put(`${at}/islands`, { json: { islands: [{ name: islandName }] } });
    await developer.api.post(`${at}/islands/module?name=${islandName}`, {
      body: await readIslandModule(app.id),
      headers: { 'content-type': 'text/javascript' },
    });
    await developer.api.put(`${at}/blocks`, { json: { blocks } });
    await developer.post(`${at}/submit`, `${name}-submit`, {});
    return version.id;
  };

  const first = await submit('version-1', [reviewsBlock]);
  // A review takes no idempotency key; the state of the version shows whether it was given.
  if ((await readState(first)) === 'submitted')
    await reviewer.post(`api/review/versions/${first}/approve`, 'approve', {});
  // Installs the app, or issues a new code if an aborted start has already installed it.
  const { redirectTo } = await merchant.api
    .post(`api/stores/${storeId}/apps/${app.id}/authorize`, {
      json: { scopes, redirectUri, state: 'demo', codeChallenge: challenge },
    })
    .json<{ redirectTo: string }>();
  const tokens = await got
    .post(`${url}/oauth/token`, {
      form: {
        grant_type: 'authorization_code',
        code: new URL(redirectTo).searchParams.get('code') ?? '',
        redirect_uri: redirectUri,
        code_verifier: verifier,
        client_id: app.id,
        client_secret: clientSecret,
      },
    })
    .json<{ access_token: string }>();
  const asApp = got.extend({
    prefixUrl: url,
    headers: { authorization: `Bearer ${tokens.access_token}` },
  });
  const put = (key: string, value: string, owner: object) =>
    asApp.put('api/v1/app-data', { json: { key, value, ...owner } });
  const counts = productIds.map((_, n) => 31 - n);
  await Promise.all(
    productIds.slice(0, 12).flatMap((ownerId, n) => {
      const owner = { owner: 'product', ownerId };
      const rating = (4.9 - ((n * 3) % 8) / 10).toFixed(1);
      return [put('rating', rating, owner), put('count', `${counts[n]} reviews`, owner)];
    }),
  );
  const all = counts.reduce((sum, count) => sum + count, 0);
  await put('rating', '4.7', { owner: 'site' });
  await put('count', `${all} reviews`, { owner: 'site' });

  await submit('version-2', [reviewsBlock, ratingBlock]);
  return app.id;
}

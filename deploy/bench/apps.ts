import { createHash, randomBytes } from 'node:crypto';
import { newId } from '@waybill/contracts';
import { approveVersion, registerApp, scopes, signIn, submitVersion, Waybill } from '@waybill/example-app';
import pg from 'pg';
import { type Load, load, type Request, together } from './load.ts';
import type { System } from './processes.ts';

const connections = 16;
const redirectUri = 'http://127.0.0.1:1/installed';
const codeVerifier = randomBytes(32).toString('base64url');
const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
const keys = 400;

/** Measures app tokens against API keys, and writes of app data against the same rows in plain SQL. */
export async function benchApps(system: System): Promise<void> {
  const { baseUrl, apiKey } = system.demo;
  const token = await newToken(system);
  const { product } = await new Waybill(baseUrl, apiKey).post<{ product: { id: string } }>(
    '/api/v1/products',
    { name: 'Read by many' },
  );
  const path = `/api/v1/products/${product.id}`;
  const read = () => ({ method: 'GET' as const, path });
  await compare('product read', ['app token', 'API key'], {
    'app token': (seconds) => ask(baseUrl, token, read, seconds),
    'API key': (seconds) => ask(baseUrl, apiKey, read, seconds),
  });
  let turn = 0;
  const write = (): Request => {
    const value = `value ${++turn}`;
    return {
      method: 'PUT',
      path: '/api/v1/app-data',
      body: JSON.stringify({ key: `key-${turn % keys}`, value }),
    };
  };
  const bare = await bareWrites(await system.databaseUrl('app_platform'));
  await compare('app-data write', ['waybill', 'bare SQL'], {
    waybill: (seconds) => ask(baseUrl, token, write, seconds),
    'bare SQL': bare.load,
  });
  await bare.close();
}

const ask = (baseUrl: string, credential: string, next: () => Request, seconds: number) =>
  load(baseUrl, { authorization: `Bearer ${credential}`, 'content-type': 'application/json' }, next, {
    connections,
    seconds,
  });

/**
 * Measures two rounds, target by target, so that other work on the machine affects both alike. The first round warms
 * up.
 */
async function compare(
  name: string,
  [measured, floor]: readonly [string, string],
  targets: Record<string, (seconds: number) => Promise<Load>>,
): Promise<void> {
  const results: Record<string, Load> = {};
  for (const seconds of [2, 5]) {
    for (const [target, run] of Object.entries(targets)) results[target] = await run(seconds);
  }
  console.log(`${name.padEnd(15)}     req/s    p50 ms    p99 ms   of ${floor}`);
  for (const [target, { perSecond, p50, p99 }] of Object.entries(results)) {
    const figures = [perSecond.toFixed(0), p50.toFixed(2), p99.toFixed(2)].map((text) => text.padStart(9));
    const ratio = target === measured ? (perSecond / results[floor]!.perSecond).toFixed(2) : '';
    console.log(`${target.padEnd(15)}${figures.join(' ')}   ${ratio}`);
  }
}

/** Returns an access token of an app in the demo store. */
async function newToken({ demo }: System): Promise<string> {
  const { baseUrl, storeId } = demo;
  const developer = await signIn(baseUrl, demo.developer);
  const app = await registerApp(baseUrl, developer, { redirectUri, register: () => {} });
  const versionId = await submitVersion(developer, app);
  await approveVersion(await signIn(baseUrl, demo.reviewer), versionId);
  const { redirectTo } = await (await signIn(baseUrl, demo.merchant)).post<{ redirectTo: string }>(
    `/api/stores/${storeId}/apps/${app.appId}/install`,
    { scopes, redirectUri, codeChallenge },
  );
  const { access_token } = await new Waybill(baseUrl).post<{ access_token: string }>('/oauth/token', {
    grant_type: 'authorization_code',
    code: new URL(redirectTo).searchParams.get('code')!,
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
    client_id: app.appId,
    client_secret: app.clientSecret,
  });
  return access_token;
}

/** Writes the same as an update of an existing value: the row and its event, in one transaction. */
async function bareWrites(connectionString: string) {
  const pool = new pg.Pool({ connectionString, max: connections });
  const [storeId, appId] = [newId('store'), newId('app')];
  await pool.query(
    `insert into app_data (store_id, app_id, key, owner, owner_id, value)
     select $1, $2, 'key-' || g, 'site', '', 'x' from generate_series(0, $3::int - 1) g`,
    [storeId, appId, keys],
  );
  let turn = 0;
  const text = `with d as (update app_data set value = $4, updated_at = now()
      where store_id = $1 and app_id = $2 and key = $3 and owner = 'site' and owner_id = '')
    insert into outbox (event_id, name, store_id, data, published_at) values ($5, 'bench', $1, $6, now())`;
  const run = async () => {
    const key = `key-${++turn % keys}`;
    const data = JSON.stringify({ appId, key, owner: 'site', ownerId: null });
    const values = [storeId, appId, key, `value ${turn}`, newId('event'), data];
    await pool.query({ name: 'write', text, values });
  };
  return {
    load: (seconds: number) => together(run, { connections, seconds }),
    close: () => pool.end(),
  };
}

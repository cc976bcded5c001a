import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  hashCredential,
  isRedirectUri,
  isSecureUrl,
  newId,
  ownerLimits,
  type Problem,
  redirectUriRule,
} from '@waybill/contracts';
import type { Config, Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import { lockOrg } from '../orgs/queries.ts';
import {
  type AppRow,
  findAppOfMember,
  hasApps,
  insertApp,
  lockApp,
  lockAppWebhook,
  updateApp,
} from './queries.ts';
import type { AppChange, AppInput } from './routes.ts';
import { announceWebhook, checkWebhookUrl } from './webhook.ts';

/**
 * Checks the addresses in the input for an app. It queries a name server of the caller's choice, which no transaction
 * may wait for. Throws `invalid_body`, `blocked_url`.
 */
export async function checkApp(config: Config, input: AppChange): Promise<void> {
  checkAddresses(input);
  await checkWebhookUrl(config, input.webhookUrl);
}

/**
 * Creates an app from checked input. Only this result contains its client secret. Throws `not_found`, `too_many_apps`
 * (`decisions.md 7.3, 14.5`).
 */
export async function createApp(
  { trx, audit }: Write,
  orgId: string,
  { name, redirectUris = [], webhookUrl = null }: AppInput,
): Promise<{ row: AppRow; clientSecret: string }> {
  const { clientSecret, hash } = newClientSecret();
  const app = {
    id: newId('app'),
    org_id: orgId,
    name,
    client_secret_hash: hash,
    redirect_uris: redirectUris,
    webhook_url: webhookUrl,
  };
  if (!(await lockOrg(trx, orgId))) throw errors.not_found();
  if (await hasApps(trx, orgId, ownerLimits.apps)) throw errors.too_many_apps();
  await audit(orgId, 'app.created', app);
  const row = await insertApp(trx, app);
  return { row, clientSecret };
}

/** The columns of an app's changeable fields. */
const columns = {
  name: 'name',
  redirectUris: 'redirect_uris',
  description: 'description',
  website: 'website',
  supportEmail: 'support_email',
  privacyUrl: 'privacy_url',
  installUrl: 'install_url',
  isListed: 'is_listed',
  webhookUrl: 'webhook_url',
} as const satisfies Record<keyof AppChange, keyof AppRow>;

/** Changes the given, checked fields that differ. Throws `not_found` (`decisions.md 14.2, 14.5`). */
export async function changeApp(write: Write, appId: string, change: AppChange): Promise<AppRow> {
  const { trx, audit } = write;
  if (change.webhookUrl !== undefined) await lockAppWebhook(trx, appId);
  const app = await lockApp(trx, appId);
  if (!app) throw errors.not_found();
  const fields = Object.keys(columns) as (keyof AppChange)[];
  const changed = fields.filter(
    (field) => change[field] !== undefined && !isDeepStrictEqual(change[field], app[columns[field]]),
  );
  if (changed.length === 0) return app;
  const row = await updateApp(
    trx,
    appId,
    Object.fromEntries(changed.map((field) => [columns[field], change[field]])),
  );
  await audit(app.org_id, 'app.updated', row, { changed });
  return changed.includes('webhookUrl') ? announceWebhook(write, row) : row;
}

/** Replaces the client secret of an app. Throws `not_found`. */
export async function replaceClientSecret(
  { trx, audit }: Write,
  appId: string,
): Promise<{ row: AppRow; clientSecret: string }> {
  const { clientSecret, hash } = newClientSecret();
  if (!(await lockApp(trx, appId))) throw errors.not_found();
  const row = await updateApp(trx, appId, { client_secret_hash: hash });
  await audit(row.org_id, 'app.secretReplaced', row);

  return { row, clientSecret };
}

/** Returns the app that a path names, for a member of its organisation. Throws `not_found` (`decisions.md 7.2`). */
export async function requireApp(
  { db }: Pick<Context, 'db'>,
  path: { orgId: string; appId: string },
  userId: string,
): Promise<AppRow> {
  const app = await findAppOfMember(db, path, userId);
  if (!app) throw errors.not_found();
  return app;
}

/** Creates a secret of 256 random bits, for which a plain hash is safe. */
function newClientSecret(): { clientSecret: string; hash: string } {
  const clientSecret = randomBytes(32).toString('base64url');
  return { clientSecret, hash: hashCredential(clientSecret) };
}

function checkAddresses({ redirectUris = [], ...change }: AppChange): void {
  const details: Problem[] = redirectUris.flatMap((uri, i) =>
    isRedirectUri(uri) ? [] : [{ pointer: `/redirectUris/${i}`, message: redirectUriRule }],
  );
  for (const field of ['website', 'privacyUrl', 'installUrl'] as const) {
    if (change[field] == null || isSecureUrl(change[field])) continue;
    const message = 'must be an absolute https URL (http on loopback) without credentials';
    details.push({ pointer: `/${field}`, message });
  }
  if (details.length > 0) throw errors.invalid_body({ details });
}

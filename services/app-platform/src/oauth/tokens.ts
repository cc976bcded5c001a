import {
  createCredential,
  hashCredential,
  isWellFormedCredential,
  type Principal,
  permissions,
} from '@waybill/contracts';
import type { Kysely, Transaction } from 'kysely';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import type { InstallRow } from '../lifecycle/queries.ts';
import type { Tables } from '../tables.ts';
import { oauthErrors } from './errors.ts';
import {
  deleteCredentials,
  deleteExpired,
  deleteFamily,
  deletePair,
  deleteReportToken,
  deleteToken,
  findAccessToken,
  findGrant,
  findReportGrant,
  findReportToken,
  findToken,
  type Grant,
  insertTokens,
  lockFamily,
  markFamilyUsed,
  replaceReportTokens,
  updateFamily,
} from './queries.ts';
import type { TokenAnswer } from './routes.ts';

const accessLifeSeconds = 3600;
export const refreshTokenTtlMs = 30 * 24 * 3_600_000;

/** Creates the pair with this number in an install's family. Only hashes are stored (`decisions.md 7.7, 8.4`). */
export async function issueTokenPair(
  trx: Transaction<Tables>,
  grant: Grant,
  pair: number,
): Promise<TokenAnswer> {
  const [access, refresh] = [createCredential('wba'), createCredential('wbr')];
  const now = Date.now();
  const tokenFields = { install_id: grant.installId, pair };
  await insertTokens(trx, grant.storeId, [
    {
      ...tokenFields,
      kind: 'access',
      hash: hashCredential(access),
      expires_at: new Date(now + accessLifeSeconds * 1000),
    },
    {
      ...tokenFields,
      kind: 'refresh',
      hash: hashCredential(refresh),
      expires_at: new Date(now + refreshTokenTtlMs),
    },
  ]);
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: accessLifeSeconds,
    refresh_token: refresh,
    scope: grant.scopes.join(' '),
    store_id: grant.storeId,
  };
}

/**
 * Exchanges a refresh token for the next pair. The answer may get lost, so the exchange may be repeated until a token
 * of the new pair is used; a repeat creates another pair and retires the unused one. A used token that comes back later
 * has been copied, and ends all tokens of the install (`decisions.md 7.7`).
 * @throws invalid_grant, invalid_scope
 */
export async function refreshTokens(
  { db, transaction, cache }: Context,
  appId: string,
  refreshToken: string,
  scope: string | undefined,
): Promise<TokenAnswer> {
  const hash = hashCredential(refreshToken);
  const known = isWellFormedCredential(refreshToken) ? await findToken(db, hash) : undefined;
  if (known?.kind !== 'refresh') throw oauthErrors.invalid_grant();
  const { storeId, installId } = known;
  const answer = await transaction(async (trx) => {
    const grant = await findGrant(trx, storeId, installId);
    if (grant?.appId !== appId) return null;
    const family = await lockFamily(trx, storeId, installId);
    // Read the token again, because the previous holder of the lock may have retired it.
    const token = family && (await findToken(trx, hash));
    if (!token) return null;
    const isNewest = token.pair === family.pair;
    const isRepeated = token.pair === family.from_pair && !family.in_use;
    if (!isNewest && !isRepeated) {
      await deleteFamily(trx, storeId, installId);
      return 'reused';
    }
    if (!grant.isAvailable || token.expiresAt <= new Date()) return null;
    checkScope(scope, grant.scopes);
    if (isRepeated) await deletePair(trx, storeId, installId, family.pair);
    const pair = family.pair + 1;
    const expires_at = new Date(Date.now() + refreshTokenTtlMs);
    await updateFamily(trx, storeId, installId, { pair, from_pair: token.pair, in_use: false, expires_at });
    return issueTokenPair(trx, grant, pair);
  });
  // Advance the epoch only after the revocation is committed.
  if (answer === 'reused') await cache.bumpEpoch(storeId);
  if (!answer || answer === 'reused') throw oauthErrors.invalid_grant();
  return answer;
}

/**
 * Throws when a request asks for more than was granted. Asking for less is allowed (RFC 6749, 6), and the answer names
 * the actual scopes.
 */
function checkScope(requested: string | undefined, granted: readonly string[]): void {
  const asksForMore = requested?.split(' ').some((scope) => scope !== '' && !granted.includes(scope));
  if (asksForMore) throw oauthErrors.invalid_scope();
}

/**
 * Revokes a token of the app (RFC 7009): an access token alone, or a refresh token with all tokens of its install. An
 * unknown token is no error.
 * @throws invalid_grant
 */
export async function revokeToken(
  { db, transaction, cache }: Context,
  appId: string,
  text: string,
): Promise<void> {
  if (!isWellFormedCredential(text)) return;
  const hash = hashCredential(text);
  const token = await findAnyToken(db, hash);
  if (!token) return;
  const { storeId, installId, kind } = token;
  const grant = await findGrant(db, storeId, installId);
  if (grant?.appId !== appId) throw oauthErrors.invalid_grant();
  await transaction(async (trx) => {
    if (kind === 'refresh') return deleteFamily(trx, storeId, installId);
    await deleteToken(trx, storeId, hash);
    await deleteReportToken(trx, storeId, hash);
  });
  await cache.bumpEpoch(storeId);
}

/** Returns a token of any kind and store. A token of an uninstalled app counts as an access token. */
async function findAnyToken(db: Kysely<Tables>, hash: string) {
  const token = await findToken(db, hash);
  if (token) return token;
  const reportToken = await findReportToken(db, hash);
  return reportToken && { ...reportToken, kind: 'access' as const };
}

/** How long the tokens of an uninstalled app are valid for its open payments: `decisions.md 22.1`. */
const reportTokenTtlMs = 30 * 24 * 3_600_000;

/** Ends the tokens of an app that is uninstalled, except for reports on its open payments: `decisions.md 22.1`. */
export async function revokeTokens(trx: Transaction<Tables>, install: InstallRow): Promise<void> {
  const now = new Date();
  const canReport = install.granted_scopes.includes('orders.write');
  if (canReport) await replaceReportTokens(trx, install, now, new Date(now.getTime() + reportTokenTtlMs));
  await deleteCredentials(trx, install.store_id, install.id);
}

/**
 * Returns the current rights of an access token, with the epoch under which they were read. The first look-up of a
 * pair's token counts as its first use, because the gateway caches no principal before asking (`store-api.md 5.1`).
 * @throws not_found
 */
export async function resolveToken({ db, cache }: Context, hash: string) {
  const known = await findAnyToken(db, hash);
  if (known?.kind !== 'access') throw errors.not_found();
  const { storeId } = known;
  const epoch = await cache.epoch(storeId);
  let token = await findAccessToken(db, storeId, hash);
  if (token?.isAvailable && token.isFirstUse) {
    const { installId, pair } = token;
    const isRecorded = await markFamilyUsed(db, storeId, installId, pair);
    // Otherwise another request has recorded the use, or a repeated refresh has retired the pair.
    if (!isRecorded) token = await findAccessToken(db, storeId, hash);
  }
  const report = token ? undefined : await findReportGrant(db, storeId, hash);
  const found = token ?? report;
  if (!found || found.expiresAt <= new Date()) throw errors.not_found();
  const { appId, installId, isAvailable, expiresAt } = found;
  const principal: Principal = {
    kind: 'app',
    storeId,
    appId,
    installId,
    scopes: token ? token.scopes.filter((scope) => permissions.includes(scope)) : [],
    ...(report && { isUninstalled: true as const }),
  };
  const outcome = isAvailable ? ('ok' as const) : ('revoked' as const);
  return { epoch, storeId, outcome, principal, expiresAt: expiresAt.getTime() };
}

/** Deletes expired credentials in small steps. Returns true when there may be more. */
export const sweepTokens = (db: Kysely<Tables>): Promise<boolean> => deleteExpired(db, 1_000);

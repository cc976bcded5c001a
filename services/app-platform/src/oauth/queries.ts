import { type Columns, deleteBatch, prepare } from '@waybill/kernel';
import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { isAvailable } from '../apps/queries.ts';
import type { Tables } from '../tables.ts';
import { everApprovedStates } from '../versions/queries.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** Returns the hash of an app's client secret. Apps belong to no store. */
export async function findSecretHash(db: Db, appId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('app')
    .select('client_secret_hash')
    .where('id', '=', appId)
    .executeTakeFirst();
  return row?.client_secret_hash;
}

/** Returns the scopes of all versions of an app that were ever approved. */
export async function listKnownScopes(db: Db, appId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('app_version')
    .select(sql<string>`unnest(scopes)`.as('scope'))
    .distinct()
    .where('app_id', '=', appId)
    .where('state', 'in', everApprovedStates)
    .execute();
  return rows.map(({ scope }) => scope);
}

/** Whether a development store has a version of the app that its developers chose. */
export async function isInDevelopment(db: Db, appId: string): Promise<boolean> {
  const row = await db
    .selectFrom('app_version')
    .innerJoin('install', 'install.version_id', 'app_version.id')
    .select('install.id')
    .where('app_version.app_id', '=', appId)
    .where('install.is_development', '=', true)
    .where('install.state', '<>', 'uninstalled')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The scopes that an install currently grants, and its app. */
export interface Grant
  extends Columns<
    Tables['install'],
    { storeId: 'store_id'; installId: 'id'; appId: 'app_id'; scopes: 'granted_scopes' }
  > {
  isAvailable: boolean;
}

export function findGrant(db: Db, storeId: string, installId: string): Promise<Grant | undefined> {
  return db
    .selectFrom('install')
    .innerJoin('app', 'app.id', 'install.app_id')
    .where('install.store_id', '=', storeId)
    .where('install.id', '=', installId)
    .select([
      'install.store_id as storeId',
      'install.id as installId',
      'install.app_id as appId',
      'install.granted_scopes as scopes',
      sql.raw<boolean>(isAvailable).as('isAvailable'),
    ])
    .executeTakeFirst();
}

/** Returns the install that a code belongs to. The request does not name a store. */
export function findCode(db: Db, hash: string) {
  return db
    .selectFrom('oauth_code')
    .select(['store_id as storeId', 'install_id as installId'])
    .where('hash', '=', hash)
    .executeTakeFirst();
}

/** Returns an install's code if it is still this one, locked until the transaction ends. */
export function lockCode(trx: Trx, storeId: string, installId: string, hash: string) {
  return trx
    .selectFrom('oauth_code')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('install_id', '=', installId)
    .where('hash', '=', hash)
    .forUpdate()
    .executeTakeFirst();
}

/** Replaces the code of an install, which has only its latest one. */
export async function replaceCode(
  trx: Trx,
  storeId: string,
  code: Omit<Insertable<Tables['oauth_code']>, 'store_id' | 'used_at'>,
): Promise<void> {
  const { install_id, ...values } = code;
  await trx
    .insertInto('oauth_code')
    .values({ store_id: storeId, install_id, ...values })
    .onConflict((conflict) =>
      conflict.columns(['store_id', 'install_id']).doUpdateSet({ ...values, used_at: null }),
    )
    .execute();
}

export async function markCodeUsed(trx: Trx, storeId: string, installId: string): Promise<void> {
  await trx
    .updateTable('oauth_code')
    .set({ used_at: sql`now()` })
    .where('store_id', '=', storeId)
    .where('install_id', '=', installId)
    .execute();
}

/** Ends all credentials of an install. The code is deleted first, which waits for an exchange in progress. */
export async function deleteCredentials(trx: Trx, storeId: string, installId: string): Promise<void> {
  await trx
    .deleteFrom('oauth_code')
    .where('store_id', '=', storeId)
    .where('install_id', '=', installId)
    .execute();
  await deleteFamily(trx, storeId, installId);
}

export async function insertFamily(
  trx: Trx,
  storeId: string,
  family: Omit<Insertable<Tables['token_family']>, 'store_id'>,
): Promise<void> {
  await trx
    .insertInto('token_family')
    .values({ store_id: storeId, ...family })
    .execute();
}

/** Locks the token family, so that exchanges of an install's tokens happen one after the other. */
export function lockFamily(trx: Trx, storeId: string, installId: string) {
  return trx
    .selectFrom('token_family')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('install_id', '=', installId)
    .forUpdate()
    .executeTakeFirst();
}

export async function updateFamily(
  trx: Trx,
  storeId: string,
  installId: string,
  change: { pair: number; from_pair: number; in_use: boolean; expires_at: Date },
): Promise<void> {
  await trx
    .updateTable('token_family')
    .set(change)
    .where('store_id', '=', storeId)
    .where('install_id', '=', installId)
    .execute();
}

/**
 * Records the first use of the newest pair. Returns false when the pair is not the newest, or its use was already
 * recorded.
 */
export async function markFamilyUsed(
  db: Db,
  storeId: string,
  installId: string,
  pair: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('token_family')
    .set({ in_use: true })
    .where('store_id', '=', storeId)
    .where('install_id', '=', installId)
    .where('pair', '=', pair)
    .where('in_use', '=', false)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Deletes the token family of an install, and with it all its tokens. */
export async function deleteFamily(trx: Trx, storeId: string, installId: string): Promise<void> {
  await trx
    .deleteFrom('token_family')
    .where('store_id', '=', storeId)
    .where('install_id', '=', installId)
    .execute();
}

export async function insertTokens(
  trx: Trx,
  storeId: string,
  tokens: Omit<Insertable<Tables['app_token']>, 'store_id'>[],
): Promise<void> {
  await trx
    .insertInto('app_token')
    .values(tokens.map((token) => ({ store_id: storeId, ...token })))
    .execute();
}

/** Returns a token of any kind and store. */
export function findToken(db: Db, hash: string) {
  return db
    .selectFrom('app_token')
    .select(['store_id as storeId', 'install_id as installId', 'kind', 'pair', 'expires_at as expiresAt'])
    .where('hash', '=', hash)
    .executeTakeFirst();
}

export async function deleteToken(trx: Trx, storeId: string, hash: string): Promise<void> {
  await trx.deleteFrom('app_token').where('store_id', '=', storeId).where('hash', '=', hash).execute();
}

export async function deletePair(trx: Trx, storeId: string, installId: string, pair: number): Promise<void> {
  await trx
    .deleteFrom('app_token')
    .where('store_id', '=', storeId)
    .where('install_id', '=', installId)
    .where('pair', '=', pair)
    .execute();
}

interface AccessToken
  extends Omit<Grant, 'storeId'>,
    Columns<Tables['app_token'], { pair: 'pair'; expiresAt: 'expires_at' }> {
  /** Whether neither this token nor its refresh token was used before. */
  isFirstUse: boolean;
}

const accessToken = prepare<AccessToken>(
  'access-token-find',
  `select token.pair, token.expires_at as "expiresAt", install.id as "installId", install.app_id as "appId",
     install.granted_scopes as scopes, ${isAvailable} as "isAvailable",
     not family.in_use and family.pair = token.pair as "isFirstUse"
   from app_token token
   join token_family family on family.store_id = token.store_id and family.install_id = token.install_id
   join install on install.store_id = token.store_id and install.id = token.install_id
   join app on app.id = install.app_id
   where token.store_id = $1 and token.hash = $2 and token.kind = 'access'`,
);

/** Returns an access token with the current grants of its install. */
export async function findAccessToken(
  db: Db,
  storeId: string,
  hash: string,
): Promise<AccessToken | undefined> {
  const { rows } = await db.executeQuery(accessToken([storeId, hash]));
  return rows[0];
}

/**
 * Keeps the hashes of an install's access tokens for reports on payments until `expiresAt`, if the app takes payments.
 * Replaces those of an earlier uninstall.
 */
export async function replaceReportTokens(
  trx: Trx,
  { store_id: storeId, id, app_id: appId }: Pick<Selectable<Tables['install']>, 'store_id' | 'id' | 'app_id'>,
  now: Date,
  expiresAt: Date,
): Promise<void> {
  await trx.deleteFrom('report_token').where('store_id', '=', storeId).where('install_id', '=', id).execute();
  await trx
    .insertInto('report_token')
    .columns(['store_id', 'hash', 'install_id', 'expires_at'])
    .expression((eb) =>
      eb
        .selectFrom('app_token')
        .select(['store_id', 'hash', 'install_id', sql<Date>`${expiresAt}::timestamptz`.as('expires_at')])
        .where('store_id', '=', storeId)
        .where('install_id', '=', id)
        .where('kind', '=', 'access')
        .where('expires_at', '>', now)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('app_version')
              .select('app_version.id')
              .where('app_version.app_id', '=', appId)
              .where('app_version.payments', 'is not', null),
          ),
        ),
    )
    .execute();
}

/** Returns a report token of any store. */
export function findReportToken(db: Db, hash: string) {
  return db
    .selectFrom('report_token')
    .select(['store_id as storeId', 'install_id as installId'])
    .where('hash', '=', hash)
    .executeTakeFirst();
}

/** Returns a report token with its app, only while the app is uninstalled: an installed app has tokens of its own. */
export function findReportGrant(db: Db, storeId: string, hash: string) {
  return db
    .selectFrom('report_token')
    .innerJoin('install', (join) =>
      join
        .onRef('install.store_id', '=', 'report_token.store_id')
        .onRef('install.id', '=', 'report_token.install_id'),
    )
    .innerJoin('app', 'app.id', 'install.app_id')
    .select(['install.id as installId', 'install.app_id as appId', 'report_token.expires_at as expiresAt'])
    .select(sql<boolean>`app.suspended_at is null`.as('isAvailable'))
    .where('report_token.store_id', '=', storeId)
    .where('report_token.hash', '=', hash)
    .where('install.state', '=', 'uninstalled')
    .executeTakeFirst();
}

export async function deleteReportToken(trx: Trx, storeId: string, hash: string): Promise<void> {
  await trx.deleteFrom('report_token').where('store_id', '=', storeId).where('hash', '=', hash).execute();
}

/** Deletes the report tokens of uninstalled apps in a store. */
export async function deleteReportTokensOfStore(db: Db, storeId: string): Promise<void> {
  await db.deleteFrom('report_token').where('store_id', '=', storeId).execute();
}

/** Returns the stores in which the app is uninstalled and may still report. */
export async function listReportingStores(db: Db, appId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('report_token')
    .innerJoin('install', (join) =>
      join
        .onRef('install.store_id', '=', 'report_token.store_id')
        .onRef('install.id', '=', 'report_token.install_id'),
    )
    .select('report_token.store_id as storeId')
    .distinct()
    .where('install.app_id', '=', appId)
    .execute();
  return rows.map(({ storeId }) => storeId);
}

/** Deletes up to `limit` each of expired codes, families and tokens. Returns whether there may be more. */
export async function deleteExpired(db: Db, limit: number): Promise<boolean> {
  const areMore = await Promise.all([
    deleteBatch(db, 'oauth_code', sql`expires_at < now() - interval '1 day'`, limit),
    deleteBatch(db, 'token_family', sql`expires_at < now()`, limit),
    deleteBatch(db, 'app_token', sql`expires_at < now()`, limit),
    deleteBatch(db, 'report_token', sql`expires_at < now()`, limit),
  ]);
  return areMore.includes(true);
}

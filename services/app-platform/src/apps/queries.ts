import { byTime, changedAt, type PageQuery, parsePage, readList } from '@waybill/kernel';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Tables } from '../tables.ts';
import { keepUnchanged } from './keep-unchanged.ts';

type Db = Kysely<Tables>;

export type AppRow = Selectable<Tables['app']>;

export function insertApp(
  db: Db,
  app: Pick<AppRow, 'id' | 'org_id' | 'name' | 'client_secret_hash' | 'redirect_uris' | 'webhook_url'>,
): Promise<AppRow> {
  return db.insertInto('app').values(app).returningAll().executeTakeFirstOrThrow();
}

/** Whether an organisation has at least `apps` apps. No more than these are read. */
export async function hasApps(db: Db, orgId: string, apps: number): Promise<boolean> {
  const last = await db
    .selectFrom('app')
    .select('id')
    .where('org_id', '=', orgId)
    .offset(apps - 1)
    .limit(1)
    .executeTakeFirst();
  return last !== undefined;
}

/**
 * Returns a page of an organisation's apps, newest first.
 * @throws invalid_cursor
 */
export function listApps(db: Db, orgId: string, query: PageQuery) {
  const ofOrg = db.selectFrom('app').where('org_id', '=', orgId);
  return readList(ofOrg.selectAll(), ofOrg, parsePage('apps', [orgId], query, byTime('desc')));
}

export function findApp(db: Db, appId: string): Promise<AppRow | undefined> {
  return db.selectFrom('app').selectAll().where('id', '=', appId).executeTakeFirst();
}

/** Returns the names of those of these apps that exist. Reads across all organisations on purpose. */
export async function listAppNames(db: Db, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('app').select(['id', 'name']).where('id', 'in', ids).execute();
}

/** Returns the app that a path names, for a member of the organisation; undefined when any part does not match. */
export function findAppOfMember(
  db: Db,
  { orgId, appId }: { orgId: string; appId: string },
  userId: string,
): Promise<AppRow | undefined> {
  return db
    .selectFrom('app')
    .innerJoin('org_member', 'org_member.org_id', 'app.org_id')
    .selectAll('app')
    .where('app.org_id', '=', orgId)
    .where('app.id', '=', appId)
    .where('org_member.user_id', '=', userId)
    .executeTakeFirst();
}

/**
 * Locks the app, so that reviews, withdrawals, suspensions and their effects on installs happen one after the other.
 * Must be taken before a version's lock.
 */
export function lockApp(db: Db, appId: string): Promise<AppRow | undefined> {
  return db.selectFrom('app').selectAll().where('id', '=', appId).forNoKeyUpdate().executeTakeFirst();
}

/**
 * Returns the app and keeps it unchanged until the transaction ends: no version of it is approved or withdrawn, and it
 * is not suspended. Otherwise such a change could miss an install being made.
 */
export function lockAppForShare(db: Db, appId: string): Promise<AppRow | undefined> {
  const app = db.selectFrom('app').selectAll().where('id', '=', appId);
  return app.$call(keepUnchanged(db)).executeTakeFirst();
}

/**
 * Makes changes to an app's webhook URL or signing secret happen one after the other. Does not lock the app's row,
 * because its installs would then wait while another service is asked. Must be taken before that lock.
 */
export async function lockAppWebhook(trx: Db, appId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${appId}, ${changingWebhook}))`.execute(trx);
}
const changingWebhook = 0x61700001;

export function updateApp(
  db: Db,
  appId: string,
  change: Partial<Omit<AppRow, 'id' | 'org_id' | 'created_at' | 'updated_at'>>,
): Promise<AppRow> {
  return db
    .updateTable('app')
    .set({ ...change, updated_at: changedAt(new Date()) })
    .where('id', '=', appId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Unlists the apps of those of these organisations that have no members, and returns them. */
export async function unlistOrphanedApps(db: Db, orgIds: readonly string[]): Promise<AppRow[]> {
  if (orgIds.length === 0) return [];
  // Two statements, because on a cluster the members of organisations are only on the coordinator, while apps are on
  // every server.
  const orgsWithMembers = await db
    .selectFrom('org_member')
    .select('org_id')
    .distinct()
    .where('org_id', 'in', orgIds)
    .execute();
  const empty = orgIds.filter((orgId) => !orgsWithMembers.some(({ org_id }) => org_id === orgId));
  if (empty.length === 0) return [];
  return db
    .updateTable('app')
    .set({ is_listed: false, updated_at: changedAt(new Date()) })
    .where('org_id', 'in', empty)
    .where('is_listed', '=', true)
    .returningAll()
    .execute();
}

/**
 * Returns the number for a new version of the app, and holds the app's lock until the transaction ends. Undefined when
 * the app no longer exists.
 */
export async function claimVersionNumber(db: Db, appId: string): Promise<number | undefined> {
  const app = await db
    .updateTable('app')
    .set((eb) => ({ last_version_number: eb('last_version_number', '+', 1) }))
    .where('id', '=', appId)
    .returning('last_version_number')
    .executeTakeFirst();
  return app?.last_version_number;
}

/** SQL over `install` and its `app`: whether the app's tokens, blocks and data are valid in the store. */
export const isAvailable = `(install.state = 'installed' and app.suspended_at is null)`;

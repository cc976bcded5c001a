import { byTime, changedAt, type PageQuery, pageOf, readList } from '@waybill/kernel';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

export type AppRow = Selectable<Tables['app']>;

export function insertApp(
  db: Db,
  app: Pick<AppRow, 'id' | 'org_id' | 'name' | 'client_secret_hash' | 'redirect_uris' | 'webhook_url'>,
): Promise<AppRow> {
  return db.insertInto('app').values(app).returningAll().executeTakeFirstOrThrow();
}

/** Whether an organisation has so many apps or more; no more than these are looked at. */
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
 * Newest first.
 * @throws invalid_cursor
 */
export function listApps(db: Db, orgId: string, query: PageQuery) {
  const ofOrg = db.selectFrom('app').where('org_id', '=', orgId);
  return readList(ofOrg.selectAll(), ofOrg, pageOf('apps', [orgId], query, byTime('desc')));
}

export function findApp(db: Db, appId: string): Promise<AppRow | undefined> {
  return db.selectFrom('app').selectAll().where('id', '=', appId).executeTakeFirst();
}

/** The names of those of these apps that there are, over all organisations by nature. */
export async function listAppNames(db: Db, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('app').select(['id', 'name']).where('id', 'in', ids).execute();
}

/** An app as its path names it, for a member of the organisation; undefined when any of it does not fit. */
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
 * Locks the app: reviews, withdrawals, suspensions and what follows for its installs go one after the other. Taken
 * before a version's lock.
 */
export function lockApp(db: Db, appId: string): Promise<AppRow | undefined> {
  return db.selectFrom('app').selectAll().where('id', '=', appId).forNoKeyUpdate().executeTakeFirst();
}

/**
 * The app, held as it is until the transaction ends: no version of it is approved or withdrawn meanwhile, and it is
 * not suspended. Otherwise an install made at that moment would be missed.
 */
export function holdApp(db: Db, appId: string): Promise<AppRow | undefined> {
  return db.selectFrom('app').selectAll().where('id', '=', appId).forShare().executeTakeFirst();
}

/**
 * Whoever changes where an app is called, or what these calls are signed with, does so alone until the transaction ends.
 * Not by the app's row, for which its installs would wait while another service is asked. Taken before it.
 */
export async function lockWebhookOf(trx: Db, appId: string): Promise<void> {
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

/** Takes out of the directory the apps of those of these organisations in which nobody is; gives them. */
export async function unlistAppsOfNobody(db: Db, orgIds: readonly string[]): Promise<AppRow[]> {
  if (orgIds.length === 0) return [];
  // Two statements: on a cluster members of organisations are on the coordinator alone, and apps on every server.
  const peopled = await db
    .selectFrom('org_member')
    .select('org_id')
    .distinct()
    .where('org_id', 'in', orgIds)
    .execute();
  const empty = orgIds.filter((orgId) => !peopled.some(({ org_id }) => org_id === orgId));
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
 * The number of a new version of the app; holds the app's lock until the transaction ends. Undefined: there is no such
 * app any more.
 */
export async function takeVersionNumber(db: Db, appId: string): Promise<number | undefined> {
  const app = await db
    .updateTable('app')
    .set((eb) => ({ last_version_number: eb('last_version_number', '+', 1) }))
    .where('id', '=', appId)
    .returning('last_version_number')
    .executeTakeFirst();
  return app?.last_version_number;
}

/** In SQL over `install` and its `app`: whether the app's tokens, blocks and data count in the store. */
export const isAvailable = `(install.state = 'installed' and app.suspended_at is null)`;

import type { AppPayments, Permission } from '@waybill/contracts';
import { changedAt, type Order, type PageQuery, parsePage, readList } from '@waybill/kernel';
import { type Kysely, type Selectable, sql, type Updateable } from 'kysely';
import { keepUnchanged } from '../apps/keep-unchanged.ts';
import type { Block } from '../contributions/manifest.ts';
import type { Tables } from '../tables.ts';
import type { VersionState } from './routes.ts';

type Db = Kysely<Tables>;

/** A version without its blocks, which may be a mebibyte. */
export type VersionRow = Omit<Selectable<Tables['app_version']>, 'blocks'>;

/** All columns of a version except its blocks. */
export const versionColumns = [
  'app_version.id',
  'app_version.app_id',
  'app_version.number',
  'app_version.state',
  'app_version.scopes',
  'app_version.connect_origins',
  'app_version.payments',
  'app_version.rejection_reason',
  'app_version.created_at',
  'app_version.updated_at',
  'app_version.submitted_at',
  'app_version.reviewed_at',
  'app_version.withdrawn_at',
  'app_version.submitted_by',
] as const;

export function insertVersion(
  db: Db,
  {
    payments,
    ...version
  }: Pick<VersionRow, 'id' | 'app_id' | 'number' | 'scopes' | 'connect_origins'> & {
    payments: AppPayments | null;
  },
): Promise<VersionRow> {
  return db
    .insertInto('app_version')
    .values({ ...version, payments: payments && JSON.stringify(payments) })
    .returning(versionColumns)
    .executeTakeFirstOrThrow();
}

/**
 * Creates a version as a copy of another of the app, with its blocks and its islands' modules. Undefined when the app
 * has no such version.
 */
export async function copyVersion(
  db: Db,
  { id, app_id, number, from, scopes, connect_origins, payments }: VersionCopy,
): Promise<VersionRow | undefined> {
  const source = await db
    .selectFrom('app_version')
    .select(['scopes', 'connect_origins', 'payments'])
    .where('app_id', '=', app_id)
    .where('id', '=', from)
    .$call(keepUnchanged(db))
    .executeTakeFirst();
  if (!source) return undefined;
  // Citus cannot return columns of a row that it copies within a table, so the copy is read afterwards.
  await db
    .insertInto('app_version')
    .columns(['id', 'app_id', 'number', 'scopes', 'connect_origins', 'payments', 'blocks'])
    .expression((eb) =>
      eb
        .selectFrom('app_version')
        .select([
          sql.val(id).as('id'),
          sql.val(app_id).as('app_id'),
          sql<number>`${number}::integer`.as('number'),
        ])
        .select(sql<Permission[]>`${scopes ?? source.scopes}::text[]`.as('scopes'))
        .select(sql<string[]>`${connect_origins ?? source.connect_origins}::text[]`.as('connect_origins'))
        .select(
          sql<string | null>`${JSON.stringify(payments === undefined ? source.payments : payments)}::json`.as(
            'payments',
          ),
        )
        .select('blocks')
        .where('id', '=', from),
    )
    .execute();
  await db
    .insertInto('island')
    .columns(['version_id', 'name', 'position', 'module_sha256', 'size_bytes'])
    .expression((eb) =>
      eb
        .selectFrom('island')
        .select([sql.val(id).as('version_id'), 'name', 'position', 'module_sha256', 'size_bytes'])
        .where('version_id', '=', from),
    )
    .execute();
  return findVersion(db, id);
}
interface VersionCopy extends Pick<VersionRow, 'id' | 'app_id' | 'number'> {
  from: string;
  scopes: Permission[] | undefined;
  connect_origins: string[] | undefined;
  payments: AppPayments | null | undefined;
}

/** Returns the number of versions of an app that are not decided yet. */
export async function countOpenVersions(db: Db, appId: string): Promise<number> {
  const { open } = await db
    .selectFrom('app_version')
    .select((eb) => eb.fn.countAll<number>().as('open'))
    .where('app_id', '=', appId)
    .where('state', 'in', ['draft', 'submitted'])
    .executeTakeFirstOrThrow();
  return open;
}

export async function countVersions(db: Db, appId: string): Promise<number> {
  const { total } = await db
    .selectFrom('app_version')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('app_id', '=', appId)
    .executeTakeFirstOrThrow();
  return total;
}

/** Newest first. */
export const orderByNumber: Order = [{ column: 'number', type: 'bigint', dir: 'desc' }];

/**
 * Returns a page of an app's versions, newest first.
 * @throws invalid_cursor
 */
export function listVersions(db: Db, appId: string, query: PageQuery) {
  const ofApp = db.selectFrom('app_version').where('app_id', '=', appId);
  return readList(ofApp.select(versionColumns), ofApp, parsePage('versions', [appId], query, orderByNumber));
}

/** Returns the version that a path names, for a member of the organisation; undefined when any part does not match. */
export function findVersionOfMember(
  db: Db,
  { orgId, appId, versionId }: { orgId: string; appId: string; versionId: string },
  userId: string,
): Promise<VersionRow | undefined> {
  return db
    .selectFrom('app_version')
    .innerJoin('app', 'app.id', 'app_version.app_id')
    .innerJoin('org_member', 'org_member.org_id', 'app.org_id')
    .select(versionColumns)
    .where('app_version.id', '=', versionId)
    .where('app.id', '=', appId)
    .where('app.org_id', '=', orgId)
    .where('org_member.user_id', '=', userId)
    .executeTakeFirst();
}

/** Returns a version of any organisation. */
export function findVersion(db: Db, versionId: string): Promise<VersionRow | undefined> {
  return db.selectFrom('app_version').select(versionColumns).where('id', '=', versionId).executeTakeFirst();
}

export function findVersionOfApp(db: Db, appId: string, versionId: string): Promise<VersionRow | undefined> {
  return db
    .selectFrom('app_version')
    .select(versionColumns)
    .where('app_id', '=', appId)
    .where('id', '=', versionId)
    .executeTakeFirst();
}

/** Returns a version and keeps its contributions and state unchanged until the transaction ends. */
export function lockVersionForShare(
  db: Db,
  appId: string,
  versionId: string,
): Promise<VersionRow | undefined> {
  return db
    .selectFrom('app_version')
    .select(versionColumns)
    .where('app_id', '=', appId)
    .where('id', '=', versionId)
    .$call(keepUnchanged(db))
    .executeTakeFirst();
}

/** Locks the version, so that changes of its contributions and state happen one after the other. */
export function lockVersion(db: Db, versionId: string): Promise<VersionRow | undefined> {
  return db
    .selectFrom('app_version')
    .select(versionColumns)
    .where('id', '=', versionId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export function updateVersion(
  db: Db,
  versionId: string,
  change: Pick<
    Updateable<Tables['app_version']>,
    'state' | 'rejection_reason' | 'submitted_at' | 'submitted_by' | 'reviewed_at' | 'withdrawn_at'
  >,
): Promise<VersionRow> {
  return db
    .updateTable('app_version')
    .set({ ...change, updated_at: changedAt(new Date()) })
    .where('id', '=', versionId)
    .returning(versionColumns)
    .executeTakeFirstOrThrow();
}

export async function updateVersionTime(db: Db, versionId: string): Promise<void> {
  await db
    .updateTable('app_version')
    .set({ updated_at: changedAt(new Date()) })
    .where('id', '=', versionId)
    .execute();
}

/** Returns the blocks of a version; none when it is gone. */
export async function findBlocks(db: Db, versionId: string): Promise<Block[]> {
  const version = await db
    .selectFrom('app_version')
    .select('blocks')
    .where('id', '=', versionId)
    .executeTakeFirst();
  return version?.blocks ?? [];
}

/** Replaces the blocks of a version. Returns false, without writing, when they are the stored ones. */
export async function updateBlocks(db: Db, versionId: string, blocks: readonly Block[]): Promise<boolean> {
  const json = sql<Block[]>`${JSON.stringify(blocks)}::jsonb`;
  const { numUpdatedRows } = await db
    .updateTable('app_version')
    .set({ blocks: json, updated_at: changedAt(new Date()) })
    .where('id', '=', versionId)
    .where('blocks', 'is distinct from', json)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Returns the newest approved version of an app, which new installs get; or the newest one below a number. */
export function findNewestApproved(db: Db, appId: string, below?: number): Promise<VersionRow | undefined> {
  return db
    .selectFrom('app_version')
    .select(versionColumns)
    .where('app_id', '=', appId)
    .where('state', '=', 'approved')
    .$if(below !== undefined, (query) => query.where('number', '<', below!))
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The states in which a version can be installed, or can still become so. */
export const installableStates = [
  'draft',
  'submitted',
  'approved',
] as const satisfies readonly VersionState[];

/** Returns the newest version of an app that its organisation can try in a development store. */
export async function findNewestTriable(db: Db, appId: string): Promise<string | null> {
  const row = await db
    .selectFrom('app_version')
    .select('id')
    .where('app_id', '=', appId)
    .where('state', 'in', installableStates)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** The states of versions that were ever approved. */
export const everApprovedStates = ['approved', 'withdrawn'] as const;

/** Returns the highest number of a version that was ever approved; null when none was. */
export async function findNewestKnownNumber(db: Db, appId: string): Promise<number | null> {
  const { number } = await db
    .selectFrom('app_version')
    .select((eb) => eb.fn.max<number | null>('number').as('number'))
    .where('app_id', '=', appId)
    .where('state', 'in', everApprovedStates)
    .executeTakeFirstOrThrow();
  return number;
}

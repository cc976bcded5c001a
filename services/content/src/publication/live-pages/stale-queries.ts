import {
  asyncCommitOn,
  type Columns,
  claimByStore,
  deleteBatch,
  isDistributed,
  ofStore,
  prepare,
  type SqlText,
} from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import { lockPageList } from '../../shared/stores/queries.ts';
import type { Tables } from '../../tables.ts';
import type { Dependency } from '../rendering/sources.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/**
 * A changed source that pages may show. `store` is shown on all of a store's pages; `template` and `theme` are shown
 * around their own content.
 */
export interface Change {
  kind: Dependency['kind'] | 'store' | 'template' | 'theme';
  ref: string;
}

const kinds = (changes: readonly Change[]) => changes.map(({ kind }) => kind);
const refs = (changes: readonly Change[]) => changes.map(({ ref }) => ref);

/** Returns the number of the store's newest change; later changes have higher ones. */
export async function findLastChange(db: Db, storeId: string): Promise<number> {
  const { number } = await db
    .selectFrom('fact_change')
    .select((eb) => eb.fn.coalesce(eb.fn.max('number'), sql<number>`0`).as('number'))
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow();
  return number;
}

interface ChangesOfStore {
  storeId: string;
  kinds: string[];
  refs: string[];
}

/** Added to the revisions of a store, which tell that a page made at a visit is outdated. */
interface Revisions {
  storeId: string;
  products: number;
  facts: number;
}

const changeRows: SqlText<ChangesOfStore> = ($) =>
  `unnest(${$.kinds}::text[], ${$.refs}::text[]) as change (kind, ref)`;

// The changes get their numbers under the lock of the page list, so they have the order in which they commit.
const recordOnOneServer = prepare<unknown, ChangesOfStore & Revisions>(
  'fact-change-record',
  ($) => `with list as (
     insert into page_list as list (store_id, products_revision, facts_revision)
     values (${$.storeId}, ${$.products}::int, ${$.facts}::int)
     on conflict (store_id) do update set
       products_revision = list.products_revision + excluded.products_revision,
       facts_revision = list.facts_revision + excluded.facts_revision
     returning store_id
   )
   insert into fact_change (store_id, kind, ref)
   select distinct list.store_id, change.kind, change.ref from list cross join ${changeRows($)}
   on conflict (store_id, kind, ref) do update set number = default, changed_at = now()`,
);
// Citus assigns new numbers only to new rows, so old ones are deleted first.
const deleteChanges = prepare<unknown, ChangesOfStore>(
  'fact-change-forget',
  ($) => `delete from fact_change where store_id = ${$.storeId} and (kind, ref) in (
     select kind, ref from ${changeRows($)}
   )`,
);
const insertChanges = prepare<unknown, ChangesOfStore>(
  'fact-change-insert',
  ($) => `insert into fact_change (store_id, kind, ref)
   select distinct ${$.storeId}, kind, ref from ${changeRows($)}`,
);
const bumpRevisions = prepare<unknown, Revisions>(
  'page-list-revisions',
  ($) => `update page_list set products_revision = products_revision + ${$.products}::int,
     facts_revision = facts_revision + ${$.facts}::int
   where store_id = ${$.storeId}`,
);

/** Records changes for pages that are being rendered. Locks the page list. */
export async function recordChanges(trx: Trx, storeId: string, changes: readonly Change[]): Promise<void> {
  const changed = { storeId, kinds: kinds(changes), refs: refs(changes) };
  const areProducts = changes.map(({ kind }) => kind === 'product' || kind === 'products');
  const revisions = {
    storeId,
    products: areProducts.includes(true) ? 1 : 0,
    facts: areProducts.includes(false) ? 1 : 0,
  };
  if (!isDistributed(trx)) {
    await trx.executeQuery(recordOnOneServer({ ...changed, ...revisions }));
    return;
  }
  await lockPageList(trx, storeId);
  await trx.executeQuery(deleteChanges(changed));
  await trx.executeQuery(insertChanges(changed));
  await trx.executeQuery(bumpRevisions(revisions));
}

/** Whether any of these dependencies changed after the change with that number. Requires the lock of the page list. */
export async function hasChangedSince(
  trx: Trx,
  storeId: string,
  since: number,
  dependencies: readonly Change[],
): Promise<boolean> {
  const { rows } = await sql<{ changed: boolean }>`
    select exists (
      select from fact_change f
      where f.store_id = ${storeId} and f.number > ${since} and (f.kind = 'store' or exists (
        select from unnest(${kinds(dependencies)}::text[], ${refs(dependencies)}::text[]) as d (kind, ref)
        where d.kind = f.kind and d.ref = f.ref
      ))
    ) as changed`.execute(trx);
  return rows[0]!.changed;
}

export interface StaleReason {
  takesNewBuilds: boolean;
  /** How long to wait for further changes, which often come in bursts. */
  delayMs: number;
}

/** Queues live pages to be rendered again. Pages already queued get the new reason too. */
async function insertStale(
  trx: Trx,
  storeId: string,
  { takesNewBuilds, delayMs }: StaleReason,
  pageIds: ReturnType<typeof sql>,
): Promise<void> {
  await sql`
    insert into stale_page as waiting (store_id, page_id, takes_new_builds, due_at)
    select ${storeId}, page_id, ${takesNewBuilds}, clock_timestamp() + make_interval(secs => ${delayMs / 1000})
    from (${pageIds}) pages
    on conflict (store_id, page_id) do update set
      takes_new_builds = waiting.takes_new_builds or excluded.takes_new_builds,
      revision = excluded.revision, due_at = least(waiting.due_at, excluded.due_at)`.execute(trx);
}

/** Queues the live pages that depend on any of these changes. */
export function markDependents(
  trx: Trx,
  storeId: string,
  changes: readonly Change[],
  reason: StaleReason,
): Promise<void> {
  return insertStale(
    trx,
    storeId,
    reason,
    sql`select distinct d.page_id from live_page_dependency d
      join unnest(${kinds(changes)}::text[], ${refs(changes)}::text[]) as change (kind, ref)
        on change.kind = d.kind and change.ref = d.ref
      where d.store_id = ${storeId}`,
  );
}

/** Queues one live page. */
export function markPage(trx: Trx, storeId: string, pageId: string, reason: StaleReason): Promise<void> {
  return insertStale(trx, storeId, reason, sql`select ${pageId} as page_id`);
}

/** Queues all live pages of a store. */
export function markStore(trx: Trx, storeId: string, reason: StaleReason): Promise<void> {
  return insertStale(trx, storeId, reason, sql`select page_id from live_page where store_id = ${storeId}`);
}

/**
 * Queues the live pages that were made with another version of an app than the given one. Null stands for no version;
 * undefined for an unknown one, so that every page may be outdated.
 */
export function markOldBuilds(
  trx: Trx,
  storeId: string,
  versions: ReadonlyMap<string, string | null | undefined>,
  reason: StaleReason,
): Promise<void> {
  const [ids, known] = [[...versions.keys()], [...versions.values()]];
  return insertStale(
    trx,
    storeId,
    reason,
    sql`select distinct d.page_id from live_page_dependency d
      join unnest(${ids}::text[], ${known.map((version) => version ?? null)}::text[],
        ${known.map((version) => version === undefined)}::boolean[]) as app (id, version, is_unknown)
        on app.id = d.ref
      where d.store_id = ${storeId} and d.kind = 'app'
        and (app.is_unknown or d.version is distinct from app.version)`,
  );
}

/** Queues some live pages of another renderer. Returns whether there may be more. */
export async function markOldRenderings(trx: Trx, renderer: string, limit: number): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    insert into stale_page (store_id, page_id, takes_new_builds, due_at)
    select store_id, page_id, false, clock_timestamp() from live_page
    where (renderer < ${renderer} or renderer > ${renderer}) and not exists (
      select from stale_page s where s.store_id = live_page.store_id and s.page_id = live_page.page_id
    )
    limit ${limit}
    on conflict do nothing`.execute(trx);
  return numAffectedRows === BigInt(limit);
}

/** A live page to render again, held by the caller until its lease expires. */
export type StalePage = Columns<
  Tables['stale_page'],
  {
    storeId: 'store_id';
    pageId: 'page_id';
    takesNewBuilds: 'takes_new_builds';
    revision: 'revision';
    failures: 'failures';
  }
>;

/** Takes some due pages of the first store after `afterStore` that has any. */
export async function claimStale(
  db: Db,
  afterStore: string,
  limit: number,
  leaseSeconds: number,
): Promise<StalePage[]> {
  const take = async (storeId: string | null) => {
    const { rows } = await sql<StalePage>`
      with first as materialized (
        select store_id from stale_page
        where store_id > ${afterStore} and due_at <= clock_timestamp() and ${ofStore(storeId)}
        order by store_id, due_at limit 1 for update skip locked
      ), due as materialized (
        select s.store_id, s.page_id from stale_page s
        where s.store_id = (select store_id from first) and s.due_at <= clock_timestamp() and ${ofStore(storeId, 's.store_id')}
        order by s.due_at limit ${limit} for update skip locked
      )
      update stale_page s set due_at = now() + make_interval(secs => ${leaseSeconds})
      from due
      where s.store_id = due.store_id and s.page_id = due.page_id and ${ofStore(storeId, 's.store_id')}
        and ${asyncCommitOn(db)}
      returning s.store_id as "storeId", s.page_id as "pageId", s.takes_new_builds as "takesNewBuilds",
        s.revision, s.failures`.execute(db);
    return rows;
  };
  return claimByStore<StalePage>(db, {
    limit,
    stores: () => sql`
      select store_id as "storeId" from stale_page where store_id > ${afterStore} and due_at <= clock_timestamp()
      group by store_id order by store_id limit 1`,
    claim: take,
  });
}

/** Number of failures from which a page counts as failing, reached after some minutes. */
const failingFrom = 6;

/** Measures how many pages wait (counted to 10,000), how long the oldest has been due, and how many keep failing. */
export async function measureStale(
  db: Db,
): Promise<{ waiting: number; oldestSeconds: number; failing: number }> {
  const { rows } = await sql<{ waiting: number; oldestSeconds: number; failing: number }>`
    select count(*) as waiting, count(*) filter (where failures >= ${failingFrom}) as failing,
      (coalesce(greatest(0, extract(epoch from clock_timestamp() - min(due_at))), 0))::float8 as "oldestSeconds"
    from (select due_at, failures from stale_page limit 10000) line`.execute(db);
  return rows[0]!;
}

/** Removes a page from the queue; with a revision, only if no other reason has come in since. */
export async function deleteStale(
  db: Db,
  { storeId, pageId, revision }: Pick<StalePage, 'storeId' | 'pageId'> & { revision?: string },
): Promise<void> {
  let rows = db.deleteFrom('stale_page').where('store_id', '=', storeId).where('page_id', '=', pageId);
  if (revision) rows = rows.where('revision', '=', revision);
  await rows.execute();
}

/** Puts a page back into the queue, to be taken after a while. */
export async function postponeStale(
  db: Db,
  { storeId, pageId, revision }: StalePage,
  failures: number,
  seconds: number,
): Promise<void> {
  await sql`update stale_page
    set failures = ${failures}, due_at = now() + make_interval(secs => ${seconds})
    where store_id = ${storeId} and page_id = ${pageId} and revision = ${revision}`.execute(db);
}

/**
 * Releases all leases, which a process that is gone has left. Only for deployments in which no other process can hold
 * one.
 */
export async function releaseStale(db: Db): Promise<void> {
  await sql`update stale_page set due_at = now() where due_at > now()`.execute(db);
}

/** Deletes changes that every page rendered at that time has examined long ago. */
export const deleteOldChanges = (db: Db, hours: number, limit: number): Promise<boolean> =>
  deleteBatch(db, 'fact_change', sql`changed_at < now() - make_interval(hours => ${hours})`, limit);

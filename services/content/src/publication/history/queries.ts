import { newId } from '@waybill/contracts';
import {
  type Columns,
  claimByStore,
  type Order,
  ofStore,
  type PageQuery,
  parsePage,
  readPage,
} from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Revision as RevisionColumns, Tables } from '../../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** The data of a saved or published revision; `owner` is the page, the section or the article. */
export interface NewRevision {
  kind: RevisionColumns['kind'];
  /** Null for an API key or an app. */
  userId: string | null;
  nodes: number;
  document: string;
  hash: Buffer;
}

export interface RevisionRow {
  id: string;
  kind: RevisionColumns['kind'];
  createdAt: Date;
  userId: string | null;
  nodes: number;
}

const revisionColumns = ['id', 'kind', 'created_at as createdAt', 'user_id as userId', 'nodes'] as const;

const selectRevisions = (db: Db, storeId: string, ownerId: string) =>
  db.selectFrom('revision').where('revision.store_id', '=', storeId).where('revision.owner_id', '=', ownerId);

/** Locks a history, so that other changes of it wait until the transaction ends. */
export async function lockHistory(trx: Trx, storeId: string, ownerId: string): Promise<void> {
  await sql`
    insert into history as h (store_id, owner_id) values (${storeId}, ${ownerId})
    on conflict (store_id, owner_id) do update set revisions = h.revisions`.execute(trx);
}

/**
 * Adds a revision to a locked history, and marks the history for pruning when it exceeds `limits`. `begunAt` is the
 * time of the first save that the revision represents.
 */
export async function insertRevision(
  trx: Trx,
  storeId: string,
  ownerId: string,
  { kind, userId, nodes, document, hash }: NewRevision,
  limits: { revisions: number; bytes: number },
  begunAt: Date,
  now: Date,
): Promise<void> {
  await sql`
    with inserted as (
      insert into revision_document (store_id, owner_id, hash, document)
      values (${storeId}, ${ownerId}, ${hash}, ${document}) on conflict do nothing returning hash
    ), added as (
      insert into revision (store_id, owner_id, id, kind, user_id, created_at, begun_at, nodes, hash)
      values (${storeId}, ${ownerId}, ${newId('revision', now.getTime())}, ${kind}, ${userId}, ${now}, ${begunAt},
        ${nodes}, ${hash})
    )
    update history h set revisions = h.revisions + 1, bytes = h.bytes + new.bytes,
      prune_at = case
        when h.revisions + 1 > ${limits.revisions} or h.bytes + new.bytes > ${limits.bytes} then ${now}::timestamptz else h.prune_at
      end
    from (select count(*) * ${Buffer.byteLength(document)}::bigint as bytes from inserted) new
    where h.store_id = ${storeId} and h.owner_id = ${ownerId}`.execute(trx);
}

/** Returns the last save of a user since then: its id, and the time of the first save that it represents. */
export function findRecentSave(
  trx: Trx,
  storeId: string,
  ownerId: string,
  userId: string | null,
  since: Date,
): Promise<{ id: string; begunAt: Date } | undefined> {
  return (
    selectRevisions(trx, storeId, ownerId)
      .select(['id', 'begun_at as begunAt'])
      .where('kind', '=', 'draft')
      // Ids sort by time, so the index bounds the search.
      .where('id', '>', newId('revision', since.getTime()))
      .where('user_id', '=', userId)
      .where('begun_at', '>', since)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
  );
}

/** Deletes revisions from a locked history, with documents that no other revision has. */
export async function deleteRevisions(
  trx: Trx,
  storeId: string,
  ownerId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const rows = await trx
    .deleteFrom('revision')
    .where('store_id', '=', storeId)
    .where('owner_id', '=', ownerId)
    .where('id', 'in', ids)
    .returning('hash')
    .execute();
  const { rows: freed } = await sql<{ bytes: number }>`
    delete from revision_document d
    where d.store_id = ${storeId} and d.owner_id = ${ownerId} and d.hash = any(${rows.map(({ hash }) => hash)}::bytea[])
      and not exists (
        select from revision r where r.store_id = d.store_id and r.owner_id = d.owner_id and r.hash = d.hash
      )
    returning octet_length(d.document) as bytes`.execute(trx);
  const bytes = freed.reduce((sum, row) => sum + row.bytes, 0);
  await sql`
    update history set revisions = revisions - ${rows.length}, bytes = bytes - ${bytes}
    where store_id = ${storeId} and owner_id = ${ownerId}`.execute(trx);
}

const order: Order = [{ column: 'id', type: 'text', dir: 'desc' }];

/**
 * Returns a page of a history, newest first, and its number of revisions.
 * @throws invalid_cursor
 */
export async function listRevisions(db: Db, storeId: string, ownerId: string, query: PageQuery) {
  const page = parsePage('revisions', [storeId, ownerId], query, order);
  const list = await readPage(selectRevisions(db, storeId, ownerId).select(revisionColumns), page);
  const history = await db
    .selectFrom('history')
    .select('revisions')
    .where('store_id', '=', storeId)
    .where('owner_id', '=', ownerId)
    .executeTakeFirst();
  return { ...list, total: history?.revisions ?? 0 };
}

/** Returns a revision with its document as JSON; undefined when the owner has none with that id, or no longer. */
export async function findRevision(
  db: Db,
  storeId: string,
  ownerId: string,
  id: string,
): Promise<{ row: RevisionRow; document: string } | undefined> {
  const found = await selectRevisions(db, storeId, ownerId)
    .innerJoin('revision_document as d', (join) =>
      join
        .onRef('d.store_id', '=', 'revision.store_id')
        .onRef('d.owner_id', '=', 'revision.owner_id')
        .onRef('d.hash', '=', 'revision.hash'),
    )
    .select(revisionColumns)
    .select('d.document')
    .where('revision.id', '=', id)
    .executeTakeFirst();
  if (!found) return undefined;
  const { document, ...row } = found;
  return { row, document };
}

/** Sets when revisions of a history may next be too old; null when only a new revision can change that. */
export async function setPruneTime(
  trx: Trx,
  storeId: string,
  ownerId: string,
  pruneAt: Date | null,
): Promise<void> {
  await trx
    .updateTable('history')
    .set({ prune_at: pruneAt })
    .where('store_id', '=', storeId)
    .where('owner_id', '=', ownerId)
    .execute();
}

/** Marks a history as deleted with its owner. */
export async function markHistoryDeleted(trx: Trx, storeId: string, ownerId: string): Promise<void> {
  await sql`
    update history set is_gone = true, prune_at = now()
    where store_id = ${storeId} and owner_id = ${ownerId}`.execute(trx);
}

export type DueHistory = Columns<
  Tables['history'],
  { storeId: 'store_id'; ownerId: 'owner_id'; bytes: 'bytes'; isGone: 'is_gone' }
>;

/** Number of the oldest histories tried on Citus, because other processes may work on some of them. */
const storesTried = 20;

/** Claims a history with revisions that may be too old, and locks it; undefined when others work on all of them. */
export async function claimHistory(trx: Trx): Promise<DueHistory | undefined> {
  const [history] = await claimByStore<DueHistory>(trx, {
    limit: 1,
    stores: () => sql`
      select store_id as "storeId" from history where prune_at <= now() order by prune_at limit ${storesTried}`,
    async claim(storeId) {
      const { rows } = await sql<DueHistory>`
        select store_id as "storeId", owner_id as "ownerId", bytes, is_gone as "isGone"
        from history where prune_at <= now() and ${ofStore(storeId)}
        order by prune_at limit 1 for update skip locked`.execute(trx);
      return rows;
    },
  });
  return history;
}

/** Returns the id of the newest revision that is not among the last `keepCount`; undefined when there is none. */
export async function findNewestExcessRevision(
  db: Db,
  storeId: string,
  ownerId: string,
  keepCount: number,
): Promise<string | undefined> {
  const row = await selectRevisions(db, storeId, ownerId)
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .offset(keepCount)
    .executeTakeFirst();
  return row?.id;
}

/** Returns the oldest revisions up to that id, of one kind or of any. */
export function listOldest(
  db: Db,
  storeId: string,
  ownerId: string,
  { upTo, kind, limit }: { upTo: string; kind?: RevisionColumns['kind']; limit: number },
): Promise<{ id: string; createdAt: Date }[]> {
  let rows = selectRevisions(db, storeId, ownerId).where('id', '<=', upTo);
  if (kind) rows = rows.where('kind', '=', kind);
  return rows.select(['id', 'created_at as createdAt']).orderBy('id').limit(limit).execute();
}

/** Deletes the history of a page, section or template. */
export async function deleteHistory(trx: Trx, storeId: string, ownerId: string): Promise<void> {
  await trx.deleteFrom('history').where('store_id', '=', storeId).where('owner_id', '=', ownerId).execute();
}

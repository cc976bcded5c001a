import {
  type AuditAction,
  type AuditEntry,
  type AuditQuery,
  type AuditTarget,
  firstIdAt,
  newId,
} from '@waybill/contracts';
import { type Kysely, sql } from 'kysely';
import { type Actor, currentActor } from '../operations/actor.ts';
import type { AnyTransaction } from './database.ts';
import type { PartitionedTable } from './partitions.ts';
import { prepare } from './statements.ts';

/** The thing that an audit entry is about. */
export interface AuditTargetRow {
  id: string;
  /**
   * The name that people know it by, never a customer's name. Users have none here: their name is looked up for
   * display.
   */
  name?: string | undefined;
}

export interface AuditOptions {
  /** The names of the fields that changed, for an action `….updated`. */
  changed?: readonly string[];
  /** The actor, if it is another one than that of the current request. */
  by?: Actor;
}

const insertEntries = prepare(
  'audit-insert',
  `insert into audit_entry (owner_id, id, at, actor_type, actor_id, action, target_id, target_name, changed, ip, request_id)
   select owner_id, thing.entry_id, $5, $6, $7, $8, thing.id, thing.name, $9, $10, $11
   from unnest($1::text[]) as owner_id
   cross join unnest($2::text[], $3::text[], $4::text[]) as thing (entry_id, id, name)`,
);

/**
 * Records who made a change, in the transaction of the change and in the audit of a store or an organisation. The entry
 * exists if and only if the change commits. With several owners, each gets an entry for each thing, in one statement.
 * `decisions.md 15.6`.
 */
export async function audit(
  trx: AnyTransaction,
  owners: string | readonly string[],
  action: AuditAction,
  target: AuditTargetRow | readonly AuditTargetRow[],
  { changed = [], by = currentActor() }: AuditOptions = {},
): Promise<void> {
  const ownerIds = typeof owners === 'string' ? [owners] : owners;
  const audited = 'id' in target ? [target] : target;
  if (ownerIds.length === 0 || audited.length === 0) return;
  const now = Date.now();
  const entryIds = audited.map(() => newId('auditEntry', now));
  const targets = [audited.map(({ id }) => id), audited.map(({ name }) => name ?? null)];
  const values = [new Date(now), by.type, by.id, action, changed, by.ip, by.requestId];
  await trx.executeQuery(insertEntries([ownerIds, entryIds, ...targets, ...values]));
  // Cleaning up rarely costs little and keeps pace: each time deletes more entries than have come since the last.
  if (Math.random() * cleanupInterval >= ownerIds.length * audited.length) return;
  await deleteExcessEntries(trx, ownerIds[Math.floor(Math.random() * ownerIds.length)]!, maxEntriesPerOwner);
}

/** Number of entries of an owner that each service keeps at least, the newest: `decisions.md 19.13`. */
const maxEntriesPerOwner = 1_000_000;
const cleanupInterval = 2_000;
const maxDeletedEntries = 10_000;

/** Deletes some of the oldest entries of an owner that has more than `maxEntries`. */
export async function deleteExcessEntries(
  trx: AnyTransaction,
  ownerId: string,
  maxEntries: number,
): Promise<void> {
  await sql`
    delete from audit_entry where owner_id = ${ownerId} and id in (
      select id from audit_entry where owner_id = ${ownerId} and id <= (
        select id from audit_entry where owner_id = ${ownerId} order by id desc offset ${maxEntries} limit 1
      ) order by id limit ${maxDeletedEntries}
    )`.execute(trx);
}

const retentionDays = 365;
const retentionMs = retentionDays * 86_400_000;

/** The audit table, partitioned by the month. */
export const auditPartitions: PartitionedTable = {
  table: 'audit_entry',
  column: 'id',
  ids: 'auditEntry',
  every: 'month',
  retentionMs,
  expiredCondition: `at < now() - interval '${retentionDays} days'`,
};

interface Row {
  id: string;
  at: Date;
  actor_type: AuditEntry['actor']['type'];
  actor_id: string;
  action: AuditAction;
  target_id: string;
  target_name: string | null;
  changed: string[];
  ip: string | null;
  request_id: string | null;
}

/**
 * Returns this database's part of an audit, newest first: entries before an id, optionally of one actor or one action.
 */
export async function listEntries(db: Kysely<unknown>, query: AuditQuery): Promise<AuditEntry[]> {
  return (await selectEntries(db, query).execute()).map(toEntry);
}

/**
 * Returns the statement of `listEntries`. A filtered query sorts by an expression that only the filters' indexes have.
 * If it sorted by `id`, the planner would use the primary key when it expects many matches, and read through all
 * entries that do not match.
 */
export function selectEntries(
  db: Kysely<unknown>,
  { ownerId, actor, action, since, until, before, limit }: AuditQuery,
) {
  const isFiltered = actor !== undefined || action !== undefined;
  const sortKey = isFiltered ? sql<string>`(id || '')` : sql.ref<string>('id');
  // Ids begin with their time, so a range of time is a range of ids, as it is for a page.
  const from = since === undefined ? 0 : Date.parse(since);
  const first = firstIdAt('auditEntry', Math.max(from, Date.now() - retentionMs));
  let entries = (db as Kysely<{ audit_entry: Row & { owner_id: string } }>)
    .selectFrom('audit_entry')
    .select(['id', 'at', 'actor_type', 'actor_id', 'action', 'target_id', 'target_name', 'changed'])
    .select(['ip', 'request_id'])
    .where('owner_id', '=', ownerId)
    // Skips entries from earlier versions: sign-ins belong to the person alone (`decisions.md 19.12`).
    .where(sql<boolean>`action <> 'user.signedIn'`)
    .where(sortKey, '>=', first)
    // A condition on `id` itself, so that PostgreSQL skips partitions.
    .where('id', '>=', first);
  if (until !== undefined) {
    const end = firstIdAt('auditEntry', Math.max(0, Date.parse(until)));
    entries = entries.where('id', '<', end).where(sortKey, '<', end);
  }
  if (before !== undefined) entries = entries.where('id', '<', before).where(sortKey, '<', before);
  if (actor !== undefined) entries = entries.where('actor_id', '=', actor);
  if (action !== undefined) entries = entries.where('action', '=', action as AuditAction);
  return entries.orderBy(sortKey, 'desc').limit(limit);
}

function toEntry(row: Row): AuditEntry {
  const { id, at, action, changed, ip } = row;
  return {
    id,
    at: at.toISOString(),
    actor: { type: row.actor_type, id: row.actor_type === 'system' ? null : row.actor_id, name: null },
    action,
    target: {
      type: action.slice(0, action.indexOf('.')) as AuditTarget,
      id: row.target_id,
      name: row.target_name,
    },
    changed,
    ip,
    requestId: row.request_id,
  };
}

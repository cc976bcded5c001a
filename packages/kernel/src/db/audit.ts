import {
  type AuditAction,
  type AuditEntry,
  type AuditQuery,
  type AuditTarget,
  firstIdAt,
  newId,
} from '@waybill/contracts';
import { type Kysely, sql } from 'kysely';
import { type Acting, acting } from '../operations/acting.ts';
import type { AnyTransaction } from './database.ts';
import type { PartitionedTable } from './partitions.ts';
import { prepare } from './statements.ts';

/** What an entry says of the thing that something happened to. */
export interface AuditedThing {
  id: string;
  /** What people call it; never a customer's name. Users have none here: theirs is looked up when it is shown. */
  name?: string | undefined;
}

export interface AuditOptions {
  /** Of `….updated`: the names of the fields that changed. */
  changed?: readonly string[];
  /** Whoever the request is answered for, unless it is somebody else. */
  by?: Acting;
}

const insertEntries = prepare(
  'audit-insert',
  `insert into audit_entry (owner_id, id, at, actor_type, actor_id, action, target_id, target_name, changed, ip, request_id)
   select owner_id, thing.entry_id, $5, $6, $7, $8, thing.id, thing.name, $9, $10, $11
   from unnest($1::text[]) as owner_id
   cross join unnest($2::text[], $3::text[], $4::text[]) as thing (entry_id, id, name)`,
);

/**
 * Records who made a change in the transaction of the change, in the audit of a store or an organisation: the entry is
 * there if and only if that commits. Several owners each get an entry for each of the things, in one statement.
 * `decisions.md 15.6`.
 */
export async function audit(
  trx: AnyTransaction,
  owners: string | readonly string[],
  action: AuditAction,
  about: AuditedThing | readonly AuditedThing[],
  { changed = [], by = acting() }: AuditOptions = {},
): Promise<void> {
  const ownerIds = typeof owners === 'string' ? [owners] : owners;
  const things = 'id' in about ? [about] : about;
  if (ownerIds.length === 0 || things.length === 0) return;
  const now = Date.now();
  const entryIds = things.map(() => newId('auditEntry', now));
  const targets = [things.map(({ id }) => id), things.map(({ name }) => name ?? null)];
  const values = [new Date(now), by.type, by.id, action, changed, by.ip, by.requestId];
  await trx.executeQuery(insertEntries([ownerIds, entryIds, ...targets, ...values]));
  // What is seldom done costs little, and keeps up: each time more goes than has come since.
  if (Math.random() * boundedEvery >= ownerIds.length * things.length) return;
  await boundEntries(trx, ownerIds[Math.floor(Math.random() * ownerIds.length)]!, mostOfOwner);
}

/** How many entries of an owner each service keeps at least, the newest: `decisions.md 19.13`. */
const mostOfOwner = 1_000_000;
const boundedEvery = 2_000;
const deletedAtOnce = 10_000;

/** Deletes some of the oldest entries of an owner that has more than so many. */
export async function boundEntries(trx: AnyTransaction, ownerId: string, most: number): Promise<void> {
  await sql`
    delete from audit_entry where owner_id = ${ownerId} and id in (
      select id from audit_entry where owner_id = ${ownerId} and id <= (
        select id from audit_entry where owner_id = ${ownerId} order by id desc offset ${most} limit 1
      ) order by id limit ${deletedAtOnce}
    )`.execute(trx);
}

const keptDays = 365;
const keptMs = keptDays * 86_400_000;

/** By the month. */
export const auditPartitions: PartitionedTable = {
  table: 'audit_entry',
  column: 'id',
  ids: 'auditEntry',
  every: 'month',
  keptMs,
  isOver: `at < now() - interval '${keptDays} days'`,
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

/** This database's part of an audit, newest first: the entries before an id, of one actor and of one action perhaps. */
export async function listEntries(db: Kysely<unknown>, query: AuditQuery): Promise<AuditEntry[]> {
  return (await entriesOf(db, query).execute()).map(toEntry);
}

/**
 * The statement of `listEntries`. With a filter in an order that only the filters' indexes have: in that of `id` the
 * planner would take the primary key where it expects many to match, and read through those that do not.
 */
export function entriesOf(
  db: Kysely<unknown>,
  { ownerId, actor, action, since, until, before, limit }: AuditQuery,
) {
  const isFiltered = actor !== undefined || action !== undefined;
  const sortKey = isFiltered ? sql<string>`(id || '')` : sql.ref<string>('id');
  // Ids begin with their time: those of a time are found as those of a page are.
  const from = since === undefined ? 0 : Date.parse(since);
  const first = firstIdAt('auditEntry', Math.max(from, Date.now() - keptMs));
  let entries = (db as Kysely<{ audit_entry: Row & { owner_id: string } }>)
    .selectFrom('audit_entry')
    .select(['id', 'at', 'actor_type', 'actor_id', 'action', 'target_id', 'target_name', 'changed'])
    .select(['ip', 'request_id'])
    .where('owner_id', '=', ownerId)
    // Entries of before: sign-ins are the person's own (`decisions.md 19.12`).
    .where(sql<boolean>`action <> 'user.signedIn'`)
    .where(sortKey, '>=', first)
    // Of `id` itself, for the partitions.
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

import { deleteBatch, prepare, type ServiceContext } from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import { leaseSeconds } from '../lease.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** Limits of the calls to one host, over all stores and all replicas of the service. */
export interface HostLimits {
  concurrency: number;
  perSecond: number;
}

/** A call that is about to be made to a host. */
export interface HostCall {
  host: string;
  deliveryId: string;
}

const lockHosts = prepare<object>(
  'webhook-hosts-lock',
  `select pg_advisory_xact_lock(hashtextextended('host ' || host, 0))
   from (select host from unnest($1::text[]) as h (host) order by host) sorted`,
);
const deleteEndedCalls = prepare<object>(
  'webhook-hosts-sweep',
  `delete from host_call where host = any($1::text[]) and until <= now() and taken_at <= now() - interval '1 second'`,
);
const countCallsOfHosts = prepare<{ host: string; inFlight: number; recent: number }>(
  'webhook-hosts-count',
  `select host, (count(*) filter (where until > now()))::int as "inFlight",
     (count(*) filter (where taken_at > now() - interval '1 second'))::int as recent
   from host_call where host = any($1::text[]) group by host`,
);
const insertCallsOfHosts = prepare<object>(
  'webhook-hosts-note',
  `insert into host_call (host, delivery_id, until)
   select host, delivery_id, now() + interval '${leaseSeconds} seconds'
   from unnest($1::text[], $2::text[]) as c (host, delivery_id)`,
);

/**
 * Returns how many more calls each of these hosts may get, and keeps others from granting any until the transaction
 * ends.
 */
export async function lockHostSlots(
  trx: Trx,
  hosts: readonly string[],
  { concurrency, perSecond }: HostLimits,
): Promise<Map<string, number>> {
  const distinct = [...new Set(hosts)];
  if (distinct.length === 0) return new Map();
  await trx.executeQuery(lockHosts([distinct]));
  await trx.executeQuery(deleteEndedCalls([distinct]));
  const { rows } = await trx.executeQuery(countCallsOfHosts([distinct]));
  const callsByHost = new Map(rows.map((row) => [row.host, row]));
  return new Map(
    distinct.map((host) => {
      const { inFlight = 0, recent = 0 } = callsByHost.get(host) ?? {};
      return [host, Math.max(0, Math.min(concurrency - inFlight, perSecond - recent))];
    }),
  );
}

/** Counts calls for their hosts. */
export async function insertHostCalls(trx: Trx, calls: readonly HostCall[]): Promise<void> {
  if (calls.length === 0) return;
  await trx.executeQuery(
    insertCallsOfHosts([calls.map(({ host }) => host), calls.map(({ deliveryId }) => deliveryId)]),
  );
}

/** Acquires slots for calls in their order, as far as their hosts have room. Returns the deliveries that got one. */
export async function acquireHostSlots(
  { transaction }: Pick<ServiceContext<unknown, Tables>, 'transaction'>,
  calls: readonly HostCall[],
  limits: HostLimits,
): Promise<ReadonlySet<string>> {
  if (calls.length === 0) return new Set();
  return transaction(async (trx) => {
    const capacities = await lockHostSlots(
      trx,
      calls.map(({ host }) => host),
      limits,
    );
    const granted = calls.filter(({ host }) => {
      const capacity = capacities.get(host)!;
      capacities.set(host, capacity - 1);
      return capacity > 0;
    });
    await insertHostCalls(trx, granted);
    return new Set(granted.map(({ deliveryId }) => deliveryId));
  });
}

const endCalls = prepare<object>(
  'webhook-hosts-end',
  `update host_call set until = now() where delivery_id = any($1::text[]) and until > now()`,
);

/** Frees the slots of calls that have ended, or are not made. Calls of the last second still count for the rate. */
export async function endHostCalls(db: Db, calls: readonly { deliveryId: string }[]): Promise<void> {
  if (calls.length > 0) await db.executeQuery(endCalls([calls.map(({ deliveryId }) => deliveryId)]));
}

/** Deletes up to `limit` ended calls of hosts that are no longer called. Returns whether there may be more. */
export const deleteOldHostCalls = (db: Db, limit: number): Promise<boolean> =>
  deleteBatch(db, 'host_call', sql`until < now() - interval '1 minute'`, limit);

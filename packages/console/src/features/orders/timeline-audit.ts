import { useQueries, useQuery } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { useStore } from '../../api/me.ts';
import { auditAtQuery, auditQuery } from './after-sale-queries.ts';
import type { Order } from './queries.ts';

export type AuditEntry = Model<'AuditEntry'>;

/** Maximum time between an event and its audit entry, in milliseconds. Both are written in one transaction. */
const sameMs = 3_000;

/**
 * Finds the audit entry for something that happened to a target at a time. An entry about the order's state counts as
 * well: `order.fulfillmentChanged`, for example, creates a fulfilment.
 */
export function findAuditEntry(
  entries: readonly AuditEntry[],
  at: string,
  id: string,
  state?: { orderId: string; action: AuditEntry['action'] },
): AuditEntry | undefined {
  const distance = (entry: AuditEntry) => Math.abs(Date.parse(entry.at) - Date.parse(at));
  return entries
    .filter(
      ({ target, action }) => target.id === id || (target.id === state?.orderId && action === state.action),
    )
    .filter((entry) => distance(entry) < sameMs)
    .sort((one, other) => distance(one) - distance(other))[0];
}

/** Maximum number of older moments whose audit entries are read. */
const maxMoments = 20;

/** Returns a period around each instant, newest first. Overlapping periods are merged. */
function createMoments(instants: readonly string[]): { since: string; until: string }[] {
  const moments: { since: number; until: number }[] = [];
  for (const at of instants.map((instant) => Date.parse(instant)).sort((one, other) => other - one)) {
    const last = moments.at(-1);
    if (last && at + sameMs >= last.since) last.since = at - sameMs;
    else moments.push({ since: at - sameMs, until: at + sameMs });
  }
  return moments.slice(0, maxMoments).map(({ since, until }) => ({
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
  }));
}

/**
 * Reads the audit entries that may name the actors: the newest ones and, for older events of the order, those around
 * each event.
 */
export function useAuditEntries(order: Order, instants: readonly string[]): AuditEntry[] {
  const store = useStore();
  const { data } = useQuery({ ...auditQuery(store.id, order.updatedAt), enabled: store.manages });
  const newest = data?.entries ?? [];
  const oldest = data?.nextCursor ? newest.at(-1)!.at : null;
  const before = oldest === null ? [] : instants.filter((at) => at <= oldest);
  return useQueries({
    queries: createMoments(before).map((moment) => auditAtQuery(store.id, moment)),
    combine: (results) => {
      const entries = [...newest, ...results.flatMap((result) => result.data ?? [])];
      return [...new Map(entries.map((entry) => [entry.id, entry])).values()];
    },
  });
}

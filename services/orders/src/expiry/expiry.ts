import type { EventData, EventMessage, StoreChanged } from '@waybill/contracts';
import { isTemporary } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { Context } from '../config.ts';
import { cancelUnpaid } from '../orders/orders.ts';
import type { Tables } from '../tables.ts';
import { listExpired, upsertSetting } from './queries.ts';

const minutesOfDay = 1440;

/** Stores for each store when its unpaid orders are cancelled. */
export async function onStoreChanges(db: Kysely<Tables>, events: readonly EventMessage[]): Promise<void> {
  for (const { data } of events) {
    const { store, checkout }: EventData<typeof StoreChanged> = JSON.parse(data);
    if (!checkout) continue;
    // The previous version of identity sends no days; its minutes applied to all unpaid orders.
    const days =
      checkout.expireManualAfterDays ?? Math.ceil(checkout.expireUnpaidAfterMinutes / minutesOfDay);
    const setting = {
      expire_unpaid_after_minutes: checkout.expireUnpaidAfterMinutes,
      expire_manual_after_days: days,
    };
    await upsertSetting(db, store.id, setting, new Date(store.updatedAt));
  }
}

const cancelledAtOnce = 200;
const cancelledOfEach = 20;

/** How long an order is skipped after it could not be cancelled, and maximum number of skipped orders. */
const postponeMs = 600_000;
const maxPostponedOrders = 2_000;

/**
 * Creates the task that cancels orders which stayed unpaid for longer than their store allows. Each order has its own
 * transaction: with several copies of the task, or after a crash, an order is still cancelled once, with one event.
 * Orders that cannot be cancelled are skipped for a while, because they are the oldest and would block all others. The
 * task returns whether there may be more.
 */
export function expiryTask({ db, write, log }: Context): () => Promise<boolean> {
  /** The instants until which orders are skipped, by order id, in the order of failure. */
  const failing = new Map<string, number>();
  return async () => {
    for (const [orderId, until] of failing)
      if (until <= performance.now() || failing.size > maxPostponedOrders) failing.delete(orderId);
    const expired = await listExpired(db, cancelledAtOnce, cancelledOfEach, [...failing.keys()]);
    let failed = 0;
    for (const { storeId, orderId, paysSince } of expired) {
      await write((scope) => cancelUnpaid(scope, storeId, orderId, paysSince)).catch((err: unknown) => {
        failed++;
        if (!isTemporary(err)) failing.set(orderId, performance.now() + postponeMs);
        log.warn({ err, storeId, orderId }, 'an unpaid order could not be cancelled');
      });
    }
    return failed === 0 && expired.length > 0;
  };
}

import type { EventData, EventMessage, StoreChanged } from '@waybill/contracts';
import { isPassing } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { Context } from '../config.ts';
import { cancelUnpaid } from '../orders/orders.ts';
import type { Tables } from '../tables.ts';
import { listExpired, upsertSetting } from './queries.ts';

const minutesOfDay = 1440;

/** Keeps of each store when its unpaid orders are cancelled. */
export async function followStores(db: Kysely<Tables>, events: readonly EventMessage[]): Promise<void> {
  for (const { data } of events) {
    const { store, checkout }: EventData<typeof StoreChanged> = JSON.parse(data);
    if (!checkout) continue;
    // A copy of the version before does not name the days: its minutes were for every unpaid order.
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

/** For how long one that cannot be cancelled is left alone, and how many of them are. */
const leftAloneMs = 600_000;
const mostLeftAlone = 2_000;

/**
 * Makes the task that cancels orders which have stayed unpaid for longer than their store allows, each in a transaction of
 * its own: however many copies run it, and wherever one is killed, an order is cancelled and told of once. Those that
 * cannot be cancelled are the oldest, and would stand in front of all others. The task gives whether there may be more.
 */
export function expiryTask({ db, transaction, log }: Context): () => Promise<boolean> {
  /** Until when, by their ids; what has failed first comes first. */
  const failing = new Map<string, number>();
  return async () => {
    for (const [orderId, until] of failing)
      if (until <= performance.now() || failing.size > mostLeftAlone) failing.delete(orderId);
    const expired = await listExpired(db, cancelledAtOnce, cancelledOfEach, [...failing.keys()]);
    let failed = 0;
    for (const { storeId, orderId, paysSince } of expired) {
      await transaction((trx) => cancelUnpaid(trx, storeId, orderId, paysSince)).catch((err: unknown) => {
        failed++;
        if (!isPassing(err)) failing.set(orderId, performance.now() + leftAloneMs);
        log.warn({ err, storeId, orderId }, 'an unpaid order could not be cancelled');
      });
    }
    return failed === 0 && expired.length > 0;
  };
}

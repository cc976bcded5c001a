import type { EventData, EventMessage, StoreChanged } from '@waybill/contracts';
import type { Kysely } from 'kysely';
import type { Context } from '../config.ts';
import { cancelUnpaid } from '../orders/orders.ts';
import type { Tables } from '../tables.ts';
import { listExpired, upsertSetting } from './queries.ts';

/** Keeps of each store when its unpaid orders are cancelled. */
export async function followStores(db: Kysely<Tables>, events: readonly EventMessage[]): Promise<void> {
  for (const { data } of events) {
    const { store, checkout }: EventData<typeof StoreChanged> = JSON.parse(data);
    if (!checkout) continue;
    await upsertSetting(db, store.id, checkout.expireUnpaidAfterMinutes, new Date(store.updatedAt));
  }
}

const cancelledAtOnce = 200;
const cancelledOfEach = 20;

/**
 * Cancels orders that have stayed unpaid for longer than their store allows, each in a transaction of its own: however
 * many copies run this, and wherever one is killed, an order is cancelled and told of once. True: there may be more.
 */
export async function expireUnpaid({ db, transaction, log }: Context): Promise<boolean> {
  const expired = await listExpired(db, cancelledAtOnce, cancelledOfEach);
  let failed = 0;
  for (const { storeId, orderId } of expired) {
    // One that cannot be cancelled now does not hold up the others.
    await cancelUnpaid(transaction, storeId, orderId).catch((err: unknown) => {
      failed++;
      log.warn({ err, storeId, orderId }, 'an unpaid order could not be cancelled');
    });
  }
  return failed === 0 && expired.length > 0;
}

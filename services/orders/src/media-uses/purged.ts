import {
  type AssetsPurged,
  CustomerUpdated,
  type EventData,
  type EventMessage,
  OrderUpdated,
} from '@waybill/contracts';
import { listMediaFields, listRowsWithMedia } from '@waybill/custom-fields';
import type { Context } from '../config.ts';
import { findCustomerEnvelope } from '../customers/queries.ts';
import { findOrderEnvelope } from '../orders/queries.ts';
import { removeFieldMedia } from './queries.ts';

const batch = 100;
const kinds = [
  { table: 'order', updated: OrderUpdated, findEnvelope: findOrderEnvelope },
  { table: 'customer', updated: CustomerUpdated, findEnvelope: findCustomerEnvelope },
] as const;

/** Removes purged assets from the custom fields of orders and customers. Handling an event again changes nothing. */
export async function removePurgedMedia(
  { db, write }: Pick<Context, 'db' | 'write'>,
  events: readonly EventMessage[],
): Promise<void> {
  for (const { storeId, data } of events) {
    const { assetIds }: EventData<typeof AssetsPurged> = JSON.parse(data);
    const removed = { assetIds, fieldIds: await listMediaFields(db, storeId) };
    for (const { table, updated, findEnvelope } of kinds) {
      for (;;) {
        const ids = await listRowsWithMedia(db, table, storeId, removed, batch);
        for (const id of ids) {
          await write(async ({ trx, emit }) => {
            if (!(await removeFieldMedia(trx, table, storeId, id, removed))) return;
            await emit(updated, storeId, { json: (await findEnvelope(trx, storeId, id))! });
          });
        }
        if (ids.length < batch) break;
      }
    }
  }
}

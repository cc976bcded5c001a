import { prepare } from '@waybill/kernel';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../../tables.ts';

type Db = Kysely<Tables>;

/** Advances the revision of a map when something changed that no page shows. Requires the lock of the page list. */
export async function bumpMapRevision(trx: Transaction<Tables>, storeId: string): Promise<void> {
  await trx
    .updateTable('page_list')
    .set((eb) => ({ map_revision: eb('map_revision', '+', 1) }))
    .where('store_id', '=', storeId)
    .execute();
}

const revision = prepare<{ revision: number }>(
  'sitemap-revision',
  'select map_revision as revision from page_list where store_id = $1',
);

/** Returns the revision that `bumpMapRevision` advances; 0 for a store without pages. */
export async function findMapRevision(db: Db, storeId: string): Promise<number> {
  return (await db.executeQuery(revision([storeId]))).rows[0]?.revision ?? 0;
}

import { claimByStore, isDistributed, ofStore } from '@waybill/kernel';
import { sql, type Transaction } from 'kysely';
import { isAvailable } from '../apps/queries.ts';
import type { Tables } from '../tables.ts';

// A draft's installs are in several stores, so these queries name no store.
type Trx = Transaction<Tables>;

/**
 * Records that the installs of a draft have changed, in the transaction that changes the draft and holds its lock.
 * Locks them in the order of sweeps. Also updates installs already marked, because a process that is just announcing
 * the mark does not see this change.
 */
export async function markDraftChanged(trx: Trx, versionId: string): Promise<void> {
  if (isDistributed(trx)) {
    // No other transaction takes several of these in another order: a sweep takes those of one store at a time.
    await sql`update install set has_changed = true where version_id = ${versionId} and is_development`.execute(
      trx,
    );
    return;
  }
  await sql`
    with changed as materialized (
      select store_id, id from install where version_id = ${versionId} and is_development
      order by store_id for no key update
    )
    update install set has_changed = true from changed
    where install.store_id = changed.store_id and install.id = changed.id`.execute(trx);
}

/** Takes some changed installs that no other process is announcing. */
export async function claimChangedInstalls(
  trx: Trx,
  limit: number,
): Promise<{ storeId: string; appId: string; isAvailable: boolean }[]> {
  return claimByStore(trx, {
    limit,
    stores: (limit) => sql`
      select store_id as "storeId" from install where has_changed order by store_id, id limit ${limit}`,
    async claim(storeId, limit) {
      const { rows } = await sql<{ storeId: string; appId: string; isAvailable: boolean }>`
        with changed as materialized (
          select store_id, id from install where has_changed and ${ofStore(storeId)}
          order by store_id, id limit ${limit} for no key update skip locked
        )
        update install set has_changed = false, choice = choice + 1 from changed, app
        where install.store_id = changed.store_id and install.id = changed.id and app.id = install.app_id
          and ${ofStore(storeId, 'install.store_id')}
        returning install.store_id as "storeId", install.app_id as "appId",
          ${sql.raw(isAvailable)} as "isAvailable"`.execute(trx);
      return rows;
    },
  });
}

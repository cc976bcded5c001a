import { InstallChanged } from '@waybill/contracts';
import { emit } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { claimChangedInstalls } from './draft-queries.ts';

const batch = 200;

/**
 * Announces installs whose draft has changed, so that live pages show it: each once, however often it has changed since
 * the last turn. Returns true when there may be more (`decisions.md 14.3`).
 */
export function announceDraftChanges({ transaction }: Context): Promise<boolean> {
  return transaction(async (trx) => {
    const installs = await claimChangedInstalls(trx, batch);
    for (const { storeId, appId, isAvailable } of installs) {
      // An unavailable install is announced when it becomes available again.
      if (isAvailable) await emit(trx, InstallChanged, storeId, { appId, isAvailable, isUpgrade: false });
    }
    return installs.length === batch;
  });
}

import { InstallChanged } from '@waybill/contracts';
import type { Context } from '../config.ts';
import { claimChangedInstalls } from './draft-queries.ts';

const batch = 200;

/**
 * Announces installs whose draft has changed, so that live pages show it: each once, however often it has changed since
 * the last turn. Returns true when there may be more (`decisions.md 14.3`).
 */
export function announceDraftChanges({ write }: Context): Promise<boolean> {
  return write(async ({ trx, emit }) => {
    const installs = await claimChangedInstalls(trx, batch);
    for (const { storeId, appId, isAvailable } of installs) {
      // An unavailable install is announced when it becomes available again.
      if (isAvailable) await emit(InstallChanged, storeId, { appId, isAvailable, isUpgrade: false });
    }
    return installs.length === batch;
  });
}

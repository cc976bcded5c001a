import type { EventData, EventMessage, InstallChanged } from '@waybill/contracts';
import type { Context } from '../context.ts';
import { markWaitingOfApp } from './queries.ts';

/**
 * Cancels what waits for the endpoints of an app that was uninstalled, disabled or suspended: what came since then is
 * judged when it is handed over. `decisions.md 12.2`.
 */
export async function onInstallChanged(
  { db, wake }: Pick<Context, 'db' | 'wake'>,
  events: readonly EventMessage[],
): Promise<void> {
  for (const { storeId, createdAt: before, data } of events) {
    const { appId, isAvailable }: EventData<typeof InstallChanged> = JSON.parse(data);
    // Messages of an app platform that has not been upgraded yet do not say.
    if (isAvailable === false) await markWaitingOfApp(db, { storeId, appId, before });
  }
  wake('cancel');
}

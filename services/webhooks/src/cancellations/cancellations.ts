import type { EventData, EventMessage, InstallChanged } from '@waybill/contracts';
import type { Context } from '../context.ts';
import { markWaitingCallsOfApp } from './queries.ts';

/**
 * Cancels the waiting calls of an app that was uninstalled, disabled or suspended. Calls added since then are checked
 * at their hand-over (`decisions.md 12.2`).
 */
export async function onInstallChanged(
  { db, wakeTask }: Pick<Context, 'db' | 'wakeTask'>,
  events: readonly EventMessage[],
): Promise<void> {
  for (const { storeId, createdAt: before, data } of events) {
    const { appId, isAvailable }: EventData<typeof InstallChanged> = JSON.parse(data);
    // Messages of an older app platform lack this field.
    if (isAvailable === false) await markWaitingCallsOfApp(db, { storeId, appId, before });
  }
  wakeTask('cancel');
}

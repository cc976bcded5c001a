import { type EventData, type EventMessage, UserDeleted } from '@waybill/contracts';
import { unlistOrphanedApps } from './apps/queries.ts';
import type { Context } from './config.ts';
import { uninstallApp } from './installs/installs.ts';
import { listInstalledApps } from './installs/queries.ts';
import { deleteReportTokensOfStore } from './oauth/queries.ts';
import { deleteUserMemberships } from './orgs/queries.ts';

/**
 * Removes deleted users from organisations, and apps from closed stores. When an organisation has no members left,
 * nobody can fix its apps or answer for them, so they are no longer offered; stores that have them keep them. A
 * repeated event changes nothing (`decisions.md 15.7`).
 */
export async function onDepartures(context: Context, events: readonly EventMessage[]): Promise<void> {
  for (const { name, storeId, data } of events) {
    if (name === UserDeleted.name) {
      const { userId }: EventData<typeof UserDeleted> = JSON.parse(data);
      await context.write(async ({ trx, audit }) => {
        const orgIds = await deleteUserMemberships(trx, userId);
        await audit(orgIds, 'member.removed', { id: userId });
        for (const app of await unlistOrphanedApps(trx, orgIds))
          await audit(app.org_id, 'app.updated', app, { changed: ['isListed'] });
      });
    } else {
      for (const appId of await listInstalledApps(context.db, storeId))
        await context.write((write) => uninstallApp(write, context, storeId, appId));
      // A closed store has no payments left to report on.
      await deleteReportTokensOfStore(context.db, storeId);
      await context.cache.bumpEpoch(storeId);
    }
  }
}

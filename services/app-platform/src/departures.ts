import { type EventData, type EventMessage, UserDeleted } from '@waybill/contracts';
import { unlistAppsOfNobody } from './apps/queries.ts';
import type { Context } from './config.ts';
import { uninstallApp } from './installs/installs.ts';
import { listInstalledApps } from './installs/queries.ts';
import { deleteReportTokensOfStore } from './oauth/queries.ts';
import { deleteMembershipsOf } from './orgs/queries.ts';

/**
 * Takes users who are gone out of organisations, and apps out of stores that are closed. Where nobody is left in an
 * organisation, nobody can mend its apps or answer for them: no further store is offered them, those that have one keep it.
 * An event that comes again changes nothing. `decisions.md 15.7`.
 */
export async function followDepartures(context: Context, events: readonly EventMessage[]): Promise<void> {
  for (const { name, storeId, data } of events) {
    if (name === UserDeleted.name) {
      const { userId }: EventData<typeof UserDeleted> = JSON.parse(data);
      await context.write(async ({ trx, audit }) => {
        const orgIds = await deleteMembershipsOf(trx, userId);
        await audit(orgIds, 'member.removed', { id: userId });
        for (const app of await unlistAppsOfNobody(trx, orgIds))
          await audit(app.org_id, 'app.updated', app, { changed: ['isListed'] });
      });
    } else {
      for (const appId of await listInstalledApps(context.db, storeId))
        await context.write((write) => uninstallApp(write, context, storeId, appId));
      // A closed store has no payments to serve.
      await deleteReportTokensOfStore(context.db, storeId);
      await context.cache.bumpEpoch(storeId);
    }
  }
}

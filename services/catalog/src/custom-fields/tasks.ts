import { type EventData, type EventMessage, lifecycleEvents } from '@waybill/contracts';
import { sweepValues } from '@waybill/custom-fields';
import type { ServiceContext, TaskDefinition } from '@waybill/kernel';
import type { Tables } from '../tables.ts';
import { setAppDefinitions } from './custom-fields.ts';
import { findHiddenSince } from './queries.ts';

type Context = Pick<ServiceContext<object, Tables>, 'db' | 'write'>;

export const sweepTask = 'sweep-custom-fields';

/** How long an app's definitions and values are kept after it is uninstalled: `decisions.md 20.4`. */
const retentionMs = 30 * 86_400_000;

/** Removes the values of deleted definitions, and the definitions of apps that were uninstalled long ago. */
export const tasks = ({ db, write }: Context): TaskDefinition[] => [
  {
    name: sweepTask,
    everyMs: 60_000,
    run: () => sweepValues(db, { product: 'product', variant: 'variant', category: 'category' }),
  },
  {
    name: 'delete-fields-of-apps',
    everyMs: 3_600_000,
    async run() {
      const hidden = await findHiddenSince(db, new Date(Date.now() - retentionMs));
      for (const { storeId, appId } of hidden)
        await write((scope) => setAppDefinitions(scope, storeId, appId, 'delete'));
      return hidden.length > 0;
    },
  },
];

/** Hides an app's definitions when it is uninstalled, and shows them when it is installed again. */
export async function onInstallsChanged({ write }: Context, events: readonly EventMessage[]): Promise<void> {
  for (const { name, storeId, data } of events) {
    const { install }: EventData<(typeof lifecycleEvents)['app.installed']> = JSON.parse(data);
    const hiddenAt = name === lifecycleEvents['app.uninstalled'].name ? install.updatedAt : null;
    await write((scope) => setAppDefinitions(scope, storeId, install.appId, { hiddenAt }));
  }
}

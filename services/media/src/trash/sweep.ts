import type { ServiceContext, TaskDefinition } from '@waybill/kernel';
import type { Config } from '../config.ts';
import type { Tables } from '../tables.ts';
import { purgeUnused } from './purge.ts';
import { claimOldTrash } from './queries.ts';

const batch = 100;

/** Deletes assets that have been in the trash for a long time and that nothing uses: `decisions.md 16.2`. */
export function tasks(context: ServiceContext<Config, Tables>): TaskDefinition[] {
  const { config, transaction, log } = context;
  const { store, trashDays } = config;
  if (!store || trashDays === 0) return [];
  return [
    {
      name: 'empty-trash',
      everyMs: 10_000,
      async run() {
        const claimed = await transaction((trx) => claimOldTrash(trx, trashDays, batch));
        for (const [storeId, assets] of Map.groupBy(claimed, (each) => each.storeId)) {
          const ids = assets.map(({ id }) => id);
          // If the uses cannot be determined now, the next search finds these assets again.
          await purgeUnused(context, storeId, ids).catch((err: unknown) =>
            log.warn({ err, storeId }, 'trash could not be emptied'),
          );
        }
        return claimed.length === batch;
      },
    },
  ];
}

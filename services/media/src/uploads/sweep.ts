import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceContext, TaskDefinition } from '@waybill/kernel';
import type { Config } from '../config.ts';
import type { Tables } from '../tables.ts';
import { listExpired } from './queries.ts';
import { releaseReservation } from './quota.ts';

const batch = 100;
/**
 * Time limit of a turn. An object store that does not answer is left alone until the next turn, and a shutdown does not
 * wait for it.
 */
const maxRunMs = 3_000;
/** A file not written to for this long belongs to no request any more. */
const abandonedAfterMs = 900_000;

/** Also removes the bytes of assets that were deleted for good. */
export const releaseReservationsTask = 'give-back-reservations';

/** Removes the remains of uploads whose process was killed. */
export function tasks(context: ServiceContext<Config, Tables>): TaskDefinition[] {
  const { config, db, log } = context;
  return [
    {
      name: releaseReservationsTask,
      everyMs: 15_000,
      async run() {
        const expired = await listExpired(db, batch);
        const deadline = Date.now() + maxRunMs;
        let done = 0;
        for (const { storeId, ...reservation } of expired) {
          if (Date.now() > deadline) return;
          // A reservation whose bytes cannot be removed now does not delay the others: it queues up behind them.
          await releaseReservation(context, storeId, reservation).then(
            () => done++,
            (err: unknown) => log.warn({ err, storeId }, 'a reservation could not be given back'),
          );
        }
        return done === batch;
      },
    },
    {
      name: 'remove-abandoned-uploads',
      everyMs: 300_000,
      run: () => removeAbandoned(config.uploadFolder),
    },
  ];
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const facts = await stat(path).catch(() => null);
    if (facts && facts.mtimeMs < Date.now() - abandonedAfterMs) await rm(path, { force: true });
  }
}

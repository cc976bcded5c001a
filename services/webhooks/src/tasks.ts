import type { TaskDefinition } from '@waybill/kernel';
import { cancelMarkedCalls } from './cancellations/queries.ts';
import type { Context } from './context.ts';
import { deleteOrphanedCounts } from './deliveries/queries.ts';
import { checkFailures } from './endpoint-alerts/endpoint-alerts.ts';
import { deleteOldMinutes } from './endpoint-alerts/queries.ts';
import { deleteFormerSecrets } from './endpoints/queries.ts';
import { resealSecrets } from './endpoints/secrets.ts';
import { findLogEnds } from './event-log/queries.ts';
import { deleteOldSubjects } from './personal-data/queries.ts';
import { redactEvents, subjectRetentionDays } from './personal-data/redaction.ts';
import { deleteOldReplays } from './replays/queries.ts';
import { runReplays } from './replays/turns.ts';
import { retentionDays } from './retention.ts';
import { deleteOldBatches } from './schedule/batches.ts';
import { dispatch, measureDueCalls } from './schedule/dispatch.ts';
import { deleteOldHostCalls } from './schedule/host-limits.ts';
import { queueMissingEndpoints, releaseLeases } from './schedule/queries.ts';
import { deleteOldRateCalls } from './schedule/rates.ts';
import { deleteOldCounts } from './stats/queries.ts';

/** Number of endpoints that one step of `queue-endpoints` examines. */
const queueStep = 1000;
/** Number of deliveries that one step of `cancel` ends. */
const cancelStep = 1000;

/** Lists the background tasks: they hand due calls over to delivery and delete old data. */
export function tasks(context: Context): TaskDefinition[] {
  let areOldLeasesReleased = !context.bus.isSingleProcess;
  let lastQueued: string | null = null;
  return [
    {
      name: 'dispatch',
      everyMs: 500,
      async run() {
        if (!areOldLeasesReleased) {
          await releaseLeases(context.db);
          areOldLeasesReleased = true;
        }
        return dispatch(context);
      },
    },
    {
      // Queues endpoints from before the queue existed, and those that older replicas add during a deployment.
      name: 'queue-endpoints',
      everyMs: 600_000,
      async run() {
        lastQueued = await queueMissingEndpoints(context.db, lastQueued, queueStep);
        return lastQueued !== null;
      },
    },
    { name: 'cancel', everyMs: 5_000, run: () => cancelMarkedCalls(context.db, cancelStep) },
    { name: 'replay', everyMs: 1_000, run: () => runReplays(context) },
    {
      name: 'delete-old-replays',
      everyMs: 3_600_000,
      run: () => deleteOldReplays(context.db, retentionDays, 1000),
    },
    { name: 'redact-events', everyMs: 1_000, run: () => redactEvents(context) },
    {
      name: 'delete-old-subjects',
      everyMs: 3_600_000,
      run: () => deleteOldSubjects(context.db, subjectRetentionDays, 1000),
    },
    { name: 'watch-logs', everyMs: 500, run: () => wakeOutdatedReaders(context) },
    { name: 'measure', everyMs: 5_000, run: () => measureDueCalls(context) },
    {
      name: 'forget-former-secrets',
      everyMs: 3_600_000,
      run: () => deleteFormerSecrets(context.db, 1000),
    },
    { name: 'forget-host-calls', everyMs: 600_000, run: () => deleteOldHostCalls(context.db, 1000) },
    { name: 'delete-old-rate-calls', everyMs: 600_000, run: () => deleteOldRateCalls(context.db, 1000) },
    {
      name: 'delete-old-batches',
      everyMs: 3_600_000,
      run: () => deleteOldBatches(context.db, retentionDays, 1000),
    },
    { name: 'check-failures', everyMs: 60_000, run: () => checkFailures(context) },
    { name: 'delete-old-minutes', everyMs: 3_600_000, run: () => deleteOldMinutes(context.db, 1000) },
    resealSecrets(context),
    { name: 'forget-counts', everyMs: 3_600_000, run: () => deleteOrphanedCounts(context.db) },
    {
      name: 'delete-old-counts',
      everyMs: 3_600_000,
      run: () => deleteOldCounts(context.db, retentionDays, 1000),
    },
  ];
}

/** Wakes readers that wait for an event which another replica of the service has written. */
async function wakeOutdatedReaders({ db, state: { readers } }: Context): Promise<void> {
  const stores = readers.listStores();
  if (stores.length > 0) readers.wakeOutdated(await findLogEnds(db, stores));
}

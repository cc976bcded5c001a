import type { TaskDefinition } from '@waybill/kernel';
import { cancelMarked } from './cancellations/queries.ts';
import { forgetCounts } from './deliveries/queries.ts';
import { forgetFormerSecrets } from './endpoints/queries.ts';
import { resealSecrets } from './endpoints/secrets.ts';
import { keptDays } from './event-log/event-log.ts';
import { findEnds } from './event-log/queries.ts';
import { deleteOldSubjects } from './personal-data/queries.ts';
import { redactEvents, subjectDays } from './personal-data/redaction.ts';
import { deleteOldReplays } from './replays/queries.ts';
import { runReplays } from './replays/turns.ts';
import { dispatch, measure } from './schedule/dispatch.ts';
import { forgetHostCalls } from './schedule/hosts.ts';
import { type EndpointPlace, queueMissingEndpoints, releaseLeases } from './schedule/queries.ts';
import type { Context } from './state.ts';
import { deleteOldCounts } from './stats/queries.ts';

/** Of the endpoints that are looked after at a time. */
const queueStep = 1000;
/** Of the deliveries that are cancelled at a time. */
const cancelStep = 1000;

/** The background tasks: what is due goes to delivery, what is old goes away. */
export function tasks(context: Context): TaskDefinition[] {
  let leasesAreOurs = !context.bus.soleProcess;
  let place: EndpointPlace | null = null;
  return [
    {
      name: 'dispatch',
      everyMs: 500,
      async run() {
        if (!leasesAreOurs) {
          await releaseLeases(context.db);
          leasesAreOurs = true;
        }
        return dispatch(context);
      },
    },
    {
      // For what was there before the queue was, and what copies of a version before it add during a deployment.
      name: 'queue-endpoints',
      everyMs: 600_000,
      async run() {
        place = await queueMissingEndpoints(context.db, place, queueStep);
        return place !== null;
      },
    },
    { name: 'cancel', everyMs: 5_000, run: () => cancelMarked(context.db, cancelStep) },
    { name: 'replay', everyMs: 1_000, run: () => runReplays(context) },
    {
      name: 'delete-old-replays',
      everyMs: 3_600_000,
      run: () => deleteOldReplays(context.db, keptDays, 1000),
    },
    { name: 'redact-events', everyMs: 1_000, run: () => redactEvents(context) },
    {
      name: 'delete-old-subjects',
      everyMs: 3_600_000,
      run: () => deleteOldSubjects(context.db, subjectDays, 1000),
    },
    { name: 'watch-logs', everyMs: 500, run: () => watchLogs(context) },
    { name: 'measure', everyMs: 5_000, run: () => measure(context) },
    {
      name: 'forget-former-secrets',
      everyMs: 3_600_000,
      run: () => forgetFormerSecrets(context.db, 1000),
    },
    { name: 'forget-host-calls', everyMs: 600_000, run: () => forgetHostCalls(context.db, 1000) },
    resealSecrets(context),
    { name: 'forget-counts', everyMs: 3_600_000, run: () => forgetCounts(context.db) },
    { name: 'delete-old-counts', everyMs: 3_600_000, run: () => deleteOldCounts(context.db, keptDays, 1000) },
  ];
}

/** Answers who waits for an event that another copy of the service has written. */
async function watchLogs({ db, state: { readers } }: Context): Promise<void> {
  const stores = readers.stores();
  if (stores.length > 0) readers.wakeBehind(await findEnds(db, stores));
}

import { type DeliveryOutcome, outcomesQueue } from '@waybill/contracts';
import { Gauge, metrics, type TaskDefinition, type WorkerDefinition } from '@waybill/kernel';
import { forgetFormerSecrets } from '../endpoints/queries.ts';
import type { Context } from '../state.ts';
import { countAttempts, deleteOldCounts } from '../stats/queries.ts';
import { testBody } from '../test-calls/test-body.ts';
import { type Call, handOver, handOverWaiting } from './hand-over.ts';
import {
  cancelMarked,
  claimDueDeliveries,
  countStreaks,
  type DueDelivery,
  deleteOld,
  type EndpointPlace,
  leaseMs,
  markWaiting,
  measureDue,
  queueMissingEndpoints,
  releaseLeases,
  type Streak,
  settleDeliveries,
} from './queries.ts';

const usualRoom = 8;
/** Of the endpoints that are looked after at a time. */
const queueStep = 1000;
/** Of the deliveries that are cancelled at a time: a request that marks the same endpoint anew waits for one step. */
const cancelStep = 1000;
const keptDays = 30;

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
    { name: 'measure', everyMs: 5_000, run: () => measure(context) },
    { name: 'delete-old', everyMs: 3_600_000, run: () => deleteOld(context.db, keptDays, 1000) },
    {
      name: 'forget-former-secrets',
      everyMs: 3_600_000,
      run: () => forgetFormerSecrets(context.db, 1000),
    },
    { name: 'delete-old-counts', everyMs: 3_600_000, run: () => deleteOldCounts(context.db, keptDays, 1000) },
  ];
}

const dueDeliveries = new Gauge({
  name: 'waybill_webhook_due_deliveries',
  help: 'Webhook calls that are due and not in hand, counted up to 200 of each of the 50 endpoints that wait longest.',
  registers: [metrics],
});
const oldestDueSeconds = new Gauge({
  name: 'waybill_webhook_oldest_due_seconds',
  help: 'For how long the oldest of those has been due; 0 when none is.',
  registers: [metrics],
});

async function measure({ db }: Context): Promise<void> {
  const { due, oldestSeconds } = await measureDue(db);
  dueDeliveries.set(due);
  oldestDueSeconds.set(oldestSeconds);
}

/** Hands over what is due, as far as its endpoints have room. True: there may be more. */
async function dispatch(context: Context): Promise<boolean> {
  const { db } = context;
  const { windows } = context.state;
  await handOverWaiting(context);
  const tight = windows.tight();
  const leasedUntil = Date.now() + leaseMs;
  const { due, isAll } = await claimDueDeliveries(db, tight, usualRoom);
  const wanted = due.filter(({ isMarked }) => !isMarked);
  const callable = wanted.filter(
    ({ endpointStatus, isTest }) => endpointStatus && (isTest || endpointStatus !== 'disabled'),
  );
  await handOver(
    context,
    callable.map((delivery) => toCall(delivery, leasedUntil)),
  );
  const claimed = Map.groupBy(due, ({ endpointId }) => endpointId);
  for (const [endpointId, [first]] of claimed) windows.setBehind(endpointId, first!.isMoreDue);
  for (const { endpointId, room } of tight) {
    if (room > 0 && isAll && !claimed.has(endpointId)) windows.setBehind(endpointId, false);
  }
  if (callable.length < due.length) {
    // What an endpoint that was disabled at the same moment has left.
    await markWaiting(
      db,
      wanted.filter((delivery) => !callable.includes(delivery)),
    );
    context.wake('cancel');
  }
  return !isAll;
}

function toCall(delivery: DueDelivery, leasedUntil: number): Call {
  const { id, attempts, body, bytes, isSlow, ownerId, appId, ...rest } = delivery;
  const { endpointStatus: _, isMoreDue: __, isMarked: ___, ...due } = rest;
  const { isTest, eventId, eventType, committedAt } = due;
  return {
    job: {
      ...due,
      deliveryId: id,
      attempt: attempts + 1,
      body: isTest
        ? testBody(eventId, eventType, new Date(committedAt))
        : (body ?? { bytes, isReduced: true }),
      leasedUntil,
    },
    endpoint: { isSlow, ownerId, appId },
  };
}

/** The worker that records how calls went, in batches. */
export function outcomesWorker(context: Context): WorkerDefinition {
  const { config, transaction, wake } = context;
  const { windows } = context.state;
  return {
    queue: outcomesQueue,
    concurrency: 1,
    batch: 200,
    async handle(outcomes: DeliveryOutcome[]) {
      await transaction(async (trx) => {
        const news = await settleDeliveries(trx, outcomes, config.retryDelays);
        const ended = outcomes.filter(({ deliveryId }) => news.has(deliveryId));
        await countAttempts(trx, ended);
        const streaks = streaksOf(ended.filter(({ deliveryId }) => !news.get(deliveryId)!.isTest));
        if (streaks.length > 0) await countStreaks(trx, streaks);
      });
      for (const outcome of outcomes) windows.settle(outcome);
      await handOverWaiting(context);
      if (outcomes.some(({ endpointId }) => windows.isBehind(endpointId))) wake('dispatch');
    },
  };
}

function streaksOf(outcomes: readonly DeliveryOutcome[]): Streak[] {
  const streaks = new Map<string, Streak>();
  for (const { storeId, endpointId, delivered, durationMs } of outcomes) {
    const streak = streaks.get(endpointId) ?? {
      storeId,
      endpointId,
      succeeded: false,
      failures: 0,
      lastMs: 0,
    };
    streaks.set(endpointId, streak);
    if (delivered) Object.assign(streak, { succeeded: true, failures: 0 });
    else streak.failures++;
    streak.lastMs = durationMs;
  }
  return [...streaks.values()];
}

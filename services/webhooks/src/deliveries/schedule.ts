import { type DeliveryOutcome, outcomesQueue } from '@waybill/contracts';
import {
  Gauge,
  metrics,
  type ServiceContext,
  type TaskDefinition,
  type WorkerDefinition,
} from '@waybill/kernel';
import type { Config } from '../config.ts';
import { forgetFormerSecrets } from '../endpoints/queries.ts';
import { countAttempts, deleteOldCounts } from '../stats/queries.ts';
import type { Tables } from '../tables.ts';
import { testBody } from '../test-calls/test-body.ts';
import { type Call, handOver, handOverWaiting, sendingOf } from './hand-over.ts';
import {
  cancelWaitingDeliveries,
  claimDueDeliveries,
  countStreaks,
  type DueDelivery,
  deleteOld,
  leaseMs,
  measureDue,
  releaseLeases,
  type Streak,
  settleDeliveries,
} from './queries.ts';

type Context = ServiceContext<Config, Tables>;

const claimLimit = 500;
const usualRoom = 8;
const keptDays = 30;

/** The background tasks: what is due goes to delivery, what is old goes away. */
export function tasks(context: Context): TaskDefinition[] {
  let leasesAreOurs = !context.bus.soleProcess;
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
  help: 'Webhook calls that are due and not in hand.',
  registers: [metrics],
});
const oldestDueSeconds = new Gauge({
  name: 'waybill_webhook_oldest_due_seconds',
  help: 'For how long the oldest of them has been due; 0 when none is.',
  registers: [metrics],
});

async function measure({ db }: Context): Promise<void> {
  const { due, oldestSeconds } = await measureDue(db);
  dueDeliveries.set(due);
  oldestDueSeconds.set(oldestSeconds);
}

/** Hands over what is due, as far as its endpoints have room. True: there may be more. */
async function dispatch(context: Context): Promise<boolean> {
  const { db, bus } = context;
  await handOverWaiting(context);
  const { windows } = sendingOf(bus);
  const tight = windows.tight();
  const due = await claimDueDeliveries(db, tight, usualRoom, claimLimit);
  const isAll = due.length < claimLimit;
  const callable = due.filter(
    ({ endpointStatus, isTest }) => endpointStatus && (isTest || endpointStatus !== 'disabled'),
  );
  await handOver(context, callable.map(toCall));
  const claimed = Map.groupBy(due, ({ endpointId }) => endpointId);
  const rooms = new Map(tight.map(({ endpointId, room }) => [endpointId, room]));
  for (const [endpointId, { length }] of claimed) {
    windows.setBehind(endpointId, length >= (rooms.get(endpointId) ?? usualRoom));
  }
  for (const [endpointId, room] of rooms) {
    if (room > 0 && isAll && !claimed.has(endpointId)) windows.setBehind(endpointId, false);
  }
  // What an endpoint that was disabled at the same moment has left.
  for (const { storeId, endpointId } of due.filter((delivery) => !callable.includes(delivery))) {
    await cancelWaitingDeliveries(db, storeId, endpointId);
  }
  return !isAll;
}

function toCall({ id, attempts, endpointStatus: _, failures, ownerId, appId, ...due }: DueDelivery): Call {
  const body = due.isTest ? testBody(due.eventId, due.eventType, new Date(due.committedAt)) : due.body;
  return {
    job: { ...due, body, deliveryId: id, attempt: attempts + 1, leasedUntil: Date.now() + leaseMs },
    endpoint: { failures, ownerId, appId },
  };
}

/** The worker that records how calls went, in batches. */
export function outcomesWorker(context: Context): WorkerDefinition {
  const { config, transaction, bus, wake } = context;
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
      const { windows } = sendingOf(bus);
      for (const outcome of outcomes) windows.settle(outcome);
      await handOverWaiting(context);
      if (outcomes.some(({ endpointId }) => windows.isBehind(endpointId))) wake('dispatch');
    },
  };
}

function streaksOf(outcomes: readonly DeliveryOutcome[]): Streak[] {
  const streaks = new Map<string, Streak>();
  for (const { storeId, endpointId, delivered } of outcomes) {
    const streak = streaks.get(endpointId) ?? { storeId, endpointId, succeeded: false, failures: 0 };
    streaks.set(endpointId, streak);
    if (delivered) Object.assign(streak, { succeeded: true, failures: 0 });
    else streak.failures++;
  }
  return [...streaks.values()];
}

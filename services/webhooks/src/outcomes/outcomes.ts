import { setTimeout as sleep } from 'node:timers/promises';
import { type DeliveryOutcome, outcomesQueue } from '@waybill/contracts';
import { isPassing, type WorkerDefinition } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Context } from '../context.ts';
import { notifyAdmins } from '../endpoint-alerts/endpoint-alerts.ts';
import { leaseMs } from '../lease.ts';
import { forgetRepliesOf } from '../personal-data/queries.ts';
import { handOverWaiting } from '../schedule/hand-over.ts';
import { endHostCalls } from '../schedule/host-limits.ts';
import { countAttempts } from '../stats/queries.ts';
import type { Tables } from '../tables.ts';
import { countStreaks, type Streak, settleDeliveries } from './queries.ts';

/** Between two tries to record how calls went. */
const pauseMs = 500;

/** The worker that records how calls went, in batches. */
export function outcomesWorker(context: Context): WorkerDefinition {
  const { config, transaction, wake } = context;
  const { windows, replaysWithEndedCalls } = context.state;

  async function record(trx: Transaction<Tables>, outcomes: readonly DeliveryOutcome[]) {
    const news = await settleDeliveries(trx, outcomes, config.retryDelays);
    const ended = outcomes.filter(({ deliveryId }) => news.has(deliveryId));
    await endHostCalls(trx, outcomes);
    await countAttempts(trx, ended);
    await forgetRepliesOf(trx, ended);
    const streaks = streaksOf(ended.filter(({ deliveryId }) => !news.get(deliveryId)!.isTest));
    if (streaks.length > 0) await notifyAdmins(trx, 'failing', await countStreaks(trx, streaks));
    await notifyAdmins(
      trx,
      'dead',
      ended.filter(({ deliveryId }) => news.get(deliveryId)!.isDead && !news.get(deliveryId)!.isTest),
    );
    return news;
  }

  return {
    queue: outcomesQueue,
    concurrency: 1,
    batch: 200,
    isRecord: true,
    async handle(outcomes: DeliveryOutcome[]) {
      const news = await untilRecorded(() => transaction((trx) => record(trx, outcomes)));
      for (const outcome of outcomes) windows.settle(outcome);
      await handOverWaiting(context);
      if (outcomes.some(({ endpointId }) => windows.isBehind(endpointId))) wake('dispatch');
      const ofReplays = [...news.values()].flatMap(({ replayId }) => replayId ?? []);
      for (const id of ofReplays) replaysWithEndedCalls.add(id);
      if (ofReplays.length > 0) wake('replay');
    },
  };
}

/**
 * Repeats `record` while the database is busy or away, for as long as a lease can last. An outcome is reported once: if it
 * were dropped, its call would be made again.
 */
async function untilRecorded<Result>(record: () => Promise<Result>): Promise<Result> {
  const until = performance.now() + leaseMs;
  for (;;) {
    try {
      return await record();
    } catch (error) {
      if (!isPassing(error) || performance.now() >= until) throw error;
      await sleep(pauseMs);
    }
  }
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

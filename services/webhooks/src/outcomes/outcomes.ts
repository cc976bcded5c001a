import { setTimeout as sleep } from 'node:timers/promises';
import { type DeliveryOutcome, outcomesQueue } from '@waybill/contracts';
import { isPassing, type WorkerDefinition } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import { forgetRepliesOf } from '../personal-data/queries.ts';
import { handOverWaiting } from '../schedule/hand-over.ts';
import { endHostCalls } from '../schedule/hosts.ts';
import { leaseMs } from '../schedule/queries.ts';
import type { Context } from '../state.ts';
import { countAttempts } from '../stats/queries.ts';
import type { Tables } from '../tables.ts';
import { tellAdmins } from '../troubles/troubles.ts';
import { countStreaks, type Streak, settleDeliveries } from './queries.ts';

/** Between two tries to record how calls went. */
const pauseMs = 500;

/** The worker that records how calls went, in batches. */
export function outcomesWorker(context: Context): WorkerDefinition {
  const { config, transaction, wake } = context;
  const { windows, endedCallsOf } = context.state;

  async function record(trx: Transaction<Tables>, outcomes: readonly DeliveryOutcome[]) {
    const news = await settleDeliveries(trx, outcomes, config.retryDelays);
    const ended = outcomes.filter(({ deliveryId }) => news.has(deliveryId));
    await endHostCalls(trx, outcomes);
    await countAttempts(trx, ended);
    await forgetRepliesOf(trx, ended);
    const streaks = streaksOf(ended.filter(({ deliveryId }) => !news.get(deliveryId)!.isTest));
    if (streaks.length > 0) await tellAdmins(trx, 'failing', await countStreaks(trx, streaks));
    await tellAdmins(
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
      for (const id of ofReplays) endedCallsOf.add(id);
      if (ofReplays.length > 0) wake('replay');
    },
  };
}

/**
 * An outcome is told once: let go while the database is busy or away, its call would be made again. So it is tried
 * again, for as long as its call's lease can last.
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

import { type DeliveryOutcome, outcomesQueue } from '@waybill/contracts';
import type { WorkerDefinition } from '@waybill/kernel';
import { forgetRepliesOf } from '../personal-data/queries.ts';
import { handOverWaiting } from '../schedule/hand-over.ts';
import type { Context } from '../state.ts';
import { countAttempts } from '../stats/queries.ts';
import { countStreaks, type Streak, settleDeliveries } from './queries.ts';
import { tellAdmins } from './trouble.ts';

/** The worker that records how calls went, in batches. */
export function outcomesWorker(context: Context): WorkerDefinition {
  const { config, transaction, wake } = context;
  const { windows, endedCallsOf } = context.state;
  return {
    queue: outcomesQueue,
    concurrency: 1,
    batch: 200,
    async handle(outcomes: DeliveryOutcome[]) {
      const news = await transaction(async (trx) => {
        const news = await settleDeliveries(trx, outcomes, config.retryDelays);
        const ended = outcomes.filter(({ deliveryId }) => news.has(deliveryId));
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
      });
      for (const outcome of outcomes) windows.settle(outcome);
      await handOverWaiting(context);
      if (outcomes.some(({ endpointId }) => windows.isBehind(endpointId))) wake('dispatch');
      const ofReplays = [...news.values()].flatMap(({ replayId }) => replayId ?? []);
      for (const id of ofReplays) endedCallsOf.add(id);
      if (ofReplays.length > 0) wake('replay');
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

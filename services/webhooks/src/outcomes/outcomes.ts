import { setTimeout as sleep } from 'node:timers/promises';
import { type DeliveryOutcome, outcomesQueue } from '@waybill/contracts';
import { isTemporary, rateLimited, sqlState, type WorkerDefinition } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Context } from '../context.ts';
import { notifyAdmins } from '../endpoint-alerts/endpoint-alerts.ts';
import { leaseMs } from '../lease.ts';
import { deleteCustomerReplies } from '../personal-data/queries.ts';
import { handOverWaiting } from '../schedule/hand-over.ts';
import { endHostCalls } from '../schedule/host-limits.ts';
import { lockOrderedEndpoints, requeueNotStarted } from '../schedule/queries.ts';
import { recordStarts } from '../schedule/rates.ts';
import { countAttempts } from '../stats/queries.ts';
import type { Tables } from '../tables.ts';
import { type AttemptEnd, countMinutes, countStreaks, type Streak, settleDeliveries } from './queries.ts';
import { type SettledDelivery, settleDelivered } from './quick-settlement.ts';

/** Pause between two attempts to record outcomes. */
const pauseMs = 500;
/** How long the first of several simultaneous outcomes waits for the others. */
const batchDelayMs = 2;

/** Creates the worker that records outcomes in batches. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one closure
export function outcomesWorker(context: Context): WorkerDefinition {
  const { config, db, log, transaction, wakeTask } = context;
  const report = rateLimited(log);
  const { windows, replaysWithEndedCalls, timer } = context.state;

  async function record(trx: Transaction<Tables>, reported: readonly DeliveryOutcome[]): Promise<Recorded> {
    const outcomes = reported.filter(({ isNotStarted }) => !isNotStarted);
    const notStarted = reported.filter(({ isNotStarted }) => isNotStarted);
    await lockOrderedEndpoints(
      trx,
      outcomes.filter(({ isOrdered }) => isOrdered).map(({ endpointId }) => endpointId),
    );
    if (notStarted.length > 0) await requeueNotStarted(trx, notStarted.flatMap(listDeliveries));
    // A batch is one call for several deliveries.
    const ends = await settleDeliveries(trx, outcomes.flatMap(listDeliveries), config.retryDelays);
    const ended = outcomes.flatMap(listDeliveries).filter(({ deliveryId }) => ends.has(deliveryId));
    const calls = outcomes.filter((outcome) =>
      listDeliveries(outcome).some(({ deliveryId }) => ends.has(deliveryId)),
    );
    const isTest = ({ deliveryId }: DeliveryOutcome) => ends.get(deliveryId)?.isTest ?? false;
    await endHostCalls(trx, reported);
    const waitMs = await recordStarts(trx, outcomes);
    await countAttempts(trx, calls);
    await countMinutes(
      trx,
      calls.filter((call) => ends.get(call.deliveryId)?.hasAlerts && !isTest(call)),
    );
    await deleteCustomerReplies(trx, ended);
    const streaks = collectStreaks(calls.filter((call) => !isTest(call)));
    if (streaks.length > 0) await notifyAdmins(trx, 'failing', await countStreaks(trx, streaks));
    await notifyAdmins(
      trx,
      'dead',
      ended.filter(({ deliveryId }) => ends.get(deliveryId)!.isDead && !ends.get(deliveryId)!.isTest),
    );
    return { ends, waitMs };
  }

  let isQuickSupported = true;
  /**
   * Records successful outcomes that change nothing else, and returns them by delivery. Returns none on failure,
   * because the usual way records them afterwards.
   */
  async function settleQuickly(outcomes: readonly DeliveryOutcome[]): Promise<Map<string, SettledDelivery>> {
    if (!isQuickSupported) return new Map();
    const settled = await settleDelivered(db, outcomes).catch((error) => {
      // A database whose tables are distributed over nodes does not support this statement.
      isQuickSupported = sqlState(error) !== featureNotSupported;
      if (isQuickSupported) report({ err: error }, 'outcomes are recorded one by one');
      return [];
    });
    return new Map(settled.map((each) => [each.id, each]));
  }

  return {
    queue: outcomesQueue,
    concurrency: 1,
    batch: 200,
    recordsOutcomes: true,
    acceptsBatches: true,
    batchDelayMs,
    async handle(outcomes: DeliveryOutcome[]) {
      const settled = await settleQuickly(outcomes);
      const unsettled = outcomes.filter(({ deliveryId }) => !settled.has(deliveryId));
      const { ends, waitMs } =
        unsettled.length === 0
          ? { ends: new Map<string, AttemptEnd>(), waitMs: null }
          : await retryUntilRecorded(() => transaction((trx) => record(trx, unsettled)));
      for (const outcome of outcomes) {
        if (outcome.isNotStarted) windows.release(outcome);
        else windows.settle(outcome);
      }
      await handOverWaiting(context);
      const isDue = outcomes.some(
        ({ endpointId, isOrdered, isNotStarted }) =>
          isOrdered || isNotStarted || windows.isBehind(endpointId),
      );
      if (isDue) wakeTask('dispatch');
      if (waitMs !== null) timer.wakeIn(waitMs, () => wakeTask('dispatch'));
      const replayIds = [...settled.values(), ...ends.values()].flatMap(({ replayId }) => replayId ?? []);
      for (const id of replayIds) replaysWithEndedCalls.add(id);
      if (replayIds.length > 0) wakeTask('replay');
    },
  };
}

const featureNotSupported = '0A000';

interface Recorded {
  ends: ReadonlyMap<string, AttemptEnd>;
  /** Milliseconds until a rate lets another call go; null when no rate holds calls back. */
  waitMs: number | null;
}

/** Returns the outcome of each delivery of a call; those of a batch are equal. */
const listDeliveries = (outcome: DeliveryOutcome): DeliveryOutcome[] => [
  outcome,
  ...(outcome.batch?.deliveryIds ?? []).map((deliveryId) => ({ ...outcome, deliveryId })),
];

/**
 * Repeats `record` while the database is busy or unavailable, for as long as a lease can last. An outcome is reported
 * only once: if it were dropped, its call would be made again.
 */
async function retryUntilRecorded<Result>(record: () => Promise<Result>): Promise<Result> {
  const until = performance.now() + leaseMs;
  for (;;) {
    try {
      return await record();
    } catch (error) {
      if (!isTemporary(error) || performance.now() >= until) throw error;
      await sleep(pauseMs);
    }
  }
}

function collectStreaks(outcomes: readonly DeliveryOutcome[]): Streak[] {
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

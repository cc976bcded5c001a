import type { BatchMember } from '@waybill/contracts';
import { Gauge, metrics } from '@waybill/kernel';
import { testBody } from '../bodies/test-body.ts';
import { markWaitingCalls } from '../cancellations/queries.ts';
import type { Context } from '../context.ts';
import { notifyAdmins } from '../endpoint-alerts/endpoint-alerts.ts';
import { claimDueDeliveries } from './claim.ts';
import { type Call, handOver, handOverWaiting } from './hand-over.ts';
import { type DueDelivery, endDeliveriesWithoutEvent, hasDueEndpoint, measureDue } from './queries.ts';

const defaultCapacity = 8;

const dueDeliveries = new Gauge({
  name: 'waybill_webhook_due_deliveries',
  help: 'Webhook calls that are due and not in flight, counted up to 200 of each of the 50 endpoints that wait longest.',
  registers: [metrics],
});
const oldestDueSeconds = new Gauge({
  name: 'waybill_webhook_oldest_due_seconds',
  help: 'For how long the oldest of those has been due; 0 when none is.',
  registers: [metrics],
});

/** Sets the gauges of due calls. */
export async function measureDueCalls({ db }: Context): Promise<void> {
  const { due, oldestSeconds } = await measureDue(db);
  dueDeliveries.set(due);
  oldestDueSeconds.set(oldestSeconds);
}

/** Hands over due calls as far as their endpoints have room. Returns true when there may be more. */
export async function dispatch(context: Context): Promise<boolean> {
  const { db } = context;
  const { windows, lanes, hosts } = context.state;
  await handOverWaiting(context);
  if (!(await hasDueEndpoint(db))) {
    // An idle system asks nothing else.
    for (const { endpointId, capacity } of windows.listLimited())
      if (capacity > 0) windows.setBehind(endpointId, false);
    return false;
  }
  await lanes.refresh();
  if (lanes.capacity('quick') <= 0) return false;
  const limited = windows.listLimited();
  const capacity = { default: defaultCapacity, quick: lanes.capacity('quick'), slow: lanes.capacity('slow') };
  const limits = context.config.hostLimits;
  const { due, isAll, heldEndpoints, waitMs } = await claimDueDeliveries(db, limited, capacity, {
    of: hosts,
    limits,
  });
  if (waitMs !== null) context.state.timer.wakeIn(waitMs, () => context.wakeTask('dispatch'));
  const unmarked = due.filter(({ isMarked }) => !isMarked);
  const callable = unmarked.filter(
    ({ endpointStatus, isTest }) => endpointStatus && (isTest || endpointStatus !== 'disabled'),
  );
  const withoutEvent = callable.filter(({ isEventGone }) => isEventGone);
  await handOver(context, toCalls(callable.filter(({ isEventGone }) => !isEventGone)));
  if (withoutEvent.length > 0) await endWithoutEvents(context, withoutEvent);
  const claimed = Map.groupBy(due, ({ endpointId }) => endpointId);
  for (const [endpointId, [first]] of claimed) windows.setBehind(endpointId, first!.isMoreDue);
  for (const { endpointId, capacity } of limited) {
    if (capacity > 0 && isAll && !claimed.has(endpointId) && !heldEndpoints.has(endpointId))
      windows.setBehind(endpointId, false);
  }
  if (callable.length < due.length) {
    // The endpoint of these deliveries was disabled in the meantime.
    await markWaitingCalls(
      db,
      unmarked.filter((delivery) => !callable.includes(delivery)),
    );
    context.wakeTask('cancel');
  }
  return !isAll;
}

/**
 * Ends deliveries whose events are gone. Otherwise they would stay due forever, and keep old records from being
 * deleted.
 */
const endWithoutEvents = ({ transaction }: Context, withoutEvent: readonly DueDelivery[]): Promise<void> =>
  transaction(async (trx) => {
    await endDeliveriesWithoutEvent(
      trx,
      withoutEvent.map(({ storeId, id: deliveryId }) => ({ storeId, deliveryId })),
    );
    await notifyAdmins(trx, 'dead', withoutEvent);
  });

/** Builds the calls of deliveries: one for each, or one for all members of a batch. */
function toCalls(deliveries: readonly DueDelivery[]): Call[] {
  const single = deliveries.filter(({ batchId }) => batchId === null);
  const batches = Map.groupBy(
    deliveries.filter(({ batchId }) => batchId !== null),
    ({ batchId }) => batchId!,
  );
  return [...single.map(toCall), ...[...batches].map(([id, members]) => toBatch(id, members))];
}

function toBatch(id: string, deliveries: readonly DueDelivery[]): Call {
  const first = toCall(deliveries[0]!);
  const members = deliveries.map((delivery): BatchMember => {
    const { deliveryId, eventId, eventType, body } = toCall(delivery).job;
    return { deliveryId, eventId, eventType, body };
  });
  return { ...first, job: { ...first.job, batch: { id, members } } };
}

function toCall(delivery: DueDelivery): Call {
  const { eventId, eventType, committedAt, isTest, body, bytes, startsUntil, settings, isOrdered } = delivery;
  const { isSlow, ownerId, appId } = delivery;
  return {
    job: {
      storeId: delivery.storeId,
      deliveryId: delivery.id,
      endpointId: delivery.endpointId,
      url: delivery.url,
      sealedSecret: delivery.sealedSecret,
      previousSecret: delivery.previousSecret,
      eventId,
      eventType,
      attempt: delivery.attempts + 1,
      body: isTest
        ? testBody(eventId, eventType, new Date(committedAt))
        : (body ?? { bytes, isReduced: true }),
      committedAt,
      leasedUntil: delivery.leasedUntil,
      isTest,
      ...(startsUntil !== undefined && { startsUntil }),
      ...(settings && { settings, sealedSettings: delivery.sealedSettings }),
      ...(isOrdered && { isOrdered }),
    },
    endpoint: { isSlow, ownerId, appId },
  };
}

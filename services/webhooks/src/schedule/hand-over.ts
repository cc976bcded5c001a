import {
  type CallType,
  type DeliveryJob,
  deliveryLanes,
  leaseMarginMs,
  type Rights,
} from '@waybill/contracts';
import { type BatchLimits, inBatches } from '../batches.ts';
import { type HideFields, hideNothing, prepareHideFields } from '../bodies/app-fields.ts';
import { bodyFor, canReadFully } from '../bodies/reduction.ts';
import type { Context } from '../context.ts';
import { findRights } from '../endpoints/rights.ts';
import { estimateSize } from '../memory/waiting-calls.ts';
import { endHostCalls } from './host-limits.ts';
import {
  cancelDeliveries,
  type EndpointTarget,
  findCurrentEndpoints,
  findLeased,
  postponeCalls,
} from './queries.ts';

export interface Call {
  /** Holds the event's full data. */
  job: DeliveryJob;
  endpoint: EndpointTarget;
}

/**
 * Hands calls over to delivery, reduced to what the endpoint's owner may read at this moment (`decisions.md 12.2`).
 * Slow endpoints use a lane of their own. Calls of an unavailable app are cancelled, and calls whose rights cannot be
 * determined are made later.
 */
export async function handOver(context: Context, calls: readonly Call[]): Promise<void> {
  if (calls.length === 0) return;
  const { db } = context;
  const { windows, lanes } = context.state;
  // Take the room before the first await, because other calls are planned meanwhile.
  for (const { job, endpoint } of calls) {
    windows.acquire(job, endpoint.isSlow);
    lanes.acquire(endpoint.isSlow ? 'slow' : 'quick', 1);
  }
  const getRights = await findRights(
    context,
    calls.flatMap(({ job: { storeId }, endpoint: { ownerId, appId } }) => [
      { storeId, id: ownerId },
      { storeId, id: appId },
    ]),
  );
  const quick: DeliveryJob[] = [];
  const slow: DeliveryJob[] = [];
  const heldBack: DeliveryJob[] = [];
  const cancelled: DeliveryJob[] = [];
  for (const { job, endpoint } of calls) {
    const rights = getRights(job.storeId, endpoint.ownerId);
    const appRights = getRights(job.storeId, endpoint.appId);
    if (appRights === null) cancelled.push(job);
    else if (rights === undefined || appRights === undefined) heldBack.push(job);
    else {
      const lane = endpoint.isSlow ? slow : quick;
      const { appId } = endpoint;
      const hideFields =
        appId === null
          ? hideNothing
          : await prepareHideFields(context, job.storeId, appId, inlineBodies(job));
      lane.push(reduceJob(job, rights, appId, hideFields));
    }
  }
  for (const job of [...heldBack, ...cancelled]) windows.release(job);
  const listDeliveries = (jobs: readonly DeliveryJob[]) =>
    jobs.flatMap((job) => (job.batch ? job.batch.members.map((each) => ({ ...job, ...each })) : [job]));
  await sendToLane(context, deliveryLanes.quick, quick);
  await sendToLane(context, deliveryLanes.slow, slow);
  await endHostCalls(db, [...heldBack, ...cancelled]);
  if (heldBack.length > 0) await postponeCalls(db, listDeliveries(heldBack));
  if (cancelled.length > 0) await cancelDeliveries(db, listDeliveries(cancelled));
}

/** Returns the bodies that the job itself contains. */
const inlineBodies = (job: DeliveryJob): string[] =>
  [job, ...(job.batch?.members ?? [])].flatMap(({ body }) => (typeof body === 'string' ? body : []));

/** Reduces the bodies of a job to what these rights, and the custom fields visible to the app, allow. */
function reduceJob(
  job: DeliveryJob,
  rights: Rights,
  appId: string | null,
  hideFields: HideFields,
): DeliveryJob {
  const reduceBody = <Of extends { eventType: CallType; body: DeliveryJob['body'] }>(each: Of): Of => ({
    ...each,
    body: hideInBody(bodyFor(rights, each.eventType, each.body), each.eventType),
  });
  const hideInBody = (body: DeliveryJob['body'], type: CallType) =>
    typeof body === 'string' ? hideFields(type, body) : { ...body, ...(appId !== null && { appId }) };
  const types = job.batch ? job.batch.members.map(({ eventType }) => eventType) : [job.eventType];
  const reduced = [...new Set(types)].filter((type) => !canReadFully(rights, type));
  const reducedTypes = reduced.length > 0 ? { reducedTypes: reduced } : {};
  if (!job.batch) return { ...reduceBody(job), ...reducedTypes };
  const members = job.batch.members.map(reduceBody);
  // The first event's body is among the members.
  return { ...job, ...reducedTypes, body: '', batch: { ...job.batch, members } };
}

/** Limits of what the broker's client gets at once: it holds all of it as bytes until the broker has it. */
const batchLimit: BatchLimits = { count: 1_000, size: 4 * 1024 * 1024 };

/** Puts calls into a lane. They expire when they may no longer be started. */
async function sendToLane({ bus, state: { clock } }: Context, lane: string, jobs: readonly DeliveryJob[]) {
  for (const batch of inBatches(jobs, (job) => ({ count: 1, size: estimateSize(job) }), batchLimit)) {
    const latestLeaseEnd = Math.max(...batch.map(({ leasedUntil }) => leasedUntil));
    const ttlMs = latestLeaseEnd - leaseMarginMs - (await clock.read());
    // Slow calls are not batched, so that none delays others in the same message.
    await bus.enqueue(lane, batch, ttlMs, { inBatches: lane !== deliveryLanes.slow });
  }
}

/**
 * Frees the room of calls whose outcome another replica of this service has recorded, because outcomes go to any
 * replica.
 */
async function releaseEndedCalls({ db, bus, state: { windows } }: Context): Promise<void> {
  if (bus.isSingleProcess) return;
  const calls = windows.listUnconfirmed();
  if (calls.length === 0) return;
  const leased = await findLeased(db, calls);
  for (const call of calls) if (!leased.has(call.deliveryId)) windows.release(call);
}

/** Hands over the calls waiting in memory, as far as there is room, to endpoints that have not changed since. */
export async function handOverWaiting(context: Context): Promise<void> {
  await releaseEndedCalls(context);
  const { db } = context;
  const { windows, waiting } = context.state;
  const ready = waiting
    .listEndpoints()
    .filter(({ endpointId }) => windows.capacityForWaiting(endpointId) > 0);
  if (ready.length === 0) return;
  const currentEndpoints = await findCurrentEndpoints(db, ready);
  const calls = ready.flatMap(({ endpointId }) => {
    const endpoint = currentEndpoints.get(endpointId);
    const jobs = waiting.dequeue(endpointId, windows.capacityForWaiting(endpointId), endpoint?.changedAt);
    return endpoint ? jobs.map((job) => ({ job, endpoint })) : [];
  });
  // An app may have been unavailable in between, which changes nothing in its endpoints.
  const appJobs = calls.filter(({ endpoint: { appId } }) => appId !== null).map(({ job }) => job);
  const leased = appJobs.length > 0 ? await findLeased(db, appJobs) : new Set();
  await handOver(
    context,
    calls.filter(({ job, endpoint: { appId } }) => appId === null || leased.has(job.deliveryId)),
  );
}

import {
  clockPath,
  type DeliveryJob,
  type DeliveryOutcome,
  deliveryLanes,
  leaseMarginMs,
  outcomesQueue,
  slowMs,
} from '@waybill/contracts';
import {
  Counter,
  currentTrace,
  Histogram,
  metrics,
  rateLimited,
  type ServiceContext,
  SharedClock,
  type SpanStart,
  traceHeader,
  type WorkerDefinition,
  withSpan,
} from '@waybill/kernel';
import type { Config } from './config.ts';
import { type Destination, toAttributes } from './destination.ts';
import { EventBodies } from './event-bodies.ts';
import { OutcomeReports } from './outcome-reports.ts';
import { createComposer } from './requests/composer.ts';
import { parseRetryAfter } from './sending/reply.ts';

const attempts = new Counter({
  name: 'waybill_webhook_attempts_total',
  help: 'Webhook calls by how they ended: delivered, a status class, or no reply.',
  labelNames: ['outcome'],
  registers: [metrics],
});
const droppedCalls = new Counter({
  name: 'waybill_webhook_dropped_calls_total',
  help: 'Calls that were not made: late, as they could not have ended within their lease and are handed out again after it; or gone, as their event is no longer kept.',
  labelNames: ['reason'],
  registers: [metrics],
});
for (const reason of ['late', 'gone']) droppedCalls.inc({ reason }, 0);
const commitToArrival = new Histogram({
  name: 'waybill_webhook_commit_to_arrival_seconds',
  help: 'From the commit of a change to the reply of its first successful first call.',
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
  registers: [metrics],
});

/**
 * How outcomes are batched. A place in a window or a lane that a record-only outcome holds is freed up to `maxWaitMs`
 * later.
 */
const outcomeBatching = { maxWaitMs: 30, minSize: 16, maxSize: 256 };

/**
 * Takes calls from both lanes, signs and sends them, and reports their outcomes. A job is done only once its outcome is
 * reported.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one closure
export function createCallWorkers(
  { bus, config, log, peers }: ServiceContext<Config>,
  destinations: Pick<Destination, 'send'>,
): WorkerDefinition[] {
  const bodies = new EventBodies({ peers });
  const compose = createComposer(config);

  const warnLate = rateLimited(log);
  const reports = new OutcomeReports(
    (outcomes) => bus.enqueue(outcomesQueue, outcomes, undefined, { inBatches: true, canRepeat: true }),
    outcomeBatching,
  );
  const clock = new SharedClock(async () => {
    // An older version of webhooks has no clock route, so delivery falls back to its own clock.
    return (await peers.call<{ now: number }>('webhooks', 'GET', clockPath))?.now ?? Date.now();
  });

  /**
   * Checks whether the call may still start. After its lease, the job is handed out again: starting it here would make
   * the call twice, and might reach a receiver that may no longer be told.
   */
  async function isInTime({ storeId, deliveryId, leasedUntil }: DeliveryJob): Promise<boolean> {
    const lateMs = (await clock.read()) - (leasedUntil - leaseMarginMs);
    if (lateMs <= 0) return true;
    droppedCalls.inc({ reason: 'late' });
    warnLate(
      { storeId, deliveryId, lateMs: Math.round(lateMs) },
      'calls come too late to be made within their lease; they are handed out again',
    );
    return false;
  }

  async function handle([job]: DeliveryJob[]): Promise<void> {
    if (!(await isInTime(job!))) return;
    await bodies.use(job!, async (body) => {
      if (body === null) return droppedCalls.inc({ reason: 'gone' });
      if (!(await isInTime(job!))) return;
      const outcome = await withSpan(createSpanStart(job!), async (note) => {
        const done = await call(job!, body);
        const { statusCode, delivered } = done;
        note(statusCode === null ? {} : { 'http.response.status_code': statusCode }, !delivered);
        return done;
      });
      record(job!, outcome);
      await reports.report(outcome, { isRecordOnly: isRecordOnly(job!, outcome) });
    });
  }

  async function call(job: DeliveryJob, body: string | Buffer): Promise<DeliveryOutcome> {
    const { storeId, deliveryId, endpointId, attempt, url, eventId, trace, settings, startsUntil } = job;
    const now = new Date();
    const startBefore =
      startsUntil === undefined ? undefined : performance.now() + (startsUntil - (await clock.read()));
    const { call: request, shownHeaders } = compose(
      job,
      body,
      now,
      trace ? { [traceHeader]: currentTrace()! } : {},
    );
    const { delivered, statusCode, error, durationMs, reply, ...end } = await destinations.send({
      ...request,
      startBefore,
    });
    log.debug({ storeId, deliveryId, eventId, attempt, statusCode, error, durationMs }, 'a webhook call');
    return {
      storeId,
      deliveryId,
      endpointId,
      attempt,
      delivered,
      statusCode,
      error,
      durationMs,
      reply,
      startedAt: now.toISOString(),
      request: {
        url,
        // A message has attributes, and no headers of HTTP.
        headers: request.queue ? toAttributes(shownHeaders) : shownHeaders,
        reducedTypes: job.reducedTypes,
        format: settings?.format,
      },
      retryAfterSeconds: reply ? parseRetryAfter(statusCode, reply.headers, now.getTime()) : undefined,
      isFinal: end.isFinal,
      isNotStarted: end.isNotStarted,
      // Converts the moment of the start back to the clock that `startsUntil` is measured by.
      startedBy:
        startBefore === undefined || end.startedAt === null
          ? undefined
          : startsUntil! - (startBefore - end.startedAt),
      isOrdered: job.isOrdered,
      batch: job.batch && {
        id: job.batch.id,
        deliveryIds: job.batch.members.map((member) => member.deliveryId).filter((id) => id !== deliveryId),
      },
    };
  }

  return [
    { queue: deliveryLanes.quick, concurrency: config.concurrency, batch: 1, acceptsBatches: true, handle },
    { queue: deliveryLanes.slow, concurrency: config.slowConcurrency, batch: 1, handle },
  ];
}

/**
 * Whether the outcome needs only to be recorded: it triggers no retry and no next ordered call, and concerns no rate
 * limit, batch or test.
 */
const isRecordOnly = ({ isTest }: DeliveryJob, outcome: DeliveryOutcome): boolean =>
  outcome.delivered &&
  outcome.durationMs <= slowMs &&
  !isTest &&
  !outcome.isNotStarted &&
  !outcome.isOrdered &&
  !outcome.batch &&
  outcome.startedBy === undefined;

const createSpanStart = ({ trace, url, eventId, eventType, attempt }: DeliveryJob): SpanStart => ({
  service: 'delivery',
  name: 'POST',
  kind: 'CLIENT',
  parents: [trace],
  attributes: () => ({
    'http.request.method': 'POST',
    'server.address': URL.parse(url)?.hostname ?? '',
    'waybill.event.id': eventId,
    'waybill.event.type': eventType,
    'waybill.attempt': attempt,
  }),
});

function record(
  { attempt, committedAt, isTest }: DeliveryJob,
  { delivered, statusCode }: DeliveryOutcome,
): void {
  const outcome = delivered ? 'delivered' : statusCode === null ? 'no_reply' : `${String(statusCode)[0]}xx`;
  attempts.inc({ outcome });
  if (delivered && attempt === 1 && !isTest) commitToArrival.observe((Date.now() - committedAt) / 1000);
}

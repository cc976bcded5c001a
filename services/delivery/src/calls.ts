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
import { type Destination, type Outcome, toAttributes } from './destination.ts';
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
 * Creates the workers that take calls from both lanes, sign and send them, and report their outcomes. A job is done
 * only once its outcome is reported.
 */
export function createCallWorkers(
  context: ServiceContext<Config>,
  destinations: Pick<Destination, 'send'>,
): WorkerDefinition[] {
  const { concurrency, slowConcurrency } = context.config;
  const caller = new Caller(context, destinations);
  const handle = ([job]: DeliveryJob[]) => caller.handle(job!);
  return [
    { queue: deliveryLanes.quick, concurrency, batch: 1, acceptsBatches: true, handle },
    { queue: deliveryLanes.slow, concurrency: slowConcurrency, batch: 1, handle },
  ];
}

/** Makes the calls of jobs. */
class Caller {
  readonly #destinations: Pick<Destination, 'send'>;
  readonly #log: ServiceContext<Config>['log'];
  readonly #warnLate: ReturnType<typeof rateLimited>;
  readonly #bodies: EventBodies;
  readonly #compose: ReturnType<typeof createComposer>;
  readonly #reports: OutcomeReports;
  /** The clock of webhooks' database, which leases follow. */
  readonly #clock: SharedClock;

  constructor({ bus, config, log, peers }: ServiceContext<Config>, destinations: Pick<Destination, 'send'>) {
    this.#destinations = destinations;
    this.#log = log;
    this.#warnLate = rateLimited(log);
    this.#bodies = new EventBodies({ peers });
    this.#compose = createComposer(config);
    this.#reports = new OutcomeReports(
      (outcomes) => bus.enqueue(outcomesQueue, outcomes, undefined, { inBatches: true, canRepeat: true }),
      outcomeBatching,
    );
    this.#clock = new SharedClock(async () => {
      // An older version of webhooks has no clock route, so delivery falls back to its own clock.
      return (await peers.call<{ now: number }>('webhooks', 'GET', clockPath))?.now ?? Date.now();
    });
  }

  /** Makes the call of a job and reports its outcome. Drops the job if it comes too late or its event is gone. */
  async handle(job: DeliveryJob): Promise<void> {
    if (!(await this.#isInTime(job))) return;
    await this.#bodies.use(job, async (body) => {
      if (body === null) return droppedCalls.inc({ reason: 'gone' });
      // Reading the body may have taken long.
      if (!(await this.#isInTime(job))) return;
      const outcome = await withSpan(createSpanStart(job), async (note) => {
        const done = await this.#call(job, body);
        const { statusCode, delivered } = done;
        note(statusCode === null ? {} : { 'http.response.status_code': statusCode }, !delivered);
        return done;
      });
      countOutcome(job, outcome);
      await this.#reports.report(outcome, { isRecordOnly: isRecordOnly(job, outcome) });
    });
  }

  /**
   * Checks whether the call may still start. After its lease, the job is handed out again: starting it here would make
   * the call twice, and might reach a receiver that may no longer be told.
   */
  async #isInTime({ storeId, deliveryId, leasedUntil }: DeliveryJob): Promise<boolean> {
    const lateMs = (await this.#clock.read()) - (leasedUntil - leaseMarginMs);
    if (lateMs <= 0) return true;
    droppedCalls.inc({ reason: 'late' });
    this.#warnLate(
      { storeId, deliveryId, lateMs: Math.round(lateMs) },
      'calls come too late to be made within their lease; they are handed out again',
    );
    return false;
  }

  async #call(job: DeliveryJob, body: string | Buffer): Promise<DeliveryOutcome> {
    const { storeId, deliveryId, attempt, eventId, trace, startsUntil } = job;
    const now = new Date();
    // The destination measures time by its process, which no change of the system's clock affects.
    const startBefore =
      startsUntil === undefined ? undefined : performance.now() + (startsUntil - (await this.#clock.read()));
    const traceHeaders: Record<string, string> = trace ? { [traceHeader]: currentTrace()! } : {};
    const { call, shownHeaders } = this.#compose(job, body, now, traceHeaders);
    const outcome = await this.#destinations.send({ ...call, startBefore });
    const { statusCode, error, durationMs, startedAt } = outcome;
    this.#log.debug(
      { storeId, deliveryId, eventId, attempt, statusCode, error, durationMs },
      'a webhook call',
    );
    return {
      ...toDeliveryOutcome(job, outcome, now),
      request: {
        url: job.url,
        // A message has attributes, and no headers of HTTP.
        headers: call.queue ? toAttributes(shownHeaders) : shownHeaders,
        reducedTypes: job.reducedTypes,
        format: job.settings?.format,
      },
      // Converts the moment of the start back to the clock that `startsUntil` is measured by.
      startedBy:
        startBefore === undefined || startedAt === null
          ? undefined
          : startsUntil! - (startBefore - startedAt),
    };
  }
}

/** Converts the outcome of a call that began at `now` to the one that is reported. */
const toDeliveryOutcome = (
  { storeId, deliveryId, endpointId, attempt, isOrdered, batch }: DeliveryJob,
  { delivered, statusCode, error, durationMs, reply, isFinal, isNotStarted }: Outcome,
  now: Date,
): Omit<DeliveryOutcome, 'request' | 'startedBy'> => ({
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
  retryAfterSeconds: reply ? parseRetryAfter(statusCode, reply.headers, now.getTime()) : undefined,
  isFinal,
  isNotStarted,
  isOrdered,
  batch: batch && {
    id: batch.id,
    deliveryIds: batch.members.map((member) => member.deliveryId).filter((id) => id !== deliveryId),
  },
});

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

/** Counts an outcome in the metrics. */
function countOutcome(
  { attempt, committedAt, isTest }: DeliveryJob,
  { delivered, statusCode }: DeliveryOutcome,
): void {
  const outcome = delivered ? 'delivered' : statusCode === null ? 'no_reply' : `${String(statusCode)[0]}xx`;
  attempts.inc({ outcome });
  if (delivered && attempt === 1 && !isTest) commitToArrival.observe((Date.now() - committedAt) / 1000);
}

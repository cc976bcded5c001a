import { type DeliveryJob, type DeliveryOutcome, newId } from '@waybill/contracts';
import { eventually, shiftTimes } from '@waybill/testing';
import fc from 'fast-check';
import { sql } from 'kysely';
import type { PublicEvent } from '../src/bodies/public-event.ts';
import { fanOut } from '../src/events/fan-out.ts';
import { createState } from '../src/index.ts';
import { outcomesWorker } from '../src/outcomes/outcomes.ts';
import { newCopy, type OwnDatabase, openOwnDatabase } from './replica.ts';

let own: OwnDatabase;
beforeAll(async () => {
  own = await openOwnDatabase(8);
});
afterAll(() => own.drop());

async function newEndpoint(settings: { ordering?: string; maxPerSecond?: number; batch?: object }) {
  const [storeId, id] = [newId('store'), newId('webhookEndpoint')];
  const { ordering = null, maxPerSecond = null, batch = null } = settings;
  await sql`
    insert into webhook_endpoint (store_id, id, url, sealed_secret, events, status, ordering, max_per_second, batch)
    values (${storeId}, ${id}, 'https://example.com/', 'x', '{product.updated}', 'active', ${ordering}, ${maxPerSecond},
      ${batch && JSON.stringify(batch)}::jsonb)`.execute(own.db);
  return { storeId, id };
}

/** Creates an event old enough not to be held back for earlier ones, unless a test says otherwise. */
const createEvent = (storeId: string, thing: string, ageMs = 5_000): PublicEvent => ({
  storeId,
  id: newId('event'),
  type: 'product.updated',
  createdAt: new Date(Date.now() - ageMs).toISOString(),
  data: JSON.stringify({ product: { id: thing } }),
});

/** Creates a copy of the service whose retries are due at once. */
function newRunningCopy() {
  const copy = newCopy(own.db, { config: { eventLogDays: 30, retryDelays: [0, 0, 0, 0] } as never });
  const { handle } = outcomesWorker(copy.context);
  return {
    ...copy,
    take: () => copy.handed.splice(0),
    report: (outcomes: DeliveryOutcome[]) => handle(outcomes as never[]),
  };
}
type Copy = ReturnType<typeof newRunningCopy>;

const createOutcome = (job: DeliveryJob, more: Partial<DeliveryOutcome> = {}): DeliveryOutcome => ({
  storeId: job.storeId,
  endpointId: job.endpointId,
  deliveryId: job.deliveryId,
  attempt: job.attempt,
  delivered: true,
  statusCode: 200,
  error: '',
  durationMs: 5,
  startedAt: new Date().toISOString(),
  reply: null,
  isOrdered: job.isOrdered,
  batch: job.batch && {
    id: job.batch.id,
    deliveryIds: job.batch.members.map(({ deliveryId }) => deliveryId).filter((id) => id !== job.deliveryId),
  },
  ...more,
});

describe('an order by resource', () => {
  test('holds through failures and with any dispatcher: never two calls of a resource at once, never out of order', async () => {
    const events = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 16 });
    const failures = fc.infiniteStream(fc.integer({ min: 0, max: 2 }).map((n) => n === 0));
    const picks = fc.infiniteStream(fc.nat());
    await fc.assert(
      fc.asyncProperty(events, failures, picks, async (things, fails, picked) => {
        const { storeId } = await newEndpoint({ ordering: 'resource' });
        const copies = [newRunningCopy(), newRunningCopy()];
        const pick = <Of>(all: readonly Of[]): Of => all[picked.next().value! % all.length]!;
        const waiting = things.map((thing) => createEvent(storeId, thing));
        const order = new Map(waiting.map(({ id }, i) => [id, i]));
        const thingByEvent = new Map(waiting.map(({ id }, i) => [id, things[i]!]));
        const inFlight: { copy: Copy; job: DeliveryJob }[] = [];
        const reached = new Map<string, number>();
        let settled = 0;
        for (let idle = 0; settled < things.length && idle < 200; idle++) {
          const part = waiting.splice(0, 1 + (picked.next().value! % 3));
          if (part.length > 0) await fanOut(pick(copies).context, part);
          await Promise.all(copies.map(({ dispatch }) => dispatch()));
          for (const copy of copies) {
            for (const job of copy.take()) {
              const thing = thingByEvent.get(job.eventId)!;
              expect(inFlight.some((other) => thingByEvent.get(other.job.eventId) === thing)).toBe(false);
              expect(order.get(job.eventId)!).toBeGreaterThanOrEqual(reached.get(thing) ?? -1);
              reached.set(thing, order.get(job.eventId)!);
              inFlight.push({ copy, job });
            }
          }
          if (inFlight.length === 0) continue;
          const call = pick(inFlight);
          inFlight.splice(inFlight.indexOf(call), 1);
          const delivered = !fails.next().value;
          const isEnd = delivered || call.job.attempt > 4;
          // Its outcome may go to another copy.
          await pick(copies).report([
            createOutcome(
              call.job,
              delivered ? {} : { delivered: false, statusCode: 500, error: 'answered 500' },
            ),
          ]);
          for (const { context } of copies) context.state.windows.release(call.job);
          if (isEnd) settled++;
        }
        expect(settled).toBe(things.length);
        const { rows } = await sql`select from webhook_due where store_id = ${storeId}`.execute(own.db);
        expect(rows).toEqual([]);
      }),
      { numRuns: 12 },
    );
  });

  test('is that of the events, even if two replicas write them in another order', async () => {
    const { storeId } = await newEndpoint({ ordering: 'resource' });
    const copies = [newRunningCopy(), newRunningCopy()];
    const things = Array.from({ length: 30 }, (_, i) => ['a', 'b', 'c'][i % 3]!);
    // Several events in the same millisecond, as when one change affects two objects.
    const events = things.map((thing, i) => ({ ...createEvent(storeId, thing, 0), index: i }));
    const [early, late] = [events.filter((_, i) => i % 2 === 0), events.filter((_, i) => i % 2 === 1)];
    const write = async (copy: Copy, all: readonly PublicEvent[]) => {
      for (const event of all) await fanOut(copy.context, [event]);
    };
    await Promise.all([write(copies[0]!, late.toReversed()), write(copies[1]!, early)]);
    const called: Record<string, string[]> = { a: [], b: [], c: [] };
    await eventually(async () => {
      await Promise.all(copies.map(({ dispatch }) => dispatch()));
      for (const copy of copies) {
        for (const job of copy.take()) {
          called[things[events.findIndex(({ id }) => id === job.eventId)]!]!.push(job.eventId);
          await copy.report([createOutcome(job)]);
        }
      }
      return Object.values(called).flat().length === events.length;
    });
    for (const thing of ['a', 'b', 'c'])
      expect(called[thing]).toEqual(events.filter((_, i) => things[i] === thing).map(({ id }) => id));
  });

  test('continues after a cancelled call, and lets a redelivery go immediately', async () => {
    const { storeId, id } = await newEndpoint({ ordering: 'resource' });
    const copy = newRunningCopy();
    await fanOut(
      copy.context,
      [1, 2, 3].map(() => createEvent(storeId, 'a')),
    );
    await copy.dispatch();
    const [first] = copy.take();
    await sql`delete from webhook_due where store_id = ${storeId} and delivery_id = ${first!.deliveryId}`.execute(
      own.db,
    );
    copy.context.state.windows.release(first!);
    await copy.dispatch();
    const [second, ...others] = copy.take();
    expect(others).toEqual([]);
    expect(second!.eventId).not.toBe(first!.eventId);
    const { scheduleRedelivery } = await import('../src/deliveries/queries.ts');
    const { rows } = await sql<{ id: string }>`
      select delivery_id as id from webhook_due where store_id = ${storeId} and claimable_at = 'infinity'`.execute(
      own.db,
    );
    await own.db.transaction().execute((trx) => scheduleRedelivery(trx, storeId, id, rows[0]!.id));
    await copy.dispatch();
    expect(copy.take().map(({ deliveryId }) => deliveryId)).toEqual([rows[0]!.id]);
  });
});

describe('a rate', () => {
  test('holds in every second, however late calls start, with any dispatcher', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8 }),
        fc.infiniteStream(fc.integer({ min: 0, max: 400 })),
        async (most, delays) => {
          const { storeId } = await newEndpoint({ maxPerSecond: most });
          const copies = [newRunningCopy(), newRunningCopy()];
          const clock = copies[0]!.context.state.clock;
          const total = most * 2 + 2;
          await fanOut(
            copies[0]!.context,
            Array.from({ length: total }, (_, i) => createEvent(storeId, String(i))),
          );
          const starts: number[] = [];
          const running = new Set<Promise<void>>();
          const start = async (copy: Copy, job: DeliveryJob) => {
            await new Promise((resolve) => setTimeout(resolve, delays.next().value));
            const now = await clock.read();
            if (now > job.startsUntil!) return copy.report([createOutcome(job, { isNotStarted: true })]);
            starts.push(now);
            await copy.report([createOutcome(job, { startedBy: await clock.read() })]);
          };
          await eventually(
            async () => {
              await Promise.all(copies.map(({ dispatch }) => dispatch()));
              for (const copy of copies)
                for (const job of copy.take()) {
                  const call = start(copy, job).finally(() => running.delete(call));
                  running.add(call);
                }
              return starts.length === total;
            },
            { withinMs: 30_000 },
          );
          await Promise.all(running);
          const sorted = starts.sort((a, b) => a - b);
          for (const [i, at] of sorted.slice(most).entries()) expect(at - sorted[i]!).toBeGreaterThan(1000);
        },
      ),
      { numRuns: 3 },
    );
  });
});

describe('a batch', () => {
  test('is sent when it is full or old; a later event never joins a retry', async () => {
    const { storeId } = await newEndpoint({ batch: { maxEvents: 3, maxSeconds: 60 } });
    const copy = newRunningCopy();
    const events = Array.from({ length: 7 }, (_, i) => createEvent(storeId, String(i)));
    const sent = () => {
      const jobs = copy.take();
      for (const job of jobs) copy.context.state.windows.release(job);
      return jobs;
    };
    const listEventIds = (job: DeliveryJob) => job.batch!.members.map(({ eventId }) => eventId);
    await fanOut(copy.context, events.slice(0, 2));
    await copy.dispatch();
    expect(sent()).toEqual([]);
    await fanOut(copy.context, events.slice(2, 5));
    await copy.dispatch();
    const [first] = sent();
    expect(listEventIds(first!)).toEqual(events.slice(0, 3).map(({ id }) => id));
    await copy.report([createOutcome(first!, { delivered: false, statusCode: 500, error: 'answered 500' })]);
    await fanOut(copy.context, events.slice(5));
    await copy.dispatch();
    const jobs = sent();
    const retry = jobs.find(({ attempt }) => attempt === 2)!;
    expect(retry.batch!.id).toBe(first!.batch!.id);
    expect(listEventIds(retry)).toEqual(listEventIds(first!));
    expect(jobs.filter(({ attempt }) => attempt === 1).map(listEventIds)).toEqual([
      events.slice(3, 6).map(({ id }) => id),
    ]);
    await sql`update webhook_due set ${sql.raw(shiftTimes('queued_at', '61 seconds'))} where store_id = ${storeId}`.execute(
      own.db,
    );
    await sql`update endpoint_queue set next_at = now() where store_id = ${storeId}`.execute(own.db);
    await copy.dispatch();
    expect(sent().map(listEventIds)).toEqual([[events[6]!.id]]);
  });

  test('of a slow endpoint uses the slow lane, two at a time, and not while the lane is full', async () => {
    const { storeId } = await newEndpoint({ batch: { maxEvents: 2, maxSeconds: 60 } });
    await sql`update webhook_endpoint set is_slow = true where store_id = ${storeId}`.execute(own.db);
    const copy = newRunningCopy();
    const backlog = { waiting: 128, workers: 1 };
    copy.context.bus.backlog = async (lane) =>
      lane === 'delivery.calls.slow' ? backlog : { waiting: 0, workers: 1 };
    await fanOut(
      copy.context,
      Array.from({ length: 12 }, (_, i) => createEvent(storeId, String(i))),
    );
    await copy.dispatch();
    expect(copy.take()).toEqual([]);
    backlog.waiting = 0;
    copy.context.state = createState(copy.context);
    await sql`update endpoint_queue set next_at = now() where store_id = ${storeId}`.execute(own.db);
    await copy.dispatch();
    expect(copy.take().map((job) => job.batch!.members.length)).toEqual([2, 2]);
    await sql`update endpoint_queue set next_at = now() where store_id = ${storeId}`.execute(own.db);
    await copy.dispatch();
    expect(copy.take()).toEqual([]);
  });
});

describe('an endpoint that stops on 410', () => {
  test('retries a call without a reply, but not one answered 410', async () => {
    const { storeId } = await newEndpoint({});
    await sql`update webhook_endpoint set stops_on_gone = true where store_id = ${storeId}`.execute(own.db);
    const copy = newRunningCopy();
    await fanOut(
      copy.context,
      ['a', 'b', 'c'].map((thing) => createEvent(storeId, thing)),
    );
    const jobs = copy.take();
    const failures = [
      { statusCode: null, error: 'no complete reply in time' },
      { statusCode: 410, error: 'answered 410' },
      { statusCode: 500, error: 'answered 500' },
    ];
    await copy.report(jobs.map((job, i) => createOutcome(job, { delivered: false, ...failures[i] })));
    const { rows } = await sql<{ id: string; status: string }>`
      select id, status from webhook_delivery where store_id = ${storeId}`.execute(own.db);
    const statusById = new Map(rows.map(({ id, status }) => [id, status]));
    expect(jobs.map(({ deliveryId }) => statusById.get(deliveryId))).toEqual([
      'retrying',
      'dead',
      'retrying',
    ]);
  });
});

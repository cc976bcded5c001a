import { randomBytes } from 'node:crypto';
import { type DeliveryJob, type DeliveryOutcome, deliveryLanes, leaseMarginMs } from '@waybill/contracts';
import type { ServiceContext } from '@waybill/kernel';
import { createLog, metrics } from '@waybill/kernel';
import { seal } from '@waybill/outbound';
import { Webhook } from 'standardwebhooks';
import { createCallWorkers } from '../src/calls.ts';
import type { Config } from '../src/config.ts';
import type { Call } from '../src/destination.ts';
import { EventBodies } from '../src/event-bodies.ts';

const encryptionKeys = [{ id: '', key: randomBytes(32) }];
const secret = `whsec_${randomBytes(32).toString('base64')}`;
const job: DeliveryJob = {
  storeId: 'str_1',
  deliveryId: 'whd_1',
  endpointId: 'whe_1',
  url: 'https://example.com/',
  sealedSecret: seal(encryptionKeys, secret, 'whe_1'),
  eventId: 'evt_1',
  eventType: 'product.created',
  attempt: 1,
  body: '{}',
  committedAt: Date.now(),
  leasedUntil: Date.now() + 30_000,
};

/** Creates a worker whose webhooks answers with `call`, and collects the calls it sends and the outcomes it reports. */
function newWorker(call: () => Promise<unknown> = async () => ({ now: Date.now() })) {
  const sent: Call[] = [];
  const outcomes: DeliveryOutcome[] = [];
  const reports: DeliveryOutcome[][] = [];
  const lines: string[] = [];
  const context = {
    config: { encryptionKeys, concurrency: 1, slowConcurrency: 1 },
    log: createLog('info', { write: (line: string) => void lines.push(line) }),
    peers: { call },
    bus: {
      async enqueue(_: string, jobs: DeliveryOutcome[]) {
        outcomes.push(...jobs);
        reports.push(jobs);
      },
    },
  } as unknown as ServiceContext<Config>;
  const reply = { headers: { server: 'x' }, body: 'thanks' };
  const workers = createCallWorkers(context, {
    send: async (call) => {
      sent.push(call);
      return { delivered: true, statusCode: 200, error: '', durationMs: 1, reply, startedAt: null };
    },
  });
  const { handle } = workers.find(({ queue }) => queue === deliveryLanes.quick)!;
  return { sent, outcomes, reports, lines, reply, take: handle as (jobs: DeliveryJob[]) => Promise<void> };
}

test('a call that could not end before its lease is not made or reported', async () => {
  const { sent, outcomes, take } = newWorker();
  await take([{ ...job, body: 'late', leasedUntil: Date.now() + leaseMarginMs - 1 }]);
  expect([sent, outcomes]).toEqual([[], []]);
  await take([{ ...job, body: 'in time' }]);
  expect(sent.map(({ body }) => body)).toEqual(['in time']);
  expect(outcomes).toMatchObject([{ deliveryId: 'whd_1', delivered: true }]);
});

/** Returns the number of calls that were dropped because they came too late. */
async function countLate(): Promise<number> {
  const text = await metrics.getSingleMetricAsString('waybill_webhook_dropped_calls_total');
  return Number(/\{reason="late"\} (\d+)/.exec(text)![1]);
}

test.each([-60_000, 60_000])(
  'leases are by the clock of webhooks, which is %d ms ahead of ours',
  async (offsetMs) => {
    const now = () => Date.now() + offsetMs;
    const { sent, lines, take } = newWorker(async () => ({ now: now() }));
    const late = await countLate();
    await take([{ ...job, body: 'in time', leasedUntil: now() + 30_000 }]);
    expect([await countLate(), lines]).toEqual([late, []]);
    for (let i = 0; i < 3; i++)
      await take([{ ...job, body: 'late', leasedUntil: now() + leaseMarginMs - 1 }]);
    expect(sent.map(({ body }) => body)).toEqual(['in time']);
    // Each call is counted, but only one line is logged.
    expect(await countLate()).toBe(late + 3);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { deliveryId: 'whd_1', lateMs: expect.any(Number), msg: expect.stringContaining('too late') },
    ]);
  },
);

test('no call is made before the shared time is known', async () => {
  let isAway = true;
  const { sent, take } = newWorker(async () => {
    if (isAway) throw new Error('away');
    return { now: Date.now() };
  });
  await expect(take([job])).rejects.toThrow('away');
  isAway = false;
  await take([job]);
  // Once known, the clock is extrapolated without asking again.
  isAway = true;
  await take([job]);
  expect(sent).toHaveLength(2);
});

test('outcomes without consequences are sent together; one that other work waits for is sent immediately, with the others', async () => {
  const { reports, take } = newWorker();
  const take16 = Array.from({ length: 16 }, (_, i) => take([{ ...job, deliveryId: `whd_${i}` }]));
  await Promise.all(take16.slice(0, 3));
  await Promise.all(take16);
  expect(reports.map((outcomes) => outcomes.length)).toEqual([16]);
  for (const more of [{ isOrdered: true }, { isTest: true }]) {
    reports.length = 0;
    const waiting = take([{ ...job, deliveryId: 'whd_4' }]);
    await take([{ ...job, deliveryId: 'whd_5', ...more }]);
    await waiting;
    expect(reports.map((outcomes) => outcomes.map(({ deliveryId }) => deliveryId))).toEqual([
      ['whd_4', 'whd_5'],
    ]);
  }
});

test('the outcome contains the reply and the start of the call', async () => {
  const { outcomes, reply, take } = newWorker();
  const before = Date.now();
  await take([job]);
  expect(outcomes).toMatchObject([{ reply }]);
  expect(Date.parse(outcomes[0]!.startedAt!)).toBeGreaterThanOrEqual(before);
});

test('the previous secret signs until it expires, however long the call has waited', async () => {
  const { sent, take } = newWorker();
  const previous = `whsec_${randomBytes(32).toString('base64')}`;
  const sealed = seal(encryptionKeys, previous, 'whe_1');
  for (const inMs of [60_000, -1]) {
    const expiresAt = new Date(Date.now() + inMs).toISOString();
    await take([{ ...job, previousSecret: { sealed, expiresAt } }]);
  }
  const [during, after] = sent.map(({ headers }) => headers);
  for (const each of [previous, secret]) expect(new Webhook(each).verify('{}', during!)).toEqual({});
  expect(during).toHaveProperty('X-WB-Signature-Next');
  expect(new Webhook(secret).verify('{}', after!)).toEqual({});
  expect(() => new Webhook(previous).verify('{}', after!)).toThrow();
  expect(after).not.toHaveProperty('X-WB-Signature-Next');
});

describe('a body that is not in the message', () => {
  const reference = (bytes: number, eventId: string) =>
    ({ ...job, eventId, body: { bytes, isReduced: false } }) satisfies DeliveryJob;

  it('is fetched once for all callers, with bounded bytes in flight', async () => {
    const requests: unknown[] = [];
    const body = 'x'.repeat(30_000_000);
    const peers = {
      call: async (...question: unknown[]) => {
        requests.push(question.at(-1));
        return { body };
      },
    } as unknown as ServiceContext['peers'];
    const bodies = new EventBodies({ peers });
    let [running, max, lengths] = [0, 0, 0];
    const use = (eventId: string) =>
      bodies.use(reference(body.length, eventId), async (found) => {
        max = Math.max(max, ++running);
        lengths += found!.length;
        await new Promise((resolve) => setTimeout(resolve, 10));
        running--;
      });
    await Promise.all([use('evt_1'), use('evt_1'), use('evt_1'), use('evt_1')]);
    expect([requests, max, lengths]).toEqual([
      [{ storeId: 'str_1', eventId: 'evt_1', isReduced: false }],
      2,
      4 * body.length,
    ]);
  });

  it('is null if the event is deleted, and frees its capacity if it cannot be fetched', async () => {
    let answer: () => Promise<null> = async () => null;
    const bodies = new EventBodies({ peers: { call: () => answer() } as unknown as ServiceContext['peers'] });
    const use = () => bodies.use(reference(60_000_000, 'evt_1'), async (found) => found);
    expect(await use()).toBeNull();
    answer = async () => {
      throw new Error('away');
    };
    await expect(use()).rejects.toThrow('away');
    await expect(use()).rejects.toThrow('away');
  });
});

import { randomBytes } from 'node:crypto';
import { type DeliveryJob, type DeliveryOutcome, deliveryLanes } from '@waybill/contracts';
import type { ServiceContext } from '@waybill/kernel';
import { createLog } from '@waybill/kernel';
import { seal } from '@waybill/outbound';
import { Webhook } from 'standardwebhooks';
import { callWorkers } from '../src/calls.ts';
import type { Config } from '../src/config.ts';
import type { Call } from '../src/sending/send.ts';

const encryptionKey = randomBytes(32);
const secret = `whsec_${randomBytes(32).toString('base64')}`;
const job: DeliveryJob = {
  ...{ storeId: 'str_1', deliveryId: 'whd_1', endpointId: 'whe_1', url: 'https://example.com/' },
  sealedSecret: seal(encryptionKey, secret, 'whe_1'),
  ...{ eventId: 'evt_1', eventType: 'product.created', attempt: 1, body: '{}', committedAt: Date.now() },
  leasedUntil: Date.now() + 30_000,
};

/** What is sent for jobs, and what is said of it. */
function newWorker() {
  const sent: Call[] = [];
  const outcomes: DeliveryOutcome[] = [];
  const context = {
    config: { encryptionKey, concurrency: 1, failingConcurrency: 1 },
    log: createLog('silent'),
    bus: { enqueue: async (_: string, jobs: DeliveryOutcome[]) => void outcomes.push(...jobs) },
  } as unknown as ServiceContext<Config>;
  const reply = { headers: { server: 'x' }, body: 'thanks' };
  const workers = callWorkers(context, {
    send: async (call) => {
      sent.push(call);
      return { delivered: true, statusCode: 200, error: '', durationMs: 1, reply };
    },
    close: async () => {},
  });
  const { handle } = workers.find(({ queue }) => queue === deliveryLanes.healthy)!;
  return { sent, outcomes, reply, take: handle as (jobs: DeliveryJob[]) => Promise<void> };
}

test('a call that has waited in a queue beyond its lease is not made, and nothing is said of it', async () => {
  const { sent, outcomes, take } = newWorker();
  await take([{ ...job, body: 'late', leasedUntil: Date.now() - 1 }]);
  expect([sent, outcomes]).toEqual([[], []]);
  await take([{ ...job, body: 'in time' }]);
  expect(sent.map(({ body }) => body)).toEqual(['in time']);
  expect(outcomes).toMatchObject([{ deliveryId: 'whd_1', delivered: true }]);
});

test('what the receiver answered is told, and when the call began', async () => {
  const { outcomes, reply, take } = newWorker();
  const before = Date.now();
  await take([job]);
  expect(outcomes).toMatchObject([{ reply }]);
  expect(Date.parse(outcomes[0]!.startedAt!)).toBeGreaterThanOrEqual(before);
});

test('the secret before counts until its end, however long the call has waited', async () => {
  const { sent, take } = newWorker();
  const previous = `whsec_${randomBytes(32).toString('base64')}`;
  const sealed = seal(encryptionKey, previous, 'whe_1');
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

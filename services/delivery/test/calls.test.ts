import { randomBytes } from 'node:crypto';
import { type DeliveryJob, type DeliveryOutcome, deliveryLanes } from '@waybill/contracts';
import type { ServiceContext } from '@waybill/kernel';
import { createLog } from '@waybill/kernel';
import { seal } from '@waybill/outbound';
import { callWorkers } from '../src/calls.ts';
import type { Config } from '../src/config.ts';

const encryptionKey = randomBytes(32);
const job: DeliveryJob = {
  ...{ storeId: 'str_1', deliveryId: 'whd_1', endpointId: 'whe_1', url: 'https://example.com/' },
  sealedSecret: seal(encryptionKey, `whsec_${randomBytes(32).toString('base64')}`, 'whe_1'),
  ...{ eventId: 'evt_1', eventType: 'product.created', attempt: 1, body: '{}', committedAt: Date.now() },
  leasedUntil: Date.now() + 30_000,
};

test('a call that has waited in a queue beyond its lease is not made, and nothing is said of it', async () => {
  const sent: string[] = [];
  const outcomes: DeliveryOutcome[] = [];
  const context = {
    config: { encryptionKey, concurrency: 1, failingConcurrency: 1 },
    log: createLog('silent'),
    bus: { enqueue: async (_: string, jobs: DeliveryOutcome[]) => void outcomes.push(...jobs) },
  } as unknown as ServiceContext<Config>;
  const workers = callWorkers(context, {
    send: async ({ body }) => {
      sent.push(body);
      return { delivered: true, statusCode: 200, error: '', durationMs: 1 };
    },
    close: async () => {},
  });
  const { handle } = workers.find(({ queue }) => queue === deliveryLanes.healthy)!;
  const take = handle as (jobs: DeliveryJob[]) => Promise<void>;
  await take([{ ...job, body: 'late', leasedUntil: Date.now() - 1 }]);
  expect([sent, outcomes]).toEqual([[], []]);
  await take([{ ...job, body: 'in time' }]);
  expect(sent).toEqual(['in time']);
  expect(outcomes).toMatchObject([{ deliveryId: 'whd_1', delivered: true }]);
});

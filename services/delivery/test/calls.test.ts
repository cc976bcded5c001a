import { randomBytes } from 'node:crypto';
import { type DeliveryJob, type DeliveryOutcome, deliveryLanes, leaseMarginMs } from '@waybill/contracts';
import type { ServiceContext } from '@waybill/kernel';
import { createLog } from '@waybill/kernel';
import { seal } from '@waybill/outbound';
import { callWorkers } from '../src/calls.ts';
import type { Config } from '../src/config.ts';
import { EventBodies } from '../src/event-bodies.ts';

const encryptionKey = randomBytes(32);
const job: DeliveryJob = {
  ...{ storeId: 'str_1', deliveryId: 'whd_1', endpointId: 'whe_1', url: 'https://example.com/' },
  sealedSecret: seal(encryptionKey, `whsec_${randomBytes(32).toString('base64')}`, 'whe_1'),
  ...{ eventId: 'evt_1', eventType: 'product.created', attempt: 1, body: '{}', committedAt: Date.now() },
  leasedUntil: Date.now() + 30_000,
};

test('a call that could not end before its lease is not made, and nothing is said of it', async () => {
  const sent: string[] = [];
  const outcomes: DeliveryOutcome[] = [];
  const context = {
    config: { encryptionKey, concurrency: 1, slowConcurrency: 1 },
    log: createLog('silent'),
    bus: { enqueue: async (_: string, jobs: DeliveryOutcome[]) => void outcomes.push(...jobs) },
  } as unknown as ServiceContext<Config>;
  const workers = callWorkers(context, {
    send: async ({ body }) => {
      sent.push(String(body));
      return { delivered: true, statusCode: 200, error: '', durationMs: 1 };
    },
    close: async () => {},
  });
  const { handle } = workers.find(({ queue }) => queue === deliveryLanes.quick)!;
  const take = handle as (jobs: DeliveryJob[]) => Promise<void>;
  await take([{ ...job, body: 'late', leasedUntil: Date.now() + leaseMarginMs - 1 }]);
  expect([sent, outcomes]).toEqual([[], []]);
  await take([{ ...job, body: 'in time' }]);
  expect(sent).toEqual(['in time']);
  expect(outcomes).toMatchObject([{ deliveryId: 'whd_1', delivered: true }]);
});

describe('a body that is not in the message', () => {
  const reference = (bytes: number, eventId: string) =>
    ({ ...job, eventId, body: { bytes, isReduced: false } }) satisfies DeliveryJob;

  it('is fetched once for all who ask, and the bytes in hand are bounded', async () => {
    const asked: unknown[] = [];
    const body = 'x'.repeat(30_000_000);
    const peers = {
      call: async (...question: unknown[]) => {
        asked.push(question.at(-1));
        return { body };
      },
    } as unknown as ServiceContext['peers'];
    const bodies = new EventBodies({ peers });
    let [running, most, lengths] = [0, 0, 0];
    const use = (eventId: string) =>
      bodies.use(reference(body.length, eventId), async (found) => {
        most = Math.max(most, ++running);
        lengths += found!.length;
        await new Promise((resolve) => setTimeout(resolve, 10));
        running--;
      });
    await Promise.all([use('evt_1'), use('evt_1'), use('evt_1'), use('evt_1')]);
    expect([asked, most, lengths]).toEqual([
      [{ storeId: 'str_1', eventId: 'evt_1', isReduced: false }],
      2,
      4 * body.length,
    ]);
  });

  it('is null where the event is gone, and gives its room back where it cannot be fetched', async () => {
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

import type { DeliveryJob } from '@waybill/contracts';
import { WaitingCalls } from '../src/memory/waiting-calls.ts';

const job = (deliveryId: string, endpointId = 'whe_1') =>
  ({ storeId: 'str_1', deliveryId, endpointId, body: '{}' }) as DeliveryJob;
const ids = (jobs: DeliveryJob[]) => jobs.map(({ deliveryId }) => deliveryId);

describe('calls that wait in memory', () => {
  it('are handed over in order, as many as have capacity, separately for each endpoint', () => {
    const waiting = new WaitingCalls();
    for (const id of ['a', 'b', 'c']) waiting.add(job(id), 'monday');
    waiting.add(job('d', 'whe_2'), 'monday');
    expect(waiting.listEndpoints().map(({ endpointId }) => endpointId)).toEqual(['whe_1', 'whe_2']);
    expect(ids(waiting.dequeue('whe_1', 0, 'monday'))).toEqual([]);
    expect(ids(waiting.dequeue('whe_1', 2, 'monday'))).toEqual(['a', 'b']);
    expect(waiting.count('whe_1')).toBe(1);
    expect(ids(waiting.dequeue('whe_1', 2, 'monday'))).toEqual(['c']);
    expect(waiting.listEndpoints().map(({ endpointId }) => endpointId)).toEqual(['whe_2']);
  });

  it('are left to the schedule when their endpoint was changed or deleted', () => {
    const waiting = new WaitingCalls();
    waiting.add(job('a'), 'monday');
    waiting.add(job('b'), 'tuesday');
    expect(ids(waiting.dequeue('whe_1', 1, 'tuesday'))).toEqual(['b']);
    waiting.add(job('c'), 'tuesday');
    expect(waiting.dequeue('whe_1', 1, undefined)).toEqual([]);
    expect(waiting.count('whe_1')).toBe(0);
  });

  it('are left to the schedule when they have waited for a third of their lease', () => {
    const waiting = new WaitingCalls();
    const { now } = performance;
    try {
      waiting.add(job('a'), 'monday');
      performance.now = () => now.call(performance) + 10_000;
      waiting.add(job('b'), 'monday');
      expect(ids(waiting.dequeue('whe_1', 1, 'monday'))).toEqual(['b']);
    } finally {
      performance.now = now;
    }
  });
});

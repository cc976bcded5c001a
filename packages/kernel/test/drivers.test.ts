import type { EventMessage } from '@waybill/contracts';
import { createInProcessBus, createInProcessCache, createLog } from '../src/index.ts';
import { cacheSuite } from './cache/cache-suite.ts';
import { busSuite } from './events/bus-suite.ts';

busSuite('the in-process bus', async () => createInProcessBus(createLog('silent')));
cacheSuite('the in-process cache', async () => createInProcessCache());

describe('the in-process bus', () => {
  test('has recorded the results of its jobs in flight when a stop ends', async () => {
    const bus = createInProcessBus(createLog('silent'));
    const begun: number[] = [];
    const recorded: number[] = [];
    const [calls, records] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await bus.work<number>({
      queue: 'calls',
      concurrency: 3,
      batch: 1,
      async handle([call]) {
        begun.push(call!);
        await calls.promise;
        await bus.enqueue('records', [call]);
      },
    });
    await bus.work<number>({
      queue: 'records',
      concurrency: 1,
      batch: 1,
      recordsOutcomes: true,
      async handle([call]) {
        await records.promise;
        recorded.push(call!);
      },
    });
    await bus.enqueue('calls', [1, 2, 3, 4]);
    const stopped = bus.stop();
    calls.resolve();
    // The first of them is being recorded when the last has ended.
    setTimeout(records.resolve, 50);
    await stopped;
    expect([begun, recorded]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(await bus.backlog('calls')).toEqual({ waiting: 1, workers: 0 });
  });

  test('accepts an event only when every subscriber has handled it: until then its outbox row stays', async () => {
    const bus = createInProcessBus(createLog('silent'));
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const subscription = { names: ['a'], batch: 10 };
    await bus.subscribe({ ...subscription, queue: 'quick', handle: async () => {} });
    await bus.subscribe({ ...subscription, queue: 'slow', handle: () => held });
    let settled = false;
    const event: EventMessage = { id: 'evt_1', name: 'a', storeId: 'str_1', createdAt: '', data: '{}' };
    const publishing = bus.publish([event]).then((results) => {
      settled = true;
      return results;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(settled).toBe(false);
    release();
    expect(await publishing).toEqual(['accepted']);
  });
});

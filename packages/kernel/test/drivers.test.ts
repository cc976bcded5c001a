import type { EventMessage } from '@waybill/contracts';
import { createInProcessBus, createInProcessCache, createLog } from '../src/index.ts';
import { busSuite } from './bus-suite.ts';
import { cacheSuite } from './cache-suite.ts';

busSuite('the in-process bus', async () => createInProcessBus(createLog('silent')));
cacheSuite('the in-process cache', async () => createInProcessCache());

describe('the in-process bus', () => {
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

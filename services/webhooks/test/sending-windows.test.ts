import { SendingWindows } from '../src/memory/sending-windows.ts';

const storeId = 'str_1';
const call = (endpointId: string, n: number) => ({
  storeId,
  endpointId,
  deliveryId: `whd_${endpointId}_${n}`,
});
const ended = (endpointId: string, n: number, durationMs: number, delivered = true) => ({
  ...call(endpointId, n),
  delivered,
  durationMs,
});

describe('the window of an endpoint', () => {
  it('is two after a slow call, until one is fast', () => {
    const windows = new SendingWindows(30_000);
    windows.acquire(call('a', 1), false);
    windows.settle(ended('a', 1, 10_000, false));
    expect(windows.capacity('a')).toBe(2);
    expect(windows.waitingCapacity('a')).toBe(0);
    windows.acquire(call('a', 2), true);
    windows.settle(ended('a', 2, 3_000));
    expect(windows.capacity('a')).toBe(2);
    windows.acquire(call('a', 3), true);
    windows.settle(ended('a', 3, 20));
    expect(windows.capacity('a')).toBeGreaterThan(2);
  });

  it('is also two if another replica has seen the slow call', () => {
    const windows = new SendingWindows(30_000);
    windows.setSlow('a', true);
    expect(windows.capacity('a')).toBe(2);
    windows.setSlow('a', false);
    expect(windows.capacity('a')).toBe(8);
  });

  it('is kept while a call is in flight, however many other endpoints there are', () => {
    const windows = new SendingWindows(30_000);
    for (let n = 0; n < 5; n++) windows.acquire(call('a', n), false);
    for (let n = 0; n < 50_000; n++) windows.acquire(call(`b${n}`, 0), false);
    for (let n = 0; n < 50_000; n++) windows.settle(ended(`b${n}`, 0, 10));
    expect(windows.capacity('a')).toBe(3);
    expect(windows.listLimited()).toContainEqual({ endpointId: 'a', capacity: 3 });
  });
});

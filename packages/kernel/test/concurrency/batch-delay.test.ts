import { eventually } from '@waybill/testing';
import { BatchDelay } from '../../src/concurrency/batch-delay.ts';
import { createBatcher } from '../../src/concurrency/batcher.ts';

test('a single item does not wait, and neither does the next one', () => {
  const gathering = new BatchDelay(60_000, () => {});
  expect(gathering.isReady(1)).toBe(true);
  gathering.recordStart(1);
  gathering.recordEnd();
  expect(gathering.isReady(1)).toBe(true);
});

test('the first item of a burst waits for as many as the last batch had, up to the maximum delay', async () => {
  let begun = 0;
  const gathering = new BatchDelay(1, () => begun++);
  gathering.recordStart(3);
  expect(gathering.isReady(2)).toBe(false);
  expect(gathering.isReady(3)).toBe(true);
  await eventually(() => begun === 1);
  expect(gathering.isReady(1)).toBe(true);
  gathering.recordStart(1);
  expect(gathering.isReady(1)).toBe(true);
});

test('clients that send their next request once the last is answered share their batches', async () => {
  const sizes: number[] = [];
  const ask = createBatcher<number, number>(
    async (_key, items) => {
      sizes.push(items.length);
      await new Promise(setImmediate);
      return [...items];
    },
    256,
    // Long enough that a busy machine does not cut a batch short.
    { batchDelayMs: 500 },
  );
  await Promise.all(
    Array.from({ length: 16 }, async (_, client) => {
      for (let turn = 0; turn < 10; turn++) {
        await ask('all', client);
        // An answer and the next request take time, longer for some clients than for others.
        for (let i = 0; i < client % 4; i++) await new Promise(setImmediate);
      }
    }),
  );
  expect(sizes.slice(3, -3).every((size) => size >= 15)).toBe(true);
  expect(sizes.length).toBeLessThan(16);
});

import { createBatcher } from '../../src/concurrency/batcher.ts';
import { createGates } from '../gates.ts';

/** Questions that are answered on command, and the batches in which they were asked. */
function gated(fail: (items: readonly number[]) => Error | null = () => null) {
  const batches: string[] = [];
  const { wait, open } = createGates();
  const ask = createBatcher<number, string>(async (key, items) => {
    batches.push(`${key}: ${items}`);
    await wait();
    const error = fail(items);
    if (error) throw error;
    return items.map((item) => `${key}-${item}`);
  }, 16);
  return { batches, ask, open };
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

test('items of a key that arrive during a batch form the next one, each with its own result', async () => {
  const { batches, ask, open } = gated();
  const all = Promise.all([...upTo(10).map((i) => ask('a', i)), ask('b', 7)]);
  expect(await open(all)).toEqual([...upTo(10).map((i) => `a-${i}`), 'b-7']);
  expect(batches).toEqual(['a: 0', 'b: 7', `a: ${upTo(10).slice(1)}`]);
  await open(ask('a', 5));
  expect(batches.at(-1)).toBe('a: 5');
});

test('a full batch does not wait for the batches in flight', async () => {
  const { batches, ask, open } = gated();
  const all = Promise.all(upTo(40).map((i) => ask('a', i)));
  expect(batches).toEqual(['a: 0', `a: ${upTo(17).slice(1)}`, `a: ${upTo(33).slice(17)}`]);
  expect(await open(all)).toEqual(upTo(40).map((i) => `a-${i}`));
  expect(batches.at(-1)).toBe(`a: ${upTo(40).slice(33)}`);
});

test('a failure rejects only the items of its batch', async () => {
  const { ask, open } = gated((items) => (items.includes(3) ? new Error('out of reach') : null));
  const all = await open(Promise.allSettled(upTo(5).map((item) => ask('a', item))));
  const failed = { reason: { message: 'out of reach' } };
  expect(all).toMatchObject([{ value: 'a-0' }, failed, failed, failed, failed]);
  expect(await open(ask('a', 1))).toBe('a-1');
});

import { createBatched } from '../src/db/batched.ts';
import { createQueue } from '../src/shedding.ts';
import { createGates } from './gates.ts';

/** Statements that end when they are told to, and what went together; the queue of a database at a clock of its own. */
function gated({ isInUnit = false } = {}) {
  const batches: string[] = [];
  const clock = { ms: 0 };
  const { wait, open } = createGates();
  const units = { db: 'the database' as never, isInUnit: () => isInUnit };
  const queue = createQueue(() => clock.ms);
  const ask = createBatched<unknown, number, string>(units, queue, async (db, key, items) => {
    expect(db).toBe('the database');
    batches.push(`${key}: ${items}`);
    await wait();
    return items.map((item) => `${key}-${item}`);
  });
  return { batches, clock, queue, ask, open };
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

test('those that come together are few statements', async () => {
  const { batches, ask, open } = gated();
  const all = Promise.all(upTo(5).map((item) => ask('a', item)));
  expect(await open(all)).toEqual(upTo(5).map((item) => `a-${item}`));
  expect(batches).toEqual(['a: 0', 'a: 1,2,3,4']);
});

test('in a unit of work each is a part of that, alone', async () => {
  const { batches, ask, open } = gated({ isInUnit: true });
  const all = Promise.all(upTo(4).map((item) => ask('a', item)));
  expect(await open(all)).toEqual(upTo(4).map((item) => `a-${item}`));
  expect(batches).toEqual(upTo(4).map((item) => `a: ${item}`));
});

test('many who wait for a database that stands still are too many, however few statements they are', async () => {
  const { clock, queue, ask, open } = gated();
  const all = Promise.all(upTo(300).map((item) => ask('a', item)));
  expect(queue.isTooLong()).toBe(false);
  clock.ms += 1_001;
  expect(queue.isTooLong()).toBe(true);
  await open(all);
  expect(queue.isTooLong()).toBe(false);
});

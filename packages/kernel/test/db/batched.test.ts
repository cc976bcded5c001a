import { createQueue } from '../../src/concurrency/queue.ts';
import { createBatched, createShared } from '../../src/db/batched.ts';
import { createGates } from '../gates.ts';

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

/** The same for a question that those share who ask it alike. */
function sharing({ isInUnit = false } = {}) {
  const asked: string[] = [];
  const clock = { ms: 0 };
  const { wait, open } = createGates();
  const units = { db: 'the database' as never, isInUnit: () => isInUnit };
  const queue = createQueue(() => clock.ms);
  const ask = createShared<unknown, { limit: number }, string>(units, queue, async (_, key, { limit }) => {
    const answer = `${key} ${limit} (${asked.length})`;
    asked.push(answer);
    await wait();
    return answer;
  });
  return { asked, clock, queue, ask, open };
}

test('who asks alike while another is being answered shares one question, which begins after that', async () => {
  const { asked, ask, open } = sharing();
  const all = Promise.all(upTo(300).map(() => ask('a', { limit: 50 })));
  expect(await open(all)).toEqual(['a 50 (0)', ...Array(299).fill('a 50 (1)')]);
  expect(asked).toEqual(['a 50 (0)', 'a 50 (1)']);
});

test('who asks otherwise, or of another key, shares nothing and waits for nobody', async () => {
  const { asked, ask, open } = sharing();
  const all = Promise.all([ask('a', { limit: 1 }), ask('a', { limit: 2 }), ask('b', { limit: 1 })]);
  expect(asked).toEqual(['a 1 (0)', 'a 2 (1)', 'b 1 (2)']);
  expect(await open(all)).toEqual(asked);
});

test('a question that holds what JSON cannot tell apart is refused', async () => {
  const units = { db: 'the database' as never, isInUnit: () => false };
  const ask = createShared<unknown, unknown, string>(
    units,
    createQueue(() => 0),
    async () => 'x',
  );
  for (const item of [new Map([['a', 1]]), { in: new Set(['a']) }])
    await expect(ask('a', item)).rejects.toThrow(TypeError);
});

test('in a unit of work nothing is shared', async () => {
  const { asked, ask, open } = sharing({ isInUnit: true });
  const all = Promise.all([ask('a', { limit: 1 }), ask('a', { limit: 1 })]);
  expect(asked).toHaveLength(2);
  await open(all);
});

test('many who share a question that stands still are too many', async () => {
  const { clock, queue, ask, open } = sharing();
  const all = Promise.all(upTo(300).map(() => ask('a', { limit: 50 })));
  clock.ms += 1_001;
  expect(queue.isTooLong()).toBe(true);
  await open(all);
  expect(queue.isTooLong()).toBe(false);
});

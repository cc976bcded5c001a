import { createQueue } from '../../src/concurrency/queue.ts';
import { createBatchedQuery, createSharedQuery } from '../../src/db/batched.ts';
import { createGates } from '../gates.ts';

/**
 * Statements that end on command, the batches in which they ran, and the queue of a database with a clock of its own.
 */
function gated() {
  const batches: string[] = [];
  const clock = { ms: 0 };
  const { wait, open } = createGates();
  const pool = { isTransaction: false } as never;
  const queue = createQueue(() => clock.ms);
  const databases = new Set<unknown>();
  const ask = createBatchedQuery<unknown, number, string>(pool, queue, async (db, key, items) => {
    databases.add(db);
    batches.push(`${key}: ${items}`);
    await wait();
    return items.map((item) => `${key}-${item}`);
  });
  return { batches, databases, pool, clock, queue, ask, open };
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

test('simultaneous queries share few statements', async () => {
  const { batches, ask, open } = gated();
  const all = Promise.all(upTo(5).map((item) => ask('a', item)));
  expect(await open(all)).toEqual(upTo(5).map((item) => `a-${item}`));
  expect(batches).toEqual(['a: 0', 'a: 1,2,3,4']);
});

test('queries on the pool are also batched', async () => {
  const { batches, pool, ask, open } = gated();
  await open(Promise.all(upTo(5).map((item) => ask('a', item, pool))));
  expect(batches).toEqual(['a: 0', 'a: 1,2,3,4']);
});

test('a query in a transaction runs there, alone', async () => {
  const { batches, databases, ask, open } = gated();
  const trx = { isTransaction: true } as never;
  const all = Promise.all(upTo(4).map((item) => ask('a', item, trx)));
  expect(await open(all)).toEqual(upTo(4).map((item) => `a-${item}`));
  expect(batches).toEqual(upTo(4).map((item) => `a: ${item}`));
  expect([...databases]).toEqual([trx]);
});

test('many queries that wait for a hanging database count as overload, however few statements they share', async () => {
  const { clock, queue, ask, open } = gated();
  const all = Promise.all(upTo(300).map((item) => ask('a', item)));
  expect(queue.isTooLong()).toBe(false);
  clock.ms += 1_001;
  expect(queue.isTooLong()).toBe(true);
  await open(all);
  expect(queue.isTooLong()).toBe(false);
});

/** The same for a query that equal callers share. */
function sharing() {
  const queries: string[] = [];
  const clock = { ms: 0 };
  const { wait, open } = createGates();
  const queue = createQueue(() => clock.ms);
  const ask = createSharedQuery<unknown, { limit: number }, string>(
    null as never,
    queue,
    async (_, key, { limit }) => {
      const answer = `${key} ${limit} (${queries.length})`;
      queries.push(answer);
      await wait();
      return answer;
    },
  );
  return { queries, clock, queue, ask, open };
}

test('equal queries that arrive during another one share the next query', async () => {
  const { queries, ask, open } = sharing();
  const all = Promise.all(upTo(300).map(() => ask('a', { limit: 50 })));
  expect(await open(all)).toEqual(['a 50 (0)', ...Array(299).fill('a 50 (1)')]);
  expect(queries).toEqual(['a 50 (0)', 'a 50 (1)']);
});

test('different queries, and those of other keys, share nothing and do not wait', async () => {
  const { queries, ask, open } = sharing();
  const all = Promise.all([ask('a', { limit: 1 }), ask('a', { limit: 2 }), ask('b', { limit: 1 })]);
  expect(queries).toEqual(['a 1 (0)', 'a 2 (1)', 'b 1 (2)']);
  expect(await open(all)).toEqual(queries);
});

test('an item that JSON cannot distinguish is refused', async () => {
  const ask = createSharedQuery<unknown, unknown, string>(
    null as never,
    createQueue(() => 0),
    async () => 'x',
  );
  for (const item of [new Map([['a', 1]]), { in: new Set(['a']) }])
    await expect(ask('a', item)).rejects.toThrow(TypeError);
});

test('many callers of one hanging query count as overload', async () => {
  const { clock, queue, ask, open } = sharing();
  const all = Promise.all(upTo(300).map(() => ask('a', { limit: 50 })));
  clock.ms += 1_001;
  expect(queue.isTooLong()).toBe(true);
  await open(all);
  expect(queue.isTooLong()).toBe(false);
});

import {
  createGroupCommit,
  type GroupWrite,
  type ResponseStore,
  WriteAlone,
} from '../../src/db/group-commit.ts';
import { createGates } from '../gates.ts';

const units = {
  transaction: async <Result>(work: (trx: never) => Promise<Result>) => work(undefined as never),
};

/** Items with keys are tested on a database, in `idempotency.test.ts`. */
const noKeys = {} as ResponseStore;

/** Writes that continue on command, and the batches in which they ran. */
function gated(fail: (items: readonly number[]) => Error | null = () => null, waitMs?: number) {
  const batches: string[] = [];
  const { wait, open } = createGates();
  const group: GroupWrite<unknown, number, string> = {
    async write(_trx, key, items) {
      batches.push(`${key}: ${items}`);
      await wait();
      const error = fail(items);
      if (error) throw error;
      return items.map((item) => `${key}-${item}`);
    },
    measureBytes: (item) => (item === 99 ? 5_000_000 : 10),
  };
  return { batches, write: createGroupCommit(units, group, noKeys, waitMs), open };
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

test('writes of a key that arrive during a commit share the next one, 32 at most, each with its own result', async () => {
  const { batches, write, open } = gated();
  const all = Promise.all([...upTo(40).map((i) => write('a', i)), write('b', 7)]);
  expect(await open(all)).toEqual([...upTo(40).map((i) => `a-${i}`), 'b-7']);
  expect(batches).toEqual(['a: 0', 'b: 7', `a: ${upTo(33).slice(1)}`, `a: ${upTo(40).slice(33)}`]);
  await open(write('a', 5));
  expect(batches.at(-1)).toBe('a: 5');
});

test('a write that is too large to share a statement is written alone', async () => {
  const { batches, write, open } = gated();
  await open(Promise.all([1, 2, 99, 3].map((item) => write('a', item))));
  expect(batches).toEqual(['a: 1', 'a: 2', 'a: 99', 'a: 3']);
});

test('writes that would change each other’s results are written one by one', async () => {
  const { batches, write, open } = gated((items) => (items.length > 1 ? new WriteAlone() : null));
  expect(await open(Promise.all([1, 2, 3].map((item) => write('a', item))))).toEqual(['a-1', 'a-2', 'a-3']);
  expect(batches).toEqual(['a: 1', 'a: 2,3', 'a: 2', 'a: 3']);
});

test('a failure that no item caused rejects all items, and is not retried', async () => {
  const { batches, write, open } = gated(() => new Error('out of reach'));
  const all = await open(Promise.allSettled([1, 2, 3].map((item) => write('a', item))));
  expect(all).toMatchObject(Array(3).fill({ reason: { message: 'out of reach' } }));
  expect(batches).toEqual(['a: 1', 'a: 2,3']);
});

test('a write that waited too long is refused, and nothing is written', async () => {
  const { batches, write, open } = gated(undefined, 20);
  const writes = Promise.allSettled([1, 2].map((item) => write('a', item)));
  for (const since = performance.now(); performance.now() < since + 25; ) await new Promise(setImmediate);
  const all = await open(writes);
  expect(all).toMatchObject([{ value: 'a-1' }, { reason: { code: 'resource_unavailable' } }]);
  expect(batches).toEqual(['a: 1']);
});

import pg from 'pg';
import { claimByStore, eachStore, violatedConstraint, withinStore } from '../../src/index.ts';

/** The part of a database that tells statements where they run. */
const on = (isDistributed: boolean) =>
  ({ getExecutor: () => ({ adapter: { isDistributed } }) }) as unknown as Parameters<typeof eachStore>[0];

const things = ['b', 'a', 'b'].map((storeId, place) => ({ storeId, place }));

describe('a statement about things of several stores', () => {
  test('is a single statement on one server', async () => {
    const run = async (own: readonly object[], storeId: string | null) => [{ own, storeId }];
    expect(await eachStore(on(false), things, run)).toEqual([{ own: things, storeId: null }]);
    expect(await eachStore(on(false), [], run)).toEqual([]);
  });

  test('is one statement per store on Citus, always in the same order', async () => {
    const run = async (own: readonly { place: number }[], storeId: string | null) => [
      [storeId, own.map(({ place }) => place)],
    ];
    expect(await eachStore(on(true), things, run)).toEqual([
      ['a', [1]],
      ['b', [0, 2]],
    ]);
  });
});

test('a queue on one server is claimed by one statement', async () => {
  const taken: unknown[] = [];
  await claimByStore(on(false), {
    limit: 7,
    stores: () => {
      throw new Error('nobody asks which stores there are');
    },
    claim: async (...request) => taken.push(request) as never as [],
  }).catch(() => {});
  expect(taken).toEqual([[null, 7]]);
});

test('a statement within a store compares every store with its value', () => {
  const text = `select v.id from product p, lateral (select id from variant v where v.store_id = p.store_id) v
    where p.store_id = $1 and p.other_store_id = p.id and format('%s', p.store_id) = any($2)`;
  expect(withinStore('$1', text)).toBe(text.replace('v.store_id = p.store_id', 'v.store_id = $1'));
});

describe('the name of a violated constraint', () => {
  const failed = (message: string, fields: Partial<pg.DatabaseError>) =>
    Object.assign(new pg.DatabaseError(message, message.length, 'error'), fields);
  const duplicate = 'duplicate key value violates unique constraint';

  test.each([
    ['of one server', 'x', { code: '23505', constraint: 'product_slug_key' }],
    ['of a shard', `${duplicate} "product_slug_key_102041"`, { code: '23505' }],
    ['of a row that was copied to a shard', `${duplicate} "product_slug_key_1020410"`, { code: 'XX000' }],
  ])('is read %s', (_, message, fields) => {
    expect(violatedConstraint(failed(message, fields))).toBe('product_slug_key');
  });

  test.each([
    ['another error', failed('deadlock detected', { code: '40P01' })],
    ['another inner error', failed('invalid attnum', { code: 'XX000' })],
    ['no error of the database', new Error(`${duplicate} "product_slug_key"`)],
  ])('is none of %s', (_, error) => {
    expect(violatedConstraint(error)).toBeNull();
  });
});

import { dropDatabases, serverUrl } from '@waybill/testing';
import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { prepareSearch } from '../../src/db/words.ts';
import {
  ensureDatabase,
  type ListItem,
  type Order,
  openDatabase,
  orderBy,
  type Page,
  parsePage,
  readItems,
  readPage,
} from '../../src/index.ts';

interface Tables {
  row: { store_id: string; id: string; a: string | null; b: number | null; c: Date | null };
}

const namespace = `wbt_${process.env.WAYBILL_TEST_RUN}_pages`;
let db: Kysely<Tables>;
beforeAll(async () => {
  db = openDatabase({ service: 'pages', url: await ensureDatabase(serverUrl, namespace), poolSize: 2 });
  await sql`create table row (store_id text default 'str_1', id text primary key, a text, b bigint, c timestamptz)`.execute(
    db,
  );
});
afterAll(async () => {
  await db.destroy();
  await dropDatabases(namespace);
});

const types = { a: 'text', b: 'bigint', c: 'timestamptz' } as const;
const dir = fc.constantFrom('asc', 'desc');
const nulls = fc.constantFrom('first', 'last');
const columns = fc.constantFrom('a', 'b', 'c') as fc.Arbitrary<keyof typeof types>;
const keys = fc.uniqueArray(fc.record({ column: columns, dir, nulls }), {
  maxLength: 2,
  selector: ({ column }) => column,
});
const orders: fc.Arbitrary<Order> = fc
  .tuple(keys, dir)
  .map(([some, last]) => [
    ...some.map((key) => ({ ...key, type: types[key.column] })),
    { column: 'id', type: 'text', dir: last },
  ]);
const rows = fc.array(
  fc.record({
    a: fc.option(fc.constantFrom('', 'a', 'ä', 'Z', '%_\\"\'', '\u{1f375}')),
    b: fc.option(fc.constantFrom('-1', '0', '900719925474099')),
    // Two values within a millisecond.
    c: fc.option(
      fc.constantFrom('2026-01-01T00:00:00.000001Z', '2026-01-01T00:00:00.000002Z', '0001-01-01T00:00:00Z'),
    ),
  }),
  { maxLength: 9 },
);

async function walk(
  order: Order,
  read: (page: Page) => Promise<{ ids: string[]; nextCursor: string | null }>,
) {
  const found: string[] = [];
  let after: string | undefined;
  do {
    const { ids, nextCursor } = await read(parsePage('rows', [], { limit: 2, after }, order));
    found.push(...ids);
    after = nextCursor ?? undefined;
  } while (after !== undefined);
  return found;
}

const listed: ListItem = { name: 'row', table: 'row', alias: 'r', json: () => 'to_json(r.id)' };
const batchedList: ListItem = { ...listed, name: 'row-in-parts', bytes: '1' };

/** Reads a page as services with statements of their own do. */
async function readStatement(item: ListItem, page: Page) {
  const { items, rest, total, nextCursor } = await readItems(db, item, page, {
    // Each order of the test has a text of its own.
    kind: JSON.stringify(page.order),
    values: { storeId: 'str_1' },
    each: ["a >= 'b'", "(a < 'b') is not false"],
    total: ($) => `(select count(*) from row where store_id = ${$.storeId})`,
  });
  expect(rest).toEqual([]);
  return { ids: JSON.parse(`[${items}]`) as string[], total, nextCursor };
}

test('paging returns every row once, in PostgreSQL’s order', async () => {
  await fc.assert(
    fc.asyncProperty(orders, rows, async (order, some) => {
      await sql`truncate row`.execute(db);
      for (const [i, { a, b, c }] of some.entries()) {
        await sql`insert into row (id, a, b, c) values (${String(i)}, ${a}, ${b}, ${c})`.execute(db);
      }
      const { rows: sorted } = await sql<{
        id: string;
      }>`select id from row ${sql.raw(orderBy(order))}`.execute(db);
      const expected = sorted.map(({ id }) => id);
      const query = db.selectFrom('row').select('id');
      const readRows = async (page: Page) => {
        const { rows: found, nextCursor } = await readPage(query, page);
        return { ids: found.map(({ id }) => id), nextCursor };
      };
      expect(await walk(order, readRows)).toEqual(expected);
      for (const item of [listed, batchedList]) {
        expect(await walk(order, (page) => readStatement(item, page))).toEqual(expected);
      }
    }),
    { numRuns: 60 },
  );
});

describe('a cursor', () => {
  const order: Order = [
    { column: 'a', type: 'text', dir: 'asc', nulls: 'last' },
    { column: 'c', type: 'timestamptz', dir: 'asc' },
    { column: 'id', type: 'bigint', dir: 'asc' },
  ];
  const query = { limit: 2, sort: 'a', status: undefined as string | undefined };
  const place = ['tea', '2026-01-01T00:00:00.000001Z', '7'];
  const at = (position: (string | null)[]) => parsePage('rows', ['str_1'], query, order).cursorAt(position)!;
  const invalid = expect.objectContaining({ code: 'invalid_cursor', status: 400 });
  const refusal = (work: () => unknown) => {
    try {
      return work();
    } catch (error) {
      return error;
    }
  };

  test('is valid for another limit, and for nothing else', () => {
    const after = at(place);
    expect(parsePage('rows', ['str_1'], { ...query, limit: 9, after }, order)).toMatchObject({
      limit: 9,
      offset: 0,
      after: place,
    });
    const other = (change: object) => ({ ...query, ...change });
    for (const foreign of [
      () => parsePage('others', ['str_1'], { ...query, after }, order),
      () => parsePage('rows', ['str_2'], { ...query, after }, order),
      () => parsePage('rows', ['str_1'], other({ sort: 'b', after }), order),
      () => parsePage('rows', ['str_1'], other({ status: 'x', after }), order),
      () => parsePage('rows', ['str_1'], { ...query, offset: 0, after }, order),
      () => parsePage('rows', ['str_1'], { ...query, after: '' }, order),
    ]) {
      expect(refusal(foreign)).toEqual(invalid);
    }
  });

  test('that is forged sends no value that the database would refuse', () => {
    for (const position of [
      [],
      [...place, '1'],
      [null, null, '7'],
      ['a\0', place[1]!, '7'],
      ['\ud800', place[1]!, '7'],
      ['a', 'yesterday', '7'],
      ['a', '2026-02-30T00:00:00.000001Z', '7'],
      ['a', '0000-01-01T00:00:00.000001Z', '7'],
      ['a', place[1]!, '7.5'],
      ['a', place[1]!, '9'.repeat(19)],
    ]) {
      expect(refusal(() => parsePage('rows', ['str_1'], { ...query, after: at(position) }, order))).toEqual(
        invalid,
      );
    }
  });
});

test('a repeated word is looked up once', async () => {
  const { values } = await prepareSearch(db, 'str_1', ['a', 'b', 'a', 'tea', 'a', 'tea'], {});
  expect(values).toEqual({ storeId: 'str_1', patterns: ['%a%', '%b%', '%tea%'], indexed0: '%tea%' });
});

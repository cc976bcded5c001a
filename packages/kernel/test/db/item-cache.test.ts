import { dropDatabases, serverUrl } from '@waybill/testing';
import { type Kysely, sql } from 'kysely';
import { withItemCache } from '../../src/db/item-cache.ts';
import { ensureDatabase, openDatabase } from '../../src/index.ts';

const namespace = `wbt_${process.env.WAYBILL_TEST_RUN}_item_cache`;
let db: Kysely<unknown>;

beforeAll(async () => {
  const url = await ensureDatabase(serverUrl, `${namespace}_1`);
  db = openDatabase({ service: 'items', url, poolSize: 2 });
  await sql`create table thing (store_id text, id text, name text, revision int, primary key (store_id, id))`.execute(
    db,
  );
  await sql`create sequence built`.execute(db);
  await sql`insert into thing values
    ('str_1', 'a', 'Ash', 1), ('str_1', 'b', 'Birch', 1), ('str_2', 'a', 'Aspen', 1)`.execute(db);
});
afterAll(async () => {
  await db.destroy();
  await dropDatabases(namespace);
});

// The sequence tells how often the database has built a JSON.
const things = withItemCache(
  {
    name: 'cached-thing',
    table: 'thing',
    alias: 't',
    json: () => `json_build_object('name', t.name, 'built', nextval('built'))`,
  },
  't.revision',
);
const read = async (storeId: string, ...ids: string[]) =>
  (await things.cache.findEach(db, { storeId }, ids)).map((json) => json && JSON.parse(json));

test('an item is built once for each version, and shown as it is now', async () => {
  expect(await read('str_1', 'a', 'b')).toEqual([
    { name: 'Ash', built: 1 },
    { name: 'Birch', built: 2 },
  ]);
  expect(await read('str_1', 'b', 'a', 'b')).toEqual([
    { name: 'Birch', built: 2 },
    { name: 'Ash', built: 1 },
    { name: 'Birch', built: 2 },
  ]);
  await sql`update thing set name = 'Alder', revision = 2 where store_id = 'str_1' and id = 'a'`.execute(db);
  expect(await read('str_1', 'a', 'b')).toEqual([
    { name: 'Alder', built: 3 },
    { name: 'Birch', built: 2 },
  ]);
});

test('an item of another store, a deleted one and an unknown one are not found', async () => {
  await read('str_1', 'b');
  await sql`delete from thing where store_id = 'str_1' and id = 'b'`.execute(db);
  expect(await read('str_1', 'b', 'c')).toEqual([null, null]);
  expect(await read('str_2', 'b', 'a')).toEqual([null, expect.objectContaining({ name: 'Aspen' })]);
});

import { dropDatabases, eventually, serverUrl } from '@waybill/testing';
import { type Kysely, sql } from 'kysely';
import { analyzeGrownTables } from '../../src/db/statistics.ts';
import { ensureDatabase, openDatabase } from '../../src/index.ts';

const namespace = `wbt_${process.env.WAYBILL_TEST_RUN}_statistics`;
let db: Kysely<unknown>;

beforeAll(async () => {
  const url = await ensureDatabase(serverUrl, `${namespace}_1`);
  // PostgreSQL reports a connection's changes to others at most once a second, and to itself at once.
  db = openDatabase({ service: 'statistics', url, poolSize: 1 });
  await sql`create table thing (store_id text, id int, number int, primary key (store_id, id), unique (store_id, number))
    with (autovacuum_enabled = off)`.execute(db);
  await sql`create table small (like thing) with (autovacuum_enabled = off)`.execute(db);
});
afterAll(async () => {
  await db.destroy();
  await dropDatabases(namespace);
});

const insert = (table: string, from: number, to: number) =>
  sql`insert into ${sql.table(table)} select 'str_1', i, i from generate_series(${from}::int, ${to}::int) i`.execute(
    db,
  );

async function analyzedRows(): Promise<Record<string, number>> {
  await analyzeGrownTables(db);
  const { rows } = await sql<{ name: string; rows: number }>`
    select relname as name, reltuples::int as rows from pg_class where relname in ('thing', 'small')`.execute(
    db,
  );
  return Object.fromEntries(rows.map(({ name, rows: count }) => [name, count]));
}

test('a table is analyzed whenever it has doubled, and a small one is not', async () => {
  await insert('small', 1, 40);
  await insert('thing', 1, 100);
  await eventually(async () => (await analyzedRows()).thing === 100);
  expect(await analyzedRows()).toEqual({ thing: 100, small: -1 });
  await insert('thing', 101, 190);
  await insert('small', 41, 60);
  await eventually(async () => (await analyzedRows()).small === 60);
  expect((await analyzedRows()).thing).toBe(100);
  await insert('thing', 191, 210);
  await eventually(async () => (await analyzedRows()).thing === 210);
});

test('a small sample is enough for an analysis', async () => {
  await sql`create table sampled (like thing) with (autovacuum_enabled = off)`.execute(db);
  await insert('sampled', 1, 5_000);
  await eventually(async () => {
    await analyzeGrownTables(db);
    const { rows } = await sql<{ ranges: number }>`
      select cardinality(histogram_bounds::text::int[]) - 1 as ranges from pg_stats
      where tablename = 'sampled' and attname = 'id'`.execute(db);
    return rows[0]?.ranges === 10;
  });
});

test('a statement that was prepared on an empty table finds rows by their key once the table has grown', async () => {
  await sql`create table lookup (store_id text, id int, number int, wide char(900), primary key (store_id, id))
    with (autovacuum_enabled = off)`.execute(db);
  await sql`create unique index lookup_number_key on lookup (store_id, number)`.execute(db);
  await sql`set plan_cache_mode = force_generic_plan`.execute(db);
  await sql`prepare find as select number from lookup where store_id = $1 and id = $2`.execute(db);
  const plan = async () => {
    const { rows } = await sql<{ 'QUERY PLAN': string }>`explain execute find('str_1', 5)`.execute(db);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  // An empty table of wide rows is taken for one row per store, so either index looks as good as the other.
  expect(await plan()).toContain('lookup_number_key');
  await insert('lookup', 1, 1000);
  expect(await plan()).toContain('lookup_number_key');
  await eventually(async () => {
    await analyzeGrownTables(db);
    return (await plan()).includes('lookup_pkey');
  });
});

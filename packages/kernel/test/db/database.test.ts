import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dropDatabases, eventually, serverUrl, withServerClient } from '@waybill/testing';
import { type Kysely, sql } from 'kysely';
import Type from 'typebox';
import { inTransaction, isUnreachable } from '../../src/db/database.ts';
import type { CitusAdapter } from '../../src/db/distributed.ts';
import {
  compileUnprepared,
  createLog,
  defineConfig,
  defineService,
  ensureDatabase,
  metrics,
  openDatabase,
  type Placeholders,
  prepare,
} from '../../src/index.ts';
import { migrateOnly } from '../../src/service/service-database.ts';
import { type CutProxy, startCutProxy } from '../drivers-proxy.ts';

const namespace = `wbt_${process.env.WAYBILL_TEST_RUN}_database`;
afterAll(() => dropDatabases(namespace));

describe('a prepared statement', () => {
  test('runs again after a value could not be sent: its connection is dropped', async () => {
    const url = await ensureDatabase(serverUrl, `${namespace}_near`);
    const db = openDatabase({ service: 'near', url, poolSize: 1 });
    const statement = prepare<{ value: string }>('database-test', 'select $1::text as value');
    const unsendable = {
      toPostgres() {
        throw new RangeError('Invalid string length');
      },
    };
    const read = async (value: unknown) => (await db.executeQuery(statement([value]))).rows[0]?.value;
    try {
      expect(await read('before')).toBe('before');
      for (let i = 0; i < 3; i++) {
        await expect(read(unsendable)).rejects.toThrow('Invalid string length');
        expect(await read('after')).toBe('after');
      }
    } finally {
      await db.destroy();
    }
  });
});

test('no connection compiles its queries, whatever the server is set to', async () => {
  const url = await ensureDatabase(serverUrl, `${namespace}_plain`);
  await withServerClient((client) => client.query(`alter database ${namespace}_plain set jit = on`));
  const db = openDatabase({ service: 'plain', url, poolSize: 1 });
  const { rows } = await sql<{ jit: string }>`show jit`.execute(db);
  await db.destroy();
  expect(rows).toEqual([{ jit: 'off' }]);
});

describe('a statement that recurs in transactions', () => {
  const listPreparedNames = async (db: Kysely<{ thing: { id: string } }>) =>
    (
      await sql<{
        name: string;
      }>`select name from pg_prepared_statements where name like 'recurring-%'`.execute(db)
    ).rows.map(({ name }) => name);
  const change = (db: Kysely<{ thing: { id: string } }>) =>
    inTransaction(db, (trx) =>
      trx.updateTable('thing').set({ id: 'a' }).where('id', '=', 'a').returningAll().execute(),
    );

  test('is prepared, and runs again with a new plan when a migration has changed its result', async () => {
    const url = await ensureDatabase(serverUrl, `${namespace}_near`);
    const db = openDatabase<{ thing: { id: string } }>({ service: 'near', url, poolSize: 1 });
    try {
      await sql`create table thing (id text primary key)`.execute(db);
      await sql`insert into thing values ('a')`.execute(db);
      await change(db);
      expect(await listPreparedNames(db)).toEqual([]);
      const read = compileUnprepared<object>('select id from thing where id = $1');
      for (let i = 0; i < 30; i++) {
        await change(db);
        await inTransaction(db, (trx) => trx.executeQuery(read(['a'])));
      }
      expect(await listPreparedNames(db)).toHaveLength(1);
      await sql`alter table thing add column size int`.execute(db);
      for (let i = 0; i < 3; i++) expect(await change(db)).toEqual([{ id: 'a', size: null }]);
    } finally {
      await sql`drop table if exists thing`.execute(db);
      await db.destroy();
    }
  });
});

describe('a statement whose rows Citus has moved to another server meanwhile', () => {
  const message = 'Query could not find the intermediate result file "3_1"';

  /** Runs work with a database whose function `attempt` fails that many times. Returns the number of attempts. */
  async function withFailures(failures: number, work: (db: Kysely<unknown>) => Promise<number>) {
    const url = await ensureDatabase(serverUrl, `${namespace}_moved`);
    const db = openDatabase<unknown>({ service: 'moved', url, poolSize: 1 });
    try {
      await sql`drop sequence if exists seen`.execute(db);
      await sql`create sequence seen`.execute(db);
      const body = `declare number bigint := nextval('seen');
        begin
          if number <= ${failures} then raise exception '${message}' using errcode = 'CIINF'; end if;
          return number;
        end`;
      await sql`create or replace function attempt() returns bigint language plpgsql as ${sql.lit(body)}`.execute(
        db,
      );
      return await work(db);
    } finally {
      await db.destroy();
    }
  }
  const run = async (db: Kysely<unknown>) =>
    (await sql<{ number: number }>`select attempt() as number`.execute(db)).rows[0]!.number;
  const runOnCitus = (db: Kysely<unknown>) => {
    (db.getExecutor().adapter as CitusAdapter).isDistributed = true;
    return run(db);
  };

  test('runs again with its transaction', async () => {
    expect(await withFailures(2, (db) => inTransaction(db, run))).toBe(3);
    await expect(withFailures(3, (db) => inTransaction(db, run))).rejects.toThrow(message);
  });

  test('runs again by itself without one', async () => {
    expect(await withFailures(2, runOnCitus)).toBe(3);
    await expect(withFailures(3, runOnCitus)).rejects.toThrow(message);
  });

  test('ends a transaction that does not run again, and no part of it stays', async () => {
    const inOne = (db: Kysely<unknown>) =>
      db.transaction().execute(async (trx) => {
        await sql`create table if not exists left_behind ()`.execute(trx);
        return runOnCitus(trx);
      });
    await expect(withFailures(1, inOne)).rejects.toThrow(message);
    const isThere = async (db: Kysely<unknown>) =>
      (await sql<{ count: number }>`select count(*) from pg_class where relname = 'left_behind'`.execute(db))
        .rows[0]!.count;
    expect(await withFailures(0, isThere)).toBe(0);
  });
});

describe('a statement that names its values', () => {
  test('runs with each where its name stands, however often, and is prepared once', async () => {
    const url = await ensureDatabase(serverUrl, `${namespace}_near`);
    const db = openDatabase({ service: 'near', url, poolSize: 1 });
    type Values = { first: string; second: string | null; unnamed?: string };
    const part = ($: Placeholders<Values>) => `${$.second}::text as b, ${$.first}::text as a`;
    const row = ($: Placeholders<Values>) => `select ${$.first}::text as first, ${part($)}`;
    const statement = prepare<object, Values>('database-test-named', row);
    try {
      for (const second of ['$1', "'; drop table x", null]) {
        const expected = { first: 'one', a: 'one', b: second };
        const values = { second, first: 'one', unnamed: 'not sent' };
        expect((await db.executeQuery(statement(values))).rows).toEqual([expected]);
        expect((await db.executeQuery(compileUnprepared<object, Values>(row)(values))).rows).toEqual([
          expected,
        ]);
      }
      const { rows } = await sql`
        select parameter_types::text as types from pg_prepared_statements where name = 'database-test-named'`.execute(
        db,
      );
      expect(rows).toEqual([{ types: '{text,text}' }]);
    } finally {
      await db.destroy();
    }
  });
});

describe('a database behind a network that fails', () => {
  let lines: { level: string; msg: string }[];
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) });
  let proxy: CutProxy;
  let db: Kysely<unknown>;
  beforeEach(async () => {
    lines = [];
    const url = await ensureDatabase(serverUrl, `${namespace}_far`);
    proxy = await startCutProxy(url);
    db = openDatabase({ service: 'far', url: proxy.url, poolSize: 2, statementMs: 300, log });
  });
  afterEach(async () => {
    await db.destroy();
    await proxy.close();
  });

  const ask = () => sql`select 1`.execute(db);
  const failure = () =>
    ask().then(
      () => null,
      (error: unknown) => error,
    );
  const isReachable = async () =>
    (await metrics.getSingleMetric('waybill_db_reachable')!.get()).values.find(
      ({ labels }) => labels.service === 'far',
    )?.value;

  test('is logged in one line however many queries fail, and in another when it is back', async () => {
    await ask();
    proxy.cut();
    await eventually(async () => (await failure()) && (await isReachable()) === 0);
    for (let i = 0; i < 20; i++) {
      const err = await failure();
      expect(isUnreachable(err)).toBe(true);
      log.error({ err }, 'a request failed');
    }
    proxy.restore();
    await ask();
    expect(await isReachable()).toBe(1);
    // A warning is also possible, if the idle connection was already handed out.
    const reported = lines.filter(({ msg }) => msg !== 'a database connection broke off');
    expect(reported.map(({ level, msg }) => `${level}: ${msg}`)).toEqual([
      'error: the database is unreachable; requests that need it are answered 503',
      'info: the database answers again',
    ]);
  });

  test('fails unanswered queries, and replaces hanging connections', async () => {
    await Promise.all([ask(), ask()]);
    proxy.freeze();
    for (const error of await Promise.all([failure(), failure()])) expect(isUnreachable(error)).toBe(true);
    expect(lines.map(({ msg }) => msg)).toContain('a database connection broke off');
    proxy.restore();
    await Promise.all([ask(), ask()]);
  });

  test('an exhausted pool is logged, and does not count as an outage', async () => {
    const done: (() => void)[] = [];
    const busy = Array.from({ length: 2 }, () =>
      db.connection().execute(() => new Promise<void>((resolve) => done.push(resolve))),
    );
    const failures = await Promise.all(Array.from({ length: 5 }, failure));
    expect(failures.every(isUnreachable)).toBe(true);
    expect(new Set(lines.map(({ msg }) => msg))).toEqual(
      new Set(['no database connection was free in time']),
    );
    expect(await isReachable()).toBe(1);
    for (const free of done) free();
    await Promise.all(busy);
  });
});

test('a migration may take longer than a request', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waybill-migrations-'));
  await writeFile(
    join(folder, '0001_limit.sql'),
    `create table seen as select current_setting('statement_timeout') as statement_timeout`,
  );
  const service = defineService({
    name: 'patient',
    config: defineConfig(Type.Object({})),
    migrations: pathToFileURL(`${folder}/`),
    aggregates: [],
  });
  await migrateOnly(service, { databaseUrl: serverUrl, namespace, log: createLog('silent') });
  await rm(folder, { recursive: true });
  const url = await ensureDatabase(serverUrl, `${namespace}_patient`);
  const db = openDatabase<unknown>({ service: 'test', url, poolSize: 1 });
  const { rows } = await sql`select statement_timeout from seen`.execute(db);
  await db.destroy();
  expect(rows).toEqual([{ statement_timeout: '0' }]);
});

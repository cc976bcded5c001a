import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dropDatabases, eventually, serverUrl, waitUntilBlocked } from '@waybill/testing';
import pg from 'pg';
import { ensureDatabase, migrate, openDatabase, requireMigrated } from '../../src/index.ts';

const namespace = `wbt_${process.env.WAYBILL_TEST_RUN}_migrate`;
let folder: string;
let url: string;
let count = 0;
let clients: pg.Client[];

/** Connects another user of the tables; no statement of it may be blocked for longer than a request's deadline. */
async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, statement_timeout: 5_000 });
  await client.connect();
  clients.push(client);
  return client;
}

async function add(file: string, text: string): Promise<void> {
  await writeFile(join(folder, file), text);
}

async function run(): Promise<void> {
  const db = openDatabase<unknown>({ service: 'migrated', url, poolSize: 1, statementMs: 0 });
  try {
    await migrate(db, pathToFileURL(`${folder}/`));
  } finally {
    await db.destroy();
  }
}

const isValid = async (client: pg.Client, index: string) =>
  (await client.query('select indisvalid from pg_index where indexrelid = to_regclass($1)', [index])).rows[0]
    ?.indisvalid;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-migrate-'));
  url = await ensureDatabase(serverUrl, `${namespace}_${++count}`);
  clients = [];
  await add('0001_note.sql', 'create table note (id int primary key, word text not null)');
  await run();
});
afterEach(async () => {
  for (const client of clients) await client.end();
  await rm(folder, { recursive: true });
});
afterAll(() => dropDatabases(namespace));

describe('an online migration', () => {
  test('builds an index while a transaction that has written stays open, and others read and write', async () => {
    const [slow, other] = [await connect(), await connect()];
    await slow.query('begin');
    await slow.query(`insert into note values (1, 'slow')`);
    await add('0002_word.online.sql', 'create index concurrently if not exists note_word on note (word);\n');
    const running = run();
    await waitUntilBlocked(url);
    await other.query(`insert into note values (2, 'other')`);
    expect((await other.query('select word from note')).rows).toEqual([{ word: 'other' }]);
    await slow.query('commit');
    await running;
    expect(await isValid(other, 'note_word')).toBe(true);
  });

  test('fills a column in steps, each its own transaction', async () => {
    const client = await connect();
    await client.query(`insert into note select i, 'x' from generate_series(1, 250) i`);
    await add('0002_length.sql', 'alter table note add column length int');
    await add(
      '0003_length.online.sql',
      `-- How long the words are.
-- In steps:
update note set length = length(word) where id in (select id from note where length is null limit 100);
`,
    );
    await run();
    const { rows } = await client.query(
      'select length, count(distinct xmin::text) as steps from note group by length',
    );
    expect(rows).toEqual([{ length: 1, steps: 3 }]);
  });

  test('starts again after it was aborted, and leaves no unfinished index', async () => {
    const client = await connect();
    await client.query(`insert into note values (1, 'twice'), (2, 'twice')`);
    await add(
      '0002_word.online.sql',
      "create unique index concurrently if not exists note_word on note (word);\ninsert into note values (3, 'after') on conflict do nothing;\n",
    );
    await expect(run()).rejects.toThrow('could not create unique index');
    expect(await isValid(client, 'note_word')).toBe(false);
    await client.query('delete from note where id = 2');
    await run();
    expect(await isValid(client, 'note_word')).toBe(true);
    expect((await client.query('select word from note order by id')).rows).toEqual([
      { word: 'twice' },
      { word: 'after' },
    ]);
  });
});

describe('a migration in one transaction', () => {
  test('that cannot lock a table lets readers pass, and retries until it can', async () => {
    const [slow, other] = [await connect(), await connect()];
    await slow.query('begin');
    await slow.query('select from note');
    await add('0002_length.sql', 'alter table note add column length int');
    let isDone = false;
    const running = run().then(() => {
      isDone = true;
    });
    // The migration gives up its place in the queue at least twice before the table is free.
    for (let turn = 0; turn < 2; turn++) {
      await waitUntilBlocked(url);
      await other.query('select from note');
      await other.query(`insert into note values (${turn}, 'x')`);
    }
    expect(isDone).toBe(false);
    await slow.query('commit');
    await running;
    expect((await other.query('select length from note')).rows).toEqual([{ length: null }, { length: null }]);
  });

  test('that fails changes nothing, and keeps the migrations before it', async () => {
    await add('0002_good.sql', 'create table good ()');
    await add('0003_bad.sql', 'create table bad (); select 1 / 0');
    await expect(run()).rejects.toThrow('division by zero');
    const client = await connect();
    const { rows } = await client.query(
      `select to_regclass('good') is not null as good, to_regclass('bad') is not null as bad`,
    );
    expect(rows).toEqual([{ good: true, bad: false }]);
  });
});

test('of several simultaneous runs one migrates, including concurrent indexes, and the others wait', async () => {
  await add('0002_word.online.sql', 'create index concurrently if not exists note_word on note (word);\n');
  await add('0003_more.sql', 'create table more ()');
  await Promise.all([run(), run(), run()]);
  expect(await isValid(await connect(), 'note_word')).toBe(true);
});

test('that was killed midway is completed by the next run', async () => {
  const [slow, other] = [await connect(), await connect()];
  await slow.query('begin');
  await slow.query('select from note');
  await add('0002_first.sql', 'create table first ()');
  await add('0003_length.sql', 'create table second (); alter table note add column length int');
  // Awaited at once: it may be aborted before the session that aborts it has its answer.
  const killed = expect(run()).rejects.toThrow();
  await waitUntilBlocked(url);
  await other.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'waybill-migrated'`,
  );
  await killed;
  await slow.query('commit');
  await run();
  const { rows } = await other.query('select length from first, second, note');
  expect(rows).toEqual([]);
});

describe('a process that does not migrate', () => {
  const service = 'notes';
  const lines: string[] = [];
  const wait = (waitMs: number, at = url) =>
    requireMigrated(service, at, pathToFileURL(`${folder}/`), { waitMs, log: (line) => lines.push(line) });
  beforeEach(() => {
    lines.length = 0;
  });

  test('starts immediately on a current or newer schema', async () => {
    await add('0002_more.sql', 'create table more ()');
    await run();
    await rm(join(folder, '0002_more.sql'));
    await wait(0);
    expect(lines).toEqual([]);
  });

  test('reports the missing migrations in one line, and continues when they have run', async () => {
    await add('0002_more.sql', 'create table more ()');
    const waiting = wait(60_000);
    await eventually(() => lines.length > 0);
    await run();
    await waiting;
    expect(lines).toEqual([
      'the database of notes lacks the migration 0002_more: this version\'s "notes migrate" runs them',
    ]);
  });

  test('ends with that line when the wait is over, also without a database', async () => {
    await add('0002_more.sql', 'create table more ()');
    await add('0003_more.sql', 'create table still_more ()');
    await expect(wait(0)).rejects.toThrow('lacks 2 migrations, 0002_more to 0003_more');
    await expect(wait(0, url.replace(/_\d+$/, '_none'))).rejects.toThrow(
      /lacks \d+ migrations, 0000_\w+ to 0003_more/,
    );
    const { port } = new URL(url);
    await expect(wait(0, url.replace(`:${port}`, ':1'))).rejects.toThrow('PostgreSQL (DATABASE_URL) cannot');
  });
});

test('a connection pooler in front of PostgreSQL is refused in one line', async () => {
  const { hostname, port } = new URL(url);
  const pooler = createServer((client) => {
    const server = createConnection(Number(port), hostname);
    server.on('data', (chunk) => {
      // The key of a connection: K, a length of 12, the process, a secret.
      const at = chunk.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]));
      if (at >= 0) chunk.writeInt32BE(1, at + 5);
      client.write(chunk);
    });
    client.on('data', (chunk) => server.write(chunk));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ])
      one!.on('close', () => other!.destroy()).on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  try {
    const pooled = Object.assign(new URL(url), {
      host: `127.0.0.1:${(pooler.address() as AddressInfo).port}`,
    });
    await expect(ensureDatabase(pooled.href, `${namespace}_pooled`)).rejects.toThrow(
      'DATABASE_URL leads to a connection pooler: name PostgreSQL itself.',
    );
  } finally {
    pooler.close();
  }
});

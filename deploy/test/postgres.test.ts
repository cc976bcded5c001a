import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@waybill/testing';
import pg from 'pg';
import { findRunAs } from '../standalone/run-as.ts';
import { type Holder, hold, stopHolders } from './holder.ts';

const isRoot = process.getuid?.() === 0;
let parent: string;
let whole: string;
let dataDir: string;
let count = 0;

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

const ready = async (holder: Holder) => (await holder.line((line) => line.ready)).url!;
const serverPid = async () =>
  Number.parseInt(await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);
const readStored = async (url: string) =>
  (await query<{ n: number }>(url, 'select n from kept order by n')).map(({ n }) => n);

/** Starts a server that no start knows of: the same command line, intentionally without the tie to its parent. */
async function startOrphan(): Promise<void> {
  const options = await readFile(join(dataDir, 'postgres/postmaster.opts'), 'utf8');
  const [program, ...flags] = options
    .trim()
    .split(/ "?|" "?/)
    .map((flag) => flag.replace(/"$/, ''));
  const { prefix, options: account } = findRunAs(program!, dataDir, join(dataDir, 'postgres'));
  const untied = [...prefix.map((part) => (part === 'INT' ? 'clear' : part)), program!, ...flags];
  spawn(untied[0]!, untied.slice(1), { ...account, cwd: '/', detached: true, stdio: 'ignore' }).unref();
  await eventually(async () =>
    /ready/.test(await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')),
  );
}

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'waybill-postgres-'));
  whole = join(parent, 'whole');
  const first = hold(whole);
  await query(await ready(first), 'create table kept (n int primary key); insert into kept values (1)');
  await first.stop();
  expect(first.lines.map(({ log }) => log)).toContain('Creating the database (first start only)…');
});

beforeEach(async () => {
  dataDir = join(parent, `data-${++count}`);
  // With -a, the files still belong to the account of PostgreSQL.
  await promisify(execFile)('cp', ['-a', whole, dataDir]);
});

afterEach(stopHolders);
afterAll(() => rm(parent, { recursive: true, force: true }));

test('keeps its data, durably and for itself', async () => {
  const holder = hold(dataDir);
  const url = await ready(holder);
  expect(await readStored(url)).toEqual([1]);
  expect(
    await query(
      url,
      `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
        current_setting('listen_addresses') as addresses, current_setting('server_encoding') as encoding,
        lower('ÉÞ') as lower`,
    ),
  ).toEqual([{ fsync: 'on', commit: 'on', addresses: '127.0.0.1', encoding: 'UTF8', lower: 'éþ' }]);
  await expect(query(url.replace(/:[^:@]*@/, ':wrong@'), 'select 1')).rejects.toThrow(
    'password authentication failed',
  );
  expect((await stat(join(dataDir, 'postgres-password'))).mode & 0o777).toBe(0o600);
  const pid = await serverPid();
  await holder.stop();
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test.each(isRoot ? [0o700, 0o755] : [0o700])('runs below a directory of mode %p', async (mode) => {
  const closed = join(parent, `closed-${mode}`);
  await mkdir(closed, { mode });
  await promisify(execFile)('cp', ['-a', whole, join(closed, 'data')]);
  expect(await readStored(await ready(hold(join(closed, 'data'))))).toEqual([1]);
  await stopHolders();
  expect((await stat(closed)).mode & 0o777).toBe(mode);
});

test('has what was committed before its start was killed, and ends with it', async () => {
  const first = hold(dataDir);
  await query(await ready(first), 'insert into kept values (2)');
  await first.kill();
  const second = hold(dataDir);
  expect(await readStored(await ready(second))).toEqual([1, 2]);
});

test('takes over from a server that was left behind with work in flight', async () => {
  const first = hold(dataDir);
  const url = new URL(await ready(first));
  await first.stop();
  await startOrphan();
  const orphan = await serverPid();
  const client = new pg.Client({ connectionString: url.href });
  client.on('error', () => {});
  await client.connect();
  await client.query('insert into kept values (2)');
  await client.query('begin; insert into kept values (3)');

  const second = hold(dataDir);
  expect(await readStored(await ready(second))).toEqual([1, 2]);
  expect(second.lines[0]!.log).toBe(
    `Stopping a PostgreSQL that an earlier start left behind (pid ${orphan})…`,
  );
  expect(await serverPid()).not.toBe(orphan);
});

test("starts when the dead server's process id is another program's by now", async () => {
  const first = hold(dataDir);
  await ready(first);
  process.kill(await serverPid(), 'SIGKILL');
  await first.line((line) => line.ended);
  await first.stop();
  const pidFile = join(dataDir, 'postgres/postmaster.pid');
  const { prefix, options } = findRunAs('/bin/sh', dataDir, join(dataDir, 'postgres'));
  // A process of PostgreSQL's own account, which PostgreSQL takes for a server.
  const [command, ...args] = [...prefix, 'sleep', '600'];
  const stranger = spawn(command!, args, { ...options, cwd: '/', stdio: 'ignore' });
  await writeFile(pidFile, (await readFile(pidFile, 'utf8')).replace(/^\d+/, `${stranger.pid}`));

  expect(await readStored(await ready(hold(dataDir)))).toEqual([1]);
  expect(stranger.exitCode).toBeNull();
  stranger.kill();
  await once(stranger, 'exit');
});

test('says so when it ends by itself', async () => {
  const holder = hold(dataDir);
  await ready(holder);
  process.kill(await serverPid(), 'SIGKILL');
  const { ended } = await holder.line((line) => line.ended);
  expect(ended).toBe(`PostgreSQL has ended (SIGKILL); its log: ${join(dataDir, 'postgres.log')}`);
});

test('begins anew after a first start that was killed', async () => {
  await rm(dataDir, { recursive: true });
  const first = hold(dataDir);
  await eventually(() => existsSync(join(dataDir, 'postgres.new/global')));
  await first.kill();
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
  const second = hold(dataDir);
  expect(await query(await ready(second), 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(existsSync(join(dataDir, 'postgres.new'))).toBe(false);
});

test.each([
  {
    damage: 'PG_VERSION is missing',
    file: 'PG_VERSION',
    change: (path: string) => rm(path),
    says: /FATAL: "[^"]*" is not a valid data directory DETAIL: File "[^"]*PG_VERSION" is missing/,
  },
  {
    damage: 'the data is of another version',
    file: 'PG_VERSION',
    change: (path: string) => writeFile(path, '14\n'),
    says: /FATAL: database files are incompatible with server DETAIL: .*version 14/,
  },
  {
    damage: 'the control file is damaged',
    file: 'global/pg_control',
    change: async (path: string) => {
      const file = await open(path, 'r+');
      await file.write(Buffer.alloc(64, 0x55), 0, 64, 0);
      await file.close();
    },
    says: /(FATAL|PANIC|postgres): /,
  },
  {
    damage: 'the configuration is missing',
    file: 'postgresql.conf',
    change: (path: string) => rm(path),
    says: /could not access the server configuration file/,
  },
])('refuses in one line when $damage, and changes nothing', async ({ file, change, says }) => {
  const path = join(dataDir, 'postgres', file);
  await change(path);
  const before = await readFile(path).catch(() => null);
  const { error, kind } = await hold(dataDir).line((line) => line.error);
  expect(kind).toBe('StartError');
  expect(error).toMatch(/^PostgreSQL does not start: [^\n]*$/);
  expect(error).toMatch(says);
  expect(error).toContain(`(its log: ${join(dataDir, 'postgres.log')})`);
  expect(await readFile(path).catch(() => null)).toEqual(before);
});

test('does not begin anew where the data was emptied', async () => {
  await rm(join(dataDir, 'postgres'), { recursive: true });
  await mkdir(join(dataDir, 'postgres'));
  await chmod(join(dataDir, 'postgres'), 0o700);
  await expect(hold(dataDir).line((line) => line.ready)).rejects.toThrow('PostgreSQL does not start');
});

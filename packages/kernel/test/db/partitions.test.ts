import { readFile } from 'node:fs/promises';
import { type EventMessage, firstIdAt, newId } from '@waybill/contracts';
import { dropDatabases, eventually, serverUrl, waitUntilBlocked } from '@waybill/testing';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { auditPartitions } from '../../src/db/audit.ts';
import { maintainPartitions } from '../../src/db/partitions.ts';
import { claimNewEvents, handledEvents } from '../../src/events/handled-events.ts';
import { outboxPartitions } from '../../src/events/outbox.ts';
import { createLog, ensureDatabase, metrics, migrate, openDatabase } from '../../src/index.ts';

const namespace = `wbt_${process.env.WAYBILL_TEST_RUN}_partitions`;
const migrations = new URL('./fixture-migrations/', import.meta.url);
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
let count = 0;
let url: string;
let db: Kysely<unknown>;

beforeEach(async () => {
  url = await ensureDatabase(serverUrl, `${namespace}_${++count}`);
  // Bounds are in UTC, whatever the server's time zone.
  await onDatabase(`alter database ${namespace}_${count} set timezone = 'Asia/Kolkata'`);
  db = openDatabase({ service: 'parted', url, poolSize: 8 });
});
afterEach(() => db.destroy());
afterAll(() => dropDatabases(namespace));

async function onDatabase(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text);
  await client.end();
}

const tables = [outboxPartitions, handledEvents, auditPartitions];
const keep = () => maintainPartitions({ service: 'parted', url, tables, log: createLog('silent') });

const listPartitionNames = async (table: string) =>
  (
    await sql<{ name: string }>`select inhrelid::regclass::text as name from pg_inherits
      where inhparent = ${table}::regclass order by name`.execute(db)
  ).rows.map(({ name }) => name);

/** Returns the partition of a moment, in UTC. */
const hourAt = (time: number) => `outbox_${new Date(time).toISOString().replaceAll(/\D/g, '').slice(0, 10)}`;
const dayAt = (time: number) =>
  `handled_event_${new Date(time).toISOString().replaceAll(/\D/g, '').slice(0, 8)}`;

const insertEvent = (more: { at?: number; published?: number; dead?: boolean } = {}) => {
  const { at = Date.now(), published, dead = false } = more;
  return sql<{ partition: string }>`
    insert into outbox (event_id, name, store_id, data, created_at, published_at, dead_at)
    values (${newId('event', at)}, 'a', 'str_1', '{}', ${new Date(at)},
      ${published === undefined ? null : new Date(published)}, ${dead ? new Date(at) : null})
    returning tableoid::regclass::text as partition`.execute(db);
};

const message = (id: string): EventMessage => ({
  id,
  name: 'a',
  storeId: 'str_1',
  createdAt: new Date().toISOString(),
  data: '{}',
});
const handle = async (...ids: string[]) =>
  (await db.transaction().execute((trx) => claimNewEvents(trx, 'consumer', ids.map(message)))).map(
    ({ id }) => id,
  );

/** Creates a partition as a run at that time would have. */
async function makeHour(time: number): Promise<string> {
  const start = new Date(Math.floor(time / hourMs) * hourMs);
  const end = new Date(start.getTime() + hourMs);
  await sql`create table ${sql.id(hourAt(time))} partition of outbox
    for values from (${sql.lit(start.toISOString())}) to (${sql.lit(end.toISOString())})`.execute(db);
  return hourAt(time);
}
async function makeDay(time: number): Promise<string> {
  const start = Math.floor(time / dayMs) * dayMs;
  await sql`create table ${sql.id(dayAt(time))} partition of handled_event for values
    from (${sql.lit(newId('event', start).slice(0, 14))}) to (${sql.lit(newId('event', start + dayMs).slice(0, 14))})`.execute(
    db,
  );
  return dayAt(time);
}

describe('partitions of a new database', () => {
  beforeEach(() => migrate(db, migrations));

  test('exist for the current and the next periods, in UTC, and receive rows', async () => {
    await keep();
    const now = Date.now();
    const later = [1, 2, 3];
    expect(await listPartitionNames('outbox')).toEqual([
      hourAt(now),
      ...later.map((i) => hourAt(now + i * hourMs)),
      'outbox_default',
    ]);
    expect(await listPartitionNames('handled_event')).toEqual([
      dayAt(now),
      ...later.map((i) => dayAt(now + i * dayMs)),
      'handled_event_default',
    ]);
    expect((await insertEvent({ at: now })).rows[0]!.partition).toBe(hourAt(now));
    // The first and the last moment of a period.
    const next = Math.ceil(now / hourMs) * hourMs;
    expect((await insertEvent({ at: next })).rows[0]!.partition).toBe(hourAt(next));
    expect((await insertEvent({ at: next - 1 })).rows[0]!.partition).toBe(hourAt(next - 1));
    const midnight = Math.ceil(now / dayMs) * dayMs;
    const ids = [newId('event', midnight), newId('event', midnight - 1), 'evt_by-somebody-else'];
    expect((await handle(...ids)).length).toBe(3);
    const { rows } = await sql<{ event_id: string; partition: string }>`
      select event_id, tableoid::regclass::text as partition from handled_event`.execute(db);
    expect(new Map(rows.map(({ event_id, partition }) => [event_id, partition]))).toEqual(
      new Map([
        [ids[0], dayAt(midnight)],
        [ids[1], dayAt(midnight - 1)],
        [ids[2], 'handled_event_default'],
      ]),
    );
    expect(await handle(...ids)).toEqual([]);
  });

  test('may be months of any length, and are dropped 365 days after their end', async () => {
    const now = new Date();
    /** Returns the first moment of a month relative to this one, and the name of its partition. */
    const monthAt = (months: number) => {
      const start = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months);
      return {
        start,
        name: `audit_entry_${new Date(start).toISOString().replaceAll(/\D/g, '').slice(0, 8)}`,
      };
    };
    for (const months of [-14, -12]) {
      const [from, to] = [monthAt(months), monthAt(months + 1)];
      await sql`create table ${sql.id(from.name)} partition of audit_entry for values
        from (${sql.lit(firstIdAt('auditEntry', from.start))}) to (${sql.lit(firstIdAt('auditEntry', to.start))})`.execute(
        db,
      );
    }
    await keep();
    const retained = [-12, 0, 1, 2, 3].map((months) => monthAt(months).name);
    expect(await listPartitionNames('audit_entry')).toEqual([...retained, 'audit_entry_default']);
    const insertIntoPartition = async (at: number) => {
      const { rows } = await sql<{ name: string }>`
        insert into audit_entry (owner_id, id, at, actor_type, actor_id, action, target_id, changed)
        values ('str_1', ${newId('auditEntry', at)}, ${new Date(at)}, 'system', 'system', 'page.deleted', 'p', '{}')
        returning tableoid::regclass::text as name`.execute(db);
      return rows[0]!.name;
    };
    for (const months of [1, 2, 3]) {
      const { start, name } = monthAt(months);
      expect(await insertIntoPartition(start)).toBe(name);
      expect(await insertIntoPartition(start - 1)).toBe(monthAt(months - 1).name);
    }
    expect(await insertIntoPartition(monthAt(4).start)).toBe('audit_entry_default');
  });

  test('are created once by several simultaneous replicas, and their end is measured', async () => {
    await Promise.all([keep(), keep(), keep()]);
    expect(await listPartitionNames('outbox')).toHaveLength(5);
    const ahead = (await metrics.getSingleMetric('waybill_partitions_ahead')!.get()).values.filter(
      ({ labels }) => labels.service === 'parted',
    );
    expect(ahead.map(({ labels }) => labels.table)).toEqual(['outbox', 'handled_event', 'audit_entry']);
    for (const { value } of ahead) expect(value).toBeGreaterThan(3);
  });

  test('are dropped when they expire; those of the outbox only without waiting, dead or recent events', async () => {
    const now = Date.now();
    const old = [3, 4, 5, 6, 7].map((hours) => now - hours * hourMs);
    for (const time of old) await makeHour(time);
    const [gone, waiting, dead, recent, empty] = old as [number, number, number, number, number];
    for (const at of [gone, waiting, dead, recent]) await insertEvent({ at, published: at });
    await insertEvent({ at: waiting });
    await insertEvent({ at: dead, dead: true });
    await insertEvent({ at: recent, published: now });
    await makeDay(now - 9 * dayMs);
    await makeDay(now - 6 * dayMs);
    await keep();
    const hours = await listPartitionNames('outbox');
    expect(hours).toEqual(expect.arrayContaining([waiting, dead, recent].map(hourAt)));
    for (const time of [gone, empty]) expect(hours).not.toContain(hourAt(time));
    const days = await listPartitionNames('handled_event');
    expect(days).toContain(dayAt(now - 6 * dayMs));
    expect(days).not.toContain(dayAt(now - 9 * dayMs));
  });

  test('stay while old events are being published again', async () => {
    const at = Date.now() - 3 * hourMs;
    await makeHour(at);
    await insertEvent({ at, published: at });
    // As the relay does while it resets rows (`publishAgain`).
    await db.connection().execute(async (connection) => {
      await sql`select pg_advisory_lock(${0x77620002})`.execute(connection);
      await keep();
      expect(await listPartitionNames('outbox')).toContain(hourAt(at));
      await sql`select pg_advisory_unlock(${0x77620002})`.execute(connection);
    });
    await keep();
    expect(await listPartitionNames('outbox')).not.toContain(hourAt(at));
  });

  test('that were created too late leave rows in the default partition, where they are found and expire', async () => {
    const now = Date.now();
    const [id, old] = [newId('event', now), newId('event', now - 9 * dayMs)];
    await insertEvent({ at: now });
    expect(await handle(id, old)).toEqual([id, old]);
    await sql`update handled_event set handled_at = now() - interval '8 days' where event_id = ${old}`.execute(
      db,
    );
    await insertEvent({ at: now - hourMs, published: now - hourMs });
    // Earlier partitions exist: the system did not run for a while.
    await makeHour(now - 2 * hourMs);
    await makeDay(now - 2 * dayMs);
    await keep();
    expect(await listPartitionNames('outbox')).not.toContain(hourAt(now));
    expect(await listPartitionNames('outbox')).toContain(hourAt(now + hourMs));
    expect(await listPartitionNames('handled_event')).toContain(dayAt(now + dayMs));
    expect(await handle(id)).toEqual([]);
    expect((await insertEvent({ at: now })).rows[0]!.partition).toBe('outbox_default');
    const { rows } = await sql<{ n: number }>`select count(*) as n from outbox`.execute(db);
    expect(rows[0]!.n).toBe(2);
    const { rows: handled } = await sql<{ event_id: string }>`select event_id from handled_event`.execute(db);
    expect(handled).toEqual([{ event_id: id }]);
  });

  test('are created beside a large default partition, even after an aborted run', async () => {
    const now = Date.now();
    await sql`insert into handled_event (consumer, event_id, handled_at)
      select 'consumer', ${newId('event', now)} || i, now() from generate_series(1, 120000) i`.execute(db);
    const end = newId('event', now + 5 * dayMs).slice(0, 14);
    await sql`alter table handled_event_default add constraint no_rows_ahead
      check (event_id < ${sql.lit(newId('event', now + dayMs).slice(0, 14))} or event_id >= ${sql.lit(end)}) not valid`.execute(
      db,
    );
    await keep();
    const later = [2, 3].map((i) => now + i * dayMs);
    expect(await listPartitionNames('handled_event')).toEqual(expect.arrayContaining(later.map(dayAt)));
    const { rows } = await sql`select from pg_constraint where conname = 'no_rows_ahead'`.execute(db);
    expect(rows).toEqual([]);
    // A row that fits no partition is still accepted.
    const beyond = newId('event', now + 4.5 * dayMs);
    expect(await handle(beyond)).toEqual([beyond]);
  });

  test('skip a table that another session has locked', async () => {
    const holder = new pg.Client({ connectionString: url });
    const other = new pg.Client({ connectionString: url, statement_timeout: 1_000 });
    await Promise.all([holder.connect(), other.connect()]);
    await holder.query('begin');
    await holder.query('select from outbox');
    let isDone = false;
    const maintenance = keep().finally(() => {
      isDone = true;
    });
    await waitUntilBlocked(url, 'alter table');
    while (!isDone)
      await other.query(`insert into outbox (event_id, name, store_id, data) values ('e', 'a', 's', '{}')`);
    await maintenance;
    await holder.query('commit');
    await Promise.all([holder.end(), other.end()]);
    expect(await listPartitionNames('handled_event')).toHaveLength(5);
  });
});

describe('a filled database of before there were partitions', () => {
  /** Fills the database as the previous version left it. */
  async function fill(): Promise<void> {
    for (const file of ['0000_events.sql', '0000_trace.sql', '0000_outbox_dead.online.sql'])
      await onDatabase(await readFile(new URL(`../../migrations/${file}`, import.meta.url), 'utf8'));
    await onDatabase(`
      create table migration (name varchar(255) primary key, timestamp varchar(255) not null);
      insert into migration values ('0000_events', '2026-11-01T00:00:00.000Z'), ('0000_outbox_dead', '2026-11-01T00:00:00.001Z'), ('0000_trace', '2026-11-01T00:00:00.002Z');
      insert into outbox (event_id, name, store_id, data, published_at)
        select 'evt_' || i, 'a', 'str_1', repeat('x', 100), case when i % 10 > 0 then now() end
        from generate_series(1, 100000) i;
      insert into handled_event (consumer, event_id) select 'consumer', 'evt_' || i from generate_series(1, 100000) i`);
  }

  test('is migrated while replicas of the previous version run: nothing is refused or lost, and nothing waits for a second', async () => {
    await fill();
    let isDone = false;
    const written: string[] = [];
    const removed: string[] = [];
    const worker = async (work: (client: pg.Client) => Promise<void>) => {
      const client = new pg.Client({ connectionString: url, statement_timeout: 1_000 });
      await client.connect();
      while (!isDone) await work(client);
      await client.end();
    };
    /** The statements of the previous version, prepared where it prepared them. */
    const write = async (client: pg.Client) => {
      const id = newId('event');
      await client.query('begin');
      await client.query({
        name: 'outbox-insert',
        text: 'insert into outbox (event_id, name, store_id, trace, data) values ($1, $2, $3, $4, $5)',
        values: [id, 'new', 'str_1', null, '{}'],
      });
      await client.query({
        name: 'once',
        text: `insert into handled_event (consumer, event_id) select 'consumer', id from unnest($1::text[]) as id
          on conflict do nothing returning event_id`,
        values: [[id, 'evt_1']],
      });
      await client.query('commit');
      written.push(id);
    };
    const relay = async (client: pg.Client) => {
      await client.query('begin');
      const { rows } = await client.query({
        name: 'outbox-claim',
        text: `select id as row, event_id as id, name from outbox
          where id > $1 and published_at is null and dead_at is null and due_at <= clock_timestamp()
          order by outbox.id limit $2 for update skip locked`,
        values: [100_000, 20],
      });
      await client.query({
        name: 'outbox-remove',
        text: 'delete from outbox where id = any($1)',
        values: [rows.map(({ row }) => row)],
      });
      await client.query('commit');
      removed.push(...rows.map(({ id }) => id));
    };
    const working = Promise.all([worker(write), worker(write), worker(relay), worker(relay)]);
    try {
      await eventually(() => removed.length > 20);
      const patient = openDatabase<unknown>({ service: 'parted', url, poolSize: 1, statementMs: 0 });
      await migrate(patient, migrations);
      await patient.destroy();
      await keep();
      const seen = removed.length;
      await eventually(() => removed.length > seen + 20);
    } finally {
      isDone = true;
    }
    await working;
    const { rows } = await sql<{ event_id: string }>`select event_id from outbox where name = 'new'`.execute(
      db,
    );
    expect([...removed, ...rows.map(({ event_id }) => event_id)].sort()).toEqual([...written].sort());
    const { rows: counts } = await sql`select
      (select count(*) from outbox where name = 'a') as events,
      (select count(*) - ${written.length} from handled_event) as handled`.execute(db);
    expect(counts).toEqual([{ events: 100_000, handled: 100_000 }]);
    expect(await handle('evt_77', written[0]!)).toEqual([]);
    // The hour and the day of old rows have no partition of their own.
    expect(await listPartitionNames('outbox')).toEqual(
      expect.arrayContaining([hourAt(Date.now() + 3 * hourMs)]),
    );
    expect(await listPartitionNames('outbox')).not.toContain(hourAt(Date.now()));
  }, 30_000);
});

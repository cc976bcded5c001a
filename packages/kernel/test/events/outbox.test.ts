import { CustomerDeleted, type EventMessage, newId, ProductDeleted } from '@waybill/contracts';
import { cloneDatabases, dropDatabases, eventually, serverUrl, waitUntilBlocked } from '@waybill/testing';
import { type CompiledQuery, type Kysely, sql } from 'kysely';
import Type from 'typebox';
import { claim, makeDue } from '../../src/events/outbox.ts';
import { startRelay } from '../../src/events/relay.ts';
import {
  type Bus,
  createLog,
  defineConfig,
  defineService,
  emit,
  openDatabase,
  type PublishResult,
} from '../../src/index.ts';

const service = defineService({
  name: 'relayed',
  config: defineConfig(Type.Object({})),
  migrations: new URL('../db/fixture-migrations/', import.meta.url),
  aggregates: [],
});
const namespace = `wbt_${process.env.WAYBILL_TEST_RUN}_outbox`;

/** The part of a broker that a relay sees. */
function createBroker() {
  const published: EventMessage[] = [];
  /** Number of events in each call of `publish`. */
  const offered: number[] = [];
  let result: PublishResult = 'accepted';
  const full = new Set<string>();
  let wipe = async () => {};
  let confirmed = Promise.resolve();
  const bus: Bus = {
    isSingleProcess: false,
    async publish(events) {
      offered.push(events.length);
      const results = events.map(({ name }) => (full.has(name) ? 'refused' : result));
      published.push(...events.filter((_, i) => results[i] === 'accepted'));
      await confirmed;
      return results;
    },
    onWiped(listener) {
      wipe = listener;
    },
    async subscribe() {},
    async enqueue() {},
    async work() {},
    backlog: async () => ({ waiting: 0, workers: 0 }),
    beginStop() {},
    async stop() {},
    async close() {},
  };
  const answer = (next: PublishResult) => {
    result = next;
  };
  /** Withholds the results for events from now on. */
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    confirmed = promise;
    return resolve;
  };
  return { bus, offered, published, full, wipe: () => wipe(), answer, hold };
}

describe('the relay to a broker', () => {
  const { href: url } = new URL(`/${namespace}_relayed`, serverUrl);
  let db: Kysely<unknown>;
  beforeAll(async () => {
    await cloneDatabases([service], namespace);
    db = openDatabase({ service: 'relayed', url, poolSize: 6 });
  });
  beforeEach(() => sql`delete from outbox`.execute(db));
  afterAll(async () => {
    await db.destroy();
    await dropDatabases(namespace);
  });
  const write = (...slugs: string[]) =>
    db.transaction().execute(async (trx) => {
      for (const slug of slugs)
        await emit(trx, ProductDeleted, 'str_1', { product: { id: 'p', number: 1, slug } });
    });
  const start = (bus: Bus) =>
    startRelay({ db, bus, service: 'relayed', log: createLog('silent'), pollMs: 50 });

  test('publishes accepted events again only if the broker has lost them', async () => {
    const { bus, published, wipe } = createBroker();
    const relay = start(bus);
    await write('one');
    await write('two');
    await eventually(() => published.length === 2);
    const ids = published.map(({ id }) => id).sort();
    await eventually(async () => {
      const { rows } = await sql<{ n: number }>`select count(published_at) as n from outbox`.execute(db);
      return rows[0]!.n === 2;
    });
    await wipe();
    await eventually(() => published.length === 4);
    expect(
      published
        .slice(2)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(ids);
    await relay.stop();
  });

  test('keeps rows locked while handlers of its process run, however long', async () => {
    const impatient = openDatabase({
      service: 'relayed',
      url: `${url}?idle_in_transaction_session_timeout=100`,
      poolSize: 6,
    });
    const { bus, published, hold } = createBroker();
    const handled = hold();
    const own = { isSingleProcess: true, publish: bus.publish, onWiped() {} } as unknown as Bus;
    const relay = startRelay({
      db: impatient,
      bus: own,
      service: 'relayed',
      log: createLog('silent'),
      pollMs: 20,
    });
    await write('slow');
    await eventually(() => published.length === 1);
    // A session that began later and is ended by its idle timeout shows that the relay's would have been ended too.
    const idle = impatient.transaction().execute(async (trx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
      await eventually(async () => {
        const sessions = await sql`select from pg_stat_activity where pid = ${rows[0]!.pid}`.execute(db);
        return sessions.rows.length === 0;
      });
    });
    await expect(idle).rejects.toThrow();
    await write('next');
    await eventually(() => published.some(({ data }) => data.includes('next')));
    expect(published).toHaveLength(2);
    handled();
    await eventually(async () => (await sql`select from outbox`.execute(db)).rows.length === 0);
    await relay.stop();
    await impatient.destroy();
  });

  test('also publishes events again that the lost broker had confirmed but that were not yet marked', async () => {
    const { bus, published, wipe, hold } = createBroker();
    const relay = start(bus);
    const confirm = hold();
    await write('in flight');
    await eventually(() => published.length === 1);
    const wiped = wipe();
    await waitUntilBlocked(url);
    confirm();
    await wiped;
    await eventually(() => published.length === 2);
    expect(published[1]!.id).toBe(published[0]!.id);
    await relay.stop();
  });

  test('reports that it could not mark events to be published again', async () => {
    const { bus, wipe } = createBroker();
    const relay = start(bus);
    await sql`alter table outbox rename to away`.execute(db);
    await expect(wipe()).rejects.toThrow();
    await sql`alter table away rename to outbox`.execute(db);
    await relay.stop();
  });

  test('lets other events pass those of a full queue, which follow when it has room', async () => {
    const { bus, published, full } = createBroker();
    full.add(ProductDeleted.name);
    const relay = start(bus);
    for (let i = 0; i < 5; i++) await write(`stuck-${i}`);
    await db
      .transaction()
      .execute((trx) => emit(trx, CustomerDeleted, 'str_1', { customer: { id: newId('customer') } }));
    await eventually(() => published.length === 1);
    expect(published[0]!.name).toBe(CustomerDeleted.name);
    full.clear();
    await eventually(() => published.length === 6);
    await relay.stop();
  });

  test('probes a full queue with one event, while the others wait twice as long as before', async () => {
    const { bus, full, published } = createBroker();
    full.add(ProductDeleted.name);
    for (let i = 0; i < 5; i++) await write(`stuck-${i}`);
    const relay = start(bus);
    const waits = async () => {
      const { rows } = await sql<{ s: number }>`
        select extract(epoch from due_at - clock_timestamp())::float8 as s from outbox
        where published_at is null order by due_at`.execute(db);
      return rows.map(({ s }) => s);
    };
    const areAllPutOff = async () => (await waits()).filter((seconds) => seconds > 1).length === 5;
    await eventually(areAllPutOff);
    expect((await waits()).filter((seconds) => seconds < 55)).toHaveLength(1);
    await sql`update outbox set due_at = now(), created_at = created_at - interval '200 seconds'`.execute(db);
    await eventually(areAllPutOff);
    const later = (await waits()).filter((seconds) => seconds > 61);
    for (const seconds of later) expect(Math.abs(seconds - 400)).toBeLessThan(40);
    expect(later.length).toBeGreaterThanOrEqual(4);
    // An accepted event makes the others due.
    full.clear();
    await write('new');
    await eventually(() => published.length === 6, { withinMs: 20_000 });
    await relay.stop();
  });

  test('hands over large events a few at a time, and all of them', async () => {
    const { bus, offered, published } = createBroker();
    for (let i = 0; i < 30; i++) await write('x'.repeat(900_000));
    const relay = start(bus);
    await eventually(() => published.length === 30);
    expect(Math.max(...offered)).toBe(5);
    expect(new Set(published.map(({ id }) => id)).size).toBe(30);
    await relay.stop();
  });

  test('waits for more commits no longer than a batch takes, unless they come many at a time', async () => {
    const { bus, published } = createBroker();
    const relay = startRelay({ db, bus, service: 'relayed', log: createLog('silent'), pollMs: 60_000 });
    /** Returns how long the second of two wakes waits; nothing if an earlier wake is still waiting, which serves both. */
    const measureSecondWake = () => {
      // Both come at one instant, when the previous wait is over.
      const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 25);
      const timers = jest.spyOn(globalThis, 'setTimeout');
      try {
        relay.wake();
        relay.wake();
        // The difference of two instants may be slightly more than the time that was added to one.
        return timers.mock.calls.map(([, ms = 0]) => ({ ms })).find(({ ms }) => ms < 21);
      } finally {
        timers.mockRestore();
        clock.mockRestore();
      }
    };
    /** Returns how long the second of two wakes waits after this many events were handed over. */
    const waitAfter = async (events: number) => {
      const before = published.length;
      // One commit writes all events, because the previous wake may come at any time between two commits.
      await write(...Array.from({ length: events }, (_, i) => `event ${before + i}`));
      relay.wake();
      await eventually(() => published.length === before + events);
      const { ms } = await eventually(measureSecondWake);
      return ms;
    };
    await waitAfter(1);
    expect(await waitAfter(1)).toBeLessThanOrEqual(4);
    await waitAfter(10);
    expect(await waitAfter(10)).toBeGreaterThan(4);
    await relay.stop();
  });

  test('hands over frequent commits in one batch', async () => {
    const { bus, published } = createBroker();
    let looks = 0;
    const counting = new Proxy(db, {
      get(target, name) {
        if (name === 'transaction') looks++;
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const log = createLog('silent');
    const relay = startRelay({ db: counting, bus, service: 'relayed', log, pollMs: 60_000 });
    await write('first');
    relay.wake();
    await eventually(() => published.length === 1);
    for (let i = 0; i < 10; i++) await write(`next ${i}`);
    looks = 0;
    for (let i = 0; i < 10; i++) relay.wake();
    await eventually(() => published.length === 11);
    // One look, and another if the first of the wakes came late enough to be served at once.
    expect(looks).toBeLessThanOrEqual(2);
    await relay.stop();
  });

  test('writes nothing while the broker is unreachable, and probes it with one event', async () => {
    const { bus, offered, published, answer } = createBroker();
    answer('unreachable');
    for (let i = 0; i < 20; i++) await write(`kept-${i}`);
    const rows = async () =>
      (
        await sql`select id, xmin::text, failures, due_at <= now() as is_due from outbox order by id`.execute(
          db,
        )
      ).rows;
    const before = await rows();
    const relay = start(bus);
    await eventually(() => offered.length >= 5);
    // A wake while the bus is unreachable makes the relay offer no batch.
    relay.wake();
    await eventually(() => offered.length >= 8);
    // The first batch discovered that the bus is unreachable.
    expect(new Set(offered.slice(1))).toEqual(new Set([1]));
    expect(await rows()).toEqual(before);
    answer('accepted');
    await eventually(() => published.length === 20);
    await relay.stop();
  });

  test('defers events without a queue, without counting a failure', async () => {
    const { bus, published, answer } = createBroker();
    answer('unroutable');
    const relay = start(bus);
    await write('early');
    await eventually(async () => {
      const { rows } = await sql<{ waits: boolean }>`select due_at > now() as waits from outbox`.execute(db);
      return rows[0]!.waits;
    });
    expect((await sql`select failures, dead_at from outbox`.execute(db)).rows).toEqual([
      { failures: 0, dead_at: null },
    ]);
    answer('accepted');
    await eventually(() => published.length === 1);
    await relay.stop();
  });

  test('a batch contains due events even if many wait for a queue, half of each kind', async () => {
    await sql`insert into outbox (event_id, name, store_id, data, due_at)
      select 'evt_' || i, case i % 2 when 0 then 'a' else 'b' end, 'str_1', '{}', now() + interval '1 hour'
      from generate_series(1, 20000) i`.execute(db);
    await sql`analyze outbox`.execute(db);
    for (const due of ['one', 'two']) await write(due);
    const read = (statement: CompiledQuery) =>
      db.transaction().execute(async (trx) => {
        const { rows } = await trx.executeQuery<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>({
          ...statement,
          sql: `explain (analyze, buffers, timing off, format json) ${statement.sql}`,
        });
        const { Plan } = rows[0]!['QUERY PLAN'][0];
        return {
          found: Plan['Actual Rows'],
          pages: Plan['Shared Hit Blocks']! + Plan['Shared Read Blocks']!,
        };
      });
    for (const from of [0, 1]) {
      const { found, pages } = await read(claim([from, 200]));
      expect(found).toBe(2);
      expect(pages).toBeLessThan(60);
    }
    // Bringing events forward reads few pages, too.
    expect((await read(makeDue(['c', 100, new Date()]))).pages).toBeLessThan(60);
    await sql`update outbox set due_at = now() where name = 'a'`.execute(db);
    await sql`insert into outbox (event_id, name, store_id, data)
      select 'evt_fresh_' || i, 'c', 'str_1', '{}' from generate_series(1, 1000) i`.execute(db);
    const { rows } = await db.executeQuery(claim([0, 200]));
    expect(rows).toHaveLength(200);
    expect(rows.filter(({ wasPutOff }) => wasPutOff)).toHaveLength(100);
    expect(rows[0]!.found).toBeGreaterThan(200);
  });

  test('publishes a large number of events again in steps', async () => {
    const { bus, published, wipe } = createBroker();
    await sql`insert into outbox (event_id, name, store_id, data, published_at)
      select 'evt_' || i, 'a', 'str_1', '{}', now() - interval '20 minutes'
      from generate_series(1, 12000) i`.execute(db);
    const relay = start(bus);
    await wipe();
    await eventually(() => published.length >= 12_000);
    expect(new Set(published.map(({ id }) => id)).size).toBe(12_000);
    await relay.stop();
  });

  test('two relays of one database publish each event once between them', async () => {
    const { bus, published } = createBroker();
    const relays = [start(bus), start(bus)];
    for (let i = 0; i < 300; i++) await write(`event-${i}`);
    await eventually(() => published.length >= 300);
    await Promise.all(relays.map((relay) => relay.stop()));
    expect(new Set(published.map(({ id }) => id)).size).toBe(300);
    expect(published.length).toBe(300);
  });
});

import { type DeliveryOutcome, newId, type Principal } from '@waybill/contracts';
import { countStatements } from '@waybill/testing';
import { sql } from 'kysely';
import type { PublicEvent } from '../src/bodies/public-event.ts';
import { listDeliveryPage as listDeliveries } from '../src/deliveries/deliveries.ts';
import { fanOut } from '../src/events/fan-out.ts';
import { outcomesWorker } from '../src/outcomes/outcomes.ts';
import { getReplay, listReplayPage, startReplay, stopReplay } from '../src/replays/replays.ts';
import type { ReplayInput } from '../src/replays/routes.ts';
import { newCopy, type OwnDatabase, openOwnDatabase } from './replica.ts';

const lately = new Date(Date.now() - 3_600_000).toISOString();

describe('a replay', () => {
  let own: OwnDatabase;
  beforeEach(async () => {
    own = await openOwnDatabase();
  });
  afterEach(() => own.drop());

  const createEvent = (storeId: string, at = new Date()): PublicEvent => ({
    storeId,
    id: newId('event', at.getTime()),
    type: 'product.updated',
    createdAt: at.toISOString(),
    data: '{"product":{"id":"x"}}',
  });
  const createMember = (storeId: string) =>
    ({ kind: 'user', storeId, userId: newId('user'), role: 'owner' }) as unknown as Principal;

  async function newEndpoint(storeId = newId('store')) {
    const id = newId('webhookEndpoint');
    await sql`insert into webhook_endpoint (store_id, id, url, sealed_secret, events, status)
      values (${storeId}, ${id}, 'https://example.com/', 'x', '{product.updated}', 'active')`.execute(own.db);
    return { storeId, id };
  }
  type Endpoint = Awaited<ReturnType<typeof newEndpoint>>;
  const setStatus = ({ storeId, id }: Endpoint, status: string) =>
    sql`update webhook_endpoint set status = ${status} where store_id = ${storeId} and id = ${id}`.execute(
      own.db,
    );

  /** Creates a copy of the service with a delivery that ends its calls as the test says. */
  function newRunningCopy() {
    const copy = newCopy(own.db, { config: { eventLogDays: 30, retryDelays: [60] } });
    const { handle } = outcomesWorker(copy.context);
    return {
      ...copy,
      /** Ends the calls handed over since the last time and returns their events. */
      async end(delivered = true): Promise<string[]> {
        const jobs = copy.handed.splice(0);
        const outcomes = jobs.map(
          ({ storeId, endpointId, deliveryId, attempt }): DeliveryOutcome => ({
            storeId,
            endpointId,
            deliveryId,
            attempt,
            delivered,
            statusCode: delivered ? 200 : 500,
            error: delivered ? '' : 'HTTP 500',
            durationMs: 5,
            startedAt: new Date().toISOString(),
            reply: null,
          }),
        );
        if (outcomes.length > 0) await handle(outcomes as never[]);
        return jobs.map(({ eventId }) => eventId);
      },
    };
  }
  type Copy = ReturnType<typeof newRunningCopy>;

  /** Runs a replay until it makes no further call, and returns the events it called for. */
  async function runToEnd(copy: Copy, delivered = true): Promise<string[]> {
    const called: string[] = [];
    for (let idle = 0; idle < 2; ) {
      await copy.finish('replay');
      await copy.dispatch();
      const ended = await copy.end(delivered);
      called.push(...ended);
      idle = ended.length === 0 ? idle + 1 : 0;
    }
    return called;
  }

  async function start(copy: Copy, { storeId, id }: Endpoint, input: Partial<ReplayInput> = {}) {
    const member = createMember(storeId);
    const { id: replayId } = await copy.context.write((write) =>
      startReplay(write, copy.context, storeId, member, id, { since: lately, ...input }),
    );
    return {
      read: () => getReplay(own.db, storeId, member, id, replayId),
      stop: () => copy.context.write(({ trx }) => stopReplay(trx, storeId, member, id, replayId)),
    };
  }

  it('makes the missed calls, oldest first, and no others', async () => {
    const copy = newRunningCopy();
    const storeId = newId('store');
    const before = Array.from({ length: 3 }, () => createEvent(storeId));
    await fanOut(copy.context, before);
    const endpoint = await newEndpoint(storeId);
    const taken = createEvent(storeId);
    await fanOut(copy.context, [taken]);
    await copy.end();
    await setStatus(endpoint, 'disabled');
    const missed = Array.from({ length: 250 }, () => createEvent(storeId));
    await fanOut(copy.context, missed);
    await setStatus(endpoint, 'active');

    const replay = await start(copy, endpoint);
    const called = await runToEnd(copy);
    expect(called).toEqual([...before, ...missed].map(({ id }) => id));
    expect(await replay.read()).toMatchObject({ state: 'done', matched: 253, sent: 253 });
    const again = await start(copy, endpoint);
    expect(await runToEnd(copy)).toEqual([]);
    expect(await again.read()).toMatchObject({ state: 'done', matched: 0, sent: 0 });
    await start(copy, endpoint, { statuses: ['delivered'], until: before[2]!.createdAt });
    expect((await runToEnd(copy)).length).toBeLessThanOrEqual(3);
    const history = await listDeliveries(own.db, storeId, endpoint.id, { limit: 10 });
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from webhook_delivery where store_id = ${storeId}`.execute(own.db);
    expect([history.deliveries.length, history.total]).toEqual([10, rows[0]!.count]);
    const page = await listReplayPage(own.db, storeId, createMember(storeId), endpoint.id, { limit: 2 });
    expect([page.total, page.replays.length, page.nextCursor]).toEqual([3, 2, expect.any(String)]);
  });

  it('counts an event as never called for only if the record of its call would still be there', async () => {
    const copy = newRunningCopy();
    const storeId = newId('store');
    const [old, recent] = [40, 20].map((days) =>
      createEvent(storeId, new Date(Date.now() - days * 86_400_000)),
    );
    await fanOut(copy.context, [old!, recent!]);
    await copy.end();
    const since = new Date(Date.now() - 50 * 86_400_000).toISOString();
    const createdAt = (endpoint: Endpoint, days: number) =>
      sql`update webhook_endpoint set created_at = now() - make_interval(days => ${days}) where id = ${endpoint.id}`.execute(
        own.db,
      );
    const older = await newEndpoint(storeId);
    await createdAt(older, 45);
    const replay = await start(copy, older, { since });
    expect(await runToEnd(copy)).toEqual([recent!.id]);
    expect(await replay.read()).toMatchObject({ state: 'done', matched: 1, sent: 1 });
    const younger = await newEndpoint(storeId);
    await createdAt(younger, 10);
    await start(copy, younger, { since });
    expect(await runToEnd(copy)).toEqual([old!.id, recent!.id]);
  });

  it('makes each call once, whenever the process is killed', async () => {
    const storeId = newId('store');
    const events = Array.from({ length: 40 }, () => createEvent(storeId));
    const first = newRunningCopy();
    await fanOut(first.context, events);
    const endpoint = await newEndpoint(storeId);
    const replay = await start(first, endpoint);
    const called: string[] = [];
    for (let kill = 0; kill < 8; kill++) {
      // The committed deliveries remain; the state of the process, and what it had handed over, is lost.
      const copy = newRunningCopy();
      await copy.finish('replay');
      if (kill % 2) await copy.dispatch();
      await sql`update webhook_due set claimable_at = now(), is_leased = false`.execute(own.db);
      await sql`update endpoint_queue set next_at = now()`.execute(own.db);
    }
    called.push(...(await runToEnd(newRunningCopy())));
    expect(called.sort()).toEqual(events.map(({ id }) => id).sort());
    expect(await replay.read()).toMatchObject({ state: 'done', matched: 40, sent: 40 });
  });

  it('leaves half of the capacity to new events, and waits while calls fail', async () => {
    const copy = newRunningCopy();
    const storeId = newId('store');
    await fanOut(
      copy.context,
      Array.from({ length: 300 }, () => createEvent(storeId)),
    );
    const endpoint = await newEndpoint(storeId);
    const replay = await start(copy, endpoint);
    await copy.finish('replay');
    await copy.dispatch();
    expect(copy.handed).toHaveLength(4);
    const live = createEvent(storeId);
    await fanOut(copy.context, [live]);
    expect(copy.handed.at(-1)!.eventId).toBe(live.id);
    await runToEnd(copy, false);
    expect(await replay.read()).toMatchObject({ state: 'running', matched: 300, sent: 100 });
  });

  it('costs almost nothing while it waits for retries, and continues as soon as one has ended', async () => {
    const copy = newRunningCopy();
    const storeId = newId('store');
    const events = Array.from({ length: 110 }, () => createEvent(storeId));
    await fanOut(copy.context, events);
    const endpoint = await newEndpoint(storeId);
    const replays = await Promise.all(Array.from({ length: 5 }, () => start(copy, endpoint)));
    const read = () => Promise.all(replays.map(({ read }) => read()));
    const ids = (await read()).map(({ id }) => id);
    await sql`
      with counted as (
        update webhook_replay set is_counted = true
      ), delivery as (
        insert into webhook_delivery (store_id, id, endpoint_id, event_id, event_type, status, attempts)
        select ${storeId}, replay || '_' || n, ${endpoint.id}, (${events.map(({ id }) => id)}::text[])[n],
          'product.updated', 'retrying', 1
        from unnest(${ids}::text[]) as replay, generate_series(1, 100) n returning id
      )
      insert into webhook_due (store_id, delivery_id, endpoint_id, claimable_at, is_leased, replay_id)
      select ${storeId}, id, ${endpoint.id}, now() + interval '2 hours', false, substring(id from '^(.*)_')
      from delivery`.execute(own.db);
    await copy.finish('replay');
    expect(await countStatements(() => copy.finish('replay'))).toBeLessThan(5);

    const [first] = ids;
    await sql`update webhook_due set claimable_at = now() where delivery_id = ${`${first}_1`}`.execute(
      own.db,
    );
    await sql`insert into endpoint_queue (store_id, endpoint_id, next_at)
      values (${storeId}, ${endpoint.id}, now())`.execute(own.db);
    await copy.dispatch();
    expect(await copy.end()).toEqual([events[0]!.id]);
    await copy.finish('replay');
    expect((await read()).map(({ sent }) => sent)).toEqual([1, 0, 0, 0, 0]);
  });

  it('ends when it is stopped, or its endpoint is disabled or deleted', async () => {
    const copy = newRunningCopy();
    const storeId = newId('store');
    await fanOut(
      copy.context,
      Array.from({ length: 20 }, () => createEvent(storeId)),
    );
    const endpoint = await newEndpoint(storeId);
    const stopped = await start(copy, endpoint);
    await copy.finish('replay');
    await stopped.stop();
    expect(await runToEnd(copy)).toEqual([]);
    expect(await stopped.read()).toMatchObject({ state: 'cancelled', sent: 4 });
    const disabled = await start(copy, endpoint);
    await setStatus(endpoint, 'disabled');
    expect(await runToEnd(copy)).toEqual([]);
    expect(await disabled.read()).toMatchObject({ state: 'cancelled' });
    await expect(start(copy, endpoint)).rejects.toMatchObject({ code: 'invalid_state' });
  });

  it('cancels its waiting calls when it is stopped, and does not retry those in flight', async () => {
    const copy = newRunningCopy();
    const storeId = newId('store');
    await fanOut(
      copy.context,
      Array.from({ length: 20 }, () => createEvent(storeId)),
    );
    const endpoint = await newEndpoint(storeId);
    const replay = await start(copy, endpoint);
    for (let turn = 0; turn < 2; turn++) {
      await copy.finish('replay');
      await copy.dispatch();
      if (turn === 0) await copy.end(false);
    }
    const inFlight = copy.handed.length;
    const live = createEvent(storeId);
    await fanOut(copy.context, [live]);
    await replay.stop();
    const statuses = async () => {
      const { rows } = await sql<{ status: string; count: number }>`
        select status, count(*) from webhook_delivery where store_id = ${storeId} group by status`.execute(
        own.db,
      );
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    };
    expect(inFlight).toBeGreaterThan(0);
    expect(await statuses()).toEqual({ cancelled: 4, pending: inFlight + 1 });
    await copy.end(false);
    expect(await statuses()).toEqual({ cancelled: 4 + inFlight, retrying: 1 });
    const { rows } = await sql`select event_id from webhook_due join webhook_delivery d
      on d.store_id = webhook_due.store_id and d.id = delivery_id where d.store_id = ${storeId}`.execute(
      own.db,
    );
    expect(rows).toEqual([{ event_id: live.id }]);
  });

  it('is refused if it makes no sense, or too many run', async () => {
    const copy = newRunningCopy();
    const endpoint = await newEndpoint();
    for (const [range, pointers] of [
      [{ since: 'yesterday', until: 'today' }, ['/since', '/until']],
      [{ since: '' }, ['/since']],
    ] as const)
      await expect(start(copy, endpoint, range)).rejects.toMatchObject({
        code: 'invalid_body',
        details: pointers.map((pointer) => expect.objectContaining({ pointer })),
      });
    // An empty end is none.
    await (await start(copy, endpoint, { until: '' })).stop();
    const elsewhere = { ...endpoint, storeId: newId('store') };
    await expect(start(copy, elsewhere)).rejects.toMatchObject({ code: 'not_found' });
    for (let i = 0; i < 5; i++) await start(copy, endpoint);
    await expect(start(copy, endpoint)).rejects.toMatchObject({ code: 'invalid_state' });
  });
});

import { type DeliveryJob, newId, type Principal } from '@waybill/contracts';
import { createInProcessCache, type ServiceContext } from '@waybill/kernel';
import { sql } from 'kysely';
import { cancelMarkedCalls } from '../src/cancellations/queries.ts';
import { scheduleRedelivery } from '../src/deliveries/queries.ts';
import { type CheckedInput, deleteEndpoint, replaceEndpoint } from '../src/endpoints/endpoints.ts';
import { fanOut } from '../src/events/fan-out.ts';
import { createState } from '../src/index.ts';
import { settleDeliveries } from '../src/outcomes/queries.ts';
import { newCopy, type OwnDatabase, openOwnDatabase } from './replica.ts';

describe('the queue of endpoints', () => {
  let own: OwnDatabase;
  beforeEach(async () => {
    own = await openOwnDatabase();
  });
  afterEach(() => own.drop());

  /** Creates an endpoint of a store, with deliveries made for it at an earlier time. */
  async function newEndpoint({ storeId = newId('store'), due = 0, at = 'now()' } = {}) {
    const id = newId('webhookEndpoint');
    await sql`
      with endpoint as (
        insert into webhook_endpoint (store_id, id, url, sealed_secret, events, status)
        values (${storeId}, ${id}, 'https://example.com/', 'x', '{product.created}', 'active')
      ), delivery as (
        insert into webhook_delivery (store_id, id, endpoint_id, event_id, event_type, status)
        select ${storeId}, ${id} || '_' || n, ${id}, ${id} || '_' || n, 'product.created', 'retrying'
        from generate_series(1, ${due}::int) n returning id
      ), event as (
        insert into webhook_event (store_id, id, type, body, created_at)
        select ${storeId}, id, 'product.created', '{"data":{}}', now() from delivery
      )
      insert into webhook_due (store_id, delivery_id, endpoint_id, claimable_at, is_leased)
      select ${storeId}, id, ${id}, ${sql.raw(at)}, false from delivery`.execute(own.db);
    return { storeId, id };
  }
  /** Returns endpoints with unsettled deliveries that would be looked at too late, or never. */
  async function forgotten() {
    const { rows } = await sql`
      select d.endpoint_id from webhook_due d left join endpoint_queue q using (store_id, endpoint_id)
      group by d.endpoint_id, q.next_at
      having q.next_at is null or q.next_at > greatest(min(d.claimable_at), clock_timestamp())`.execute(
      own.db,
    );
    return rows;
  }

  it('serves the longest waiting endpoint first, of any store, and skips those that are not due', async () => {
    const { handed, dispatch, finish } = newCopy(own.db);
    await newEndpoint({ storeId: 'str_a', due: 3, at: `now() + interval '1 day'` });
    const late = await newEndpoint({ storeId: 'str_b', due: 1, at: `now() - interval '1 minute'` });
    const latest = await newEndpoint({ storeId: 'str_c', due: 1, at: `now() - interval '1 hour'` });
    await finish('queue-endpoints');
    expect(await forgotten()).toEqual([]);
    await dispatch();
    expect(handed.map(({ endpointId }) => endpointId).sort()).toEqual([latest.id, late.id].sort());
    const { rows } = await sql<{ store: string }>`
      select store_id as store from endpoint_queue where next_at <= now() + interval '1 minute'
      order by store_id`.execute(own.db);
    expect(rows.map(({ store }) => store)).toEqual(['str_b', 'str_c']);
  });

  it('leases no more calls than delivery can begin, and none without delivery', async () => {
    const copy = newCopy(own.db);
    const backlog = { waiting: 0, workers: 0 };
    copy.context.bus.backlog = async (lane) => ({
      ...backlog,
      waiting: lane === 'delivery.calls.slow' ? 128 : backlog.waiting,
    });
    const hanging = [];
    for (let i = 0; i < 3; i++) hanging.push(await newEndpoint({ due: 2, at: `now() - interval '1 hour'` }));
    await sql`update webhook_endpoint set is_slow = true`.execute(own.db);
    const healthy = await newEndpoint({ due: 5, at: `now() - interval '1 minute'` });
    await copy.finish('queue-endpoints');
    await copy.dispatch();
    expect(copy.handed).toEqual([]);
    Object.assign(backlog, { workers: 1, waiting: 3_997 });
    copy.context.state = createState(copy.context);
    await copy.dispatch();
    expect(copy.handed.map(({ endpointId }) => endpointId)).toEqual(Array(3).fill(healthy.id));
    const { rows } = await sql<{ early: number }>`
      select count(*) as early from endpoint_queue where next_at <= now()`.execute(own.db);
    expect(rows[0]!.early).toBe(1);
  });

  it.each([-60_000, 60_000])('leases by the clock of the database, %d ms behind its own', async (behind) => {
    const now = Date.now;
    jest.spyOn(Date, 'now').mockImplementation(() => now() + behind);
    try {
      const copy = newCopy(own.db);
      const lives: (number | undefined)[] = [];
      const { enqueue } = copy.context.bus;
      copy.context.bus.enqueue = (lane, jobs, ttlMs) => {
        if (jobs.length > 0) lives.push(ttlMs);
        return enqueue(lane, jobs, ttlMs);
      };
      const { id, storeId } = await newEndpoint({ due: 2, at: `now() - interval '1 second'` });
      await copy.finish('queue-endpoints');
      await copy.dispatch();
      const event = { storeId, id: newId('event'), createdAt: new Date().toISOString(), data: '{}' };
      await fanOut(copy.context, [{ ...event, type: 'product.created' }]);
      const { rows } = await sql<{ id: string; until: number }>`
        select delivery_id as id, extract(epoch from claimable_at)::float8 * 1000 as until
        from webhook_due where endpoint_id = ${id} order by delivery_id`.execute(own.db);
      const handed = copy.handed.map((job) => ({ id: job.deliveryId, until: job.leasedUntil }));
      expect(handed.sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(rows);
      expect(rows).toHaveLength(3);
      for (const ttlMs of lives) {
        expect(ttlMs).toBeLessThanOrEqual(15_000);
        expect(ttlMs).toBeGreaterThan(10_000);
      }
      expect(lives).toHaveLength(2);
    } finally {
      jest.restoreAllMocks();
    }
  });

  it('moves an endpoint with many due calls to the end of the queue after its turn', async () => {
    const { handed, dispatch, finish } = newCopy(own.db);
    const flood = await newEndpoint({ storeId: 'str_a', due: 600, at: `now() - interval '1 hour'` });
    const others = [];
    for (let i = 0; i < 3; i++) others.push(await newEndpoint({ due: 2, at: `now() - interval '1 second'` }));
    await finish('queue-endpoints');
    await dispatch();
    const of = (id: string) => handed.filter(({ endpointId }) => endpointId === id).length;
    expect(others.map(({ id }) => of(id))).toEqual([2, 2, 2]);
    expect(of(flood.id)).toBe(8);
    const { rows } = await sql<{ endpoint_id: string }>`
      select endpoint_id from endpoint_queue where next_at <= now()`.execute(own.db);
    expect(rows).toEqual([{ endpoint_id: flood.id }]);
  });

  it('loses no endpoint while several replicas fan out, dispatch and settle', async () => {
    const endpoints = await Promise.all(Array.from({ length: 5 }, () => newEndpoint()));
    const copies = [newCopy(own.db), newCopy(own.db)];
    const createdAt = new Date().toISOString();
    const fanOuts = async (copy: (typeof copies)[number]) => {
      for (let i = 0; i < 30; i++) {
        await fanOut(
          copy.context,
          endpoints.map(({ storeId }) => ({
            storeId,
            id: newId('event'),
            type: 'product.created' as const,
            createdAt,
            data: '{}',
          })),
        );
      }
    };
    let isOver = false;
    const dispatches = async (copy: (typeof copies)[number]) => {
      let settled = 0;
      while (!isOver) {
        await copy.dispatch();
        const outcomes = copy.handed.slice(settled, settled + 20).map((job, i) => ({
          storeId: job.storeId,
          deliveryId: job.deliveryId,
          endpointId: job.endpointId,
          attempt: job.attempt,
          delivered: i % 2 === 0,
          statusCode: 200,
          error: '',
          durationMs: 1,
        }));
        settled += outcomes.length;
        await own.db.transaction().execute((trx) => settleDeliveries(trx, outcomes, [0.01, 0.01, 0.01]));
        expect(await forgotten()).toEqual([]);
      }
    };
    const running = copies.map(dispatches);
    await Promise.all(copies.map(fanOuts));
    isOver = true;
    await Promise.all(running);
    expect(await forgotten()).toEqual([]);
  });

  describe('an endpoint with many waiting calls', () => {
    const owner = {
      kind: 'user',
      userId: 'usr_1',
      email: 'o@example.com',
      role: 'owner',
    } as const satisfies Partial<Principal>;
    async function newBacklog() {
      const copy = newCopy(own.db, {
        transaction: (work) => own.db.transaction().execute((trx) => work(trx as never)) as never,
        config: { trustedTargets: [] },
        cache: createInProcessCache(),
        peers: { call: async () => ({ rights: [[]] }) } as unknown as ServiceContext['peers'],
      });
      const endpoint = await newEndpoint({ due: 12_000, at: `now() - interval '1 hour'` });
      await copy.finish('queue-endpoints');
      const principal = { ...owner, storeId: endpoint.storeId };
      const fields: CheckedInput = {
        input: { url: 'https://1.1.1.1/', events: ['product.created'], description: '' },
        origin: 'https://1.1.1.1',
      };
      const replace = (status: 'active' | 'disabled') =>
        copy.context.write((write) =>
          replaceEndpoint(write, copy.context, endpoint.storeId, principal, endpoint.id, {
            checked: fields,
            rights: null,
            status,
          }),
        );
      const statuses = async () => {
        const { rows } = await sql<{ status: string; count: number }>`
          select status, count(*) from webhook_delivery group by status order by status`.execute(own.db);
        return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
      };
      return { ...copy, ...endpoint, principal, replace, statuses };
    }

    it('is disabled by a mark: waiting calls are never made, but new ones and redeliveries are', async () => {
      const backlog = await newBacklog();
      const { storeId, id, context, handed, dispatch, finish } = backlog;
      await backlog.replace('disabled');
      // The request left the cancellation to a task; even without it, nothing is called.
      expect(await backlog.statuses()).toEqual({ retrying: 12_000 });
      await dispatch();
      await backlog.replace('active');
      await dispatch();
      await dispatch();
      expect(handed).toEqual([]);

      const createdAt = new Date().toISOString();
      const event = { storeId, id: newId('event'), type: 'product.created', createdAt } as const;
      await fanOut(context, [{ ...event, data: '{"product":{}}' }]);
      await finish('cancel');
      await own.db.transaction().execute((trx) => scheduleRedelivery(trx, storeId, id, `${id}_1`));
      await finish('cancel');
      expect(await backlog.statuses()).toEqual({ cancelled: 11_999, pending: 1, retrying: 1 });
      await dispatch();
      expect(handed.map(({ eventId }) => eventId)).toEqual([event.id, `${id}_1`]);
    });

    it('is deleted by a mark', async () => {
      const backlog = await newBacklog();
      const { context, storeId, principal, id } = backlog;
      await context.write((write) => deleteEndpoint(write, context, storeId, principal, id));
      await backlog.dispatch();
      await backlog.finish('cancel');
      expect(backlog.handed).toEqual([]);
      expect(await backlog.statuses()).toEqual({ cancelled: 12_000 });
      const { rows } = await sql`select from endpoint_cancellation`.execute(own.db);
      expect(rows).toEqual([]);
    });

    it('is retried later while other sessions lock its calls', async () => {
      const { storeId, id, replace } = await newBacklog();
      await replace('disabled');
      await own.db.transaction().execute(async (trx) => {
        await sql`select from webhook_due where store_id = ${storeId} and endpoint_id = ${id} for update`.execute(
          trx,
        );
        expect(await cancelMarkedCalls(own.db, 20_000)).toBe(false);
      });
      expect(await cancelMarkedCalls(own.db, 20_000)).toBe(true);
      expect(await cancelMarkedCalls(own.db, 20_000)).toBe(false);
    });

    it('counts an attempt in flight as cancelled', async () => {
      const backlog = await newBacklog();
      await backlog.dispatch();
      await backlog.replace('disabled');
      await backlog.replace('active');
      const [{ storeId, deliveryId, endpointId } = {} as DeliveryJob] = backlog.handed;
      const outcome = { storeId, deliveryId, endpointId, attempt: 1, delivered: false };
      const failed = { ...outcome, statusCode: 500, error: 'x', durationMs: 1 };
      await own.db.transaction().execute((trx) => settleDeliveries(trx, [failed], [60]));
      expect(await backlog.statuses()).toEqual({ cancelled: 1, retrying: 11_999 });
    });
  });
});

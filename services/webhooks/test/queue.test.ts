import { newId } from '@waybill/contracts';
import { sql } from 'kysely';
import { settleDeliveries } from '../src/deliveries/queries.ts';
import { tasks } from '../src/deliveries/schedule.ts';
import { fanOut } from '../src/events/fan-out.ts';
import { newCopy, type OwnDatabase, openOwnDatabase } from './copy.ts';

describe('the queue of endpoints', () => {
  let own: OwnDatabase;
  beforeEach(async () => {
    own = await openOwnDatabase();
  });
  afterEach(() => own.drop());

  /** An endpoint of a store whose id begins so, with deliveries that were made for it at an earlier time. */
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
  const queueAll = async (context: Parameters<typeof tasks>[0]) => {
    const task = tasks(context).find(({ name }) => name === 'queue-endpoints')!;
    while (await task.run());
  };
  /** Endpoints that have something unsettled and would be looked at too late, or never. */
  async function forgotten() {
    const { rows } = await sql`
      select d.endpoint_id from webhook_due d left join endpoint_queue q using (store_id, endpoint_id)
      group by d.endpoint_id, q.next_at
      having q.next_at is null or q.next_at > greatest(min(d.claimable_at), clock_timestamp())`.execute(
      own.db,
    );
    return rows;
  }

  it('takes who has waited longest first, whatever its store, and leaves alone what is not due', async () => {
    const { context, handed, dispatch } = newCopy(own.db);
    await newEndpoint({ storeId: 'str_a', due: 3, at: `now() + interval '1 day'` });
    const late = await newEndpoint({ storeId: 'str_b', due: 1, at: `now() - interval '1 minute'` });
    const latest = await newEndpoint({ storeId: 'str_c', due: 1, at: `now() - interval '1 hour'` });
    await queueAll(context);
    expect(await forgotten()).toEqual([]);
    await dispatch();
    expect(handed.map(({ endpointId }) => endpointId).sort()).toEqual([latest.id, late.id].sort());
    const { rows } = await sql<{ store: string }>`
      select store_id as store from endpoint_queue where next_at <= now() + interval '1 minute'
      order by store_id`.execute(own.db);
    expect(rows.map(({ store }) => store)).toEqual(['str_b', 'str_c']);
  });

  it('lets an endpoint with much that is due go to the end of the line after its turn', async () => {
    const { context, handed, dispatch } = newCopy(own.db);
    const flood = await newEndpoint({ storeId: 'str_a', due: 600, at: `now() - interval '1 hour'` });
    const others = [];
    for (let i = 0; i < 3; i++) others.push(await newEndpoint({ due: 2, at: `now() - interval '1 second'` }));
    await queueAll(context);
    await dispatch();
    const of = (id: string) => handed.filter(({ endpointId }) => endpointId === id).length;
    expect(others.map(({ id }) => of(id))).toEqual([2, 2, 2]);
    expect(of(flood.id)).toBe(8);
    const { rows } = await sql<{ endpoint_id: string }>`
      select endpoint_id from endpoint_queue where next_at <= now()`.execute(own.db);
    expect(rows).toEqual([{ endpoint_id: flood.id }]);
  });

  it('forgets nobody while several copies fan out, dispatch and settle at once', async () => {
    const endpoints = await Promise.all(Array.from({ length: 5 }, () => newEndpoint()));
    const copies = [newCopy(own.db), newCopy(own.db)];
    const createdAt = new Date().toISOString();
    const fanOuts = async (copy: (typeof copies)[number]) => {
      for (let i = 0; i < 30; i++) {
        await fanOut(
          copy.context,
          endpoints.map(({ storeId }) => ({
            ...{ storeId, id: newId('event'), type: 'product.created' as const, createdAt, data: '{}' },
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
          ...{ storeId: job.storeId, deliveryId: job.deliveryId, endpointId: job.endpointId },
          ...{ attempt: job.attempt, delivered: i % 2 === 0, statusCode: 200, error: '', durationMs: 1 },
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
});

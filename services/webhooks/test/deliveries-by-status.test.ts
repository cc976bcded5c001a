import { type DeliveryJob, newId } from '@waybill/contracts';
import { eventually, isOnCitus } from '@waybill/testing';
import { sql } from 'kysely';
import { cancelMarkedCalls, markWaitingCalls } from '../src/cancellations/queries.ts';
import {
  type DeliveryFilter,
  listDeliveries,
  partitionOfRow,
  scheduleRedelivery,
} from '../src/deliveries/queries.ts';
import { settleDeliveries } from '../src/outcomes/queries.ts';
import { cancelReplayCalls } from '../src/replays/queries.ts';
import { cancelDeliveries, endDeliveriesWithoutEvent } from '../src/schedule/queries.ts';
import { type OwnDatabase, openOwnDatabase } from './replica.ts';

const statuses = ['pending', 'retrying', 'delivered', 'dead', 'cancelled'] as const;
type Status = (typeof statuses)[number];

describe('the deliveries of an endpoint by status', () => {
  let own: OwnDatabase;
  beforeEach(async () => {
    own = await openOwnDatabase();
  });
  afterEach(() => own.drop());

  function newEndpoint() {
    const [storeId, endpointId] = [newId('store'), newId('webhookEndpoint')];
    /** Creates deliveries that are in flight for the first time, and returns their ids. */
    async function inFlight(count: number, replayId: string | null = null): Promise<string[]> {
      const ids = Array.from({ length: count }, () => newId('webhookDelivery'));
      await sql`
        with endpoint as (
          insert into webhook_endpoint (store_id, id, url, sealed_secret, events, status)
          values (${storeId}, ${endpointId}, 'https://example.com/', 'x', '{product.created}', 'active')
          on conflict do nothing
        ), delivery as (
          insert into webhook_delivery (store_id, id, endpoint_id, event_id, event_type, status)
          select ${storeId}, id, ${endpointId}, 'evt_1', 'product.created', 'pending' from unnest(${ids}::text[]) id
          returning id, ${sql.raw(partitionOfRow(isOnCitus))}
        ), counted as (
          insert into webhook_delivery_count as c (store_id, endpoint_id, partition, deliveries)
          select ${storeId}, ${endpointId}, partition, count(*) from delivery
          where partition <> 'webhook_delivery_default' group by partition
          on conflict (store_id, endpoint_id, partition) do update set deliveries = c.deliveries + excluded.deliveries
        )
        insert into webhook_due (store_id, delivery_id, endpoint_id, claimable_at, is_leased, replay_id)
        select ${storeId}, id, ${endpointId}, now(), ${replayId === null}, ${replayId} from delivery`.execute(
        own.db,
      );
      return ids;
    }
    const end = (ids: readonly string[], delivered: boolean, retryDelays: number[] = [], attempt = 1) =>
      own.db.transaction().execute((trx) =>
        settleDeliveries(
          trx,
          ids.map((deliveryId) => ({
            storeId,
            deliveryId,
            endpointId,
            attempt,
            delivered,
            statusCode: 200,
            error: '',
            durationMs: 1,
          })),
          retryDelays,
        ),
      );
    const jobs = (ids: readonly string[]) =>
      ids.map((deliveryId) => ({ storeId, deliveryId, endpointId })) as DeliveryJob[];
    const list = (filter: DeliveryFilter, limit = 200, db = own.db) =>
      listDeliveries(db, storeId, endpointId, filter, { limit, after: null });
    /** Returns the counts that the lists by status show, after checking them against the stored rows. */
    async function shown(): Promise<Record<Status, number>> {
      const found = {} as Record<Status, number>;
      for (const status of statuses) {
        const { rows: stored } = await sql<{ id: string }>`
          select id from webhook_delivery
          where store_id = ${storeId} and endpoint_id = ${endpointId} and status = ${status}
          order by id desc`.execute(own.db);
        const { rows, total } = await list({ status });
        expect([status, rows.map(({ id }) => ({ id }))]).toEqual([status, stored.slice(0, 200)]);
        expect([status, total]).toEqual([status, stored.length]);
        const ofType = await list({ status, eventType: 'product.created' });
        expect([status, ofType.rows.length, ofType.total]).toEqual([status, rows.length, stored.length]);
        found[status] = total;
      }
      return found;
    }
    return { storeId, endpointId, inFlight, end, jobs, list, shown };
  }

  it('are those in that status, however they reached it', async () => {
    const { storeId, endpointId, inFlight, end, jobs, shown } = newEndpoint();
    const [failed, waiting, taken, lost, unwanted] = await Promise.all(
      [2, 3, 4, 1, 2].map((n) => inFlight(n)),
    );
    expect(await shown()).toEqual({ pending: 12, retrying: 0, delivered: 0, dead: 0, cancelled: 0 });
    await end(failed!, false);
    await end(waiting!, false, [600]);
    await end(taken!, true);
    await endDeliveriesWithoutEvent(own.db, jobs(lost!));
    await cancelDeliveries(own.db, jobs(unwanted!));
    expect(await shown()).toEqual({ pending: 0, retrying: 3, delivered: 4, dead: 3, cancelled: 2 });

    // One delivery was cancelled while its call was made and succeeded; the others were redelivered, and failed or
    // succeeded.
    await end([unwanted![0]!], true);
    await own.db.transaction().execute(async (trx) => {
      for (const id of failed!) await scheduleRedelivery(trx, storeId, endpointId, id);
    });
    expect(await shown()).toEqual({ pending: 0, retrying: 5, delivered: 5, dead: 1, cancelled: 1 });
    await end([failed![0]!], false, [600], 2);
    await end([failed![1]!], true, [600], 2);
    expect(await shown()).toEqual({ pending: 0, retrying: 3, delivered: 6, dead: 2, cancelled: 1 });

    const replayId = newId('webhookReplay');
    await inFlight(2, replayId);
    await own.db.transaction().execute((trx) => cancelReplayCalls(trx, storeId, replayId));
    await markWaitingCalls(own.db, [{ storeId, endpointId }]);
    while (await cancelMarkedCalls(own.db, 2));
    expect(await shown()).toEqual({ pending: 0, retrying: 0, delivered: 6, dead: 2, cancelled: 6 });
  });

  it('are complete if an older replica ends or repeats some', async () => {
    const { storeId, inFlight, shown } = newEndpoint();
    const [one, two] = await inFlight(2);
    // Does what such a copy does, which does not know `webhook_unsuccessful`.
    const become = (id: string, status: Status) =>
      sql`update webhook_delivery set status = ${status} where store_id = ${storeId} and id = ${id}`.execute(
        own.db,
      );
    await sql`delete from webhook_due where store_id = ${storeId}`.execute(own.db);
    await become(one!, 'dead');
    await become(two!, 'cancelled');
    expect(await shown()).toMatchObject({ dead: 1, cancelled: 1 });
    await become(one!, 'delivered');
    await become(two!, 'dead');
    expect(await shown()).toMatchObject({ delivered: 1, dead: 1, cancelled: 0 });
  });

  it('cost as much as their number, not the number of others', async () => {
    const { inFlight, end, jobs, list } = newEndpoint();
    const many = await inFlight(30_000);
    for (let from = 0; from < many.length; from += 5_000) await end(many.slice(from, from + 5_000), true);
    const [failed, waiting, , unwanted] = await Promise.all([20, 20, 20, 20].map((n) => inFlight(n)));
    await end(failed!, false);
    await end(waiting!, false, [600]);
    await cancelDeliveries(own.db, jobs(unwanted!));
    const countBlocks = (status: Status) =>
      own.db.transaction().execute(async (trx) => {
        const { rows, total } = await list({ status }, 20, trx);
        expect([status, rows.length, total]).toEqual([status, 20, status === 'delivered' ? 30_000 : 20]);
        const { rows: fetched } = await sql<{ blocks: number }>`
          select sum(pg_stat_get_xact_blocks_fetched(oid))::int as blocks from pg_class
          where relname like 'webhook%'`.execute(trx);
        return fetched[0]!.blocks;
      });
    // Rows that autovacuum examines meanwhile keep older ones from being removed.
    await eventually(
      async () => {
        await sql`vacuum analyze webhook_delivery, webhook_due, webhook_unsuccessful`.execute(own.db);
        for (const status of statuses) {
          const blocks = await countBlocks(status);
          expect([status, blocks < 600 ? 'few' : blocks]).toEqual([status, 'few']);
        }
        return true;
      },
      { withinMs: 20_000, restMs: 500 },
    );
  });

  it('are found even among very many unsettled ones', async () => {
    const { inFlight, end, shown, list } = newEndpoint();
    const ids = await inFlight(2_100);
    await end(ids.slice(0, 10), false, [600]);
    expect(await list({ status: 'retrying' }, 5)).toMatchObject({ total: 10, rows: { length: 5 } });
    expect((await list({ status: 'pending' }, 5)).total).toBe(2_090);
    await end(ids.slice(10, 2_000), true);
    expect(await shown()).toEqual({ pending: 100, retrying: 10, delivered: 1_990, dead: 0, cancelled: 0 });
  });
});

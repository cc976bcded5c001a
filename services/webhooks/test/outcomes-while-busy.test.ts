import { type DeliveryOutcome, newId, outcomesQueue } from '@waybill/contracts';
import { createInProcessBus, createInProcessCache, createLog, type WorkerDefinition } from '@waybill/kernel';
import { eventually } from '@waybill/testing';
import { sql } from 'kysely';
import { outcomesWorker } from '../src/outcomes/outcomes.ts';
import { newCopy, type OwnDatabase, openOwnDatabase } from './replica.ts';

describe('outcomes that come while the database is busy', () => {
  let own: OwnDatabase;
  beforeEach(async () => {
    own = await openOwnDatabase(3);
  });
  afterEach(() => own.drop());

  test('are recorded afterwards, and no call is repeated', async () => {
    const [storeId, endpointId] = [newId('store'), newId('webhookEndpoint')];
    const ids = Array.from({ length: 4 }, () => newId('webhookDelivery'));
    await sql`
      with endpoint as (
        insert into webhook_endpoint (store_id, id, url, sealed_secret, events, status)
        values (${storeId}, ${endpointId}, 'https://example.com/', 'x', '{product.created}', 'active')
      ), delivery as (
        insert into webhook_delivery (store_id, id, endpoint_id, event_id, event_type, status)
        select ${storeId}, id, ${endpointId}, 'evt_' || id, 'product.created', 'pending'
        from unnest(${ids}::text[]) as id returning id
      )
      insert into webhook_due (store_id, delivery_id, endpoint_id, claimable_at, is_leased)
      select ${storeId}, id, ${endpointId}, now() + interval '30 seconds', true from delivery`.execute(
      own.db,
    );
    const { context } = newCopy(own.db, {
      config: { eventLogDays: 30, retryDelays: [60] },
      cache: createInProcessCache(),
    });
    const bus = createInProcessBus(createLog('silent'));
    await bus.work(outcomesWorker(context) as WorkerDefinition & { handle(jobs: unknown[]): Promise<void> });
    const outcomes = ids.map(
      (deliveryId): DeliveryOutcome => ({
        storeId,
        endpointId,
        deliveryId,
        attempt: 1,
        delivered: true,
        statusCode: 200,
        error: '',
        durationMs: 5,
        reply: null,
      }),
    );
    await own.db.transaction().execute(async (trx) => {
      await sql`lock table webhook_delivery`.execute(trx);
      await bus.enqueue(outcomesQueue, outcomes);
      // Cancels the statement as its limit of 15 s would, but sooner.
      await eventually(async () => {
        const { rows } = await sql`
          select pg_cancel_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(own.db);
        return rows.length > 0;
      });
    });
    await eventually(async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from webhook_delivery where status = 'delivered' and attempts = 1`.execute(
        own.db,
      );
      return rows[0]!.count === ids.length;
    });
    expect((await sql`select from webhook_due`.execute(own.db)).rows).toEqual([]);
    await bus.stop();
  });
});

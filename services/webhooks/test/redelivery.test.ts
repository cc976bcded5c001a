import { type DeliveryOutcome, newId, type Principal } from '@waybill/contracts';
import { sql } from 'kysely';
import { markWaitingCalls } from '../src/cancellations/queries.ts';
import { readDelivery, redeliver } from '../src/deliveries/deliveries.ts';
import { settleDeliveries } from '../src/outcomes/queries.ts';
import { newCopy, type OwnDatabase, openOwnDatabase } from './replica.ts';

describe('a delivery', () => {
  let own: OwnDatabase;
  beforeAll(async () => {
    own = await openOwnDatabase();
  });
  afterAll(() => own.drop());

  /** Creates a delivery that waits for a retry; its event is kept unless told otherwise. */
  async function newDelivery({ isEventKept = true, at = 'now()' } = {}) {
    const { db } = own;
    const [storeId, endpointId] = [newId('store'), newId('webhookEndpoint')];
    const [deliveryId, eventId] = [newId('webhookDelivery'), newId('event')];
    await sql`
      with endpoint as (
        insert into webhook_endpoint (store_id, id, url, sealed_secret, events, status)
        values (${storeId}, ${endpointId}, 'https://example.com/', 'x', '{product.created}', 'active')
      ), delivery as (
        insert into webhook_delivery (store_id, id, endpoint_id, event_id, event_type, status, attempts)
        values (${storeId}, ${deliveryId}, ${endpointId}, ${eventId}, 'product.created', 'retrying', 1)
      ), event as (
        insert into webhook_event (store_id, id, type, body, created_at)
        select ${storeId}, ${eventId}, 'product.created', '{"data":{}}', now() where ${isEventKept}
      ), queued as (
        insert into endpoint_queue (store_id, endpoint_id, next_at) values (${storeId}, ${endpointId}, now())
      )
      insert into webhook_due (store_id, delivery_id, endpoint_id, claimable_at, is_leased)
      values (${storeId}, ${deliveryId}, ${endpointId}, ${sql.raw(at)}, false)`.execute(db);
    const copy = newCopy(db);
    const member = { kind: 'user', storeId, userId: newId('user'), role: 'owner' } as unknown as Principal;
    return {
      ...copy,
      storeId,
      endpointId,
      deliveryId,
      read: () => readDelivery(db, storeId, endpointId, deliveryId, []),
      redeliver: () =>
        copy.context.write((write) =>
          redeliver(write, copy.context, storeId, member, endpointId, deliveryId),
        ),
      isScheduled: async () => {
        const { rows } = await sql`select from webhook_due where delivery_id = ${deliveryId}`.execute(db);
        return rows.length > 0;
      },
    };
  }

  it('whose event is deleted ends as dead, notifies admins, and cannot be redelivered', async () => {
    const delivery = await newDelivery({ isEventKept: false });
    await delivery.dispatch();
    expect(delivery.handed).toEqual([]);
    expect(await delivery.read()).toMatchObject({
      status: 'dead',
      attempt: 1,
      nextAttemptAt: null,
      lastStatusCode: null,
      lastError: 'the event is no longer kept',
    });
    expect(await delivery.isScheduled()).toBe(false);
    const { rows } = await sql`select from outbox where store_id = ${delivery.storeId}`.execute(own.db);
    expect(rows).toHaveLength(1);
    await expect(delivery.redeliver()).rejects.toMatchObject({ code: 'invalid_state' });
    expect(await delivery.isScheduled()).toBe(false);
  });

  it('keeps the newest fifty attempts, however often it is redelivered', async () => {
    const { storeId, endpointId, deliveryId, read } = await newDelivery();
    for (let attempt = 2; attempt <= 55; attempt++) {
      const outcome: DeliveryOutcome = {
        storeId,
        endpointId,
        deliveryId,
        attempt,
        delivered: false,
        statusCode: 500,
        error: 'HTTP 500',
        durationMs: 5,
        startedAt: new Date().toISOString(),
      };
      await own.db.transaction().execute((trx) => settleDeliveries(trx, [outcome], []));
    }
    const { attempt, attempts } = await read();
    expect([attempt, attempts.length]).toEqual([55, 50]);
    expect(attempts.map((entry) => entry.attempt)).toEqual(Array.from({ length: 50 }, (_, i) => i + 6));
  });

  it('that was cancelled when its webhook was disabled can be redelivered by hand', async () => {
    const delivery = await newDelivery({ at: `now() + interval '1 hour'` });
    await markWaitingCalls(own.db, [delivery]);
    expect(await delivery.redeliver()).toMatchObject({ status: 'retrying' });
    await delivery.finish('cancel');
    await delivery.dispatch();
    expect(delivery.handed.map(({ deliveryId }) => deliveryId)).toEqual([delivery.deliveryId]);
  });
});

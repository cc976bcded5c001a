import { firstIdAt, newId } from '@waybill/contracts';
import { isOnCitus, openTestDatabase, startSystem, type TestSystem } from '@waybill/testing';
import { type Kysely, sql } from 'kysely';
import request from 'supertest';
import { webhooks } from '../src/index.ts';
import type { Tables } from '../src/tables.ts';

const weekMs = 7 * 86_400_000;
const getWeekStart = (time: number) => Math.floor(time / weekMs) * weekMs;
const nameAt = (table: string, time: number) =>
  `${table}_${new Date(getWeekStart(time)).toISOString().slice(0, 10).replaceAll('-', '')}`;

let system: TestSystem;
let db: Kysely<Tables>;
beforeAll(async () => {
  system = await startSystem([webhooks]);
  db = await openTestDatabase<Tables>(system.databaseUrl('webhooks'), 2);
});
afterAll(async () => {
  await db.destroy();
  await system.stop();
});

async function newEndpoint(storeId: string): Promise<void> {
  await db
    .insertInto('webhook_endpoint')
    .values({
      store_id: storeId,
      id: newId('webhookEndpoint'),
      url: 'https://example.com/',
      sealed_secret: 'x',
      events: ['product.updated' as const],
      status: 'active' as const,
    })
    .execute();
}

const publish = (storeId: string, id: string) =>
  request(system.internalUrl)
    .post('/internal/events')
    .set('authorization', `Bearer ${system.serviceToken}`)
    .send({ storeId, id, type: 'product.updated', data: {} })
    .expect(202);

/** The name of a partition; on Citus, that of a shard ends with its number. */
const getPartitionName = (partition: string) => (isOnCitus ? partition.replace(/_\d+$/, '') : partition);

const listPartitions = async (table: 'webhook_event' | 'webhook_delivery', storeId: string) =>
  (
    await sql<{ partition: string }>`select tableoid::regclass::text as partition from ${sql.table(table)}
      where store_id = ${storeId} order by 1`.execute(db)
  ).rows.map(({ partition }) => getPartitionName(partition));

test('events and deliveries are stored in the week of their id, once however often the event is delivered', async () => {
  const storeId = newId('store');
  await newEndpoint(storeId);
  const id = newId('event');
  for (const eventId of [id, 'evt_named-by-an-application', id, 'evt_named-by-an-application'])
    await publish(storeId, eventId);
  const now = Date.now();
  expect(await listPartitions('webhook_event', storeId)).toEqual([
    nameAt('webhook_event', now),
    'webhook_event_default',
  ]);
  expect(await listPartitions('webhook_delivery', storeId)).toEqual(
    Array(2).fill(nameAt('webhook_delivery', now)),
  );
});

test('expired weeks are dropped at the next run, except those with a pending call', async () => {
  const storeId = newId('store');
  const now = Date.now();
  const [settled, unsettled, remaining] = [now - 7 * weekMs, now - 8 * weekMs, now - 4 * weekMs] as const;
  const kinds = { webhook_event: 'event', webhook_delivery: 'webhookDelivery' } as const;
  for (const time of [settled, unsettled, remaining]) {
    for (const [table, kind] of Object.entries(kinds)) {
      await sql`create table ${sql.table(nameAt(table, time))} partition of ${sql.table(table)} for values
        from (${sql.lit(firstIdAt(kind, getWeekStart(time)))}) to (${sql.lit(firstIdAt(kind, getWeekStart(time) + weekMs))})`.execute(
        db,
      );
    }
    await sql`insert into webhook_event (store_id, id, type, body, created_at)
      values (${storeId}, ${newId('event', time)}, 'product.updated', '{}', ${new Date(time)})`.execute(db);
    await sql`insert into webhook_delivery (store_id, id, endpoint_id, event_id, event_type, status, created_at)
      values (${storeId}, ${newId('webhookDelivery', time)}, 'whe_1', 'evt_1', 'product.updated',
        ${time === unsettled ? 'retrying' : 'delivered'}, ${new Date(time)})`.execute(db);
  }
  await system.restart();
  expect(await listPartitions('webhook_event', storeId)).toEqual([nameAt('webhook_event', remaining)]);
  expect(await listPartitions('webhook_delivery', storeId)).toEqual([
    nameAt('webhook_delivery', unsettled),
    nameAt('webhook_delivery', remaining),
  ]);
  await sql`update webhook_delivery set status = 'delivered' where store_id = ${storeId}`.execute(db);
  await system.restart();
  expect(await listPartitions('webhook_delivery', storeId)).toEqual([nameAt('webhook_delivery', remaining)]);
});

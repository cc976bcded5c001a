import { eventCatalogue, newId, type Permission, type Rights } from '@waybill/contracts';
import { createInProcessCache } from '@waybill/kernel';
import { insertTestDelivery } from '../src/test-calls/queries.ts';
import { newCopy, type OwnDatabase, openOwnDatabase } from './replica.ts';

let database: OwnDatabase;
beforeAll(async () => {
  database = await openOwnDatabase();
});
afterAll(() => database.drop());

const storeId = newId('store');

/** Creates a disabled endpoint whose secret is rotated, and a test call whose process has not made it. */
async function abandonedTest() {
  const { db } = database;
  const endpointId = newId('webhookEndpoint');
  const test = { id: newId('webhookDelivery'), eventId: newId('event'), type: 'order.created' as const };
  await db
    .insertInto('webhook_endpoint')
    .values({
      store_id: storeId,
      id: endpointId,
      url: 'https://example.com/',
      events: [test.type],
      status: 'disabled',
      sealed_secret: 'new',
      owner_id: newId('user'),
      sealed_previous_secret: 'old',
      previous_secret_expires_at: new Date('2100-01-01T00:00:00Z'),
    })
    .execute();
  await db
    .transaction()
    .execute((trx) =>
      insertTestDelivery(trx, storeId, endpointId, { ...test, batchId: null, isLeased: true }),
    );
  const due = { claimable_at: new Date() };
  await db.updateTable('webhook_due').set(due).where('delivery_id', '=', test.id).execute();
  const queued = { next_at: due.claimable_at };
  await db.updateTable('endpoint_queue').set(queued).where('endpoint_id', '=', endpointId).execute();
  return test;
}

/** Creates a copy of the service for which every holder has these permissions. */
function copyWith(permissions: readonly Permission[]) {
  const call = async (_service: string, _method: string, _path: string, body: { holders: unknown[] }) => ({
    rights: body.holders.map((): Rights => permissions),
  });
  return newCopy(database.db, {
    cache: createInProcessCache(),
    peers: { call } as never,
  });
}

const { sample } = eventCatalogue.find(({ type }) => type === 'order.created')!;
const { id } = sample.order as { id: string };

test.each([
  ['whole', ['orders.read'], sample],
  ['reduced', [], { order: { id } }],
] as const)('a test call that a process left behind is made by another one, %s', async (_, rights, data) => {
  const test = await abandonedTest();
  const { handed, dispatch } = copyWith(rights);
  await dispatch();
  expect(handed).toMatchObject([
    {
      deliveryId: test.id,
      eventId: test.eventId,
      eventType: test.type,
      attempt: 1,
      isTest: true,
      previousSecret: { sealed: 'old', expiresAt: '2100-01-01T00:00:00.000Z' },
    },
  ]);
  expect(JSON.parse(String(handed[0]!.body))).toEqual({
    id: test.eventId,
    type: test.type,
    createdAt: expect.stringMatching(/Z$/),
    data,
  });
});

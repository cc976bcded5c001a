import { newId } from '@waybill/contracts';
import { eventually } from '@waybill/testing';
import { fanOut } from '../src/events/fan-out.ts';
import { settleDeliveries } from '../src/outcomes/queries.ts';
import { newCopy, type OwnDatabase, openOwnDatabase } from './replica.ts';

describe('one of several replicas', () => {
  let own: OwnDatabase;
  beforeAll(async () => {
    own = await openOwnDatabase();
  });
  afterAll(() => own.drop());

  it('hands over more calls as soon as another one has recorded outcomes', async () => {
    const { db } = own;
    const storeId = newId('store');
    const endpoint = { store_id: storeId, id: newId('webhookEndpoint'), url: 'https://example.com/' };
    await db
      .insertInto('webhook_endpoint')
      .values({ ...endpoint, sealed_secret: 'x', events: ['product.created'], status: 'active' })
      .execute();
    const { context, handed, dispatch } = newCopy(db);

    const createdAt = new Date().toISOString();
    await fanOut(
      context,
      Array.from({ length: 20 }, () => ({
        storeId,
        id: newId('event'),
        type: 'product.created' as const,
        createdAt,
        data: '{}',
      })),
    );
    await dispatch();
    expect(handed.length).toBe(8);

    const outcomes = handed.slice(0, 5).map(({ deliveryId, endpointId, attempt }) => ({
      storeId,
      deliveryId,
      endpointId,
      attempt,
      delivered: true,
      statusCode: 200,
      error: '',
      durationMs: 1,
    }));
    await db.transaction().execute((trx) => settleDeliveries(trx, outcomes, []));
    await eventually(async () => {
      await dispatch();
      return handed.length > 8;
    });
    expect(new Set(handed.map(({ deliveryId }) => deliveryId)).size).toBe(13);
    await dispatch();
    expect(handed.length).toBe(13);
  });
});

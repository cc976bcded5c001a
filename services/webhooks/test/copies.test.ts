import { type DeliveryJob, newId } from '@waybill/contracts';
import { createInProcessBus, createLog, type ServiceContext } from '@waybill/kernel';
import { eventually } from '@waybill/testing';
import type { Config } from '../src/config.ts';
import { settleDeliveries } from '../src/deliveries/queries.ts';
import { tasks } from '../src/deliveries/schedule.ts';
import { fanOut } from '../src/events/fan-out.ts';
import type { Tables } from '../src/tables.ts';
import { type OwnDatabase, openOwnDatabase } from './database.ts';

describe('one of several copies of the service', () => {
  let own: OwnDatabase;
  beforeAll(async () => {
    own = await openOwnDatabase();
  });
  afterAll(() => own.drop());

  it('hands more over as soon as another one has recorded how its calls went', async () => {
    const { db } = own;
    const storeId = newId('store');
    const endpoint = { store_id: storeId, id: newId('webhookEndpoint'), url: 'https://example.com/' };
    await db
      .insertInto('webhook_endpoint')
      .values({ ...endpoint, sealed_secret: 'x', events: ['product.created'], status: 'active' })
      .execute();
    const handed: DeliveryJob[] = [];
    const context = {
      db,
      bus: {
        ...createInProcessBus(createLog('silent')),
        soleProcess: false,
        enqueue: async (_: string, jobs: readonly unknown[]) => void handed.push(...(jobs as DeliveryJob[])),
      },
      wake() {},
    } as unknown as ServiceContext<Config, Tables>;
    const dispatch = tasks(context).find(({ name }) => name === 'dispatch')!;

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
    await dispatch.run();
    expect(handed.length).toBe(8);

    const outcomes = handed.slice(0, 5).map(({ deliveryId, endpointId, attempt }) => ({
      ...{ storeId, deliveryId, endpointId, attempt },
      ...{ delivered: true, statusCode: 200, error: '', durationMs: 1 },
    }));
    await db.transaction().execute((trx) => settleDeliveries(trx, outcomes, []));
    await eventually(async () => {
      await dispatch.run();
      return handed.length > 8;
    });
    expect(new Set(handed.map(({ deliveryId }) => deliveryId)).size).toBe(13);
    await dispatch.run();
    expect(handed.length).toBe(13);
  });
});

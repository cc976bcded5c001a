import { newId } from '@waybill/contracts';
import type { CompiledQuery, Kysely } from 'kysely';
import type { PublicEvent } from '../src/bodies/public-event.ts';
import { fanOut } from '../src/events/fan-out.ts';
import type { Tables } from '../src/tables.ts';
import { newCopy, type OwnDatabase, openOwnDatabase } from './replica.ts';

describe('fan-out of large events to many endpoints', () => {
  let own: OwnDatabase;
  beforeAll(async () => {
    own = await openOwnDatabase();
  });
  afterAll(() => own.drop());

  async function newStore(endpoints: number) {
    const storeId = newId('store');
    await own.db
      .insertInto('webhook_endpoint')
      .values(
        Array.from({ length: endpoints }, () => ({
          store_id: storeId,
          id: newId('webhookEndpoint'),
          url: 'https://example.com/',
          sealed_secret: 'x',
          events: ['product.updated' as const],
          status: 'active' as const,
        })),
      )
      .execute();
    return storeId;
  }
  const createEvent = (storeId: string, description = 'Tea'): PublicEvent => ({
    storeId,
    id: newId('event'),
    type: 'product.updated',
    createdAt: new Date().toISOString(),
    data: JSON.stringify({ product: { id: 'prd_1', description } }),
  });
  const countDeliveries = async (storeId: string) =>
    (await own.db.selectFrom('webhook_delivery').select('id').where('store_id', '=', storeId).execute())
      .length;

  it('uses statements and messages of a few MiB, and reaches every endpoint of every store', async () => {
    const [large, small] = [await newStore(50), await newStore(1)];
    const statements: number[] = [];
    const messages: number[] = [];
    const { context } = newCopy(own.db);
    context.db = new Proxy(own.db, {
      get(db, name) {
        // Kysely's members are private to its instance.
        if (name === 'getExecutor') return () => db.getExecutor();
        if (name !== 'executeQuery') return Reflect.get(db, name);
        return (query: CompiledQuery) => {
          statements.push(JSON.stringify(query.parameters).length);
          return db.executeQuery(query);
        };
      },
    }) as Kysely<Tables>;
    context.bus.enqueue = async (_, jobs) => void messages.push(JSON.stringify(jobs).length);

    const description = 'x'.repeat(450_000);
    const changes = Array.from({ length: 100 }, () => createEvent(large, description));
    await fanOut(context, [...changes, createEvent(small)]);
    expect([await countDeliveries(large), await countDeliveries(small)]).toEqual([5_000, 1]);
    expect(Math.max(...statements, ...messages)).toBeLessThan(6 * 1024 * 1024);
  }, 60_000);

  it('calls an endpoint once for an event, however often it is delivered', async () => {
    const storeId = await newStore(2);
    const { context, handed } = newCopy(own.db);
    const event = createEvent(storeId);
    await fanOut(context, [event, event]);
    await fanOut(context, [event]);
    expect([await countDeliveries(storeId), handed.length]).toEqual([2, 2]);
  });

  it('completes the events before a failing one', async () => {
    const [storeId, poisonous] = [await newStore(50), await newStore(1)];
    const { context } = newCopy(own.db);
    const many = Array.from({ length: 40 }, () => createEvent(storeId));
    // PostgreSQL accepts no text with this character.
    await expect(
      fanOut(context, [...many, { ...createEvent(poisonous), data: '{"\0":1}' }]),
    ).rejects.toThrow();
    expect(await countDeliveries(storeId)).toBe(2_000);
  });

  it('writes all or none of the events that are published together, however many deliveries they cause', async () => {
    const storeId = await newStore(50);
    const { context } = newCopy(own.db);
    const events = Array.from({ length: 60 }, () => createEvent(storeId));
    // NUL, which PostgreSQL does not store in texts, is in the second batch of 2,000 deliveries.
    const wrong = { ...createEvent(storeId), data: '{"product":{"id":"prd_\0"}}' };
    await expect(fanOut(context, [...events, wrong], { isAtomic: true })).rejects.toThrow();
    expect(await countDeliveries(storeId)).toBe(0);
    await fanOut(context, events, { isAtomic: true });
    expect(await countDeliveries(storeId)).toBe(3_000);
  });
});

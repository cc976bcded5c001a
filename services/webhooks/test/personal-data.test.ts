import { type DeliveryOutcome, type EventType, newId, type Principal } from '@waybill/contracts';
import { createInProcessCache, type ServiceContext } from '@waybill/kernel';
import { findTablesContaining } from '@waybill/testing';
import { type CompiledQuery, type Kysely, sql, type Transaction } from 'kysely';
import type { PublicEvent } from '../src/bodies/public-event.ts';
import { readLog } from '../src/event-log/event-log.ts';
import { fanOut } from '../src/events/fan-out.ts';
import { outcomesWorker } from '../src/outcomes/outcomes.ts';
import { listCustomerEvents } from '../src/personal-data/queries.ts';
import { onErasures } from '../src/personal-data/redaction.ts';
import { startReplay } from '../src/replays/replays.ts';
import type { Tables } from '../src/tables.ts';
import { newCopy, type OwnDatabase, openOwnDatabase } from './replica.ts';

const marker = 'zaphod';
const everything = ['orders.read', 'customers.read', 'products.read'];
const peers = {
  call: async (_service: string, _method: string, _path: string, { holders }: { holders: unknown[] }) => ({
    rights: holders.map(() => everything),
  }),
} as unknown as ServiceContext['peers'];

let own: OwnDatabase;
beforeEach(async () => {
  own = await openOwnDatabase(4);
});
afterEach(() => own.drop());

/** Creates a copy of the service with a delivery that ends calls with a reply that repeats their bodies. */
function newRunningCopy(others: Partial<ServiceContext> = {}) {
  const config = { eventLogDays: 30, retryDelays: [0] };
  const copy = newCopy(own.db, { config, peers, cache: createInProcessCache(), ...others });
  const { handle } = outcomesWorker(copy.context);
  return {
    ...copy,
    /** Ends the calls handed over since the last time and returns their bodies. */
    async end(delivered: boolean): Promise<unknown[]> {
      const jobs = copy.handed.splice(0);
      const outcomes = jobs.map(({ storeId, endpointId, deliveryId, attempt, body }): DeliveryOutcome => {
        const reply = { headers: { 'x-echo': marker }, body: String(body) };
        const end = { statusCode: delivered ? 200 : 500, error: delivered ? '' : 'HTTP 500', durationMs: 5 };
        return { storeId, endpointId, deliveryId, attempt, delivered, ...end, reply };
      });
      if (outcomes.length > 0) await handle(outcomes as never[]);
      return jobs.map(({ body }) => JSON.parse(String(body)));
    },
  };
}
type Copy = ReturnType<typeof newRunningCopy>;

/** Makes all due calls and returns their bodies. */
async function endAll(copy: Copy): Promise<unknown[]> {
  const bodies: unknown[] = [];
  for (let ended: unknown[] = [null]; ended.length > 0; bodies.push(...ended)) {
    await copy.dispatch();
    ended = await copy.end(true);
  }
  return bodies;
}

/** Creates a store with an endpoint for its events. */
async function newStore(types: EventType[] = ['order.created', 'customer.updated']) {
  const storeId = newId('store');
  const endpointId = newId('webhookEndpoint');
  await sql`insert into webhook_endpoint (store_id, id, url, sealed_secret, events, status, owner_id)
    values (${storeId}, ${endpointId}, 'https://example.com/', 'x', ${types}, 'active', 'key_1')`.execute(
    own.db,
  );
  const createEvent = (type: EventType, thing: object, at = new Date()): PublicEvent => ({
    storeId,
    id: newId('event', at.getTime()),
    type,
    createdAt: at.toISOString(),
    data: JSON.stringify({ [type.split('.')[0]!]: thing }),
  });
  return {
    storeId,
    endpointId,
    orderEvent: (id: string, at?: Date) =>
      createEvent('order.created', { id, customer: { name: marker }, customerId: null }, at),
    customerEvent: (id: string, at?: Date) => createEvent('customer.updated', { id, name: marker }, at),
    productEvent: () => createEvent('product.updated', { id: newId('product'), name: 'Tea' }),
    async log(copy: Copy) {
      const principal = { kind: 'app', storeId, appId: newId('app'), scopes: everything };
      const request = { limit: 100, wait: 0, dir: 'asc' as const };
      const { signal } = new AbortController();
      const text = await readLog(copy.context, storeId, principal as unknown as Principal, request, signal);
      return JSON.parse(text).events as { id: string; data: unknown }[];
    },
  };
}
type Store = Awaited<ReturnType<typeof newStore>>;

const tell = (copy: Copy, { storeId }: Store, customerId: string, orderIds: string[] = [], at = new Date()) =>
  onErasures(copy.context, [
    {
      id: newId('event'),
      name: 'orders.customer.erased',
      storeId,
      createdAt: at.toISOString(),
      data: JSON.stringify({ customerId, orderIds }),
    },
  ]);

const tablesTelling = async () => {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(own.db);
  const url = new URL(process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres');
  url.pathname = `/${rows[0]!.name}`;
  return findTablesContaining(url.href, marker);
};

const getId = (event: PublicEvent) =>
  Object.values(JSON.parse(event.data) as Record<string, { id: string }>)[0]!.id;

const pickData = (event: unknown) => {
  const { id, data } = event as { id: string; data: unknown };
  return { id, data };
};

describe('once a customer is erased', () => {
  it('no trace of them remains in the log, replies, retries or replays', async () => {
    const [store, copy] = [await newStore(), newRunningCopy()];
    const [customerId, orderId, other] = [newId('customer'), newId('order'), newId('order')];
    const [ofOrder, ofCustomer] = [store.orderEvent(orderId), store.customerEvent(customerId)];
    const [product, ofOther] = [store.productEvent(), store.orderEvent(other)];
    await fanOut(copy.context, [ofOrder, product, ofCustomer, ofOther]);
    const whole = await store.log(copy);
    expect(await copy.end(false)).toHaveLength(3);
    expect(await tablesTelling()).toHaveLength(2);

    await tell(copy, store, customerId, [orderId]);
    await copy.finish('redact-events');
    const after = await store.log(copy);
    const reduced = { 0: { order: { id: orderId } }, 2: { customer: { id: customerId } } } as Record<
      number,
      object
    >;
    expect(after).toEqual(whole.map((event, i) => ({ ...event, data: reduced[i] ?? event.data })));
    const retried = (await endAll(copy)) as { id: string; data: object }[];
    expect(new Map(retried.map(({ id, data }) => [id, data]))).toEqual(
      new Map(
        [ofOrder, ofCustomer, ofOther].map(({ id }) => [id, after.find((event) => event.id === id)!.data]),
      ),
    );
    // Events about others stay.
    await sql`delete from webhook_event where id = ${ofOther.id}`.execute(own.db);
    await sql`delete from webhook_delivery where event_id = ${ofOther.id}`.execute(own.db);
    expect(await tablesTelling()).toEqual([]);

    const member = { kind: 'user', storeId: store.storeId, userId: newId('user'), role: 'owner' };
    const since = new Date(Date.now() - 3_600_000).toISOString();
    await copy.context.write((write) =>
      startReplay(write, copy.context, store.storeId, member as unknown as Principal, store.endpointId, {
        since,
        statuses: ['delivered'],
      }),
    );
    await copy.finish('replay');
    const again = (await endAll(copy)) as { data: object }[];
    expect(again.map(({ data }) => data)).toEqual([reduced[0], reduced[2]]);
  });

  it('late events contain only the id, and events after the erasure contain everything', async () => {
    const [store, copy] = [await newStore(), newRunningCopy()];
    const orderId = newId('order');
    const late = store.orderEvent(orderId, new Date(Date.now() - 5));
    await tell(copy, store, newId('customer'), [orderId]);
    const later = store.orderEvent(orderId, new Date(Date.now() + 5));
    await fanOut(copy.context, [late, later]);
    await fanOut(copy.context, [late]);
    const received = [
      { id: late.id, data: { order: { id: orderId } } },
      { id: later.id, data: JSON.parse(later.data) },
    ];
    expect((await store.log(copy)).map(pickData)).toEqual(received);
    expect((await copy.end(true)).map(pickData)).toEqual(received);
    // An erasure that long ago is no longer remembered.
    const tooLate = store.orderEvent(newId('order'), new Date(Date.now() - 31 * 86_400_000));
    await fanOut(copy.context, [tooLate]);
    expect((await copy.end(true)).map(pickData)).toEqual([
      { id: tooLate.id, data: { order: { id: getId(tooLate) } } },
    ]);
  });

  it('an event that arrives during the scan of the log is also redacted', async () => {
    const [store, copy] = [await newStore(), newRunningCopy()];
    const orderId = newId('order');
    const event = store.orderEvent(orderId);
    const writer = newRunningCopy();
    let isErased = false;
    writer.context.db = new Proxy(own.db, {
      get(db, name) {
        if (name !== 'executeQuery') {
          const value = Reflect.get(db, name);
          return typeof value === 'function' ? value.bind(db) : value;
        }
        return async (query: CompiledQuery) => {
          if (query.sql.includes('insert into webhook_event') && !isErased) {
            isErased = true;
            await tell(copy, store, newId('customer'), [orderId]);
            await copy.finish('redact-events');
          }
          return db.executeQuery(query);
        };
      },
    }) as Kysely<Tables>;
    await fanOut(writer.context, [event]);
    await copy.finish('redact-events');
    expect(isErased).toBe(true);
    expect((await store.log(copy)).map(pickData)).toEqual([
      { id: event.id, data: { order: { id: orderId } } },
    ]);
  });

  it('the reply to a call in flight is not stored', async () => {
    const [store, copy] = [await newStore(), newRunningCopy()];
    const orderId = newId('order');
    await fanOut(copy.context, [store.orderEvent(orderId)]);
    await tell(copy, store, newId('customer'), [orderId]);
    await copy.finish('redact-events');
    await copy.end(false);
    const { rows } = await sql<{ log: object }>`select attempt_log as log from webhook_delivery`.execute(
      own.db,
    );
    expect(rows).toEqual([{ log: [expect.objectContaining({ attempt: 1, statusCode: 500, reply: null })] }]);
    expect(await tablesTelling()).toEqual([]);
  });

  it('a log is scanned in steps, of which a kill repeats one, in parallel with other stores', async () => {
    const store = await newStore([]);
    const copy = newRunningCopy();
    const [customerId, second] = [newId('customer'), newId('customer')];
    await fanOut(copy.context, [store.customerEvent(second)]);
    await sql`insert into webhook_event (store_id, id, type, body, created_at, position)
      select store_id, 'evt_' || lpad(n::text, 26, '0'), case when n % 5 = 0 then 'customer.updated' else 'product.updated' end,
        replace(body, ${second}, ${customerId}), created_at + n * interval '1 microsecond', position + n
      from webhook_event cross join generate_series(1, 4500) n where store_id = ${store.storeId}`.execute(
      own.db,
    );
    const telling = async () => {
      const { rows } = await sql<{ events: number }>`select count(*) as events from webhook_event
        where type = 'customer.updated' and body like ${`%${marker}%`}`.execute(own.db);
      return rows[0]!.events;
    };
    expect(await telling()).toBe(901);
    await tell(copy, store, customerId, [], new Date(Date.now() + 1000));
    let steps = 0;
    const killed = newRunningCopy();
    killed.context.transaction = (<Result>(work: (trx: Transaction<Tables>) => Promise<Result>) =>
      own.db.transaction().execute(async (trx) => {
        const result = await work(trx);
        if (++steps === 3) throw new Error('killed');
        return result;
      })) as Copy['context']['transaction'];
    await expect(killed.finish('redact-events')).rejects.toThrow('killed');
    expect(await telling()).toBe(901 - 400);
    // Its event precedes the position already reached.
    await tell(copy, store, second);
    await copy.finish('redact-events');
    expect(await telling()).toBe(0);
    const { rows } = await sql<{ bodies: number; left: number }>`select count(*) as bodies,
      (select count(*) from event_redaction) as left from webhook_event
      where type = 'product.updated' and body like ${`%${marker}%`}`.execute(own.db);
    expect(rows).toEqual([{ bodies: 3600, left: 0 }]);
  });

  it('a record that is being written delays the erasure only briefly', async () => {
    const [store, copy] = [await newStore(), newRunningCopy()];
    const orderId = newId('order');
    await fanOut(copy.context, [store.orderEvent(orderId)]);
    await copy.end(true);
    await tell(copy, store, newId('customer'), [orderId]);
    await own.db.transaction().execute(async (trx) => {
      await sql`select from webhook_delivery for update`.execute(trx);
      await copy.finish('redact-events');
      expect(await tablesTelling()).toHaveLength(2);
    });
    await copy.finish('redact-events');
    expect(await tablesTelling()).toEqual([]);
  });
});

it('the stored events of a customer include those of their orders, page by page', async () => {
  const [store, copy] = [await newStore([]), newRunningCopy()];
  const customerId = newId('customer');
  const event = store.customerEvent(customerId);
  const order = store.orderEvent(newId('order'));
  const ofOrder = { ...order, data: order.data.replace('null', JSON.stringify(customerId)) };
  const named = { ...store.productEvent(), data: JSON.stringify({ product: { id: customerId } }) };
  const orderId: string = JSON.parse(order.data).order.id;
  const createPart = (of: string, type: PublicEvent['type'], key: string): PublicEvent => ({
    ...store.productEvent(),
    type,
    data: JSON.stringify({ [key]: { id: newId('return'), orderId: of } }),
  });
  const [returned, issued] = [
    createPart(orderId, 'return.updated', 'return'),
    createPart(orderId, 'document.issued', 'document'),
  ];
  const another = createPart(newId('order'), 'return.updated', 'return');
  await fanOut(copy.context, [
    event,
    store.orderEvent(newId('order')),
    ofOrder,
    named,
    returned,
    issued,
    another,
  ]);
  const pickStored = ({ id, type, createdAt }: PublicEvent) => ({ id, type, createdAt });
  const { storeId } = store;
  const whose = { customerId, orderIds: [orderId] };
  expect(await listCustomerEvents(own.db, storeId, whose, null)).toEqual({
    items: [pickStored(event), pickStored(ofOrder), pickStored(returned), pickStored(issued)],
    next: null,
  });
  await sql`insert into webhook_event (store_id, id, type, body, created_at)
    select ${storeId}, 'evt_' || lpad(n::text, 26, '0'), 'product.updated', '{}', now() - interval '1 hour'
    from generate_series(1, 10000) n`.execute(own.db);
  const first = await listCustomerEvents(own.db, storeId, whose, null);
  expect(first.items).toEqual([]);
  expect((await listCustomerEvents(own.db, storeId, whose, first.next)).items).toHaveLength(4);
  expect((await listCustomerEvents(own.db, newId('store'), whose, null)).items).toEqual([]);
});

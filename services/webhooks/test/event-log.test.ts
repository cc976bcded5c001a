import { type EventType, newId, type Principal } from '@waybill/contracts';
import { eventually } from '@waybill/testing';
import { sql } from 'kysely';
import { envelope, type PublicEvent } from '../src/bodies/public-event.ts';
import { type LogRequest, readEvent, readLog } from '../src/event-log/event-log.ts';
import { fanOut } from '../src/events/fan-out.ts';
import { insertEvents } from '../src/events/queries.ts';
import { newCopy, type OwnDatabase, openOwnDatabase } from './replica.ts';

describe('the log of events', () => {
  let own: OwnDatabase;
  beforeAll(async () => {
    own = await openOwnDatabase(12);
  });
  afterAll(() => own.drop());

  const createEvent = (
    storeId: string,
    type: EventType = 'product.updated',
    at = new Date(),
  ): PublicEvent => ({
    storeId,
    id: newId('event', at.getTime()),
    type,
    createdAt: at.toISOString(),
    data: JSON.stringify({ [type.split('.')[0]!]: { id: 'x', name: 'Tea' } }),
  });
  const createApp = (storeId: string, scopes: string[]) =>
    ({ kind: 'app', storeId, appId: newId('app'), scopes }) as unknown as Principal;
  const everything = ['products.read', 'orders.read', 'customers.read'];
  const nobodyLeaves = new AbortController().signal;

  function createReader(storeId: string, { context } = newCopy(own.db), scopes = everything) {
    return async (wanted: Partial<LogRequest> = {}, signal = nobodyLeaves) => {
      const request = { limit: 50, wait: 0, dir: 'asc' as const, ...wanted };
      const text = await readLog(context, storeId, createApp(storeId, scopes), request, signal);
      return JSON.parse(text) as {
        events: { id: string; type: EventType; createdAt: string; data: Record<string, unknown> }[];
        nextCursor: string | null;
      };
    };
  }

  it('keeps events without an endpoint, and returns each of them once, page by page', async () => {
    const storeId = newId('store');
    const events = Array.from({ length: 7 }, () => createEvent(storeId));
    const { context } = newCopy(own.db);
    await fanOut(context, [...events, ...events]);
    await fanOut(context, events);
    const read = createReader(storeId);
    const seen: string[] = [];
    let after: string | undefined;
    for (let pages = 0; pages < 4; pages++) {
      const page = await read({ limit: 3, ...(after && { after }) });
      expect(page.nextCursor).toBe(page.events.at(-1)?.id ?? after);
      seen.push(...page.events.map(({ id }) => id));
      after = page.nextCursor!;
    }
    expect(seen).toEqual(events.map(({ id }) => id));
    expect((await createReader(newId('store'))()).nextCursor).toBeNull();
  });

  it('returns the newest first on request, page by page to the oldest', async () => {
    const storeId = newId('store');
    const types = ['product.updated', 'order.created'] as const;
    const events = Array.from({ length: 7 }, (_, i) => createEvent(storeId, types[i % 2]));
    await fanOut(newCopy(own.db).context, events);
    const read = createReader(storeId);
    const walk = async (wanted: Partial<LogRequest>) => {
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = await read({ ...wanted, dir: 'desc', limit: 3, ...(after && { after }) });
        expect(page.nextCursor).toBe(page.events.at(-1)?.id ?? null);
        seen.push(...page.events.map(({ id }) => id));
        after = page.nextCursor ?? undefined;
      } while (after);
      return seen;
    };
    const newestFirst = events.map(({ id }) => id).reverse();
    expect(await walk({})).toEqual(newestFirst);
    expect(await walk({ type: types.join() })).toEqual(newestFirst);
    expect(await walk({ type: 'order.created' })).toEqual([events[5]!.id, events[3]!.id, events[1]!.id]);
    expect(await walk({ until: new Date(0).toISOString() })).toEqual([]);
    // Reading backwards does not wait for later events.
    expect((await read({ dir: 'desc', after: events[0]!.id, wait: 30 })).events).toEqual([]);
  });

  it('skips nothing while eight writers are active and a transaction pauses', async () => {
    const [storeId, other] = [newId('store'), newId('store')];
    const copies = Array.from({ length: 8 }, () => newCopy(own.db));
    const read = createReader(storeId);
    const seen: string[] = [];
    let after: string | undefined;
    const readOn = async () => {
      const page = await read({ limit: 20, ...(after && { after }) });
      seen.push(...page.events.map(({ id }) => id));
      after = page.nextCursor ?? undefined;
      return page.events.length;
    };
    const written: string[] = [];
    const writing = copies.map(async ({ context }) => {
      for (let i = 0; i < 12; i++) {
        const events = [createEvent(storeId), createEvent(other), createEvent(storeId)];
        await fanOut(context, events);
        written.push(events[0]!.id, events[2]!.id);
      }
    });
    const paused = createEvent(storeId);
    let pages = 0;
    const pausing = own.db.transaction().execute(async (trx) => {
      await insertEvents(trx, [{ event: paused, body: envelope(paused), deliveries: [] }]);
      await eventually(() => pages >= 20);
    });
    let done = false;
    const all = Promise.all([...writing, pausing]).then(() => {
      done = true;
    });
    for (; !done; pages++) await readOn();
    await all;
    while ((await readOn()) > 0);
    const missing = [...written, paused.id].filter((id) => !seen.includes(id));
    expect(missing).toEqual([]);
    expect(seen).toHaveLength(written.length + 1);
  });

  it('filters by type and time, and ignores unknown types', async () => {
    const storeId = newId('store');
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000);
    const { context } = newCopy(own.db);
    const old = createEvent(storeId, 'product.created', at(-60));
    const late = createEvent(storeId, 'order.created', at(-30));
    const latest = createEvent(storeId, 'product.deleted', at(-1));
    for (const event of [old, latest, late]) await fanOut(context, [event]);
    const read = createReader(storeId);
    const ids = async (wanted: Partial<LogRequest>) => (await read(wanted)).events.map(({ id }) => id);
    expect(await ids({})).toEqual([old.id, latest.id, late.id]);
    expect(await ids({ type: 'order.created, product.created,nonsense' })).toEqual([old.id, late.id]);
    expect(await ids({ type: 'nonsense' })).toHaveLength(3);
    expect(await ids({ since: late.createdAt })).toEqual([latest.id, late.id]);
    expect(await ids({ since: old.createdAt, until: latest.createdAt })).toEqual([old.id, late.id]);
    expect(await ids({ after: old.id, type: 'order.created' })).toEqual([late.id]);
  });

  it('returns only ids to readers without the permission', async () => {
    const storeId = newId('store');
    const copy = newCopy(own.db);
    const [order, product] = [createEvent(storeId, 'order.created'), createEvent(storeId)];
    await fanOut(copy.context, [order, product]);
    const { events } = await createReader(storeId, copy, ['products.read'])();
    expect(events.map(({ data }) => data)).toEqual([
      { order: { id: 'x' } },
      { product: { id: 'x', name: 'Tea' } },
    ]);
    const one = await readEvent(copy.context, storeId, createApp(storeId, []), product.id);
    expect(JSON.parse(one).event.data).toEqual({ product: { id: 'x' } });
    const elsewhere = readEvent(copy.context, newId('store'), createApp(storeId, everything), product.id);
    await expect(elsewhere).rejects.toMatchObject({ code: 'not_found' });
  });

  it('holds an answer back until an event arrives, in this or another replica', async () => {
    const storeId = newId('store');
    const [here, elsewhere] = [newCopy(own.db), newCopy(own.db)];
    const read = createReader(storeId, here);
    const { readers } = here.context.state;
    for (const writer of [here, elsewhere]) {
      const pages = [read({ wait: 30 }), read({ wait: 30, type: 'order.created' })];
      await eventually(() => readers.listStores().length === 1);
      const [product, order] = [createEvent(storeId), createEvent(storeId, 'order.created')];
      await fanOut(writer.context, [product, order]);
      if (writer === elsewhere) await here.finish('watch-logs');
      const answers = await Promise.all(pages);
      expect(answers.map(({ events }) => events.at(-1)!.id)).toEqual([order.id, order.id]);
      expect(readers.listStores()).toEqual([]);
      await sql`delete from webhook_event where store_id = ${storeId}`.execute(own.db);
    }
  });

  it('answers waiting readers when the time is over, when they leave, and when the process stops', async () => {
    const storeId = newId('store');
    const stopping = new AbortController();
    const copy = newCopy(own.db, { stopping: stopping.signal });
    const read = createReader(storeId, copy);
    expect(await read({ wait: 1 })).toEqual({ events: [], nextCursor: null });
    const leaving = new AbortController();
    const left = read({ wait: 30 }, leaving.signal);
    await eventually(() => copy.context.state.readers.listStores().length === 1);
    leaving.abort();
    await left;
    const stopped = read({ wait: 30 });
    await eventually(() => copy.context.state.readers.listStores().length === 1);
    stopping.abort();
    expect(await stopped).toEqual({ events: [], nextCursor: null });
    expect(await read({ wait: 30 })).toEqual({ events: [], nextCursor: null });
  });

  it('lets a limited number of readers of a store wait, and answers the others immediately', async () => {
    const storeId = newId('store');
    const copy = newCopy(own.db);
    const read = createReader(storeId, copy);
    const { readers } = copy.context.state;
    const waiting = Array.from({ length: 20 }, () => read({ wait: 30 }));
    await eventually(() => readers.count === 20);
    expect(await read({ wait: 30 })).toEqual({ events: [], nextCursor: null });
    await fanOut(copy.context, [createEvent(storeId)]);
    expect((await Promise.all(waiting)).every(({ events }) => events.length === 1)).toBe(true);
  });

  it('reports a cursor that is too old, and refuses a malformed one', async () => {
    const storeId = newId('store');
    const copy = newCopy(own.db);
    const old = createEvent(storeId, 'product.created', new Date(Date.now() - 31 * 86_400_000));
    await fanOut(copy.context, [old, createEvent(storeId)]);
    const read = createReader(storeId, copy);
    expect((await read()).events).toHaveLength(1);
    for (const after of [old.id, newId('event')])
      await expect(read({ after })).rejects.toMatchObject({ code: 'cursor_expired', status: 410 });
    await expect(read({ after: 'whe_1' })).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  it('ends a page before it grows large', async () => {
    const storeId = newId('store');
    const copy = newCopy(own.db);
    const large = { data: JSON.stringify({ product: { id: 'x', description: 'y'.repeat(900_000) } }) };
    const events = Array.from({ length: 12 }, () => ({ ...createEvent(storeId), ...large }));
    await fanOut(copy.context, events);
    const read = createReader(storeId, copy);
    const first = await read();
    expect(first.events).toHaveLength(5);
    expect((await read({ after: first.nextCursor! })).events[0]!.id).toBe(events[5]!.id);
  });

  it('with no days keeps only events with an endpoint', async () => {
    const storeId = newId('store');
    const copy = newCopy(own.db, { config: { eventLogDays: 0 } });
    await sql`insert into webhook_endpoint (store_id, id, url, sealed_secret, events, status)
      values (${storeId}, 'whe_1', 'https://example.com/', 'x', '{product.updated}', 'active')`.execute(
      own.db,
    );
    const wanted = createEvent(storeId);
    await fanOut(copy.context, [createEvent(storeId, 'order.created'), wanted]);
    expect((await createReader(storeId, copy)()).events.map(({ id }) => id)).toEqual([wanted.id]);
  });
});

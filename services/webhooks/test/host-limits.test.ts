import { newId } from '@waybill/contracts';
import { parseTrustedTargets } from '@waybill/outbound';
import { eventually } from '@waybill/testing';
import { sql } from 'kysely';
import { config } from '../src/config.ts';
import { fanOut } from '../src/events/fan-out.ts';
import { TargetHosts } from '../src/memory/target-hosts.ts';
import { shareHostCapacity } from '../src/schedule/claim.ts';
import { endHostCalls } from '../src/schedule/host-limits.ts';
import { newCopy, type OwnDatabase, openOwnDatabase } from './replica.ts';

describe('calls to one host', () => {
  let own: OwnDatabase;
  beforeEach(async () => {
    own = await openOwnDatabase(6);
  });
  afterEach(() => own.drop());

  /** Creates an endpoint of its own store, with due deliveries. */
  async function newEndpoint(url: string, due: number) {
    const [storeId, id] = [newId('store'), newId('webhookEndpoint')];
    await sql`
      with endpoint as (
        insert into webhook_endpoint (store_id, id, url, sealed_secret, events, status)
        values (${storeId}, ${id}, ${url}, 'x', '{product.created}', 'active')
      ), delivery as (
        insert into webhook_delivery (store_id, id, endpoint_id, event_id, event_type, status)
        select ${storeId}, ${id} || '_' || n, ${id}, ${id} || '_' || n, 'product.created', 'retrying'
        from generate_series(1, ${due}::int) n returning id
      ), event as (
        insert into webhook_event (store_id, id, type, body, created_at)
        select ${storeId}, id, 'product.created', '{"data":{}}', now() from delivery
      )
      insert into webhook_due (store_id, delivery_id, endpoint_id, claimable_at, is_leased)
      select ${storeId}, id, ${id}, now(), false from delivery`.execute(own.db);
    return { storeId, id };
  }
  const copyWith = (concurrency: number, perSecond: number, trusted = '') =>
    newCopy(own.db, {
      config: {
        hostLimits: { concurrency, perSecond },
        trustedTargets: parseTrustedTargets(trusted),
      } as never,
    });
  const to = (copies: ReturnType<typeof newCopy>[], host: string) =>
    copies.flatMap(({ handed }) => handed).filter(({ url }) => new URL(url).hostname.startsWith(host));

  test('are limited across all stores and replicas, without delaying other hosts', async () => {
    for (let n = 0; n < 6; n++) await newEndpoint(`https://full.example${n % 2 ? '.' : ''}:${8000 + n}/`, 4);
    await newEndpoint('https://other.example/', 4);
    const copies = [copyWith(5, 1000), copyWith(5, 1000)];
    await copies[0]!.finish('queue-endpoints');
    for (let turn = 0; turn < 3; turn++) await Promise.all(copies.map(({ dispatch }) => dispatch()));
    expect(to(copies, 'full.example')).toHaveLength(5);
    expect(to(copies, 'other.example')).toHaveLength(4);
    // More than one endpoint gets a share.
    expect(new Set(to(copies, 'full.example').map(({ endpointId }) => endpointId)).size).toBeGreaterThan(2);

    for (let ended = 0; ended < 24; ) {
      const calls = to(copies, 'full.example');
      expect(calls.length - ended).toBeLessThanOrEqual(5);
      await endHostCalls(own.db, calls);
      for (const { context } of copies) for (const call of calls) context.state.windows.release(call);
      ended = calls.length;
      if (ended === 24) break;
      await eventually(async () => {
        await Promise.all(copies.map(({ dispatch }) => dispatch()));
        return to(copies, 'full.example').length > ended;
      });
    }
    expect(new Set(to(copies, 'full.example').map(({ deliveryId }) => deliveryId)).size).toBe(24);
  });

  test('are limited per second, also if they end immediately', async () => {
    for (let n = 0; n < 4; n++) await newEndpoint('https://busy.example/', 4);
    const copy = copyWith(1000, 6);
    await copy.finish('queue-endpoints');
    const times: number[] = [];
    await eventually(async () => {
      await copy.dispatch();
      await endHostCalls(own.db, copy.handed);
      while (times.length < copy.handed.length) times.push(performance.now());
      for (const call of copy.handed) copy.context.state.windows.release(call);
      return copy.handed.length === 16;
    });
    for (const [i, time] of times.slice(6).entries()) expect(time - times[i]!).toBeGreaterThan(900);
  });

  test('count from the first attempt on, except for trusted targets', async () => {
    const copy = copyWith(3, 1000, '10.0.0.1/32:9400');
    const event = (storeId: string, n: number) => ({
      id: newId('event'),
      storeId,
      type: 'product.created' as const,
      data: JSON.stringify({ product: { id: `prd_${n}` } }),
      createdAt: new Date().toISOString(),
    });
    const [far, near] = [
      await newEndpoint('https://far.example/', 0),
      await newEndpoint('http://10.0.0.1:9400/', 0),
    ];
    // The address is looked up once; until then it counts as untrusted.
    copy.context.state.hosts.parseHost('http://10.0.0.1:9400/');
    await eventually(() => copy.context.state.hosts.parseHost('http://10.0.0.1:9400/') === null);
    const events = [far, near].flatMap(({ storeId }) => [1, 2, 3, 4, 5].map((n) => event(storeId, n)));
    await fanOut(copy.context, events as never);
    expect(to([copy], 'far.example')).toHaveLength(3);
    expect(to([copy], '10.0.0.1')).toHaveLength(5);
  });
});

test('a host counts as one, regardless of port, case and final dot', () => {
  const hosts = new TargetHosts([]);
  const spellings = [
    'https://a.example/',
    'http://A.Example:81/x',
    'https://a.example./',
    'https://a.EXAMPLE:444/',
  ];
  expect(new Set(spellings.map((url) => hosts.parseHost(url)))).toEqual(new Set(['a.example']));
});

test('a full host makes its endpoints wait, the longer the more of them there are', () => {
  const wait = (many: number) =>
    shareHostCapacity(
      Array.from({ length: many }, () => ({ host: 'a', capacity: 8 })),
      new Map([['a', 0]]),
    )[0]!;
  expect(wait(1)).toEqual({ capacity: 0, wait: expect.any(Number) });
  expect(wait(200).wait).toBeGreaterThan(wait(1).wait);
  expect(wait(1_000_000).wait).toBeLessThanOrEqual(5);
  const shared = shareHostCapacity(
    Array.from({ length: 3 }, () => ({ host: 'a', capacity: 8 })),
    new Map([['a', 6]]),
  );
  expect(shared.map(({ capacity }) => capacity)).toEqual([2, 2, 2]);
});

test.each(['0', '-1', '1.5', 'many'])('the settings refuse %s', (value) => {
  for (const name of ['WEBHOOK_HOST_CONCURRENCY', 'WEBHOOK_HOST_PER_SECOND'])
    expect(() => config.read({ WAYBILL_WEBHOOK_ENCRYPTION_KEY: 'a'.repeat(43), [name]: value })).toThrow(
      name,
    );
});

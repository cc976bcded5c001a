import { type DeliveryJob, type Holder, newId, type Rights } from '@waybill/contracts';
import { createInProcessCache, type ServiceContext } from '@waybill/kernel';
import { eventually } from '@waybill/testing';
import { onInstallChanged } from '../src/cancellations/cancellations.ts';
import { findRights } from '../src/endpoints/rights.ts';
import { fanOut } from '../src/events/fan-out.ts';
import { RightsCache } from '../src/memory/rights-cache.ts';

import { newCopy, type OwnDatabase, openOwnDatabase } from './replica.ts';

/** Creates stand-ins for identity and the app platform that answer about rights. */
function newNeighbours() {
  const cache = createInProcessCache();
  const rights = new Map<string, Rights>();
  const questions: { service: string; ids: string[] }[] = [];
  const neighbours = {
    rights,
    questions,
    cache,
    state: { rights: new RightsCache() },
    /** Resolves when the question may be answered. */
    hold: async (_service: string) => {},
    async change(storeId: string, id: string, now: Rights) {
      rights.set(id, now);
      await cache.bumpEpoch(storeId);
    },
    peers: {
      async call(service: string, _method: string, _path: string, { holders }: { holders: Holder[] }) {
        questions.push({ service, ids: holders.map(({ id }) => id) });
        await neighbours.hold(service);
        return { rights: holders.map(({ id }) => (rights.has(id) ? rights.get(id) : [])) };
      },
    } as unknown as ServiceContext['peers'],
  };
  return neighbours;
}

const storeId = newId('store');
const keyId = newId('apiKey');

describe('the rights of a reader', () => {
  test('are looked up once for all calls, and again only after a change in that store', async () => {
    const neighbours = newNeighbours();
    const [other, appId] = [newId('store'), newId('app')];
    neighbours.rights.set(keyId, ['orders.read']).set(appId, null);
    const holders = [
      { storeId, id: keyId },
      { storeId, id: appId },
      { storeId, id: keyId },
      { storeId, id: null },
      { storeId: other, id: keyId },
    ];
    for (let i = 0; i < 3; i++) {
      const getRights = await findRights(neighbours, holders);
      expect(holders.map(({ storeId, id }) => getRights(storeId, id))).toEqual([
        ['orders.read'],
        null,
        ['orders.read'],
        [],
        ['orders.read'],
      ]);
    }
    expect(neighbours.questions).toEqual([
      { service: 'identity', ids: [keyId, keyId] },
      { service: 'app-platform', ids: [appId] },
    ]);
    await neighbours.change(storeId, keyId, []);
    const getRights = await findRights(neighbours, holders);
    expect([getRights(storeId, keyId), getRights(other, keyId)]).toEqual([[], ['orders.read']]);
    expect(neighbours.questions.length).toBe(4);
  });

  test('that change during the look-up are looked up again', async () => {
    const neighbours = newNeighbours();
    neighbours.rights.set(keyId, ['orders.read']);
    neighbours.hold = async () => neighbours.cache.bumpEpoch(storeId);
    await findRights(neighbours, [{ storeId, id: keyId }]);
    neighbours.rights.set(keyId, []);
    const getRights = await findRights(neighbours, [{ storeId, id: keyId }]);
    expect(getRights(storeId, keyId)).toEqual([]);
  });

  test('are unknown without an answer; a hanging service is awaited once, and a late answer is cached', async () => {
    const neighbours = newNeighbours();
    let answer = () => {};
    neighbours.hold = () => new Promise((resolve) => (answer = resolve));
    const holder = { storeId, id: keyId };
    expect((await findRights(neighbours, [holder]))(storeId, keyId)).toBeUndefined();
    const began = performance.now();
    expect((await findRights(neighbours, [holder]))(storeId, keyId)).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(500);
    expect(neighbours.questions.length).toBe(1);
    answer();
    await eventually(async () => (await findRights(neighbours, [holder]))(storeId, keyId) !== undefined);
  });
});

describe('a call of an app', () => {
  let own: OwnDatabase;
  beforeAll(async () => {
    own = await openOwnDatabase();
  });
  afterAll(() => own.drop());

  /** Creates an app's endpoint and collects the jobs handed over to delivery for it. */
  async function newEndpoint() {
    const neighbours = newNeighbours();
    const { db } = own;
    const [storeId, appId, id] = [newId('store'), newId('app'), newId('webhookEndpoint')];
    neighbours.rights.set(appId, ['products.read']);
    await db
      .insertInto('webhook_endpoint')
      .values({
        store_id: storeId,
        id,
        url: 'https://example.com/',
        sealed_secret: 'x',
        status: 'active',
        events: ['product.created'],
        owner_id: appId,
        app_id: appId,
      })
      .execute();
    const { context, handed, dispatch, finish } = newCopy(db, neighbours);
    const statuses = async () => {
      const rows = await db
        .selectFrom('webhook_delivery')
        .select('status')
        .where('store_id', '=', storeId)
        .execute();
      return rows.map(({ status }) => status);
    };
    return {
      handed,
      statuses,
      dispatch,
      happen: () =>
        fanOut(context, [
          {
            storeId,
            id: newId('event'),
            type: 'product.created',
            createdAt: new Date().toISOString(),
            data: JSON.stringify({ product: { id: 'prd_1', name: 'Tea' } }),
          },
        ]),
      async hear(createdAt: Date, fact: object) {
        await onInstallChanged(context, [
          {
            storeId,
            id: newId('event'),
            name: 'app-platform.install.changed',
            createdAt: createdAt.toISOString(),
            data: JSON.stringify({ appId, ...fact }),
          },
        ]);
        await finish('cancel');
      },
      become: (rights: Rights) => neighbours.change(storeId, appId, rights),
      answers: (does: boolean) => {
        neighbours.hold = async () => {
          if (!does) throw new Error('away');
        };
      },
    };
  }
  const listProducts = (jobs: DeliveryJob[]) =>
    jobs.map(({ body }) => JSON.parse(body as string).data.product);

  test('is not made or recorded for events while the app is unavailable', async () => {
    const endpoint = await newEndpoint();
    await endpoint.become(null);
    await endpoint.happen();
    expect(await endpoint.statuses()).toEqual([]);
    await endpoint.become(['products.read']);
    await endpoint.happen();
    expect(listProducts(endpoint.handed)).toEqual([{ id: 'prd_1', name: 'Tea' }]);
  });

  test.each<[Rights, status: string, told: object[]]>([
    [['products.read'], 'pending', [{ id: 'prd_1', name: 'Tea' }]],
    [[], 'pending', [{ id: 'prd_1' }]],
    [null, 'cancelled', []],
  ])('is held back while nobody knows, and judged once it is %j', async (rights, status, received) => {
    const endpoint = await newEndpoint();
    endpoint.answers(false);
    await endpoint.happen();
    await endpoint.dispatch();
    expect(endpoint.handed).toEqual([]);
    expect(await endpoint.statuses()).toEqual(['pending']);
    endpoint.answers(true);
    await endpoint.become(rights);
    await eventually(async () => {
      await endpoint.dispatch();
      return endpoint.handed.length > 0 || !(await endpoint.statuses()).includes('pending');
    });
    expect(listProducts(endpoint.handed)).toEqual(received);
    expect(await endpoint.statuses()).toEqual([status]);
  });

  test('is cancelled when the app is uninstalled, if it was waiting', async () => {
    const endpoint = await newEndpoint();
    endpoint.answers(false);
    await endpoint.happen();
    const before = new Date(Date.now() - 60_000);
    const after = new Date(Date.now() + 60_000);
    for (const [at, fact] of [
      [after, { isAvailable: true, isUpgrade: false }],
      [after, { isUpgrade: false }],
      [before, { isAvailable: false, isUpgrade: false }],
    ] as const) {
      await endpoint.hear(at, fact);
      expect(await endpoint.statuses()).toEqual(['pending']);
    }
    await endpoint.hear(after, { isAvailable: false, isUpgrade: false });
    expect(await endpoint.statuses()).toEqual(['cancelled']);
  });
});

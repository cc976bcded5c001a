import { type BlockPlacement, type BlockUse, newId, type Permission } from '@waybill/contracts';
import { eventually } from '@waybill/testing';
import { type Marketplace, type Store, startMarketplace } from './marketplace.ts';

let market: Marketplace;
beforeAll(async () => {
  market = await startMarketplace();
});
afterEach(() => market.blockUses.splice(0));
afterAll(() => market.stop());

const read: Permission[] = ['products.read'];
const more: Permission[] = ['products.read', 'appdata.write'];
const getStatusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];

/** Creates an app with a version for each of these lists of blocks, approved one after the other. */
async function appWith(...manifests: string[][]) {
  const { appId } = await market.newApp();
  const versions: string[] = [];
  const add = async (blocks: string[], scopes = read) => {
    const id = await market.addVersion(appId, scopes, { blocks });
    versions.push(id);
    await market.approve(id);
    return id;
  };
  for (const blocks of manifests) await add(blocks);
  const { org_id } = await market.db
    .selectFrom('app')
    .select('org_id')
    .where('id', '=', appId)
    .executeTakeFirstOrThrow();
  const path = `/api/orgs/${org_id}/apps/${appId}`;
  return { appId, versions, add, path, orgPath: `/api/orgs/${org_id}` };
}
async function install(store: Store, appId: string, scopes = read) {
  expect((await store.post(`/${appId}/install`, { scopes })).status).toBe(201);
}
const page = (id: string, changes: Partial<BlockPlacement> = {}): BlockPlacement => ({
  type: 'page',
  id,
  name: `Page ${id}`,
  live: true,
  draft: false,
  versionIds: [],
  ...changes,
});
const use = (blockKey: string, ...places: BlockPlacement[]): BlockUse => ({
  blockKey,
  pages: [],
  places,
  hasMore: false,
});
const shown = ({ missingBlocks, uses }: { missingBlocks?: Shown[]; uses?: Shown[] }) =>
  (missingBlocks ?? uses)!.map(({ key, name, places }) => [
    key,
    name,
    ...places.map((place) => `${place.id}${place.live ? ' live' : ''}${place.draft ? ' draft' : ''}`),
  ]);
type Shown = { key: string; name: string; places: BlockPlacement[] };

describe('the versions of an app, to a merchant', () => {
  test('are the approved ones and the installed one, with their scopes and contributions', async () => {
    const { appId, versions, add } = await appWith(['stars'], ['stars', 'wall']);
    const store = market.newStore();
    const list = async (query = '') => (await store.get(`/${appId}/versions${query}`)).body;
    const brief = async () =>
      (await list()).versions.map((version: Record<string, unknown>) => [
        version.number,
        version.state,
        ...['isInstalled', 'isWaiting', 'needsConsent'].filter((name) => version[name]),
      ]);
    expect(await brief()).toEqual([
      [2, 'approved', 'needsConsent'],
      [1, 'approved', 'needsConsent'],
    ]);
    await install(store, appId);
    await add(['stars'], more);
    await market.addVersion(appId, read);
    expect((await list()).versions[0]).toEqual({
      id: versions[2],
      number: 3,
      scopes: more,
      connectOrigins: [],
      state: 'approved',
      approvedAt: expect.stringMatching(/Z$/),
      isInstalled: false,
      isWaiting: true,
      needsConsent: true,
      blocks: [{ key: 'stars', name: 'The stars' }],
    });
    await market.withdraw(versions[1]!);
    await market.withdraw(versions[0]!);
    expect(await brief()).toEqual([
      [3, 'approved', 'isWaiting', 'needsConsent'],
      [2, 'withdrawn', 'isInstalled'],
    ]);
    const first = await list('?limit=1');
    expect([first.total, first.versions.length]).toEqual([2, 1]);
    const rest = await list(`?after=${first.nextCursor}`);
    expect([rest.versions.map(({ number }: { number: number }) => number), rest.nextCursor]).toEqual([
      [2],
      null,
    ]);
    await store.delete(`/${appId}`);
    expect(await brief()).toEqual([[3, 'approved', 'needsConsent']]);
  });

  test('of an app that was never approved are its own organisation’s to see', async () => {
    const { appId } = await appWith();
    await market.addVersion(appId, read);
    expect(getStatusAndCode(await market.newStore().get(`/${appId}/versions`))).toEqual([404, 'not_found']);
    expect(getStatusAndCode(await market.newStore().get(`/${newId('app')}/versions`))).toEqual([
      404,
      'not_found',
    ]);
    const ours = market.newStore(undefined, undefined, market.insiderId);
    expect((await ours.get(`/${appId}/versions`)).body).toMatchObject({ versions: [], total: 0 });
  });
});

describe('what would be lost', () => {
  test('a rollback and a consent list the shown blocks that the other version lacks', async () => {
    const { appId, versions, add } = await appWith(['stars'], ['stars', 'wall', 'form']);
    const store = market.newStore();
    await install(store, appId);
    const live = page('a', { versionIds: [versions[1]!] });
    const draft = page('b', { live: false, draft: true });
    const section = page('s', { type: 'section', versionIds: [versions[1]!] });
    market.blockUses.push(use('stars', live), use('wall', live, draft, section));
    const back = await store.get(`/${appId}/rollback?versionId=${versions[0]}`);
    const [wall, form] = back.body.missingBlocks;
    const { versionIds: _live, ...shownLive } = live;
    const { versionIds: _draft, ...shownDraft } = draft;
    const { versionIds: _section, ...shownSection } = section;
    expect(wall).toEqual({
      key: 'wall',
      name: 'The wall',
      pages: [{ id: 'a', name: 'Page a' }],
      places: [shownLive, shownDraft, shownSection],
      hasMore: false,
    });
    expect(form).toEqual({ key: 'form', name: 'The form', pages: [], places: [], hasMore: false });
    expect(getStatusAndCode(await store.get(`/${appId}/consent`))).toEqual([409, 'invalid_state']);
    await add(['wall'], more);
    expect(shown((await store.get(`/${appId}/consent`)).body)).toEqual([
      ['stars', 'The stars', 'a live'],
      ['form', 'The form'],
    ]);
    expect(shown((await store.get(`/${appId}/uses`)).body)).toEqual([
      ['stars', 'The stars', 'a live'],
      ['wall', 'The wall', 'a live', 'b draft', 's live'],
    ]);
  });

  test('uses the version that rendered a live page, and the installed one for drafts', async () => {
    const { appId, versions, add } = await appWith(['old', 'both']);
    const store = market.newStore();
    await install(store, appId);
    await add(['new', 'both']);
    const [first, second] = versions as [string, string];
    await eventually(async () => (await store.get(`/${appId}`)).body.install.versionId === second);
    const places = [
      page('x', { versionIds: [first], draft: true }),
      page('y', { versionIds: [second] }),
      page('d', { live: false, draft: true }),
    ];
    market.blockUses.push(use('old', ...places), use('new', ...places), use('both', ...places));
    expect(shown((await store.get(`/${appId}/uses`)).body)).toEqual([
      ['new', 'The new', 'x draft', 'y live', 'd draft'],
      ['both', 'The both', 'x live draft', 'y live', 'd draft'],
      ['old', 'The old', 'x live'],
    ]);
    await store.post(`/${appId}/disable`);
    expect(shown((await store.get(`/${appId}/uses`)).body)).toEqual([
      ['new', 'The new', 'x live draft', 'y live', 'd draft'],
      ['both', 'The both', 'x live draft', 'y live', 'd draft'],
    ]);
  });

  test('is required of an app that the store has', async () => {
    const { appId } = await appWith(['stars']);
    const store = market.newStore();
    for (const path of ['uses', 'consent', 'rollback']) {
      expect(getStatusAndCode(await store.get(`/${appId}/${path}`))).toEqual([404, 'not_found']);
    }
    await install(store, appId);
    await store.delete(`/${appId}`);
    for (const path of ['uses', 'consent', 'rollback']) {
      expect(getStatusAndCode(await store.get(`/${appId}/${path}`))).toEqual([409, 'invalid_state']);
    }
  });
});

describe('an app that stores have had', () => {
  const countRows = async (appId: string) => {
    const count = async (table: 'install' | 'app_data') =>
      (await market.db.selectFrom(table).select('store_id').where('app_id', '=', appId).execute()).length;
    return [await count('install'), await count('app_data')];
  };

  test('can be deleted when no store has it, with its data', async () => {
    const { appId, path } = await appWith([]);
    const developer = market.asUser(market.insiderId);
    const stores = Array.from({ length: 45 }, () => market.newStore());
    await Promise.all(stores.map((store) => install(store, appId)));
    await market.db
      .insertInto('app_data')
      .values(
        stores.flatMap(({ storeId }) =>
          ['a', 'b'].map((key) => ({
            store_id: storeId,
            app_id: appId,
            key,
            owner: 'site' as const,
            owner_id: '',
            value: 'x',
          })),
        ),
      )
      .execute();
    const [last, ...others] = stores as [Store, ...Store[]];
    await Promise.all(others.map((store) => store.delete(`/${appId}`)));
    expect(getStatusAndCode(await developer('delete', path))).toEqual([409, 'app_installed']);
    await last.post(`/${appId}/disable`);
    expect(getStatusAndCode(await developer('delete', path))).toEqual([409, 'app_installed']);
    await last.delete(`/${appId}`);
    const { appId: neighbour } = await appWith([]);
    await install(last, neighbour);
    expect((await developer('delete', path)).status).toBe(204);
    expect(getStatusAndCode(await last.get(`/${appId}`))).toEqual([404, 'not_found']);
    expect(getStatusAndCode(await last.post(`/${appId}/install`, { scopes: read }))).toEqual([
      404,
      'not_found',
    ]);
    await eventually(async () => (await countRows(appId)).join() === '0,0');
    expect((await last.get('')).body.apps.map((each: { appId: string }) => each.appId)).toEqual([neighbour]);
  });

  test('a simultaneous deletion and installation end in one of the two', async () => {
    const developer = market.asUser(market.insiderId);
    for (let i = 0; i < 6; i++) {
      const { appId, path } = await appWith([]);
      const store = market.newStore();
      const [deleted, installed] = await Promise.all([
        developer('delete', path),
        store.post(`/${appId}/install`, { scopes: read }),
      ]);
      expect([deleted.status, installed.status]).toEqual(deleted.status === 204 ? [204, 404] : [409, 201]);
      expect((await countRows(appId))[0]).toBe(deleted.status === 204 ? 0 : 1);
    }
  });

  test('keeps the draft that a store has installed', async () => {
    const { appId, path } = await appWith([]);
    const developer = market.asUser(market.insiderId);
    const { version } = (await developer('post', `${path}/versions`, { scopes: read })).body;
    const store = market.newStore();
    await install(store, appId);
    await market.db
      .updateTable('install')
      .set({ version_id: version.id })
      .where('store_id', '=', store.storeId)
      .execute();
    const draft = `${path}/versions/${version.id}`;
    expect(getStatusAndCode(await developer('delete', draft))).toEqual([409, 'app_installed']);
    await store.delete(`/${appId}`);
    expect((await developer('delete', draft)).status).toBe(204);
    await install(store, appId);
  });
});

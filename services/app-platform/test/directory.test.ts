import { newId, type Permission } from '@waybill/contracts';
import { isOnCitus } from '@waybill/testing';
import { countInstalls } from '../src/directory/queries.ts';
import { type Marketplace, startMarketplace } from './marketplace.ts';

let market: Marketplace;
beforeAll(async () => {
  market = await startMarketplace();
});
afterAll(() => market.stop());

const getStatusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];

/** Requests a path as a signed-in user without an organisation. */
const merchant = (path: string) =>
  market.as({ kind: 'user', userId: newId('user'), email: 'ann@example.com' })('get', path);
const list = async (query: string) => (await merchant(`/api/apps?${query}`)).body;

/** Creates a listed app with an approved version; only its description contains `word`. */
async function newListed(word: string, change: { name?: string; scopes?: Permission[] } = {}) {
  const { appId } = await market.newApp();
  const { name = 'Reviews', scopes = [] } = change;
  const row = { is_listed: true, name, description: `Says ${word}` };
  await market.db.updateTable('app').set(row).where('id', '=', appId).execute();
  const versionId = await market.addVersion(appId, scopes);
  await market.approve(versionId);
  return { appId, versionId };
}

async function installed(appId: string, times: number) {
  const stores = [];
  for (let n = 0; n < times; n++) {
    const store = market.newStore();
    expect((await store.post(`/${appId}/install`, { scopes: [] })).status).toBe(201);
    stores.push(store);
  }
  return stores;
}

describe('the directory', () => {
  test('shows a listed app as its newest approved version is', async () => {
    const { appId } = await newListed('hexagon', { scopes: ['products.read'] });
    const scopes: Permission[] = ['products.read', 'appdata.write'];
    const second = await market.addVersion(appId, scopes, { blocks: ['stars', 'words'] });
    const connectOrigins = ['https://api.example.com'];
    const icons = ['star', 'x'.repeat(65)];
    const blocks = icons.map((icon, i) => ({ key: `b${i}`, name: `B ${i}`, icon, rootId: 'r', nodes: [] }));
    await market.db
      .updateTable('app_version')
      .set({ blocks: JSON.stringify(blocks) as never, connect_origins: connectOrigins })
      .where('id', '=', second)
      .execute();
    expect((await list('q=hexagon')).apps).toMatchObject([{ scopes: ['products.read'], blocks: [] }]);
    await market.approve(second);
    const app = {
      id: appId,
      name: 'Reviews',
      orgName: 'Org',
      description: 'Says hexagon',
      iconUrl: null,
      installUrl: null,
      scopes,
      installs: 0,
      blocks: [
        { key: 'b0', name: 'B 0', icon: 'star' },
        { key: 'b1', name: 'B 1', icon: null },
      ],
    };
    expect(await list('q=hexagon')).toEqual({ apps: [app], total: 1, nextCursor: null });
    expect(await list('q=hexagon&fields=name')).toEqual({
      apps: [{ id: appId, name: 'Reviews' }],
      total: 1,
      nextCursor: null,
    });
    const profile = { ...app, website: null, supportEmail: null, privacyUrl: null, connectOrigins };
    expect((await merchant(`/api/apps/${appId}`)).body).toEqual({ app: profile });
    await market.withdraw(second);
    expect((await list('q=hexagon')).apps).toMatchObject([{ scopes: ['products.read'], blocks: [] }]);
  });

  test('omits apps that are not listed, not approved or suspended; an unlisted one is found by its address', async () => {
    const [unlisted, suspended, withdrawn] = [
      await newListed('octagon'),
      await newListed('octagon'),
      await newListed('octagon'),
    ];
    await market.db.updateTable('app').set({ is_listed: false }).where('id', '=', unlisted.appId).execute();
    await market.suspend(suspended.appId);
    await market.withdraw(withdrawn.versionId);
    const { appId: draft } = await market.newApp();
    await market.db
      .updateTable('app')
      .set({ is_listed: true, description: 'octagon' })
      .where('id', '=', draft)
      .execute();
    await market.addVersion(draft, []);
    expect(await list('q=octagon')).toEqual({ apps: [], total: 0, nextCursor: null });
    expect((await merchant(`/api/apps/${unlisted.appId}`)).status).toBe(200);
    for (const id of [suspended.appId, withdrawn.appId, draft, newId('app'), 'x']) {
      expect(getStatusAndCode(await merchant(`/api/apps/${id}`))).toEqual([404, 'not_found']);
    }
    await market.unsuspend(suspended.appId);
    await market.restore(withdrawn.versionId);
    expect((await list('q=octagon')).total).toBe(2);
  });

  test('is only for signed-in users', async () => {
    const key = market.as({
      kind: 'apiKey',
      storeId: newId('store'),
      keyId: newId('apiKey'),
      scopes: ['integrations.read'],
      creatorPermissions: ['integrations.read'],
    } as never);
    expect(getStatusAndCode(await key('get', '/api/apps'))).toEqual([401, 'user_token_required']);
  });

  test('is searched by every word of name, organisation and description', async () => {
    const { appId } = await newListed('50% off_pentagon', { name: 'Großer Rabatt' });
    for (const q of ['GROßER pentagon', 'grosser pentagon', 'org says off_p rabatt', '50%']) {
      expect((await list(`q=${encodeURIComponent(q)}`)).apps).toMatchObject([{ id: appId }]);
    }
    for (const q of ['off%pentagon', 'offxpentagon', 'pentagon hexagon']) {
      expect((await list(`q=${encodeURIComponent(q)}`)).total).toBe(0);
    }
  });

  test('begins with the apps of the most installs, then the newest, and is walked by cursor', async () => {
    const apps: string[] = [];
    for (let n = 0; n < 5; n++) apps.push((await newListed('heptagon')).appId);
    await installed(apps[1]!, 2);
    const [store] = await installed(apps[3]!, 2);
    expect((await store!.delete(`/${apps[3]}`)).status).toBe(204);
    await installed(apps[2]!, 1);
    await countInstalls(market.db);
    const order = [1, 3, 2, 4, 0].map((n) => apps[n]);
    const whole = await list('q=heptagon');
    expect(whole.apps.map(({ id }: { id: string }) => id)).toEqual(order);
    expect(whole.apps.map(({ installs }: { installs: number }) => installs)).toEqual([2, 1, 1, 0, 0]);
    const walked: string[] = [];
    let after = '';
    do {
      const page = await list(`q=heptagon&limit=2${after}`);
      expect(page.total).toBe(5);
      walked.push(...page.apps.map(({ id }: { id: string }) => id));
      after = page.nextCursor && `&after=${page.nextCursor}`;
    } while (after);
    expect(walked).toEqual(order);
    const { nextCursor } = await list('q=heptagon&limit=2');
    expect(getStatusAndCode(await merchant(`/api/apps?after=${nextCursor}`))).toEqual([
      400,
      'invalid_cursor',
    ]);
  });

  test('counts installs of other apps while one is locked, and keeps its state', async () => {
    const [one, other] = [await newListed('nonagon'), await newListed('nonagon')];
    const path = `/api/apps/${one.appId}`;
    const { etag } = (await merchant(path)).headers;
    await installed(one.appId, 1);
    await installed(other.appId, 1);
    const counts = async () =>
      (await list('q=nonagon')).apps.map(({ installs }: { installs: number }) => installs);
    // A cluster has the apps on every server, where nothing skips a lock: there the count waits.
    if (!isOnCitus)
      await market.db.transaction().execute(async (trx) => {
        await trx.selectFrom('app').select('id').where('id', '=', one.appId).forShare().execute();
        await countInstalls(market.db);
        expect(await counts()).toEqual([1, 0]);
      });
    await countInstalls(market.db);
    expect(await counts()).toEqual([1, 1]);
    const read = await merchant(path);
    expect([read.body.app.installs, read.headers.etag]).toEqual([1, etag]);
  });
});

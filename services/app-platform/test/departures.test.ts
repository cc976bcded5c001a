import { readFile } from 'node:fs/promises';
import { type EventDefinition, newId, type Permission, StoreClosed, UserDeleted } from '@waybill/contracts';
import { eventually } from '@waybill/testing';
import { sql } from 'kysely';
import { type Marketplace, type Store, startMarketplace } from './marketplace.ts';

let market: Marketplace;
beforeAll(async () => {
  market = await startMarketplace();
});
afterAll(() => market.stop());

const scopes: Permission[] = ['products.read'];

/** Publishes an event as identity does; this process gets it from its own bus. */
async function publish(event: EventDefinition, storeId: string, data: object): Promise<void> {
  await sql`insert into outbox (event_id, name, store_id, data)
    values (${newId('event')}, ${event.name}, ${storeId}, ${JSON.stringify(data)})`.execute(market.db);
}
const handled = () =>
  eventually(async () => !(await sql`select from outbox limit 1`.execute(market.db)).rows.length);

test('a store that is closed has its apps uninstalled, once; other stores keep theirs', async () => {
  const apps = [await market.newApp(), await market.newApp()];
  for (const { appId } of apps) await market.approve(await market.addVersion(appId, scopes));
  const [closed, open] = [market.newStore(), market.newStore()];
  for (const store of [closed, open])
    for (const { appId } of apps)
      expect((await store.post(`/${appId}/install`, { scopes })).status).toBe(201);
  for (let i = 0; i < 2; i++) await publish(StoreClosed, closed.storeId, {});
  await handled();
  const states = (store: Store) =>
    market.db.selectFrom('install').select('state').where('store_id', '=', store.storeId).execute();
  expect(await states(closed)).toEqual([{ state: 'uninstalled' }, { state: 'uninstalled' }]);
  expect(await states(open)).toEqual([{ state: 'installed' }, { state: 'installed' }]);
  const listEmitted = () =>
    market.heard.filter(({ storeId, data }) => storeId === closed.storeId && data.isAvailable === false);
  await eventually(() => listEmitted().length === 2);
});

test('a closed store keeps no report tokens of uninstalled apps', async () => {
  const stores = [market.newStore(), market.newStore()].map(({ storeId }) => storeId);
  const hash = newId('install');
  const expires_at = new Date(Date.now() + 3_600_000);
  for (const store_id of stores)
    await market.db
      .insertInto('report_token')
      .values({ store_id, hash, install_id: newId('install'), expires_at })
      .execute();
  await publish(StoreClosed, stores[0]!, {});
  await handled();
  const left = await market.db
    .selectFrom('report_token')
    .select('store_id')
    .where('hash', '=', hash)
    .execute();
  expect(left).toEqual([{ store_id: stores[1] }]);
});

test('a deleted user leaves all organisations, and apps without members leave the directory; sole ownerships with other members are listed', async () => {
  const [user, other] = [newId('user'), newId('user')];
  const newOrg = async (...members: { user_id: string; role: 'owner' | 'developer' }[]) => {
    const id = newId('organisation');
    await market.db.insertInto('organisation').values({ id, name: 'Acme' }).execute();
    const rows = members.map((member) => ({ org_id: id, email: 'a@example.com', ...member }));
    await market.db.insertInto('org_member').values(rows).execute();
    return id;
  };
  const owner = { user_id: user, role: 'owner' } as const;
  const alone = await newOrg(owner);
  const remaining = await newOrg(owner, { user_id: other, role: 'developer' });
  const shared = await newOrg(owner, { user_id: other, role: 'owner' });
  const worked = await newOrg({ user_id: user, role: 'developer' }, { user_id: other, role: 'owner' });
  const ask = (userId: string) => market.internal('org-members/sole-ownerships', { userId });
  expect((await ask(user)).body).toEqual({ orgIds: [remaining] });
  expect((await ask(other)).body).toEqual({ orgIds: [worked] });
  const newListed = async (org_id: string) => {
    const app = { id: newId('app'), org_id, name: 'Reviews', client_secret_hash: '', is_listed: true };
    await market.db
      .insertInto('app')
      .values({ ...app, redirect_uris: [] })
      .execute();
    return app.id;
  };
  const [deserted, looked] = [await newListed(alone), await newListed(remaining)];
  for (let i = 0; i < 2; i++) await publish(UserDeleted, '', { userId: user });
  await handled();
  const listed = await market.db
    .selectFrom('app')
    .select(['id', 'is_listed'])
    .where('id', 'in', [deserted, looked])
    .orderBy('id')
    .execute();
  expect(listed).toEqual([
    { id: deserted, is_listed: false },
    { id: looked, is_listed: true },
  ]);
  const left = await market.db
    .selectFrom('org_member')
    .select(['org_id', 'user_id'])
    .where('org_id', 'in', [alone, remaining, shared, worked])
    .orderBy('org_id')
    .execute();
  expect(left).toEqual([remaining, shared, worked].map((org_id) => ({ org_id, user_id: other })));
});

test('apps of organisations that were emptied before are taken out of the directory as well', async () => {
  const newListed = async (isDeserted: boolean) => {
    const { appId } = await market.newApp();
    const { org_id } = await market.db
      .updateTable('app')
      .set({ is_listed: true })
      .where('id', '=', appId)
      .returning('org_id')
      .executeTakeFirstOrThrow();
    if (isDeserted) await market.db.deleteFrom('org_member').where('org_id', '=', org_id).execute();
    return appId;
  };
  const [deserted, looked] = [await newListed(true), await newListed(false)];
  const migration = new URL('../migrations/0090_apps_of_nobody.online.sql', import.meta.url);
  await sql.raw(await readFile(migration, 'utf8')).execute(market.db);
  const listed = await market.db
    .selectFrom('app')
    .select('id')
    .where('id', 'in', [deserted, looked])
    .where('is_listed', '=', true)
    .execute();
  expect(listed).toEqual([{ id: looked }]);
});

import { newId, type Permission } from '@waybill/contracts';
import { eventually } from '@waybill/testing';
import { sql } from 'kysely';
import { claimSweep, deleteSweep, insertSweep } from '../src/sweeps/queries.ts';
import { code, installing, more, read } from './installing.ts';
import { type Marketplace, startMarketplace } from './marketplace.ts';

let market: Marketplace;
beforeAll(async () => {
  market = await startMarketplace();
});
afterAll(() => market.stop());

const { appWith, install, readInstall, listHeard, obtainToken, resolve } = installing(() => market);

describe('a newly approved version', () => {
  test('is installed automatically if it requests the same or fewer scopes, which tokens get immediately', async () => {
    const app = await appWith(more);
    const store = market.newStore();
    const token = await obtainToken(store, app, more);
    const same = await app.approve(more);
    await eventually(async () => (await readInstall(store, app.appId)).versionId === same);
    await app.approve(read);
    await eventually(async () => (await readInstall(store, app.appId)).versionNumber === 3);
    expect((await readInstall(store, app.appId)).grantedScopes).toEqual(read);
    expect((await resolve(token)).body.principal.scopes).toEqual(read);
    await eventually(() => listHeard(store).length === 3);
    expect(listHeard(store).map(({ isUpgrade }) => isUpgrade)).toEqual([false, true, true]);
  });

  test('waits for consent when it asks for more; a later one that does not goes past it', async () => {
    const { appId, approve } = await appWith(read);
    const store = market.newStore();
    await install(store, appId, read);
    const consent = (scopes: Permission[]) => store.post(`/${appId}/consent`, { scopes });
    expect(await consent(read)).toMatchObject(code(409, 'invalid_state'));
    const second = await approve(more);
    await eventually(async () => (await readInstall(store, appId)).waitingVersionId === second);
    expect(await readInstall(store, appId)).toMatchObject({ versionNumber: 1, grantedScopes: read });
    const third = await approve(read);
    await eventually(async () => (await readInstall(store, appId)).versionId === third);
    expect((await readInstall(store, appId)).waitingVersionId).toBeNull();
    const fourth = await approve(more);
    await eventually(async () => (await readInstall(store, appId)).waitingVersionId === fourth);
    expect(await consent(read)).toMatchObject({
      status: 409,
      body: { code: 'consent_required', scopes: more },
    });
    expect(await consent(more)).toMatchObject({
      status: 200,
      body: { install: { versionId: fourth, grantedScopes: more, waitingVersionId: null } },
    });
    expect(await consent(more)).toMatchObject(code(409, 'invalid_state'));
  });

  test('is no longer awaited after it was withdrawn', async () => {
    const { appId, approve } = await appWith(read);
    const store = market.newStore();
    await install(store, appId, read);
    const second = await approve(more);
    await market.withdraw(second);
    expect((await readInstall(store, appId)).waitingVersionId).toBeNull();
    expect(await store.post(`/${appId}/consent`, { scopes: more })).toMatchObject(code(409, 'invalid_state'));
  });

  test('is never taken backwards', async () => {
    const { appId } = await market.newApp();
    const [first, second] = [await market.addVersion(appId, read), await market.addVersion(appId, read)];
    await market.approve(second);
    const store = market.newStore();
    await install(store, appId, read);
    await market.approve(first);
    await market.sweptAll();
    expect((await readInstall(store, appId)).versionId).toBe(second);
  });

  test('is answered only after its first installs have moved, though another process is at them', async () => {
    const { appId } = await appWith(read);
    await install(market.newStore(), appId, read);
    const versionId = await market.addVersion(appId, read);
    let isAnswered = false;
    let approval: Promise<void> = Promise.resolve();
    const waitsForTheSweep = async () => {
      const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%install_sweep%'`.execute(
        market.db,
      );
      return rows[0]!.count > 0;
    };
    await market.db.transaction().execute(async (theirs) => {
      const claimed = await eventually(async () => {
        // Repeat it in case the task of this process was faster.
        await insertSweep(market.db, { app_id: appId, is_suspension: false });
        return claimSweep(theirs, appId);
      });
      approval = market.approve(versionId).then(() => {
        isAnswered = true;
      });
      await eventually(async () => isAnswered || (await waitsForTheSweep()));
      expect(isAnswered).toBe(false);
      await deleteSweep(theirs, claimed.id);
    });
    await approval;
    const { version_id } = await market.db
      .selectFrom('install')
      .select('version_id')
      .where('app_id', '=', appId)
      .executeTakeFirstOrThrow();
    expect(version_id).toBe(versionId);
  });

  test('reaches five hundred stores, and misses none that installs at that moment', async () => {
    const { appId, approve } = await appWith(read);
    const stores = Array.from({ length: 500 }, () => market.newStore());
    for (let i = 0; i < 480; i += 20) {
      await Promise.all(stores.slice(i, i + 20).map((store) => install(store, appId, read)));
    }
    const [version] = await Promise.all([
      approve(read),
      ...stores.slice(480).map((store) => install(store, appId, read)),
    ]);
    await eventually(async () => {
      const { count } = await market.db
        .selectFrom('install')
        .where('version_id', '=', version)
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count === 500;
    });
  });
});

describe('a rollback', () => {
  test('returns to an earlier approved version until the merchant or a newer version changes it', async () => {
    const { appId, versionIds, approve } = await appWith(read, read, read);
    const store = market.newStore();
    await install(store, appId, read);
    const res = await store.post(`/${appId}/rollback`, { versionId: versionIds[0] });
    expect(res).toMatchObject({
      status: 200,
      body: { install: { versionNumber: 1, waitingVersionId: versionIds[2] } },
    });
    // Nothing known at that time moves it: neither the return of another version, nor the late approval of an older
    // one.
    await market.withdraw(versionIds[2]!);
    await market.restore(versionIds[2]!);
    await market.sweptAll();
    expect((await readInstall(store, appId)).versionNumber).toBe(1);
    expect((await store.post(`/${appId}/consent`, { scopes: read })).body.install.versionNumber).toBe(3);

    await store.post(`/${appId}/rollback`, { versionId: versionIds[1] });
    await approve(read);
    await eventually(async () => (await readInstall(store, appId)).versionNumber === 4);
    await approve(read);
    await eventually(async () => (await readInstall(store, appId)).versionNumber === 5);
    await eventually(() => listHeard(store).length === 6);
    // Live pages show the merchant's choices at once; the last two versions came automatically.
    expect(listHeard(store).map(({ isUpgrade }) => isUpgrade)).toEqual([...Array(4).fill(false), true, true]);
    const { apps } = (await market.internal(`stores/${store.storeId}/apps`)).body;
    expect(apps).toMatchObject([{ versionNumber: 5, choice: 4 }]);
  });

  test('404 for a version that is the same, later, withdrawn, not approved, another app’s or unknown', async () => {
    const { appId, versionIds, approve } = await appWith(read, read);
    const store = market.newStore();
    await install(store, appId, read);
    await approve(more);
    const unapproved = await market.addVersion(appId, read);
    await market.withdraw(versionIds[0]!);
    const other = await appWith(read, read);
    for (const versionId of [...versionIds, unapproved, other.versionIds[0], newId('appVersion'), '']) {
      expect(await store.post(`/${appId}/rollback`, { versionId })).toMatchObject(code(404, 'not_found'));
      expect((await store.get(`/${appId}/rollback?versionId=${versionId}`)).status).toBe(404);
    }
    expect((await store.get(`/${appId}/rollback`)).status).toBe(404);
    expect((await store.post(`/${appId}/rollback`, {})).status).toBe(400);
  });

  test('to a version that requests more needs a consent', async () => {
    const { appId, versionIds } = await appWith(more, read);
    const store = market.newStore();
    await install(store, appId, read);
    const roll = (body: object) => store.post(`/${appId}/rollback`, { versionId: versionIds[0], ...body });
    for (const body of [{}, { scopes: read }]) {
      expect(await roll(body)).toMatchObject({
        status: 409,
        body: { code: 'consent_required', scopes: more },
      });
    }
    expect((await roll({ scopes: more })).body.install.grantedScopes).toEqual(more);
  });
});

import { newId } from '@waybill/contracts';
import { eventually, runSql } from '@waybill/testing';
import fc from 'fast-check';
import { code, installing, more, read } from './installing.ts';
import { codeChallenge, type Marketplace, redirectUri, startMarketplace } from './marketplace.ts';

let market: Marketplace;
beforeAll(async () => {
  market = await startMarketplace();
});
afterAll(() => market.stop());

const { appWith, install, readInstall, listHeard, obtainToken, resolve, outcome } = installing(() => market);

describe('POST /apps/{appId}/install', () => {
  test('installs the newest approved version, with its scopes', async () => {
    const { appId, versionIds } = await appWith(read, more);
    await market.addVersion(appId, ['orders.read']);
    const store = market.newStore();
    const res = await store.post(`/${appId}/install`, { scopes: [...more].reverse() });
    expect(res.status).toBe(201);
    expect(res.body).toEqual({
      install: {
        id: expect.stringMatching(/^ins_[0-9a-z]{26}$/),
        appId,
        appName: 'Reviews',
        storeId: store.storeId,
        versionId: versionIds[1],
        versionNumber: 2,
        grantedScopes: more,
        connectOrigins: [],
        isDevelopment: false,
        state: 'installed',
        waitingVersionId: null,
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: expect.stringMatching(/Z$/),
      },
    });
    expect((await store.get(`/${appId}`)).body).toEqual({ install: res.body.install });
    expect((await store.get()).body).toEqual({ apps: [res.body.install], total: 1, nextCursor: null });
    await eventually(() => listHeard(store).length === 1);
    expect(listHeard(store)).toEqual([{ appId, isAvailable: true, isUpgrade: false }]);
  });

  test.each([
    ['fewer', read],
    ['more', [...more, 'orders.read']],
    ['other', ['orders.read', 'appdata.write']],
    ['none', []],
  ])('409 consent_required with the scopes when %s are agreed to', async (_, scopes) => {
    const { appId } = await appWith(more);
    const res = await market.newStore().post(`/${appId}/install`, { scopes });
    expect(res).toMatchObject({ status: 409, body: { code: 'consent_required', scopes: more } });
  });

  test('409 too_many_apps in a store that has, or has had, 10,000', async () => {
    const [known, another] = [await appWith(read), await appWith(read)];
    const store = market.newStore();
    await install(store, known.appId, read);
    await runSql(
      market.system,
      'app-platform',
      // Citus makes no rows of a complete table in a part of a statement.
      `insert into app (id, org_id, name, client_secret_hash, redirect_uris)
       select 'app_full_' || n, org_id, 'Full', '', '{}'
       from app one cross join generate_series(1, 9999) n where one.id = '${known.appId}'`,
    );
    await runSql(
      market.system,
      'app-platform',
      `insert into install (store_id, id, app_id, version_id, granted_scopes, state)
       select '${store.storeId}', 'ins_full_' || n, 'app_full_' || n, '${known.versionIds[0]}', '{}', 'uninstalled'
       from generate_series(1, 9999) n`,
    );
    const refused = await store.post(`/${another.appId}/install`, { scopes: read });
    expect([refused.status, refused.body.code]).toEqual([409, 'too_many_apps']);
  });

  test('redirects to a registered address only, with code, state and iss', async () => {
    const { appId } = await appWith(read);
    const store = market.newStore();
    for (const uri of ['https://evil.example.com/', `${redirectUri}&x=1`, 'not a url']) {
      const res = await store.post(`/${appId}/install`, { scopes: read, redirectUri: uri, codeChallenge });
      expect(res).toMatchObject({
        status: 400,
        body: { code: 'invalid_body', details: [{ pointer: '/redirectUri' }] },
      });
    }
    for (const state of ['a b&c=d#é', '', undefined]) {
      const consent = { scopes: read, redirectUri, state, codeChallenge };
      const { body } = await store.post(`/${appId}/install`, consent);
      const target = new URL(body.redirectTo);
      expect(body.redirectTo.startsWith(`${redirectUri}&code=`)).toBe(true);
      expect(target.searchParams.get('state')).toBe(state ?? null);
      expect(target.searchParams.get('code')).toMatch(/^[\w-]{43}$/);
      expect(target.searchParams.get('iss')).toBe(new URL(market.system.internalUrl).origin);
      await store.delete(`/${appId}`);
    }
  });

  test('409 already_installed, disabled or not, whatever is agreed to', async () => {
    const { appId } = await appWith(read);
    const store = market.newStore();
    await install(store, appId, read);
    expect(await store.post(`/${appId}/install`, { scopes: read })).toMatchObject(
      code(409, 'already_installed'),
    );
    await store.post(`/${appId}/disable`);
    expect(await store.post(`/${appId}/install`, { scopes: [] })).toMatchObject(
      code(409, 'already_installed'),
    );
  });

  test('of ten simultaneous requests one installs it', async () => {
    const { appId } = await appWith(read);
    const store = market.newStore();
    const all = await Promise.all(
      Array.from({ length: 10 }, () => store.post(`/${appId}/install`, { scopes: read })),
    );
    expect(all.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  });

  test('an app that was never approved is unknown to everybody but its developers', async () => {
    const store = market.newStore();
    const { appId } = await market.newApp();
    await market.addVersion(appId, read);
    const unknown = await store.post(`/${newId('app')}/install`, { scopes: read });
    expect(unknown).toMatchObject(code(404, 'not_found'));
    for (const id of [appId, 'nonsense', newId('store')]) {
      const { status, body } = await store.post(`/${id}/install`, { scopes: read });
      expect([status, body]).toEqual([404, unknown.body]);
    }
    const own = market.newStore(undefined, 'owner', market.insiderId);
    expect(await own.post(`/${appId}/install`, { scopes: read })).toMatchObject(code(409, 'invalid_state'));
  });

  test('wants a consent to where islands connect to, as to scopes, and shows it', async () => {
    const { appId, approve } = await appWith();
    const connectOrigins = ['https://api.example.com', 'https://cdn.example.com'];
    const first = await approve(read, { connectOrigins });
    const store = market.newStore();
    const given = [undefined, [], connectOrigins.slice(1), [...connectOrigins, 'https://more.example.com']];
    for (const origins of given) {
      const res = await store.post(`/${appId}/install`, { scopes: read, connectOrigins: origins });
      expect(res).toMatchObject({
        status: 409,
        body: { code: 'consent_required', scopes: read, connectOrigins },
      });
    }
    const installed = await store.post(`/${appId}/install`, {
      scopes: read,
      connectOrigins: [...connectOrigins].reverse(),
    });
    expect(installed).toMatchObject({ status: 201, body: { install: { connectOrigins } } });

    // A version that asks for less is installed automatically; one that asks for more waits.
    const fewer = connectOrigins.slice(1);
    await approve(read, { connectOrigins: fewer });
    await eventually(async () => (await readInstall(store, appId)).versionNumber === 2);
    expect((await readInstall(store, appId)).connectOrigins).toEqual(fewer);
    const third = await approve(read, { connectOrigins: ['https://new.example.com', ...fewer] });
    await market.sweptAll();
    expect(await readInstall(store, appId)).toMatchObject({ versionNumber: 2, waitingVersionId: third });
    const refused = await store.post(`/${appId}/consent`, { scopes: read, connectOrigins: fewer });
    expect(refused).toMatchObject(code(409, 'consent_required'));
    expect(refused.body.connectOrigins).toEqual(['https://new.example.com', ...fewer]);
    expect(
      await store.post(`/${appId}/consent`, {
        scopes: read,
        connectOrigins: [...fewer, 'https://new.example.com'],
      }),
    ).toMatchObject({ status: 200, body: { install: { versionNumber: 3 } } });

    const back = (agreed: object) => store.post(`/${appId}/rollback`, { versionId: first, ...agreed });
    expect(await back({})).toMatchObject({ status: 409, body: { connectOrigins, scopes: read } });
    expect(await back({ scopes: read, connectOrigins })).toMatchObject({
      status: 200,
      body: { install: { versionNumber: 1, connectOrigins } },
    });
    const { apps } = (await market.internal(`stores/${store.storeId}/apps`)).body;
    expect(apps).toMatchObject([{ appId, connectOrigins, choice: 3 }]);
  });

  test('a withdrawn version gets no new installs; existing ones keep running it', async () => {
    const { appId, versionIds } = await appWith(read, read);
    const [before, after] = [market.newStore(), market.newStore()];
    await install(before, appId, read);
    await market.withdraw(versionIds[1]!);
    expect((await install(after, appId, read)).versionId).toBe(versionIds[0]);
    expect(await readInstall(before, appId)).toMatchObject({ versionNumber: 2, state: 'installed' });
    await market.withdraw(versionIds[0]!);
    const res = await market.newStore().post(`/${appId}/install`, { scopes: read });
    expect(res).toMatchObject(code(409, 'invalid_state'));
    await market.restore(versionIds[1]!);
    await eventually(async () => (await readInstall(after, appId)).versionNumber === 2);
  });

  test('whatever the body, the answer is a documented one', async () => {
    const { appId } = await appWith(read);
    const store = market.newStore();
    const fields = fc.record(
      {
        scopes: fc.oneof(fc.jsonValue(), fc.constant(read)),
        redirectUri: fc.jsonValue(),
        state: fc.jsonValue(),
        codeChallenge: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(fields, fc.jsonValue()), async (body) => {
        expect([201, 400, 409]).toContain((await store.post(`/${appId}/install`, body)).status);
      }),
      { numRuns: 60 },
    );
  });
});

describe('who may', () => {
  test('a viewer reads, an editor too; changes want integrations.write', async () => {
    const { appId } = await appWith(read);
    const owner = market.newStore();
    await install(owner, appId, read);
    for (const role of ['viewer', 'editor'] as const) {
      const member = market.newStore(owner.storeId, role);
      expect((await member.get()).status).toBe(200);
      expect((await member.get(`/${appId}`)).status).toBe(200);
      for (const res of [
        await member.post(`/${appId}/install`, { scopes: read }),
        await member.post(`/${appId}/consent`, { scopes: read }),
        await member.post(`/${appId}/rollback`, { versionId: 'x' }),
        await member.post(`/${appId}/disable`),
        await member.delete(`/${appId}/disable`),
        await member.delete(`/${appId}`),
      ]) {
        expect(res).toMatchObject(code(403, 'insufficient_role'));
      }
    }
    expect((await market.newStore(owner.storeId, 'admin').post(`/${appId}/disable`)).status).toBe(200);
  });
  test("another store's installs are none of ours", async () => {
    const { appId } = await appWith(read);
    await install(market.newStore(), appId, read);
    const store = market.newStore();
    expect((await store.get()).body).toEqual({ apps: [], total: 0, nextCursor: null });
    for (const res of [
      await store.get(`/${appId}`),
      await store.post(`/${appId}/consent`, { scopes: read }),
      await store.get(`/${appId}/rollback?versionId=x`),
      await store.post(`/${appId}/rollback`, { versionId: 'x' }),
      await store.post(`/${appId}/disable`),
      await store.delete(`/${appId}/disable`),
      await store.delete(`/${appId}`),
    ]) {
      expect(res).toMatchObject(code(404, 'not_found'));
    }
  });
});

describe('GET /apps', () => {
  test('lists newest first, by state, in pages', async () => {
    const store = market.newStore();
    const apps = [await appWith(read), await appWith(read), await appWith(read)];
    for (const { appId } of apps) await install(store, appId, read);
    const [first, second, third] = apps.map(({ appId }) => appId);
    await store.post(`/${first}/disable`);
    await store.delete(`/${second}`);
    const list = async (query = '') => {
      const { apps, total } = (await store.get(`?${query}`)).body;
      return [apps.map(({ appId, state }: { appId: string; state: string }) => [appId, state]), total];
    };
    expect(await list()).toEqual([
      [
        [third, 'installed'],
        [second, 'uninstalled'],
        [first, 'disabled'],
      ],
      3,
    ]);
    expect(await list('limit=1&offset=2')).toEqual([[[first, 'disabled']], 3]);
    expect(await list('state=uninstalled')).toEqual([[[second, 'uninstalled']], 1]);
    await market.suspend(first!);
    expect(await list('state=suspended')).toEqual([[[first, 'suspended']], 1]);
    expect((await list('state=gone'))[1]).toBe(3);
  });
});

describe('disabling, suspending and uninstalling', () => {
  test('a disabled app keeps its install; its tokens are invalid until it is enabled', async () => {
    const app = await appWith(read);
    const store = market.newStore();
    const token = await obtainToken(store, app, read);
    const { epoch } = (await resolve(token)).body;
    for (let i = 0; i < 2; i++) {
      expect((await store.post(`/${app.appId}/disable`)).body.install.state).toBe('disabled');
    }
    expect(await outcome(token)).toBe('revoked');
    expect((await resolve(token)).body.epoch).not.toBe(epoch);
    for (let i = 0; i < 2; i++) {
      expect((await store.delete(`/${app.appId}/disable`)).body.install.state).toBe('installed');
    }
    expect(await outcome(token)).toBe('ok');
    await eventually(() => listHeard(store).length === 3);
    expect(listHeard(store).every(({ isUpgrade }) => isUpgrade === false)).toBe(true);
    expect(listHeard(store).map(({ isAvailable }) => isAvailable)).toEqual([true, false, true]);
  });

  test('a change that changes nothing keeps updatedAt', async () => {
    const { appId } = await appWith(read);
    const store = market.newStore();
    const { updatedAt } = await install(store, appId, read);
    expect((await store.delete(`/${appId}/disable`)).body.install.updatedAt).toBe(updatedAt);
  });

  test('of switches at the same time the last one has the latest updatedAt, and no two have the same', async () => {
    const { appId } = await appWith(read);
    const store = market.newStore();
    await install(store, appId, read);
    for (let round = 0; round < 10; round++) {
      const switched = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          i % 2 ? store.post(`/${appId}/disable`) : store.delete(`/${appId}/disable`),
        ),
      );
      const moments = new Map<string, string>();
      for (const { body } of switched) {
        const { state, updatedAt } = body.install;
        expect(moments.get(updatedAt) ?? state).toBe(state);
        moments.set(updatedAt, state);
      }
      const { updatedAt } = await readInstall(store, appId);
      expect([...moments.keys()].sort().at(-1)).toBe(updatedAt);
    }
  });

  test('a suspension overrides the merchants’ choices in every store, which apply again afterwards', async () => {
    const app = await appWith(read);
    const [one, two] = [market.newStore(), market.newStore()];
    const token = await obtainToken(one, app, read);
    await install(two, app.appId, read);
    await two.post(`/${app.appId}/disable`);
    const { epoch } = (await resolve(token)).body;
    await market.suspend(app.appId);
    expect(await outcome(token)).toBe('revoked');
    expect((await resolve(token)).body.epoch).not.toBe(epoch);
    for (const store of [one, two]) expect((await readInstall(store, app.appId)).state).toBe('suspended');
    const fresh = market.newStore();
    expect(await fresh.post(`/${app.appId}/install`, { scopes: read })).toMatchObject(
      code(409, 'invalid_state'),
    );
    await market.unsuspend(app.appId);
    expect(await outcome(token)).toBe('ok');
    expect((await readInstall(one, app.appId)).state).toBe('installed');
    expect((await readInstall(two, app.appId)).state).toBe('disabled');
    await eventually(() => listHeard(one).length === 3);
    // Changes of a disabled app are not announced.
    expect(listHeard(two).length).toBe(2);
  });

  test('an uninstalled app has no tokens, and is reinstalled as the same install on the newest version', async () => {
    const app = await appWith(read);
    const store = market.newStore();
    const token = await obtainToken(store, app, read);
    const { id } = await readInstall(store, app.appId);
    for (let i = 0; i < 2; i++) expect((await store.delete(`/${app.appId}`)).status).toBe(204);
    expect(await outcome(token)).toBe(404);
    expect(await readInstall(store, app.appId)).toMatchObject({ id, state: 'uninstalled' });
    for (const res of [
      await store.post(`/${app.appId}/disable`),
      await store.delete(`/${app.appId}/disable`),
      await store.post(`/${app.appId}/consent`, { scopes: read }),
      await store.post(`/${app.appId}/rollback`, { versionId: app.versionIds[0] }),
    ]) {
      expect(res).toMatchObject(code(409, 'invalid_state'));
    }
    const second = await app.approve(more);
    await market.sweptAll();
    expect(await readInstall(store, app.appId)).toMatchObject({ versionNumber: 1, waitingVersionId: null });
    expect(await install(store, app.appId, more)).toMatchObject({
      id,
      versionId: second,
      state: 'installed',
    });
    expect(await outcome(token)).toBe(404);
    await eventually(() => listHeard(store).length === 3);
  });
});

describe('GET /internal/stores/{storeId}/apps', () => {
  test('returns the contributions of available apps at their installed version', async () => {
    const store = market.newStore();
    const { appId, approve } = await appWith();
    const versionId = await market.addVersion(appId, read, { blocks: ['stars'] });
    await market.db
      .insertInto('island')
      .values([
        { version_id: versionId, name: 'b', position: 0, module_sha256: 'bb', size_bytes: 1 },
        { version_id: versionId, name: 'a', position: 1, module_sha256: 'aa', size_bytes: 1 },
      ])
      .execute();
    await market.approve(versionId);
    await install(store, appId, read);
    const apps = async () => (await market.internal(`stores/${store.storeId}/apps`)).body.apps;
    expect(await apps()).toEqual([
      {
        appId,
        appName: expect.any(String),
        versionId,
        connectOrigins: [],
        choice: 1,
        versionNumber: 1,
        blocks: [{ key: 'stars', name: 'The stars', rootId: 'root', nodes: [] }],
        islands: [
          { name: 'b', moduleSha256: 'bb' },
          { name: 'a', moduleSha256: 'aa' },
        ],
      },
    ]);
    const knowing = async (...versions: string[]) => {
      const path = `stores/${store.storeId}/apps?known=${versions.join()}`;
      return (await market.internal(path)).body.apps;
    };
    expect(await knowing('ver_other', versionId)).toEqual([
      { appId, appName: expect.any(String), versionId, versionNumber: 1, choice: 1 },
    ]);
    expect(await knowing('ver_other')).toEqual(await apps());
    await store.post(`/${appId}/disable`);
    expect(await apps()).toEqual([]);
    await store.delete(`/${appId}/disable`);
    await market.suspend(appId);
    expect(await apps()).toEqual([]);
    await market.unsuspend(appId);
    await store.delete(`/${appId}`);
    expect(await apps()).toEqual([]);
    await install(store, appId, read);
    const second = await approve(read);
    await eventually(async () => (await apps())[0].versionId === second);
    expect((await apps())[0]).toMatchObject({ blocks: [], islands: [] });
  });
});

describe('POST /internal/app-rights/lookup', () => {
  test('returns the rights of an available app, and null for others', async () => {
    const { appId } = await appWith(read);
    const [store, other] = [market.newStore(), market.newStore()];
    await install(store, appId, read);
    const holders = [store, other].map(({ storeId }) => ({ storeId, id: appId }));
    const rights = async () => (await market.internal('app-rights/lookup', { holders })).body.rights;
    expect(await rights()).toEqual([read, null]);
    await store.post(`/${appId}/disable`);
    expect(await rights()).toEqual([null, null]);
    await store.delete(`/${appId}/disable`);
    await market.suspend(appId);
    await market.sweptAll();
    expect(await rights()).toEqual([null, null]);
    await eventually(() => listHeard(store).length === 4);
    expect(listHeard(store).at(-1)).toEqual({ appId, isAvailable: false, isUpgrade: false });
    await market.unsuspend(appId);
    expect(await rights()).toEqual([read, null]);
    await store.delete(`/${appId}`);
    expect(await rights()).toEqual([null, null]);
  });
});

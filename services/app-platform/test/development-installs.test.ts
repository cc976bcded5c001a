import { createHash } from 'node:crypto';
import { newId, type Permission } from '@waybill/contracts';
import { eventually } from '@waybill/testing';
import { sql } from 'kysely';
import request from 'supertest';
import {
  type Draft,
  type Person,
  plainStars,
  type Studio,
  type StudioApp,
  startStudio,
} from './developers.ts';
import { codeChallenge, codeVerifier } from './marketplace.ts';

let studio: Studio;
let app: StudioApp;
beforeAll(async () => {
  studio = await startStudio();
  app = await studio.newApp();
});
afterAll(() => studio.stop());

const scopes: Permission[] = ['products.read'];
const more: Permission[] = ['products.read', 'orders.read'];
const redirectUri = 'https://app.example.com/installed';
const getStatusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];
const approve = async ({ id, submit }: Draft) => {
  expect((await submit()).status).toBe(200);
  expect((await studio.review('post', `/api/review/versions/${id}/approve`)).status).toBe(200);
};
const approved = async (of = app, requestedScopes = scopes) => {
  const version = await of.newVersion(requestedScopes);
  await approve(version);
  return version;
};
/** Builds a block whose heading has this text. */
const block = (text: string) => ({
  ...plainStars,
  nodes: plainStars.nodes.map((node) =>
    node.id === 'title' ? { ...node, props: { specials: { text } } } : node,
  ),
});

/** Creates a store managed by this person, as a development store of an organisation or as an ordinary store. */
function newStore(orgId: string | null = app.org.id, { id, email }: Person = app.owner) {
  const storeId = newId('store');
  if (orgId) studio.developmentStores.set(storeId, orgId);
  const call = async (method: 'get' | 'post' | 'delete', path: string, body?: object) =>
    request(studio.system.internalUrl)
      [method](`/api/stores/${storeId}/apps${path}`)
      .set(await studio.system.as({ kind: 'user', userId: id, email, storeId, role: 'owner' }))
      .send(body);
  return {
    storeId,
    call,
    install: (versionId: string | undefined, agreed: object = { scopes }, of = app) =>
      call('post', `/${of.app.id}/install`, { versionId, ...agreed }),
    read: async (of = app) => (await call('get', `/${of.app.id}`)).body.install,
    /** Returns the answer that content gets. */
    async apps(query = '') {
      const path = `/internal/stores/${storeId}/apps${query}`;
      const headers = { authorization: `Bearer ${studio.system.serviceToken}` };
      return (await request(studio.system.internalUrl).get(path).set(headers)).body.apps;
    },
    listReceived: () => studio.heard.filter((each) => each.storeId === storeId).map(({ data }) => data),
    module: (sha256: string) =>
      request(studio.system.internalUrl).get(`/islands/dev/${storeId}/${sha256}.js`),
  };
}

describe('install { versionId } in a development store', () => {
  test('can install any version of the organisation’s own apps in any state', async () => {
    const [draft, submitted, rejected, withdrawn, reviewed] = await Promise.all(
      Array.from({ length: 5 }, () => app.newVersion(scopes)),
    );
    for (const { submit } of [submitted!, rejected!]) await submit();
    await studio.review('post', `/api/review/versions/${rejected!.id}/reject`, { reason: 'No.' });
    await approve(withdrawn!);
    await withdrawn!.withdraw();
    await approve(reviewed!);
    const store = newStore();
    for (const version of [draft, submitted, rejected, withdrawn, reviewed, draft, draft]) {
      const res = await store.install(version!.id);
      expect(res.status).toBe(201);
      const expected = {
        versionId: version!.id,
        isDevelopment: true,
        state: 'installed',
        grantedScopes: scopes,
      };
      expect(res.body.install).toMatchObject(expected);
      expect(await store.read()).toEqual(res.body.install);
      const isUnreviewed = version === withdrawn || version === reviewed ? undefined : true;
      expect((await store.apps())[0]).toMatchObject({ versionId: version!.id });
      expect((await store.apps())[0].isUnreviewed).toBe(isUnreviewed);
    }
    expect(getStatusAndCode(await store.install(undefined))).toEqual([409, 'already_installed']);
    expect((await store.read()).versionId).toBe(draft!.id);
    await eventually(() => store.listReceived().length === 7);
  });

  test('of two simultaneous requests both get their version', async () => {
    const [one, two] = [await app.newVersion(scopes), await app.newVersion(scopes)];
    for (let i = 0; i < 5; i++) {
      const store = newStore();
      const both = await Promise.all([store.install(one.id), store.install(two.id)]);
      expect(both.map(({ status, body }) => [status, body.install.versionId])).toEqual([
        [201, one.id],
        [201, two.id],
      ]);
    }
  });

  test('has at most 20 apps in this way, even with simultaneous installs; existing ones may change versions', async () => {
    const store = newStore();
    const own = async () => {
      const created = await app.call('post', `/api/orgs/${app.org.id}/apps`, { name: 'One of many' });
      const path = `/api/orgs/${app.org.id}/apps/${created.body.app.id}/versions`;
      const { version } = (await app.call('post', path, { scopes })).body;
      return { app: created.body.app as { id: string }, versionId: version.id as string };
    };
    const all = await Promise.all(Array.from({ length: 22 }, own));
    const install = ({ app: { id }, versionId }: (typeof all)[number]) =>
      store.call('post', `/${id}/install`, { versionId, scopes });
    const answers = await Promise.all(all.map(install));
    const refused = all.filter((_, i) => answers[i]!.status !== 201);
    expect(refused).toHaveLength(2);
    expect(answers.filter(({ status }) => status !== 201).map(getStatusAndCode)).toEqual([
      [409, 'invalid_state'],
      [409, 'invalid_state'],
    ]);
    const [there] = all.filter((each) => !refused.includes(each));
    expect((await install(there!)).status).toBe(201);
    expect((await store.call('delete', `/${there!.app.id}`)).status).toBe(204);
    expect((await install(refused[0]!)).status).toBe(201);
    expect(getStatusAndCode(await install(there!))).toEqual([409, 'invalid_state']);
  });

  test('wants what that version asks for agreed to, and grants it', async () => {
    const first = await app.newVersion(scopes);
    const next = await app.newVersion(more, ['https://api.example.com', 'http://127.0.0.1:9000']);
    const store = newStore();
    await store.install(first.id);
    const asks = { scopes: more, connectOrigins: ['https://api.example.com', 'http://127.0.0.1:9000'] };
    expect(await store.install(next.id)).toMatchObject({
      status: 409,
      body: { code: 'consent_required', ...asks },
    });
    expect((await store.read()).grantedScopes).toEqual(scopes);
    expect((await store.install(next.id, asks)).body.install).toMatchObject({
      versionId: next.id,
      grantedScopes: more,
      connectOrigins: asks.connectOrigins,
    });
  });

  test('keeps a disabled install disabled, and is refused while the app is suspended', async () => {
    const own = await studio.newApp();
    const [first, next] = [await own.newVersion(scopes), await own.newVersion(scopes)];
    const store = newStore(own.org.id, own.owner);
    await store.install(first.id, undefined, own);
    await store.call('post', `/${own.app.id}/disable`, {});
    expect((await store.install(next.id, undefined, own)).body.install).toMatchObject({
      versionId: next.id,
      state: 'disabled',
    });
    await studio.review('post', `/api/review/apps/${own.app.id}/suspend`);
    expect(getStatusAndCode(await store.install(first.id, undefined, own))).toEqual([409, 'invalid_state']);
  });

  test('is refused in other stores, for other apps, and to users outside of the organisation', async () => {
    const own = await studio.newApp();
    const draft = await own.newVersion(scopes);
    const foreign = await studio.newApp();
    const foreignDraft = await foreign.newVersion(scopes);
    const stranger = studio.newPerson();
    const refusals = async () => [
      // An ordinary store, and one of another organisation.
      getStatusAndCode(await newStore(null, own.owner).install(draft.id, undefined, own)),
      getStatusAndCode(await newStore(app.org.id, own.owner).install(draft.id, undefined, own)),
      // A version of another app.
      getStatusAndCode(await newStore(own.org.id, own.owner).install(foreignDraft.id, undefined, own)),
      getStatusAndCode(await newStore(own.org.id, own.owner).install('ver_none', undefined, own)),
      // A person who is only a member of the store.
      getStatusAndCode(await newStore(own.org.id, stranger).install(draft.id, undefined, own)),
      getStatusAndCode(await newStore(own.org.id, own.owner).install(foreignDraft.id, undefined, foreign)),
    ];
    const [elsewhere, unknown] = [
      [409, 'invalid_state'],
      [404, 'not_found'],
    ];
    expect(await refusals()).toEqual([elsewhere, elsewhere, unknown, unknown, unknown, unknown]);
    for (const each of [own, foreign]) await approved(each);
    expect(await refusals()).toEqual([elsewhere, elsewhere, unknown, unknown, unknown, elsewhere]);
    // The same as in any store.
    const store = newStore(own.org.id, own.owner);
    expect((await store.install(undefined, undefined, foreign)).body.install).toMatchObject({
      isDevelopment: false,
    });
    await studio.db
      .deleteFrom('org_member')
      .where('org_id', '=', own.org.id)
      .where('user_id', '=', own.owner.id)
      .execute();
    expect(getStatusAndCode(await store.install(draft.id, undefined, own))).toEqual(unknown);
  });
});

describe('an install that its developers chose the version of', () => {
  test('stays at that version until the merchant chooses another, and then updates like any install', async () => {
    const own = await studio.newApp();
    const first = await approved(own);
    const draft = await own.newVersion(scopes);
    const [store, ordinary] = [newStore(own.org.id, own.owner), newStore(null, own.owner)];
    await store.install(draft.id, undefined, own);
    await ordinary.install(undefined, undefined, own);
    const second = await approved(own);
    expect(await ordinary.read(own)).toMatchObject({ versionId: second.id });
    expect(await store.read(own)).toMatchObject({ versionId: draft.id, waitingVersionId: second.id });
    await approve(draft);
    const third = await approved(own);
    expect(await store.read(own)).toMatchObject({ versionId: draft.id, waitingVersionId: third.id });

    const taken = await store.call('post', `/${own.app.id}/consent`, { scopes });
    expect(taken.body.install).toMatchObject({ versionId: third.id, isDevelopment: false });
    const fourth = await approved(own);
    expect(await store.read(own)).toMatchObject({ versionId: fourth.id });

    await store.install((await own.newVersion(more)).id, { scopes: more }, own);
    const back = await store.call('post', `/${own.app.id}/rollback`, { versionId: first.id });
    expect(back.body.install).toMatchObject({
      versionId: first.id,
      isDevelopment: false,
      grantedScopes: scopes,
    });
    await store.install((await own.newVersion(more)).id, { scopes: more }, own);
    expect((await store.call('delete', `/${own.app.id}`)).status).toBe(204);
    expect((await store.install(undefined, undefined, own)).body.install).toMatchObject({
      versionId: fourth.id,
      isDevelopment: false,
    });
  });

  test('is authorised again, and the app may request scopes that only its draft has', async () => {
    const own = await studio.newApp();
    await approved(own);
    const draft = await own.newVersion(more);
    const store = newStore(own.org.id, own.owner);
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: own.app.id,
      redirect_uri: redirectUri,
      scope: more.join(' '),
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
    });
    const begin = async () =>
      (await request(studio.system.internalUrl).get(`/oauth/authorize?${query}`).redirects(0)).headers
        .location;
    expect(await begin()).toContain('error=invalid_scope');
    await store.install(draft.id, { scopes: more }, own);
    expect(await begin()).toContain('/console/oauth/authorize?');
    const agreed = await store.call('post', `/${own.app.id}/authorize`, {
      scopes,
      redirectUri,
      codeChallenge,
    });
    expect(agreed.status).toBe(200);
    const token = await request(studio.system.internalUrl)
      .post('/oauth/token')
      .type('form')
      .set({ 'x-waybill-address': '192.0.2.1' })
      .send({
        grant_type: 'authorization_code',
        client_id: own.app.id,
        client_secret: own.clientSecret,
        code: new URL(agreed.body.redirectTo).searchParams.get('code'),
        redirect_uri: redirectUri,
        code_verifier: codeVerifier,
      });
    expect(token.body).toMatchObject({ scope: more.join(' '), store_id: store.storeId });
    await store.call('delete', `/${own.app.id}`);
    expect(await begin()).toContain('error=invalid_scope');
  });
});

describe('what is put to a draft', () => {
  test('is available in its development stores immediately, and announced soon', async () => {
    const draft = await app.newVersion(scopes);
    const [store, second, other, ordinary] = [newStore(), newStore(), newStore(), newStore(null)];
    const reviewed = await approved();
    for (const each of [store, second]) await each.install(draft.id);
    await other.install(reviewed.id);
    await ordinary.install(undefined);
    const firsts = [store, second, other, ordinary].map(({ listReceived }) => listReceived);
    await eventually(() => firsts.every((listReceived) => listReceived().length === 1));
    const [{ choice }] = await store.apps();
    expect((await draft.putBlocks({ blocks: [block('First')] })).status).toBe(200);
    // Even if it is named as known, it may not be cached.
    expect(JSON.stringify(await store.apps(`?known=${draft.id}`))).toContain('First');
    await eventually(() => [store, second].every(({ listReceived }) => listReceived().length === 2));
    expect(store.listReceived()[1]).toEqual({ appId: app.app.id, isAvailable: true, isUpgrade: false });
    expect((await store.apps())[0].choice).toBeGreaterThan(choice);
    // A submitted draft no longer changes, but it is not reviewed and may be recalled.
    await draft.submit();
    expect((await store.apps(`?known=${draft.id}`))[0]).toMatchObject({ isUnreviewed: true, blocks: [{}] });
    expect([other.listReceived().length, ordinary.listReceived().length]).toEqual([1, 1]);
    expect(JSON.stringify([await other.apps(), await ordinary.apps()])).not.toContain('First');
  });

  test('is announced once for many changes, and always for the last one', async () => {
    const [draft, store] = [await app.newVersion(scopes), newStore()];
    await store.install(draft.id);
    await eventually(() => store.listReceived().length === 1);
    const began = Date.now();
    for (let i = 0; i < 60; i++) await draft.putBlocks({ blocks: [block(`Text ${i}`)] });
    const turns = Math.ceil((Date.now() - began) / 300) + 1;
    const changed = () =>
      studio.db
        .selectFrom('install')
        .select('id')
        .where('store_id', '=', store.storeId)
        .where('has_changed', '=', true)
        .executeTakeFirst();
    await eventually(async () => !(await changed()));
    await eventually(() => store.listReceived().length > 1);
    expect(store.listReceived().length).toBeLessThanOrEqual(1 + turns);
    // Sending the same blocks again changes nothing.
    await draft.putBlocks({ blocks: [block('Text 59')] });
    expect(await changed()).toBeUndefined();
  });

  test('is not missed by a simultaneous install', async () => {
    const [draft, store] = [await app.newVersion(scopes), newStore()];
    let seen = '';
    const isWaiting = async () => {
      const { rows } = await sql`select from pg_locks where not granted`.execute(studio.db);
      return rows.length > 0;
    };
    // An install that would show the previous state waits until the change is committed.
    await studio.db.transaction().execute(async (trx) => {
      const blocks = JSON.stringify([block('At that moment')]) as never;
      await trx.updateTable('app_version').set({ blocks }).where('id', '=', draft.id).execute();
      void store.install(draft.id).then(async () => {
        seen = JSON.stringify(await store.apps());
      });
      await eventually(async () => (await isWaiting()) || seen !== '');
    });
    await eventually(() => seen !== '');
    expect(seen).toContain('At that moment');
  });

  test('emits nothing while the app is disabled, and announces the change when it is enabled', async () => {
    const [draft, store] = [await app.newVersion(scopes), newStore()];
    await store.install(draft.id);
    await store.call('post', `/${app.app.id}/disable`, {});
    await eventually(() => store.listReceived().length === 2);
    await draft.putBlocks({ blocks: [block('Meanwhile')] });
    await eventually(async () => {
      const { has_changed, choice } = await studio.db
        .selectFrom('install')
        .select(['has_changed', 'choice'])
        .where('store_id', '=', store.storeId)
        .executeTakeFirstOrThrow();
      return !has_changed && choice === 2;
    });
    expect(await store.apps()).toEqual([]);
    await store.call('delete', `/${app.app.id}/disable`);
    await eventually(() => store.listReceived().length === 3);
    expect(JSON.stringify(await store.apps())).toContain('Meanwhile');
  });
});

describe('GET /islands/dev/{storeId}/{sha256}.js', () => {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const put = async (draft: Draft, text: string) =>
    expect((await draft.upload('stars', text, undefined, app.owner)).status).toBe(201);

  test('serves the current and recent modules of a store’s own drafts, only there', async () => {
    const [draft, sibling] = [await app.newVersion(scopes), await app.newVersion(scopes)];
    for (const each of [draft, sibling]) await each.putIslands('stars');
    await put(draft, 'export {}; // 1');
    await put(sibling, 'export {}; // sibling');
    const [store, other, foreign] = [newStore(), newStore(), newStore((await studio.newApp()).org.id)];
    await store.install(draft.id);
    await other.install(sibling.id);
    const served = async (of: typeof store, text: string) => (await of.module(hash(text))).status;

    const res = await store.module(hash('export {}; // 1'));
    expect([res.status, res.text, res.headers]).toEqual([
      200,
      'export {}; // 1',
      expect.objectContaining({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
      }),
    ]);
    const again = store.module(hash('export {}; // 1')).set('if-none-match', res.headers.etag!);
    expect((await again).status).toBe(304);
    await put(draft, 'export {}; // 2');
    await put(draft, 'export {}; // 2');
    expect([await served(store, 'export {}; // 1'), await served(store, 'export {}; // 2')]).toEqual([
      200, 200,
    ]);
    await put(draft, 'export {}; // 3');
    expect([await served(store, 'export {}; // 1'), await served(store, 'export {}; // 2')]).toEqual([
      404, 200,
    ]);
    await studio.db
      .updateTable('island')
      .set({ module_changed_at: new Date(Date.now() - 11 * 60_000) })
      .where('version_id', '=', draft.id)
      .execute();
    expect([await served(store, 'export {}; // 2'), await served(store, 'export {}; // 3')]).toEqual([
      404, 200,
    ]);

    for (const [of, text] of [
      [store, 'export {}; // sibling'],
      [other, 'export {}; // 3'],
      [foreign, 'export {}; // 3'],
      [newStore(null), 'export {}; // 3'],
    ] as const)
      expect(await served(of, text)).toBe(404);
    const open = await request(studio.system.internalUrl).get(`/islands/${hash('export {}; // 3')}.js`);
    expect(open.status).toBe(404);
    for (const file of [
      'x.js',
      `${hash('export {}; // 3')}`,
      `${hash('export {}; // 3').toUpperCase()}.js`,
    ]) {
      const path = `/islands/dev/${store.storeId}/${file}`;
      expect((await request(studio.system.internalUrl).get(path)).status).toBe(404);
    }

    await store.call('post', `/${app.app.id}/disable`, {});
    expect(await served(store, 'export {}; // 3')).toBe(404);
    await store.call('delete', `/${app.app.id}/disable`);
    expect(await served(store, 'export {}; // 3')).toBe(200);
    await store.call('delete', `/${app.app.id}`);
    expect(await served(store, 'export {}; // 3')).toBe(404);
  });

  test('is not used in an ordinary store, whose modules were approved', async () => {
    const own = await studio.newApp();
    const version = await own.newVersion(scopes);
    await version.putIslands('stars');
    const text = 'export {}; // approved';
    expect((await version.upload('stars', text, undefined, own.owner)).status).toBe(201);
    await approve(version);
    const stores = [newStore(null, own.owner), newStore(own.org.id, own.owner)];
    for (const store of stores) {
      await store.install(undefined, undefined, own);
      expect((await store.module(hash(text))).status).toBe(404);
    }
    expect((await request(studio.system.internalUrl).get(`/islands/${hash(text)}.js`)).status).toBe(200);
  });
});

import { appPlatform } from '@waybill/app-platform';
import { type EventDefinition, newId, type Principal, permissions, StoreClosed } from '@waybill/contracts';
import { delivery } from '@waybill/delivery';
import {
  eventually,
  type Receiver,
  runSql,
  startReceiver,
  startSystem,
  type TestSystem,
  waitUntilBlocked,
} from '@waybill/testing';
import { webhooks } from '@waybill/webhooks';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import request from 'supertest';

let receiver: Receiver;
let system: TestSystem;
beforeAll(async () => {
  receiver = await startReceiver();
  system = await startSystem([appPlatform, webhooks, delivery], {
    WEBHOOK_TRUSTED_TARGETS: receiver.trusted,
    // The first retry comes at once, the second waits.
    WEBHOOK_RETRY_DELAYS_SECONDS: '0.1,600',
  });
});
afterAll(async () => {
  await system.stop();
  await receiver.close();
});

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
const sendAs =
  (principal: Principal) =>
  async (method: Method, path: string, body?: object, headers: Record<string, string> = {}) => {
    const call = request(system.internalUrl)
      [method](path)
      .set({ ...(await system.as(principal)), ...headers });
    return body ? call.send(body) : call;
  };
const newUser = () => {
  const userId = newId('user');
  return { kind: 'user', userId, email: `${userId}@example.com` } as const;
};
const reviewer = () => sendAs({ ...newUser(), isReviewer: true });

/** Creates an app with its own path at the receiver, and its developer. */
async function newApp() {
  const send = sendAs(newUser());
  const { org } = (await send('post', '/api/orgs', { name: 'Acme' })).body;
  const { app } = (await send('post', `/api/orgs/${org.id}/apps`, { name: 'Reviews' })).body;
  const path = `/api/orgs/${org.id}/apps/${app.id}`;
  const approve = async () => {
    const { version } = (await send('post', `${path}/versions`, { scopes: [] })).body;
    expect((await send('post', `${path}/versions/${version.id}/submit`)).status).toBe(200);
    expect((await reviewer()('post', `/api/review/versions/${version.id}/approve`)).status).toBe(200);
    return version.id as string;
  };
  const calls = () => receiver.calls.filter((call) => call.path.startsWith(`/${app.id}`));
  return {
    id: app.id as string,
    path,
    send,
    approve,
    calls,
    firstVersion: await approve(),
    url: `${receiver.url}/${app.id}`,
    tells: () => calls().map(({ body }) => JSON.parse(body)),
    async listens() {
      expect((await send('patch', path, { webhookUrl: `${receiver.url}/${app.id}` })).status).toBe(200);
      return this.secret();
    },
    async secret(body = {}): Promise<string> {
      const issued = await send('post', `${path}/webhook-secret`, body);
      expect(issued.status).toBe(200);
      return issued.body.secret;
    },
    async suspend(method: 'post' | 'delete') {
      expect((await reviewer()(method, `/api/review/apps/${app.id}/suspend`)).status).toBe(200);
    },
    deliveries: async (query = '') => (await send('get', `${path}/deliveries${query}`)).body,
  };
}
type App = Awaited<ReturnType<typeof newApp>>;

/** Creates a store and its installation of an app. */
function newStore(app: App) {
  const storeId = newId('store');
  const send = sendAs({ ...newUser(), storeId, role: 'owner' });
  const path = `/api/stores/${storeId}/apps/${app.id}`;
  return {
    storeId,
    send,
    async change(method: Method, rest = '', body: object = {}) {
      const { status } = await send(method, path + rest, method === 'delete' ? undefined : body);
      expect(status).toBeLessThan(300);
    },
    install: () => send('post', `${path}/install`, { scopes: [] }),
    read: async () => (await send('get', path)).body.install,
  };
}

/** Publishes an event as another service would; the subscribers of this process get it from its bus. */
async function publish(event: EventDefinition, storeId: string): Promise<void> {
  const values = [newId('event'), event.name, storeId, '{}'].map((value) => `'${value}'`);
  await runSql(
    system,
    'app-platform',
    `insert into outbox (event_id, name, store_id, data) values (${values})`,
  );
}

async function countEvents(appId: string): Promise<number> {
  const client = new pg.Client(system.databaseUrl('webhooks'));
  await client.connect();
  const { rows } = await client.query('select id from webhook_event where store_id = $1', [appId]);
  await client.end();
  return rows.length;
}

const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];
/** Makes the receiver answer calls at this path with 503. */
function failAt(path: string): void {
  receiver.answer((call, res) => void res.writeHead(call.path === path ? 503 : 200).end('busy'));
}

const typesOf = (tells: { type: string }[]) => tells.map(({ type }) => type);

describe('an app that listens', () => {
  test('is called about an install from beginning to end, with the install as merchants see it', async () => {
    const app = await newApp();
    const secret = await app.listens();
    const store = newStore(app);
    const expected: { type: string; install: object }[] = [];
    /** Runs one step after the other, because calls may come in any order. */
    async function after(type: string, work: () => Promise<unknown>) {
      await work();
      expected.push({ type, install: await store.read() });
      await eventually(() => app.tells().length === expected.length, { what: type });
      await eventually(async () => (await app.deliveries('?status=delivered')).total === expected.length);
    }
    await after('app.installed', store.install);
    await after('app.updated', app.approve);
    await after('app.disabled', () => store.change('post', '/disable'));
    await after('app.enabled', () => store.change('delete', '/disable'));
    await after('app.updated', () => store.change('post', '/rollback', { versionId: app.firstVersion }));
    await after('app.updated', () => store.change('post', '/consent', { scopes: [] }));
    await after('app.disabled', () => app.suspend('post'));
    await after('app.enabled', () => app.suspend('delete'));
    await after('app.uninstalled', () => store.change('delete'));
    await after('app.installed', store.install);
    await after('app.uninstalled', async () => {
      await publish(StoreClosed, store.storeId);
      await eventually(async () => (await store.read()).state === 'uninstalled');
    });
    const tells = app.tells();
    expect(tells.map(({ type, data }) => ({ type, ...data }))).toEqual(expected);
    // Calls come in any order: an app can tell by these times which of them is current.
    const moments = tells.map(({ data }) => data.install.updatedAt);
    expect(moments).toEqual([...new Set(moments)].sort());
    for (const { body, headers } of app.calls()) {
      const envelope = new Webhook(secret).verify(body, headers as Record<string, string>);
      expect(envelope).toEqual({
        id: expect.stringMatching(/^evt_/),
        type: headers['x-wb-event-type'],
        createdAt: expect.stringMatching(/Z$/),
        data: { install: expect.objectContaining({ appId: app.id, storeId: store.storeId }) },
      });
    }
  });

  test('is not called without an address or a secret, or about others’ installs', async () => {
    const [silent, other, app] = [await newApp(), await newApp(), await newApp()];
    expect((await silent.send('patch', silent.path, { webhookUrl: silent.url })).status).toBe(200);
    await other.secret();
    await app.listens();
    for (const each of [silent, other, app]) expect((await newStore(each).install()).status).toBe(201);
    await eventually(() => app.calls().length === 1);
    for (const each of [silent, other]) {
      expect(each.calls()).toEqual([]);
      expect(await each.deliveries()).toEqual({ deliveries: [], total: 0, nextCursor: null });
    }
    await eventually(async () => (await app.deliveries('?status=delivered')).total === 1);
    // An event without a recipient is not stored.
    expect(await countEvents(silent.id)).toBe(0);
    expect(await countEvents(other.id)).toBe(0);
    expect(await countEvents(app.id)).toBe(1);
  });

  test('is called even if it is suspended or disabled, once for each change', async () => {
    const app = await newApp();
    await app.listens();
    const [one, two] = [newStore(app), newStore(app)];
    for (const store of [one, two]) await store.install();
    await one.change('post', '/disable');
    await app.suspend('post');
    await one.change('delete', '/disable');
    await two.change('delete');
    await app.suspend('delete');
    await one.change('delete');
    const of = ({ storeId }: { storeId: string }) =>
      app.tells().filter(({ data }) => data.install.storeId === storeId);
    await eventually(() => app.calls().length === 7);
    expect(typesOf(of(one)).sort()).toEqual(
      ['app.installed', 'app.disabled', 'app.enabled', 'app.uninstalled'].sort(),
    );
    expect(typesOf(of(two)).sort()).toEqual(['app.installed', 'app.disabled', 'app.uninstalled'].sort());
  });

  test('is told once of each install, also where its merchant switches it before a suspension has come to it', async () => {
    const app = await newApp();
    await app.listens();
    const [first, second] = [newStore(app), newStore(app)].sort((a, b) => (a.storeId < b.storeId ? -1 : 1));
    for (const store of [first!, second!]) await store.install();
    /** Makes the suspension stop on its way through the installations, before the first. */
    async function onItsWay(suspension: Promise<void>, meanwhile: () => Promise<void>) {
      await waitUntilBlocked(system.databaseUrl('app-platform'));
      await meanwhile();
      await holder.query('commit');
      await suspension;
    }
    const holder = new pg.Client(system.databaseUrl('app-platform'));
    await holder.connect();
    const hold = async () => {
      await holder.query('begin');
      await holder.query('select from install where store_id = $1 for update', [first!.storeId]);
    };
    await hold();
    await onItsWay(app.suspend('post'), () => second!.change('post', '/disable'));
    await hold();
    await onItsWay(app.suspend('delete'), () => second!.change('delete', '/disable'));
    await holder.end();
    for (const store of [first!, second!]) {
      await store.change('delete');
      const listReceived = () => app.tells().filter(({ data }) => data.install.storeId === store.storeId);
      await eventually(() => typesOf(listReceived()).includes('app.uninstalled'));
      const expected = ['app.installed', 'app.disabled', 'app.enabled', 'app.uninstalled'];
      await eventually(() => listReceived().length >= expected.length);
      expect(typesOf(listReceived()).sort()).toEqual(expected.sort());
    }
  });

  test('is called for each of hundreds of stores that an approval moves', async () => {
    const app = await newApp();
    await app.listens();
    const stores = Array.from({ length: 450 }, () => newStore(app));
    await runSql(
      system,
      'app-platform',
      `insert into install (store_id, id, app_id, version_id, granted_scopes, state)
       select store_id, 'ins_' || substr(store_id, 5), '${app.id}', '${app.firstVersion}', '{}', 'installed'
       from unnest('{${stores.map(({ storeId }) => storeId)}}'::text[]) store_id`,
    );
    const versionId = await app.approve();
    await eventually(() => app.calls().length >= stores.length, { withinMs: 60_000 });
    const received = app.tells();
    expect(new Set(received.map(({ data }) => data.install.storeId)).size).toBe(stores.length);
    for (const { type, data } of received)
      expect([type, data.install.versionId]).toEqual(['app.updated', versionId]);
    expect(received).toHaveLength(stores.length);
  });
});

describe('the secret', () => {
  test('is issued once, then rotated: both sign until the overlap ends', async () => {
    const app = await newApp();
    const first = await app.listens();
    const store = newStore(app);
    await store.install();
    await eventually(() => app.calls().length === 1);
    const read = async () => (await app.send('get', app.path)).body.app;
    const alone = { previousWebhookSecretExpiresAt: null, webhookSecretIssuedAt: expect.any(String) };
    expect(await read()).toMatchObject(alone);
    const verifies = (secret: string) => {
      const { body, headers } = app.calls().at(-1)!;
      try {
        new Webhook(secret).verify(body, headers as Record<string, string>);
        return true;
      } catch {
        return false;
      }
    };
    expect(app.calls()[0]!.headers['x-wb-signature-next']).toBeUndefined();

    const second = await app.secret();
    expect(await read()).toMatchObject({ previousWebhookSecretExpiresAt: expect.any(String) });
    await store.change('post', '/disable');
    await eventually(() => app.calls().length === 2);
    expect([first, second].map(verifies)).toEqual([true, true]);
    expect(codeOf(await app.send('post', `${app.path}/webhook-secret`))).toEqual([409, 'invalid_state']);
    expect(codeOf(await app.send('post', `${app.path}/webhook-secret`, { overlapHours: 169 }))).toEqual([
      400,
      'invalid_body',
    ]);

    const third = await app.secret({ overlapHours: 0 });
    expect(await read()).toMatchObject(alone);
    await store.change('delete', '/disable');
    await eventually(() => app.calls().length === 3);
    expect([first, second, third].map(verifies)).toEqual([false, false, true]);
  });

  test('that was set and never told is followed by one as if it had not been', async () => {
    const app = await newApp();
    const first = await app.listens();
    const lost = {
      secret: 'whsec_bG9zdA==',
      previousExpiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    };
    const set = { appId: app.id, url: app.url, revision: 1, ...lost };
    for (let i = 0; i < 2; i++) {
      const answer = await request(system.internalUrl)
        .post('/internal/app-secrets')
        .set({ authorization: `Bearer ${system.serviceToken}` })
        .send(set);
      expect(answer.status).toBe(200);
    }
    const second = await app.secret();
    await newStore(app).install();
    await eventually(() => app.calls().length === 1);
    const { body, headers } = app.calls()[0]!;
    for (const secret of [first, second]) {
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toBeDefined();
    }
  });

  test('comes once for an Idempotency-Key, and stands in the organisation’s audit without its text', async () => {
    const app = await newApp();
    const key = { 'idempotency-key': 'a-secret-please' };
    const [one, two] = [
      await app.send('post', `${app.path}/webhook-secret`, {}, key),
      await app.send('post', `${app.path}/webhook-secret`, {}, key),
    ];
    expect([one.status, two.body]).toEqual([200, one.body]);
    const orgId = app.path.split('/')[3];
    const audit = await request(system.internalUrl)
      .post('/internal/audit/app-platform')
      .set({ authorization: `Bearer ${system.serviceToken}` })
      .send({ ownerId: orgId, action: 'app.webhookSecretIssued', limit: 10 });
    expect(audit.body.entries).toMatchObject([{ target: { id: app.id } }]);
    expect(audit.text).not.toContain('whsec_');
  });
});

describe('the address', () => {
  test('is checked as stores’ endpoints are', async () => {
    const app = await newApp();
    const org = app.path.slice(0, app.path.lastIndexOf('/'));
    for (const [webhookUrl, code] of [
      ['http://169.254.169.254/', 'blocked_url'],
      ['http://127.0.0.1:1/', 'blocked_url'],
      ['ftp://example.com/', 'invalid_body'],
      ['https://user:pass@example.com/', 'invalid_body'],
      [`https://example.com/${'x'.repeat(2048)}`, 'invalid_body'],
      [7, 'invalid_body'],
    ] as const) {
      expect(codeOf(await app.send('patch', app.path, { webhookUrl }))).toEqual([400, code]);
      expect(codeOf(await app.send('post', org, { name: 'New', webhookUrl }))).toEqual([400, code]);
    }
    expect((await app.send('get', app.path)).body.app.webhookUrl).toBeNull();
    const created = await app.send('post', org, { name: 'New', webhookUrl: app.url });
    expect(created.body.app).toMatchObject({ webhookUrl: app.url, webhookSecretIssuedAt: null });
  });

  test('that changes gets the waiting calls, which are cancelled without one', async () => {
    const app = await newApp();
    await app.listens();
    failAt(`/${app.id}`);
    const [one, two] = [newStore(app), newStore(app)];
    // Until the first retry has failed as well: no attempt is running then, and the next one is far away.
    const waits = () =>
      eventually(async () => {
        const { deliveries } = await app.deliveries('?status=retrying');
        return deliveries.length === 1 && deliveries[0].attempt === 2;
      });
    await one.install();
    await waits();
    expect(app.calls()).toHaveLength(2);
    const [{ id }] = (await app.deliveries()).deliveries;
    await app.send('patch', app.path, { webhookUrl: `${app.url}/new` });
    const again = () => app.send('post', `${app.path}/deliveries/${id}/redeliver`);
    expect((await again()).status).toBe(202);
    await eventually(async () => (await app.deliveries('?status=delivered')).total === 1);
    expect(app.calls().at(-1)!.path).toBe(`/${app.id}/new`);

    failAt(`/${app.id}/new`);
    await two.install();
    await waits();
    await app.send('patch', app.path, { webhookUrl: null });
    await eventually(async () => (await app.deliveries('?status=cancelled')).total === 1);
    expect(codeOf(await again())).toEqual([409, 'invalid_state']);
    const called = app.calls().length;
    await two.change('delete');
    await app.send('patch', app.path, { webhookUrl: app.url });
    receiver.answer(200);
    await two.install();
    await eventually(() => app.calls().length > called);
    expect(
      app
        .tells()
        .slice(called)
        .map(({ type }) => type),
    ).toEqual(['app.installed']);
  });
});

describe('the records', () => {
  test('are listed in pages, filtered, read with their attempts, and called once more, by members alone', async () => {
    const app = await newApp();
    await app.listens();
    failAt(`/${app.id}`);
    const stores = [newStore(app), newStore(app), newStore(app)];
    for (const store of stores) await store.install();
    await eventually(
      async () => (await app.deliveries('?status=retrying')).total === 3 && app.calls().length === 6,
    );
    receiver.answer(200);
    const first = await app.deliveries('?limit=2');
    expect(first).toMatchObject({ total: 3, nextCursor: expect.any(String) });
    const rest = await app.deliveries(`?limit=2&after=${first.nextCursor}`);
    expect(rest).toMatchObject({ deliveries: [{ eventType: 'app.installed' }], nextCursor: null });
    expect(await app.deliveries('?eventType=app.disabled')).toMatchObject({ total: 0 });
    const path = `${app.path}/deliveries/${first.deliveries[0].id}`;
    const { delivery: record } = (await app.send('get', path)).body;
    expect(record.attempts).toHaveLength(2);
    expect(record.attempts[0]).toMatchObject({ attempt: 1, statusCode: 503, responseBody: 'busy' });
    const again = await app.send('post', `${path}/redeliver`);
    expect([again.status, again.body.delivery.status]).toEqual([202, 'retrying']);
    await eventually(async () => (await app.send('get', path)).body.delivery.status === 'delivered');
    expect(app.calls().at(-1)!.headers).toMatchObject({
      'x-wb-attempt': '3',
      'x-wb-event-id': record.eventId,
    });

    const stranger = sendAs(newUser());
    for (const [method, rest] of [
      ['get', '/deliveries'],
      ['get', path.slice(app.path.length)],
      ['post', `${path.slice(app.path.length)}/redeliver`],
      ['post', '/webhook-secret'],
      ['get', '/installs'],
    ] as const) {
      expect(codeOf(await stranger(method, app.path + rest))).toEqual([404, 'not_found']);
    }
    const elsewhere = await newApp();
    const theirs = `${elsewhere.path}/deliveries/${record.id}`;
    expect(codeOf(await elsewhere.send('get', theirs))).toEqual([404, 'not_found']);
  });

  test('and the event types of apps are not visible to stores', async () => {
    const app = await newApp();
    await app.listens();
    const store = newStore(app);
    await store.install();
    await eventually(() => app.calls().length === 1);
    const key = sendAs({
      kind: 'apiKey',
      storeId: store.storeId,
      keyId: newId('apiKey'),
      scopes: [...permissions],
      creatorPermissions: permissions,
    });
    expect((await key('get', '/api/v1/events')).body.events).toEqual([]);
    expect((await key('get', '/api/v1/webhooks')).body.webhooks).toEqual([]);
    expect((await key('get', '/api/v1/event-types')).text).not.toContain('"app.');
    const hook = { url: receiver.url, events: ['app.installed'] };
    expect(codeOf(await key('post', '/api/v1/webhooks', hook))).toEqual([400, 'invalid_event']);
    const own = `/api/v1/webhooks/${(await app.deliveries()).deliveries[0].endpointId}`;
    expect(codeOf(await key('get', own))).toEqual([404, 'not_found']);
    expect(codeOf(await key('delete', own))).toEqual([404, 'not_found']);
  });
});

describe('the installs of an app', () => {
  test('are listed to its organisation, newest first, by state, without data of the stores', async () => {
    const app = await newApp();
    const stores = [newStore(app), newStore(app), newStore(app)];
    for (const store of stores) await store.install();
    await stores[0]!.change('post', '/disable');
    await stores[1]!.change('delete');
    const list = async (query = '') => (await app.send('get', `${app.path}/installs${query}`)).body;
    const shown = async (query = '') =>
      (await list(query)).installs.map(({ storeId, state }: { storeId: string; state: string }) => [
        stores.findIndex((store) => store.storeId === storeId),
        state,
      ]);
    expect(await shown()).toEqual([
      [2, 'installed'],
      [1, 'uninstalled'],
      [0, 'disabled'],
    ]);
    const first = await list('?limit=2');
    expect(Object.keys(first.installs[0])).toEqual([
      'id',
      'storeId',
      'versionId',
      'versionNumber',
      'state',
      'installedAt',
      'updatedAt',
    ]);
    expect(await list(`?limit=2&after=${first.nextCursor}`)).toMatchObject({
      installs: [{ state: 'disabled', versionId: app.firstVersion, versionNumber: 1 }],
      total: 3,
      nextCursor: null,
    });
    expect(await shown('?state=disabled')).toEqual([[0, 'disabled']]);
    expect(await shown('?state=suspended')).toEqual([]);
    await app.suspend('post');
    expect(await shown('?state=suspended')).toEqual([
      [2, 'suspended'],
      [0, 'suspended'],
    ]);
    expect(await shown('?state=installed')).toEqual([]);
    expect(await shown('?state=uninstalled')).toEqual([[1, 'uninstalled']]);
  });
});

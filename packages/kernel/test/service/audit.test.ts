import {
  type AuditEntry,
  firstIdAt,
  maxAuditEntries,
  newId,
  type Principal,
  ProductDeleted,
} from '@waybill/contracts';
import { dropDatabases, eventually, serverUrl, startSystem, type TestSystem } from '@waybill/testing';
import { type Kysely, sql } from 'kysely';
import request from 'supertest';
import Type from 'typebox';
import {
  audit,
  auditPartitions,
  deleteExcessEntries,
  listEntries,
  selectEntries,
} from '../../src/db/audit.ts';
import { maintainPartitions } from '../../src/db/partitions.ts';
import {
  aggregate,
  createLog,
  defineConfig,
  defineRoutes,
  defineService,
  ensureDatabase,
  type Handlers,
  migrate,
  openDatabase,
  type ServiceContext,
} from '../../src/index.ts';

const migrations = new URL('../fixture-writes/', import.meta.url);
const namespace = `wbt_${process.env.WAYBILL_TEST_RUN}_audit`;
const page = { limit: 100 };

describe('an entry', () => {
  let db: Kysely<unknown>;
  let url: string;
  beforeAll(async () => {
    url = await ensureDatabase(serverUrl, namespace);
    db = openDatabase({ service: 'audited', url, poolSize: 2 });
    await migrate(db, migrations);
  });
  afterAll(async () => {
    await db.destroy();
    await dropDatabases(namespace);
  });

  const listRecorded = async (ownerId: string) =>
    (await listEntries(db, { ownerId, ...page })).map(({ action, target }) => [action, target.id]);

  test('exists if and only if its change is committed', async () => {
    await db.transaction().execute((trx) => audit(trx, 'str_1', 'page.published', { id: 'pag_1' }));
    const broken = db.transaction().execute(async (trx) => {
      await audit(trx, 'str_1', 'page.deleted', { id: 'pag_1' });
      throw new Error('no');
    });
    await expect(broken).rejects.toThrow('no');
    expect(await listRecorded('str_1')).toEqual([['page.published', 'pag_1']]);
  });

  test('is kept among the newest of its owner, regardless of other owners', async () => {
    const ids = Array.from({ length: 12 }, (_, i) => `pag_${i}`);
    for (const id of ids)
      await db
        .transaction()
        .execute((trx) => audit(trx, ['str_many', 'str_other'], 'page.published', { id }));
    await db.transaction().execute((trx) => deleteExcessEntries(trx, 'str_many', 10));
    await db.transaction().execute((trx) => deleteExcessEntries(trx, 'str_other', 12));
    expect((await listRecorded('str_many')).map(([, id]) => id)).toEqual(ids.slice(2).reverse());
    expect(await listRecorded('str_other')).toHaveLength(12);
  });

  test('is written for several owners and targets by one statement, and by none for none', async () => {
    const things = [
      { id: 'mda_1', name: 'one.png' },
      { id: 'mda_2', name: 'two.png' },
    ];
    await db.transaction().execute(async (trx) => {
      await audit(trx, ['str_2', 'str_3'], 'media.purged', things);
      await audit(trx, [], 'media.purged', things);
      await audit(trx, 'str_2', 'media.purged', []);
    });
    for (const owner of ['str_2', 'str_3']) {
      expect(await listRecorded(owner)).toEqual([
        ['media.purged', 'mda_2'],
        ['media.purged', 'mda_1'],
      ]);
    }
  });

  test('is shown for 365 days', async () => {
    const insert = (at: number) =>
      sql`insert into audit_entry (owner_id, id, at, actor_type, actor_id, action, target_id, changed)
        values ('str_4', ${newId('auditEntry', at)}, ${new Date(at)}, 'system', 'system', 'page.deleted',
          ${new Date(at).toISOString()}, '{}')`.execute(db);
    const dayMs = 86_400_000;
    const [old, young] = [Date.now() - 365 * dayMs - 1000, Date.now() - 364 * dayMs];
    await insert(old);
    await insert(young);
    expect(await listRecorded('str_4')).toEqual([['page.deleted', new Date(young).toISOString()]]);
  });

  test('is found through an index among 200,000, with any filter', async () => {
    const months = 12;
    const perMonth = Math.ceil(200_000 / months);
    const monthMs = 30 * 86_400_000;
    await maintainPartitions({
      service: 'audited',
      url,
      tables: [auditPartitions],
      log: createLog('silent'),
    });
    for (let month = 0; month < months; month++) {
      const at = Date.now() - month * monthMs;
      // Two keys cause nearly all of them, one after the other, and all but a few are changes of orders.
      const often = month < months / 2 ? 'key_new' : 'key_old';
      await sql`insert into audit_entry (owner_id, id, at, actor_type, actor_id, action, target_id, changed)
        select 'str_5', ${firstIdAt('auditEntry', at)} || lpad(n::text, 16, '0'), ${new Date(at)}, 'key',
          case when n % 5000 = 1 then 'key_rare' else ${often} end,
          case when n % 5000 = 2 then 'page.deleted' else 'order.statusChanged' end, 'ord_1', '{}'
        from generate_series(1, ${perMonth}::integer) as n`.execute(db);
    }
    await sql`analyze audit_entry`.execute(db);
    const before = `${firstIdAt('auditEntry', Date.now() - 6 * monthMs)}${'9'.repeat(16)}`;
    const monthsAgo = (count: number) => new Date(Date.now() - count * monthMs).toISOString();
    for (const [filter, found] of [
      [{}, 51],
      [{ before }, 51],
      [{ actor: 'key_new' }, 51],
      [{ actor: 'key_old' }, 51],
      [{ actor: 'key_new', before }, 0],
      [{ actor: 'key_rare' }, 48],
      [{ actor: 'key_none' }, 0],
      [{ action: 'page.deleted' }, 48],
      [{ action: 'member.added' }, 0],
      [{ actor: 'key_old', action: 'page.deleted' }, 24],
      // Both exist, and never together.
      [{ actor: 'key_rare', action: 'page.deleted' }, 0],
      [{ since: monthsAgo(6.5), until: monthsAgo(5.5) }, 51],
      [{ since: monthsAgo(6.7), until: monthsAgo(6.3) }, 0],
      [{ actor: 'key_rare', since: monthsAgo(6.5), until: monthsAgo(5.5) }, 4],
      [{ action: 'page.deleted', until: monthsAgo(10.5) }, 4],
    ] as const) {
      const query = { ownerId: 'str_5', limit: 51, ...filter };
      const plan = JSON.stringify(
        await selectEntries(db, query).explain('json', sql`analyze, buffers, timing off`),
      );
      const [, hit, read] = /"Shared Hit Blocks":(\d+),"Shared Read Blocks":(\d+)/.exec(plan)!;
      const removed = [...plan.matchAll(/"Rows Removed by Filter":(\d+)/g)].map(([, rows]) => Number(rows));
      expect({
        filter,
        found: (await listEntries(db, query)).length,
        removed: Math.max(0, ...removed),
        blocks: Math.max(150, Number(hit) + Number(read)),
      }).toEqual({ filter, found, removed: 0, blocks: 150 });
    }
  });
});

describe('the actor', () => {
  type Context = ServiceContext<unknown, unknown>;
  const routes = defineRoutes({
    act: {
      method: 'POST',
      path: '/api/v1/acts/{what}',
      access: { scope: 'products.write' },
      summary: 'Acts',
      answer: [200, Type.Object({})],
    },
    enter: {
      method: 'POST',
      path: '/enter',
      access: 'public',
      summary: 'Acts',
      answer: [200, Type.Object({})],
    },
  });
  const done = (context: Context, id: string) =>
    context.transaction((trx) => audit(trx, 'str_1', 'page.published', { id }));
  let wokenFor = 0;
  const actors = defineService<unknown, unknown>({
    name: 'actors',
    config: defineConfig(Type.Object({})),
    migrations,
    aggregates: [
      aggregate(
        routes,
        (context: Context): Handlers<typeof routes> => ({
          act: {
            async write({ params }, { emit, audit, afterCommit }) {
              await emit(ProductDeleted, 'str_1', { product: { id: params.what, number: 1, slug: 'x' } });
              await audit('str_1', 'page.published', { id: params.what });
              afterCommit(() => {
                wokenFor++;
                context.wakeTask('woken');
              });
              return {};
            },
          },
          async enter() {
            await done(context, 'entered');
            return {};
          },
        }),
      ),
    ],
    subscriptions: (context) => [
      {
        queue: 'actors.listener',
        events: [ProductDeleted],
        batch: 10,
        async handle(events) {
          for (const _ of events) await done(context, 'heard');
        },
      },
    ],
    tasks: (context) => [
      {
        name: 'woken',
        everyMs: 3_600_000,
        async run() {
          // Woken twice before it runs, it runs once.
          for (; wokenFor > 0; wokenFor--) await done(context, 'woken');
        },
      },
    ],
  });

  let system: TestSystem;
  beforeAll(async () => {
    system = await startSystem([actors]);
  });
  afterAll(() => system.stop());

  const entries = async (): Promise<AuditEntry[]> => {
    const pendingRequest = request(system.internalUrl)
      .post('/internal/audit/actors')
      .send({ ownerId: 'str_1', limit: 100 });
    return (await pendingRequest.set('authorization', `Bearer ${system.serviceToken}`)).body.entries;
  };
  const member: Principal = { kind: 'user', userId: 'usr_1', email: 'a@example.com' };
  const key: Principal = {
    kind: 'apiKey',
    storeId: 'str_1',
    keyId: 'key_1',
    scopes: ['products.write'],
    creatorPermissions: ['products.write'],
  };
  const app: Principal = {
    kind: 'app',
    storeId: 'str_1',
    appId: 'app_1',
    installId: 'ins_1',
    scopes: ['products.write'],
  };
  const from = { 'x-waybill-address': '192.0.2.1', 'x-request-id': 'one' };

  test('is the principal of the request, and the system for background work', async () => {
    for (const who of [key, app]) {
      await request(system.internalUrl)
        .post('/api/v1/acts/asked')
        .set(await system.as(who))
        .set(from)
        .expect(200);
    }
    await request(system.internalUrl)
      .post('/enter')
      .set(await system.as(member))
      .set(from)
      .expect(200);
    await request(system.internalUrl).post('/enter').expect(200);
    await eventually(async () => (await entries()).length === 8);
    const recorded = (await entries()).map(({ actor, target, ip, requestId }) =>
      [target.id, actor.type, actor.id, ip, requestId].join(' '),
    );
    const nobody = ['heard', 'woken'].map((what) => `${what} system   `);
    expect(recorded.sort()).toEqual(
      [
        ...nobody,
        ...nobody,
        'asked key key_1 192.0.2.1 one',
        'asked app app_1 192.0.2.1 one',
        'entered user usr_1 192.0.2.1 one',
        'entered system   ',
      ].sort(),
    );
  });

  test('is sent to services only', async () => {
    const ask = () =>
      request(system.internalUrl).post('/internal/audit/actors').send({ ownerId: 'str_1', limit: 1 });
    await ask()
      .set(await system.as(member))
      .expect(401);
    await ask()
      .set('authorization', `Bearer ${system.serviceToken}`)
      .send({ ownerId: 'str_1', limit: maxAuditEntries + 2 })
      .expect(400);
  });
});

import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cloneDatabases, dropDatabases, serverUrl } from '@waybill/testing';
import pg from 'pg';
import { services } from '../services.ts';

// These tests need no cluster: the commands for Citus run in each service's database, where functions with the same
// names record them.

const root = fileURLToPath(new URL('../../', import.meta.url));
const textOf = (file: string) => readFileSync(new URL(`../citus/${file}.sql`, import.meta.url), 'utf8');
const everyService = 'every-service';
const withDatabase = services.filter(({ migrations }) => migrations);

const namespace = `wbt_${process.env.WAYBILL_TEST_RUN ?? process.pid}_${randomBytes(4).toString('hex')}`;
afterAll(() => dropDatabases(namespace));

const standIn = `
  create schema citus;
  create table citus.named (place int generated always as identity, name text, kind text, by text, beside text);
  create function citus.create_distributed_table(name regclass, by text, colocate_with text default 'default')
    returns void language sql as $$
      insert into citus.named (name, kind, by, beside) values (name, 'distributed', by, colocate_with) $$;
  create function citus.create_reference_table(name regclass) returns void language sql as $$
    insert into citus.named (name, kind) values (name, 'reference') $$;
  create function citus.citus_add_local_table_to_metadata(name regclass, cascade_via_foreign_keys boolean default false)
    returns void language sql as $$
    insert into citus.named (name, kind) values (name, 'local') $$;
  set search_path = public, citus`;

/** The planned placement of a table. */
interface Named {
  name: string;
  kind: 'distributed' | 'reference' | 'local';
  /** The distribution column, by whose hash a table is distributed. */
  by: string | null;
  /** `default` means with the rows of its store. */
  beside: string | null;
}

interface Catalog {
  named: Named[];
  /** All tables, without partitions. */
  tables: string[];
  /** The columns of each primary key and unique index. */
  keys: { table: string; index: string; columns: string[] }[];
  /** The columns of each foreign key, next to the columns that they reference. */
  references: { table: string; to: string; columns: string[]; toColumns: string[] }[];
  /** The types and collations of the distribution columns of tables that are placed together. */
  kinds: string[];
}

const rowsOf = async <Row extends object>(client: pg.Client, text: string) =>
  (await client.query<Row>(text)).rows;

async function lookInto(service: string): Promise<Catalog> {
  const database = `${namespace}_${service.replaceAll('-', '_')}`;
  const client = new pg.Client(Object.assign(new URL(serverUrl), { pathname: database }).href);
  await client.connect();
  try {
    await client.query(standIn);
    await client.query(textOf(everyService));
    await client.query(textOf(service));
    return {
      named: await rowsOf(client, 'select name, kind, by, beside from citus.named order by place'),
      tables: (
        await rowsOf<{ name: string }>(
          client,
          `select oid::regclass::text as name from pg_class
           where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
        )
      ).map(({ name }) => name),
      keys: await rowsOf(
        client,
        `select i.indrelid::regclass::text as table, i.indexrelid::regclass::text as index,
           (select array_agg(pg_get_indexdef(i.indexrelid, n, true) order by n)
            from generate_series(1, i.indnkeyatts) n) as columns
         from pg_index i join pg_class c on c.oid = i.indrelid
         where i.indisunique and c.relnamespace = 'public'::regnamespace and not c.relispartition`,
      ),
      references: await rowsOf(
        client,
        `select k.conrelid::regclass::text as table, k.confrelid::regclass::text as to,
           (select array_agg(attname::text order by n) from unnest(k.conkey) with ordinality as of (attnum, n)
            join pg_attribute a using (attnum) where a.attrelid = k.conrelid) as columns,
           (select array_agg(attname::text order by n) from unnest(k.confkey) with ordinality as of (attnum, n)
            join pg_attribute a using (attnum) where a.attrelid = k.confrelid) as "toColumns"
         from pg_constraint k join pg_class c on c.oid = k.conrelid
         where k.contype = 'f' and c.relnamespace = 'public'::regnamespace and not c.relispartition`,
      ),
      kinds: (
        await rowsOf<{ kind: string }>(
          client,
          `select distinct concat(a.atttypid::regtype, ' ', a.attcollation::regcollation) as kind
           from citus.named t join pg_attribute a on a.attrelid = t.name::regclass and a.attname = t.by
           where t.beside = 'default'`,
        )
      ).map(({ kind }) => kind),
    };
  } finally {
    await client.end();
  }
}

/** Tables that are not distributed by store, with the reason. */
const notByStore = {
  audit_entry: 'of a store or an organisation: `owner_id` is either',
  handled_event: 'an event is handled once by its id, whosever it is',
  host_call: 'calls are bounded by target host over all stores',
  idempotent_bytes: 'of a store, an organisation or a person: `owner_id` is any of them',
  idempotent_answer: 'the hash of who asked for what, from which no store can be read',
};

/** Keys of distributed tables that do not begin with the distribution column, with the reason why that works. */
const otherKeys = {
  handled_event_pkey: 'consumer and event: both are always given',
};

describe('what Citus is told', () => {
  const catalogs = new Map<string, Catalog>();
  beforeAll(async () => {
    await cloneDatabases(withDatabase, namespace);
    for (const { name } of withDatabase) catalogs.set(name, await lookInto(name));
  }, 120_000);

  const all = () => [...catalogs].map(([service, catalog]) => ({ service, ...catalog }));

  test('names every table of every service once', () => {
    for (const { service, named, tables } of all())
      expect([service, ...named.map(({ name }) => name).sort()]).toEqual([service, ...tables.sort()]);
    const files = readdirSync(new URL('../citus/', import.meta.url)).filter((file) => file.endsWith('.sql'));
    expect(files.sort()).toEqual(
      [everyService, ...withDatabase.map(({ name }) => name)].map((name) => `${name}.sql`).sort(),
    );
  });

  test('distributes tables by their store, all by the same type and collation', () => {
    const others = new Set<string>();
    for (const { service, named, kinds } of all()) {
      for (const { name, kind, by, beside } of named) {
        if (kind !== 'distributed') continue;
        if (by !== 'store_id') others.add(name);
        expect([service, name, beside]).toEqual([service, name, by === 'store_id' ? 'default' : 'none']);
      }
      expect([service, ...kinds]).toEqual([service, 'text "default"']);
    }
    expect([...others].sort()).toEqual(Object.keys(notByStore).sort());
  });

  test('matches the keys: each begins with its table’s distribution column', () => {
    const others = new Set<string>();
    for (const { named, keys } of all()) {
      const columns = new Map(named.map(({ name, by }) => [name, by]));
      for (const key of keys) {
        const by = columns.get(key.table);
        if (!by || key.columns[0] === by) continue;
        // Citus accepts a key that contains the column anywhere, and refuses one without it.
        expect(key.columns).toContain(by);
        others.add(key.index);
      }
    }
    expect([...others].sort()).toEqual(Object.keys(otherKeys).sort());
  });

  test('keeps every foreign key, and names a table after those that it references', () => {
    for (const { named, references } of all()) {
      const places = new Map(named.map((each, place) => [each.name, { ...each, place }]));
      for (const { table, to, columns, toColumns } of references) {
        const [from, target] = [places.get(table)!, places.get(to)!];
        const stays =
          target.kind === 'reference' ||
          (from.kind === 'local' && target.kind === 'local') ||
          (from.kind === 'distributed' &&
            target.kind === 'distributed' &&
            from.beside === target.beside &&
            columns.indexOf(from.by!) >= 0 &&
            columns.indexOf(from.by!) === toColumns.indexOf(target.by!));
        const isLater = table === to || from.place > target.place;
        expect({ table, to, stays, isLater }).toEqual({ table, to, stays: true, isLater: true });
      }
    }
  });
});

/** Returns the top-level declarations of a source text, with their names. */
function declarationsOf(text: string): { name: string; text: string }[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*(\/\/|--).*$/gm, '');
  return code
    .split(/^(?=(?:export )?(?:async )?(?:function|const|class|type|interface|import)\b)/m)
    .flatMap((part) => {
      const name = /^(?:export )?(?:async )?(?:function\*?|const|class) (\w+)/.exec(part)?.[1];
      return name ? [{ name, text: part }] : [];
    });
}

/**
 * Counts how often a text reads, changes or joins a table, in kysely's calls or in SQL; an insert always names its
 * store.
 */
function usesOf(text: string, table: string): number {
  const built = `(?:selectFrom|updateTable|deleteFrom|[a-z]+Join|using|deleteBatch)\\(\\s*(?:\\w+, )?'${table}(?: as \\w+)?'`;
  const written = `(?<!for )(?<!do )\\b(?:from|join|update|using)\\s+(?:"${table}"|${table})(?![\\w'.(])(?!\\s*\\()`;
  return [...text.matchAll(new RegExp(`${built}|${written}`, 'g'))].length;
}

/** Counts how often a text compares a column with a value, or with the column of another table. */
function comparisonsOf(text: string, column: string): number {
  const built = `(?:where|on)(?:Ref)?\\(\\s*'(?:\\w+\\.)?${column}',\\s*'(?:=|in)'|refTuple\\(\\s*'(?:\\w+\\.)?${column}'`;
  const written = `(?:\\b(?:where|and|on)\\s|\\()(?:\\w+\\.)?${column}\\s*=(?!>)|=\\s*\\w+\\.${column}\\b`;
  const several = `using\\s*\\(${column}\\b|\\((?:\\w+\\.)?${column},[^()]*\\)\\s*(?:in|=)`;
  return [...text.matchAll(new RegExp(`${built}|${written}|${several}`, 'g'))].length;
}

/** Returns the declarations that use tables with a distribution column more often than they compare that column. */
function withoutColumn(folder: string, tables: readonly { name: string; by: string }[]): string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts') && file !== 'tables.ts')
    .flatMap((file) =>
      declarationsOf(readFileSync(join(root, folder, file), 'utf8'))
        .filter(({ text }) =>
          [...Map.groupBy(tables, ({ by }) => by)].some(([column, ofColumn]) => {
            const uses = ofColumn.reduce((sum, { name }) => sum + usesOf(text, name), 0);
            return uses > comparisonsOf(text, column);
          }),
        )
        .map(({ name }) => `${folder}/${file}#${name}`),
    );
}

/**
 * The declarations that cover all stores, grouped by their effect on Citus. Whoever adds one must give the reason here,
 * or restrict it to a store.
 */
const overAllStores: Record<string, readonly string[]> = {
  'names the stores of which rows are to be taken, `claimByStore`: every shard is asked': [
    'packages/kernel/src/events/outbox.ts#selectWaitingStores',
    'packages/kernel/src/events/outbox.ts#storesToClaim',
  ],
  'takes rows of any store, each store by itself on Citus, `claimByStore`': [
    'services/orders/src/documents/queries.ts#claimUnrendered',
    'services/orders/src/documents/queries.ts#lockNextRequest',
    'services/orders/src/documents/queries.ts#nextText',
    'services/orders/src/documents/queries.ts#unrenderedText',
    'services/app-platform/src/deletions/queries.ts#listInstallsToDelete',
    'services/app-platform/src/sweeps/draft-queries.ts#claimChangedInstalls',
    'services/app-platform/src/sweeps/queries.ts#lockInstalls',
    'services/app-platform/src/sweeps/queries.ts#lockNextInstalls',
    'services/content/src/blog/categories/queries.ts#claimDeletedCategory',
    'services/content/src/forms/submissions/queries.ts#deleteOldSubmissions',
    'services/content/src/publication/history/queries.ts#claimHistory',
    'services/content/src/publication/live-pages/stale-queries.ts#claimStale',
    'services/orders/src/personal-data/queries.ts#claimErasure',
    'services/webhooks/src/cancellations/queries.ts#cancelMarkedCalls',
    'services/webhooks/src/cancellations/queries.ts#cancelMarkedOfStore',
    'services/webhooks/src/endpoint-alerts/queries.ts#claimFailing',
    'services/webhooks/src/endpoints/queries.ts#deleteFormerSecrets',
    'services/webhooks/src/personal-data/queries.ts#claimWalk',
    'services/webhooks/src/replays/queries.ts#claimReplayTurn',
    'services/webhooks/src/schedule/claim.ts#lockEndpoints',
    'services/webhooks/src/schedule/claim.ts#selectReadyText',
  ],
  'takes or locks rows of any store, which Citus does in a statement of one shard only': [
    'services/identity/src/members/queries.ts#listMembershipsForUpdate',
  ],
  'deletes what is old, which each shard does of its own: `deleteBatch`': [
    'packages/kernel/src/http/idempotency.ts#purgeStoredResponses',
    'services/app-platform/src/app-data/queries.ts#deleteOldDeletedProducts',
    'services/app-platform/src/oauth/queries.ts#deleteExpired',
    'services/catalog/src/products/deleted-variant-queries.ts#purgeDeletedVariants',
    'services/catalog/src/products/price-queries.ts#purgePrices',
    'services/content/src/publication/live-pages/stale-queries.ts#deleteOldChanges',
    'services/identity/src/invitations/queries.ts#deleteExpiredInvitations',
    'services/orders/src/checkouts/queries.ts#deleteOldCheckouts',
    'services/webhooks/src/endpoint-alerts/queries.ts#deleteOldMinutes',
    'services/webhooks/src/personal-data/queries.ts#deleteOldSubjects',
    'services/webhooks/src/replays/queries.ts#deleteOldReplays',
    'services/webhooks/src/schedule/batches.ts#deleteOldBatches',
    'services/webhooks/src/schedule/host-limits.ts#deleteOldHostCalls',
    'services/webhooks/src/schedule/rates.ts#deleteOldRateCalls',
    'services/webhooks/src/stats/queries.ts#deleteOldCounts',
  ],
  'changes rows of all stores in one go, by the clock or by ids alone': [
    'services/app-platform/src/directory/queries.ts#countInstallsByApp',
    'services/app-platform/src/sweeps/draft-queries.ts#markDraftChanged',
    'packages/kernel/src/events/outbox.ts#setBack',
    'services/catalog/src/categories/match-queries.ts#saveCheckedUntilOfRange',
    'services/content/src/publication/live-pages/stale-queries.ts#markOldRenderings',
    'services/content/src/publication/live-pages/stale-queries.ts#releaseStale',
    'services/orders/src/checkouts/queries.ts#hashClearKeys',
    'services/webhooks/src/deliveries/queries.ts#deleteOrphanedCounts',
    // Covers the calls of hosts, as `end` does; everything else is by store.
    'services/webhooks/src/outcomes/quick-settlement.ts#settle',
    'services/webhooks/src/schedule/host-limits.ts#endCalls',
    'services/webhooks/src/schedule/queries.ts#releaseLeases',
  ],
  'walks from store to store; on Citus by what every shard has next': [
    'services/webhooks/src/schedule/queries.ts#queueMissing',
    'services/webhooks/src/schedule/queries.ts#unsettled',
  ],
  'reads the next of all stores for a sweep: every shard is asked': [
    'services/app-platform/src/sweeps/queries.ts#listStoresOfApp',
    'services/catalog/src/categories/match-queries.ts#changed',
    'services/catalog/src/categories/match-queries.ts#dueStores',
    'services/catalog/src/custom-fields/queries.ts#findHiddenSince',
    'services/catalog/src/reservations/queries.ts#expired',
    'services/media/src/trash/queries.ts#claimOldTrash',
    'services/media/src/uploads/queries.ts#listExpired',
    'services/media/src/variants/queries.ts#listAbandoned',
    'services/media/src/variants/queries.ts#claimAssetsForSearch',
    'services/orders/src/expiry/queries.ts#unpaid',
    'services/orders/src/dispatch/queries.ts#listWithoutFulfillments',
    'services/orders/src/ledger/queries.ts#listOrdersWithPayments',
    'services/orders/src/ledger/queries.ts#listWithoutLedger',
    'services/orders/src/ledger/step-queries.ts#listDueSteps',
    'services/payments/src/methods/announcement-queries.ts#listUnannounced',
    'services/payments/src/methods/queries.ts#listSealedSecrets',
    'services/payments/src/provider-events/queries.ts#deleteOldEvents',
    'services/payments/src/provider-events/queries.ts#findMethodOfEvents',
    'services/payments/src/records/session-queries.ts#listDueSessions',
    'services/webhooks/src/endpoints/queries.ts#listSealedSecrets',
  ],
  'measures or counts over all stores: every shard is asked': [
    'packages/kernel/src/events/outbox.ts#measureOutbox',
    'packages/kernel/src/http/idempotency.ts#storedResponses',
    'services/app-platform/src/directory/queries.ts#countInstalls',
    'services/content/src/publication/live-pages/stale-queries.ts#measureStale',
    'services/media/src/usage/queries.ts#sumUsage',
    'services/payments/src/records/session-queries.ts#findOldestUndecided',
    'services/webhooks/src/schedule/queries.ts#selectAnyDue',
    'services/webhooks/src/schedule/queries.ts#measureDue',
    'services/webhooks/src/schedule/queries.ts#measureDueOfStores',
  ],
  'finds out which store it is, by a token: every shard is asked, once until it is cached': [
    'services/app-platform/src/oauth/queries.ts#findCode',
    'services/app-platform/src/oauth/queries.ts#findReportToken',
    'services/app-platform/src/oauth/queries.ts#findToken',
    'services/identity/src/api-keys/queries.ts#findStoreByKeyHash',
  ],
  'is of a person or an app, in whatever stores: every shard is asked': [
    'services/app-platform/src/deletions/queries.ts#isAppInstalled',
    'services/app-platform/src/deletions/queries.ts#isVersionInstalled',
    'services/app-platform/src/installs/queries.ts#listInstallsOfApp',
    'services/app-platform/src/oauth/queries.ts#isInDevelopment',
    'services/app-platform/src/oauth/queries.ts#listReportingStores',
    'services/identity/src/notifications/queries.ts#members',
    'services/identity/src/stores/queries.ts#listSomeStores',
    'services/identity/src/stores/queries.ts#listStoresOfUser',
    'services/identity/src/stores/queries.ts#hasReachedStoreLimit',
  ],
};

/** Declarations whose comparison of the store is in another one: parts of statements, or names for the comparison. */
const saidElsewhere: Record<string, readonly string[]> = {
  'a text that is given the store on Citus, and is about all of them on one server': [
    'packages/kernel/src/events/outbox.ts#makeDueText',
    'packages/kernel/src/events/outbox.ts#claimText',
    'packages/kernel/src/events/outbox.ts#markPublishedText',
    'packages/kernel/src/events/outbox.ts#deferText',
    'packages/kernel/src/events/outbox.ts#removeText',
  ],
  'a part, which the statements that it stands in give the store': [
    'services/app-platform/src/lifecycle/queries.ts#selectInstalls',
    'services/content/src/editing/media-uses/queries.ts#themes',
    'services/content/src/publication/templates/queries.ts#templateOwners',
  ],
  'compares the store by a part that has a name': [
    'services/app-platform/src/app-data/queries.ts#find',
    'services/app-platform/src/app-data/queries.ts#update',
    'services/catalog/src/shop/queries.ts#buildShopListStatement',
    'services/content/src/blog/categories/queries.ts#moveChildren',
  ],
  'has a part of its own called `customer`, which is no table': [
    'services/orders/src/checkouts/queries.ts#insert',
  ],
};

/** Lists the tables that a file distributes, with their columns. */
const listDistributedTables = (file: string) =>
  [...textOf(file).matchAll(/create_distributed_table\('"?(\w+)"?', '(\w+)'/g)].map(([, name, by]) => ({
    name: name!,
    by: by!,
  }));

describe('statements', () => {
  // This counts uses in the source and proves nothing. A declaration that compares the store once too often for one
  // table hides a missing comparison for another. Tables that the kernel's lists and searches receive by name are not
  // seen; their statements begin with `where store_id`.
  test('compare the store for each table that they use, except those over all stores', () => {
    const found = [
      ...withoutColumn('packages/kernel/src', listDistributedTables(everyService)),
      ...withDatabase.flatMap(({ name }) =>
        withoutColumn(`services/${name}/src`, listDistributedTables(name)),
      ),
    ];
    const known = [overAllStores, saidElsewhere].flatMap((reasons) => Object.values(reasons).flat());
    expect(found.sort()).toEqual(known.sort());
  });
});

import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { StartError } from '@waybill/kernel';
import pg from 'pg';
import { createInstalledDatabases, databaseServices } from '../servers/databases.ts';

/** A node of a Citus cluster, at the address for administrators. */
export interface CitusNode {
  host: string;
  port: number;
}

export interface ClusterOptions {
  dataDir: string;
  /** The coordinator's URL, as a superuser on its database `postgres`. */
  adminUrl: string;
  namespace: string;
  /** The nodes that hold stores; if empty, those that a database of the coordinator already knows. */
  workers: readonly CitusNode[];
  /** The address at which workers reach the coordinator, if it is another one than that of `adminUrl`. */
  coordinator?: CitusNode;
  /**
   * Returns the settings that the SQL of a service reads with `current_setting`: its own connections have them, but
   * those between nodes do not.
   */
  readSqlSettings(service: string): Readonly<Record<string, string>>;
  say(line: string): void;
}

/** Settings of the sessions of Waybill's databases, on all nodes. */
const sessionSettings = {
  // A change over all shards may share a transaction with a change of a reference table.
  'citus.multi_shard_modify_mode': 'sequential',
  // Triggers write within the store of their row, so on the node of that store.
  'citus.allow_nested_distributed_execution': 'on',
  'citus.enable_unsafe_triggers': 'on',
  // The kernel turns it off for its own connections. Those between nodes run the same statements.
  jit: 'off',
};

/** Parses `host:port,host:port`; a missing port is 5432. Throws an error of one line. */
export function parseNodes(setting: string, text: string): CitusNode[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
    .map((entry) => {
      const [, bracketed, plain, port = '5432'] =
        /^(?:\[([^\]]+)\]|([^\s:/@]+))(?::(\d{1,5}))?$/.exec(entry) ?? [];
      const host = bracketed ?? plain;
      if (!host || Number(port) < 1 || Number(port) > 65_535)
        throw new StartError(`${setting}: "${entry}" is not host:port`);
      return { host, port: Number(port) };
    });
}

/**
 * Creates each service's role, database and extension on every node, and registers the nodes with the coordinator: the
 * step before migrations. Existing ones stay.
 */
export async function joinNodes(options: ClusterOptions): Promise<void> {
  const { dataDir, adminUrl, namespace, say } = options;
  const workers = options.workers.length > 0 ? options.workers : await knownWorkers(adminUrl, namespace);
  if (workers.length === 0)
    throw new StartError('WAYBILL_CITUS_WORKERS names no server: set it to host:port,host:port');
  const self = options.coordinator ?? parseNode(adminUrl);
  const nodeUrls = [adminUrl, ...workers.map((worker) => urlAt(adminUrl, worker))];
  for (const url of nodeUrls) {
    await requireCitus(url);
    const urls = await createInstalledDatabases(dataDir, { adminUrl: url, namespace });
    if (!urls)
      throw new StartError(`The role in DATABASE_URL cannot create roles on ${parseNode(url).host}.`);
    for (const service of databaseServices) {
      const own = new URL(urls[service]!);
      await withClient(urlAt(url, parseNode(url), getDatabaseName(namespace, service)), async (client) => {
        await client.query('create extension if not exists citus');
        // The nodes use these to sign in to each other; only superusers can read them.
        await noteLogin(client, own.username, own.password);
        await noteLogin(client, new URL(adminUrl).username, new URL(adminUrl).password);
      });
    }
  }
  for (const service of databaseServices) {
    const joined = await joinDatabase(getDatabaseName(namespace, service), {
      adminUrl,
      self,
      workers,
      settings: options.readSqlSettings(service),
    });
    for (const { host, port } of joined) say(`${host}:${port} takes stores of ${service}.`);
  }
}

/** The place of a database of a cluster, and the settings of its sessions on all nodes. */
export interface ClusterDatabase {
  /** The coordinator's URL, as a superuser. */
  adminUrl: string;
  /** The address at which workers reach the coordinator. */
  self?: CitusNode;
  workers: readonly CitusNode[];
  settings: Readonly<Record<string, string>>;
}

/**
 * Joins the databases of one name on all nodes, which have Citus, into a cluster. Returns the workers that are new in
 * it.
 */
export async function joinDatabase(name: string, cluster: ClusterDatabase): Promise<CitusNode[]> {
  const { adminUrl, self = parseNode(adminUrl), workers, settings } = cluster;
  const database = pg.escapeIdentifier(name);
  for (const url of [adminUrl, ...workers.map((worker) => urlAt(adminUrl, worker))])
    await withClient(url, async (client) => {
      for (const [setting, value] of Object.entries({ ...sessionSettings, ...settings }))
        await client.query(`alter database ${database} set ${setting} = ${pg.escapeLiteral(value)}`);
    });
  return withClient(urlAt(adminUrl, parseNode(adminUrl), name), async (client) => {
    await client.query('select citus_set_coordinator_host($1, $2)', [self.host, self.port]);
    const added: CitusNode[] = [];
    for (const { host, port } of workers) {
      const { rowCount } = await client.query(
        'select from pg_dist_node where nodename = $1 and nodeport = $2',
        [host, port],
      );
      if (rowCount) continue;
      await addNode(client, { host, port });
      added.push({ host, port });
    }
    return added;
  });
}

/**
 * Adds a node to a database. Citus then also aligns the roles, which all databases of a server share, and fails if that
 * is done for another database at the same moment.
 */
async function addNode(client: pg.Client, { host, port }: CitusNode, attempts = 5): Promise<void> {
  try {
    await client.query('select citus_add_node($1, $2)', [host, port]);
  } catch (error) {
    if (attempts <= 1) throw error;
    await setTimeout(1_000);
    await addNode(client, { host, port }, attempts - 1);
  }
}

/**
 * Distributes the tables of each service that are not distributed yet, according to the SQL files in this folder. It
 * runs after the migrations, however far they have come. `urlOf` returns the URLs of the services' own roles, which own
 * the tables.
 */
export async function distributeTables(
  urlOf: (service: string) => string,
  say: (line: string) => void,
): Promise<void> {
  for (const service of databaseServices) {
    const count = await distributeDatabase(urlOf(service), service);
    if (count > 0) say(`${count} tables of ${service} are spread over the cluster.`);
  }
}

/**
 * Distributes the tables of one service's database; with null, only those that every service has. Returns their number.
 */
export async function distributeDatabase(url: string, service: string | null): Promise<number> {
  return withClient(url, async (client) => {
    const own = service === null ? [] : await readPlan(service);
    const statements = [...(await readPlan('every-service')), ...own];
    const count = await runPlan(client, statements);
    await distributeFunctions(client);
    return count;
  });
}

/** A statement of a plan, and the table that it distributes; null for a setting. */
interface Step {
  text: string;
  table: string | null;
}

async function readPlan(name: string): Promise<Step[]> {
  const text = await readFile(new URL(`${name}.sql`, import.meta.url), 'utf8');
  return text
    .replace(/--.*$/gm, '')
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim())
    .filter(Boolean)
    .map((statement) => {
      const [, table = null] =
        /^select (?:create_\w+|citus_add_local\w+)\('([^']+)'/.exec(statement) ??
        /^alter table (\w+)/.exec(statement) ??
        [];
      return { text: statement, table };
    });
}

/** Returns the number of tables that it has distributed. */
async function runPlan(client: pg.Client, steps: readonly Step[]): Promise<number> {
  let count = 0;
  for (const { text, table } of steps) {
    if (table !== null && (await isTableDistributed(client, table))) continue;
    if (text.startsWith('select')) count++;
    await client.query(await makeConcurrentIfPossible(client, text, table));
  }
  return count;
}

/**
 * Whether a table is distributed as planned. A table that Citus registered by itself, for a foreign key, is not yet.
 */
async function isTableDistributed(client: pg.Client, table: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'select from pg_dist_partition where logicalrelid = $1::regclass and not autoconverted',
    [table],
  );
  return rowCount! > 0;
}

/**
 * Makes a statement concurrent where Citus can, so that a table with rows keeps its writers while it is copied: that
 * requires a table without foreign keys and partitions.
 */
async function makeConcurrentIfPossible(
  client: pg.Client,
  text: string,
  table: string | null,
): Promise<string> {
  if (table === null || !text.startsWith('select create_distributed_table(')) return text;
  const { rowCount: isPlain } = await client.query(
    `select from pg_class c where c.oid = $1::regclass and relkind = 'r'
       and not exists (select from pg_constraint where contype = 'f' and c.oid in (conrelid, confrelid))`,
    [table],
  );
  const { rowCount: hasRows } = await client.query(`select from ${table} limit 1`);
  return isPlain && hasRows
    ? text.replace('create_distributed_table(', 'create_distributed_table_concurrently(')
    : text;
}

/** Creates the functions that statements use on every node, now and when a migration replaces them. */
async function distributeFunctions(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select p.oid::regprocedure::text as name from pg_proc p
     where pronamespace = 'public'::regnamespace and prokind = 'f'
       and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
       and not exists (select from pg_catalog.pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid)`,
  );
  for (const { name } of rows) await client.query('select create_distributed_function($1)', [name]);
}

async function noteLogin(client: pg.Client, role: string, password: string): Promise<void> {
  if (!role || !password) return;
  const authinfo = `password=${decodeURIComponent(password)}`;
  await client.query(
    `insert into pg_dist_authinfo (nodeid, rolename, authinfo) values (0, $1, $2)
     on conflict (rolename, nodeid) do update set authinfo = excluded.authinfo`,
    [decodeURIComponent(role), authinfo],
  );
}

/** Returns the workers that the coordinator has in the database of a service. */
async function knownWorkers(adminUrl: string, namespace: string): Promise<CitusNode[]> {
  const url = urlAt(adminUrl, parseNode(adminUrl), getDatabaseName(namespace, databaseServices[0]!));
  try {
    return await withClient(url, async (client) => {
      const { rows } = await client.query<CitusNode>(
        `select nodename as host, nodeport as port from pg_dist_node where groupid > 0 and noderole = 'primary' order by nodeid`,
      );
      return rows;
    });
  } catch {
    return [];
  }
}

/** Throws an error of one line if a server has no Citus. */
async function requireCitus(url: string): Promise<void> {
  const { host, port } = parseNode(url);
  const isHere = await withClient(url, async (client) => {
    const { rows } = await client.query<{ libraries: string }>(
      `select current_setting('shared_preload_libraries') as libraries`,
    );
    return rows[0]!.libraries.split(',').some((library) => library.trim() === 'citus');
  }).catch((error) => {
    throw new StartError(
      `${host}:${port} of the Citus cluster cannot be reached: ${error.message || error.code}`,
    );
  });
  if (!isHere)
    throw new StartError(`${host}:${port} does not load Citus: add it to shared_preload_libraries.`);
}

const getDatabaseName = (namespace: string, service: string) =>
  `${namespace}_${service}`.replaceAll('-', '_');

function parseNode(url: string): CitusNode {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 5432 };
}

function urlAt(adminUrl: string, { host, port }: CitusNode, database?: string): string {
  const url = new URL(adminUrl);
  url.hostname = host.includes(':') ? `[${host}]` : host;
  url.port = String(port);
  if (database) url.pathname = `/${database}`;
  return url.href;
}

async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

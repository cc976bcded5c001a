import { detectCitus, ensureDatabase, migrate, openDatabase, type ServiceDefinition } from '@waybill/kernel';
import pg from 'pg';
import { eventually } from './eventually.ts';

/** The PostgreSQL server of the tests; the run's set-up points it at an embedded one if there is no other. */
export const serverUrl =
  process.env.WAYBILL_TEST_CITUS ?? process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';

/** The workers of the Citus cluster whose coordinator is `serverUrl`, if the tests run on one: `deploy/citus`. */
const workerUrls = (process.env.WAYBILL_TEST_CITUS_WORKERS ?? '')
  .split(',')
  .filter((node) => process.env.WAYBILL_TEST_CITUS && node)
  .map((node) => Object.assign(new URL(serverUrl), { host: node }).href);
const nodeUrls = [serverUrl, ...workerUrls];
/** Whether the tests run on a Citus cluster, where some statements are split into several. */
export const isOnCitus = workerUrls.length > 0;

/** Runs work on a separate connection to the tests' server, or to another. */
export async function withServerClient<Result>(
  work: (client: pg.Client) => Promise<Result>,
  url = serverUrl,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Creates `<namespace>_<service>` for each service from a template that this run has migrated once. */
export async function cloneDatabases(
  services: readonly ServiceDefinition[],
  namespace: string,
): Promise<void> {
  for (const { name, migrations } of services) {
    if (!migrations) continue;
    const suffix = name.replaceAll('-', '_');
    const template = `wbt_${process.env.WAYBILL_TEST_RUN ?? process.pid}_template_${suffix}`;
    await withServerClient(async (client) => {
      // One worker of the run creates the template. A template in use cannot be cloned, so cloning runs one at a time.
      await client.query('select pg_advisory_lock(hashtext($1))', [template]);
      const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [template]);
      if (!rowCount) await createTemplate(template, name, migrations);
      const [database, copied] = [`${namespace}_${suffix}`, template].map((name) =>
        pg.escapeIdentifier(name),
      );
      // PostgreSQL's default strategy, through the log, takes twice the CPU: 10 MiB for each of hundreds.
      const statement = `create database ${database} template ${copied} strategy file_copy`;
      for (const url of nodeUrls) await withServerClient((node) => node.query(statement), url);
      if (workerUrls.length > 0) await copySettings(client, template, `${namespace}_${suffix}`);
    });
  }
}

async function createTemplate(name: string, service: string, migrations: URL): Promise<void> {
  const unfinished = `${name}_making`;
  await dropDatabases(unfinished);
  if (workerUrls.length > 0) {
    // The run itself creates it, because a package must not know the layout of a cluster.
    const query = new URLSearchParams({ service, database: unfinished, migrations: migrations.href });
    const reply = await fetch(`${process.env.WAYBILL_TEST_SHARED}/distributed?${query}`);
    if (!reply.ok) throw new Error(await reply.text());
    for (const url of nodeUrls) await withServerClient((client) => rename(client, unfinished, name), url);
    return;
  }
  const url = await ensureDatabase(serverUrl, unfinished);
  const db = openDatabase<unknown>({ service: 'template', url, poolSize: 2 });
  await migrate(db, migrations);
  await db.destroy();
  await withServerClient((client) => rename(client, unfinished, name));
}

const rename = (client: pg.Client, from: string, to: string) =>
  client.query(`alter database ${pg.escapeIdentifier(from)} rename to ${pg.escapeIdentifier(to)}`);

/** Copies the settings of a database's sessions, which cloning does not, on all nodes. */
async function copySettings(client: pg.Client, from: string, to: string): Promise<void> {
  const { rows } = await client.query<{ setting: string }>(
    `select unnest(setconfig) as setting from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
     where d.datname = $1`,
    [from],
  );
  const statements = rows.map(({ setting }) => {
    const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(setting)!;
    return `alter database ${pg.escapeIdentifier(to)} set ${name} = ${pg.escapeLiteral(value)}`;
  });
  for (const url of nodeUrls)
    await withServerClient(async (node) => {
      for (const statement of statements) await node.query(statement);
    }, url);
}

/**
 * Returns SQL that moves a column of instants back, in an update. It does not depend on the time zone of the session,
 * as `- interval` does, so Citus can run it on the shard.
 */
export const shiftTimes = (column: string, interval: string): string =>
  `${column} = (((${column} at time zone 'UTC') - interval '${interval}') at time zone 'UTC')`;

/** Opens a service's database for a test, and checks whether it is on a cluster, as the service itself does. */
export async function openTestDatabase<Tables>(
  url: string,
  poolSize = 1,
): Promise<ReturnType<typeof openDatabase<Tables>>> {
  const db = openDatabase<Tables>({ service: 'test', url, poolSize });
  await detectCitus(db);
  return db;
}

/**
 * Waits until at least `count` statements of the database that contain `part` wait for locks of others, on any node.
 */
export async function waitUntilBlocked(url: string, part = '', count = 1): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const blocked = isOnCitus
    ? 'select from citus_lock_waits where position($1 in blocked_statement) > 0'
    : `select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and position($1 in query) > 0`;
  try {
    await eventually(async () => (await client.query(blocked, [part])).rowCount! >= count);
  } finally {
    await client.end();
  }
}

/** Drops every database, and every role of a service, whose name begins with `prefix`, on all nodes of a cluster. */
export async function dropDatabases(prefix: string): Promise<void> {
  for (const url of nodeUrls) await dropDatabasesOn(url, prefix);
}

async function dropDatabasesOn(url: string, prefix: string): Promise<void> {
  await withServerClient(async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [prefix],
    );
    for (const { datname } of rows) {
      await dropDatabase(client, datname);
    }
    const roles = await client.query<{ rolname: string }>(
      'select rolname from pg_roles where starts_with(rolname, $1)',
      [prefix],
    );
    for (const { rolname } of roles.rows)
      await client.query(`drop role if exists ${pg.escapeIdentifier(rolname)}`);
  }, url);
}

/** Drops a database, with retries: Citus's own connections return for a moment while they are ended. */
async function dropDatabase(client: pg.Client, name: string, attempts = 5): Promise<void> {
  try {
    await client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
  } catch (error) {
    const isInUse = (error as pg.DatabaseError).code === '55006';
    if (!isInUse || attempts <= 1) throw error;
    await dropDatabase(client, name, attempts - 1);
  }
}

/** Returns the tables of a database in which a text occurs anywhere, in any case. */
export async function findTablesContaining(url: string, text: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const statement = `select 1 from ${name} t where strpos(lower(t::text), lower($1)) > 0 limit 1`;
      if ((await client.query(statement, [text])).rowCount) found.push(name);
    }
    return found;
  } finally {
    await client.end();
  }
}

import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { StartError } from '../operations/config.ts';
import { connectTo, sqlState } from './database.ts';
import { lockTimeoutMs, setLockTimeout, withAdvisoryLock, withLockRetries } from './locks.ts';

const kernelMigrations = new URL('../../migrations/', import.meta.url);

/**
 * Brings a service's database up to date: first the kernel's own migrations (outbox, handled events), then the
 * service's, by name. Of several processes that start at once, one migrates and the others wait. No table is locked
 * against readers or writers for longer than a moment, so that running replicas keep working (`decisions.md 18.3`). A
 * file is of one of two kinds:
 *
 * - `0001_name.sql` runs in one transaction, for statements that are quick however large a table is. If it cannot lock
 *   a table at once, it lets the others go first and starts again.
 * - `0001_name.online.sql` runs statement by statement, each in a transaction of its own: for indexes (`create index
 *   concurrently if not exists`) and for filling columns. A statement ends with a `;` at the end of a line. A statement
 *   after the comment `-- In steps:` is repeated until it changes nothing. A migration that was killed starts again, so
 *   running every statement twice must do no harm.
 *
 * Returns the names of the migrations that it ran.
 */
export async function migrate(db: Kysely<unknown>, serviceMigrations: URL): Promise<string[]> {
  const migrations = await listMigrations(serviceMigrations);
  const newlyApplied: string[] = [];
  await db.connection().execute((connection) =>
    withAdvisoryLock(connection, migrationsLock, async () => {
      await setLockTimeout(connection, lockTimeoutMs);
      const applied = await readAppliedMigrations(connection);
      for (const { name, isOnline, text } of migrations) {
        if (applied.has(name)) continue;
        const run = async (db: Kysely<unknown>) => {
          await (isOnline ? runOnline(db, text) : sql.raw(text).execute(db));
          await recordMigration(db, name);
        };
        await withLockRetries(() => (isOnline ? run(connection) : connection.transaction().execute(run)));
        newlyApplied.push(name);
      }
    }),
  );
  return newlyApplied;
}

/**
 * How long to wait, in milliseconds, for another process to migrate, and the function that gets a line about the
 * missing migrations.
 */
export interface MigrationWait {
  waitMs: number;
  log(line: string): void;
}

/**
 * Waits until a service's database has all of its migrations, which a step before the process runs (`decisions.md
 * 18.3`). Throws a StartError of one line that names the missing ones if they do not arrive in time. Migrations of a
 * later version do not matter: they take nothing away from this one.
 */
export async function requireMigrated(
  service: string,
  url: string,
  serviceMigrations: URL,
  { waitMs, log }: MigrationWait,
): Promise<void> {
  const names = (await listMigrations(serviceMigrations)).map(({ name }) => name);
  const deadline = Date.now() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    const applied = await findAppliedMigrations(url);
    const missing = names.filter((name) => !applied.includes(name));
    if (missing.length === 0) return;
    const which = missing.length > 1 ? `${missing.length} migrations, ${missing[0]} to` : 'the migration';
    const line = `the database of ${service} lacks ${which} ${missing.at(-1)}: this version's "${service} migrate" runs them`;
    if (Date.now() >= deadline) throw new StartError(line);
    if (isFirst) log(line);
    await sleep(checkEveryMs);
  }
}

const checkEveryMs = 500;

/** Returns the migrations that the database has, none if it does not exist yet. */
async function findAppliedMigrations(url: string): Promise<string[]> {
  const [unknownDatabase, unknownTable] = ['3D000', '42P01'];
  const client = await connectTo(url).catch((error: Error) => {
    if (sqlState(error.cause) !== unknownDatabase) throw error;
  });
  if (!client) return [];
  try {
    const { rows } = await client.query('select name from migration');
    return rows.map(({ name }) => name);
  } catch (error) {
    if (sqlState(error) !== unknownTable) throw error;
    return [];
  } finally {
    await client.end();
  }
}

/** Returns the names of the migrations that a database has recorded as done. */
async function readAppliedMigrations(connection: Kysely<unknown>): Promise<ReadonlySet<string>> {
  await sql`create table if not exists migration (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(
    connection,
  );
  const { rows } = await sql<{ name: string }>`select name from migration`.execute(connection);
  return new Set(rows.map(({ name }) => name));
}

const recordMigration = (db: Kysely<unknown>, name: string) =>
  sql`insert into migration (name, timestamp) values (${name}, ${new Date().toISOString()})`.execute(db);

/** "waybill" */
const migrationsLock = 0x77617962;

interface Migration {
  /** The name of its file without the extension. */
  name: string;
  isOnline: boolean;
  text: string;
}

/**
 * Returns the migrations of the kernel and of a service, by name. A service without tables of its own may name the
 * kernel's folder.
 */
async function listMigrations(serviceMigrations: URL): Promise<Migration[]> {
  const folders = new Set([kernelMigrations.href, serviceMigrations.href]);
  const all = await Promise.all([...folders].map((folder) => readMigrations(new URL(folder))));
  return all.flat().sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function readMigrations(folder: URL): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql'));
  return Promise.all(
    files.map(async (file) => ({
      name: file.replace(/(\.online)?\.sql$/, ''),
      isOnline: file.endsWith('.online.sql'),
      text: await readFile(new URL(file, folder), 'utf8'),
    })),
  );
}

async function runOnline(connection: Kysely<unknown>, text: string): Promise<void> {
  for (const statement of splitStatements(text)) {
    const [, index] =
      /^create (?:unique )?index concurrently if not exists (\w{1,63})/im.exec(statement) ?? [];
    if (index) await dropUnfinishedIndex(connection, index);
    const isInSteps = /^-- In steps:$/m.test(statement);
    // A concurrent build blocks nobody while it waits, and an aborted one would leave half an index.
    await setLockTimeout(connection, /\bconcurrently\b/i.test(statement) ? 0 : lockTimeoutMs);
    let changed: bigint | undefined;
    do {
      await withLockRetries(async () => {
        changed = (await sql.raw(statement).execute(connection)).numAffectedRows;
      });
    } while (isInSteps && changed);
  }
  await setLockTimeout(connection, lockTimeoutMs);
}

/** Returns the statements of a text, each with the comments above it. */
function splitStatements(text: string): string[] {
  return text.split(/;[ \t]*$/m).filter((statement) => statement.replace(/--.*$/gm, '').trim());
}

/** Drops the index of an aborted concurrent build: PostgreSQL would keep it up to date and never read it. */
async function dropUnfinishedIndex(connection: Kysely<unknown>, index: string): Promise<void> {
  const { rows } = await sql`
    select from pg_index where indexrelid = to_regclass(${index}) and not indisvalid`.execute(connection);
  if (rows.length > 0) await sql`drop index concurrently ${sql.ref(index)}`.execute(connection);
}

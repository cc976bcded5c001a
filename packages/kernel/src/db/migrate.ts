import { readdir, readFile } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { alone, setLockTimeout, withLockRetries } from './locks.ts';

const kernelMigrations = new URL('../../migrations/', import.meta.url);

/** How long a migration may stand in a table's line: who comes behind it waits as long. `decisions.md 18.3`. */
const lockTimeoutMs = 1_000;

/**
 * Brings a service's database up to date: the kernel's own migrations (outbox, handled events), then the service's, by
 * name. Of several processes that start at once one migrates and the others wait. No table is taken from readers or
 * writers for longer than a moment, so that what is running goes on (`decisions.md 18.3`). A file is one of two kinds:
 *
 * - `0001_name.sql` is one transaction: for what is quick however large a table is. A table that it cannot have at
 *   once it leaves to the others, and begins anew.
 * - `0001_name.online.sql` is statement by statement, each its own transaction: for indexes (`create index
 *   concurrently if not exists`) and for filling columns. A statement ends with a `;` at the end of a line. One that
 *   follows the comment `-- In steps:` is repeated until it changes nothing. Killed in the middle it begins anew, so
 *   every statement must bear to be run again.
 */
export async function migrate(db: Kysely<unknown>, serviceMigrations: URL): Promise<void> {
  const migrations = {
    ...(await readMigrations(kernelMigrations)),
    ...(await readMigrations(serviceMigrations)),
  };
  await db.connection().execute(async (connection) => {
    const migrator = new Migrator({
      db: connection,
      allowUnorderedMigrations: true,
      migrationTableName: 'migration',
      migrationLockTableName: 'migration_lock',
      provider: { getMigrations: async () => migrations },
    });
    await alone(connection, migrationsLock, async () => {
      await setLockTimeout(connection, lockTimeoutMs);
      for (;;) {
        const next = (await migrator.getMigrations()).find(({ executedAt }) => !executedAt);
        if (!next) return;
        await withLockRetries(async () => {
          const { error } = await migrator.migrateUp({
            disableTransactions: migrations[next.name]!.isOnline,
          });
          if (error) throw error;
        });
      }
    });
  });
}

/** "waybill" */
const migrationsLock = 0x77617962;

interface OurMigration extends Migration {
  isOnline: boolean;
}

async function readMigrations(folder: URL): Promise<Record<string, OurMigration>> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql'));
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')));
  return Object.fromEntries(
    files.map((file, i) => {
      const isOnline = file.endsWith('.online.sql');
      const run = isOnline ? runOnline : runWhole;
      return [
        file.replace(/(\.online)?\.sql$/, ''),
        { isOnline, up: (db: Kysely<unknown>) => run(db, texts[i]!) },
      ];
    }),
  );
}

async function runWhole(trx: Kysely<unknown>, text: string): Promise<void> {
  await sql.raw(text).execute(trx);
}

async function runOnline(connection: Kysely<unknown>, text: string): Promise<void> {
  for (const statement of statementsOf(text)) {
    const [, index] = /^create (?:unique )?index concurrently if not exists (\w+)/im.exec(statement) ?? [];
    if (index) await dropUnfinished(connection, index);
    const isInSteps = /^-- In steps:$/m.test(statement);
    // A concurrent build keeps nobody out while it waits, and broken off it would leave half an index.
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

/** The statements of a text, each with the comments above it. */
function statementsOf(text: string): string[] {
  return text.split(/;[ \t]*$/m).filter((statement) => statement.replace(/--.*$/gm, '').trim());
}

/** A concurrent build that was broken off leaves an index that is kept up and never read. */
async function dropUnfinished(connection: Kysely<unknown>, index: string): Promise<void> {
  const { rows } = await sql`
    select from pg_index where indexrelid = to_regclass(${index}) and not indisvalid`.execute(connection);
  if (rows.length > 0) await sql`drop index concurrently ${sql.ref(index)}`.execute(connection);
}

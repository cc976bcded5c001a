import { readdir, readFile } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';

const kernelMigrations = new URL('../../migrations/', import.meta.url);

/**
 * Brings a service's database up to date: the kernel's own migrations (outbox, handled events), then the
 * service's, by name. Kysely's migrator holds an advisory lock, so of several processes that start at once one
 * migrates and the others wait.
 */
export async function migrate(db: Kysely<unknown>, serviceMigrations: URL): Promise<void> {
  const migrator = new Migrator({
    db,
    allowUnorderedMigrations: true,
    migrationTableName: 'migration',
    migrationLockTableName: 'migration_lock',
    provider: {
      async getMigrations() {
        return { ...(await readMigrations(kernelMigrations)), ...(await readMigrations(serviceMigrations)) };
      },
    },
  });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

async function readMigrations(folder: URL): Promise<Record<string, Migration>> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql'));
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')));
  return Object.fromEntries(
    files.map((file, i) => [
      file.replace(/\.sql$/, ''),
      { up: async (db: Kysely<unknown>) => void (await sql.raw(texts[i]!).execute(db)) },
    ]),
  );
}

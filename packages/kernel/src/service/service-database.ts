import type { Kysely } from 'kysely';
import { databaseUrl, ensureDatabase, openDatabase } from '../db/database.ts';
import { migrate, requireMigrated } from '../db/migrate.ts';
import type { ServiceDefinition } from './definition.ts';
import type { Infra } from './infra.ts';

/** Returns the URL of a service's database, with all migrations of this version. */
export async function ensureMigrated(
  definition: ServiceDefinition,
  { migrations, ...infra }: Pick<Infra, keyof MigrationInfra | 'migrations'>,
): Promise<string> {
  if (migrations === 'run') return migrateDatabase(definition, infra);
  const url = databaseUrl(infra.databaseUrl, databaseName(definition.name, infra.namespace));
  const log = (line: string) => infra.log.warn(`waiting: ${line}`);
  await requireMigrated(definition.name, url, definition.migrations!, { ...migrations, log });
  return url;
}

/** The infrastructure of a migration: the database and nothing else. */
export type MigrationInfra = Pick<Infra, 'databaseUrl' | 'namespace' | 'log'>;

const databaseName = (service: string, namespace: string) => `${namespace}_${service}`.replaceAll('-', '_');

/** Creates a service's database if necessary, migrates it, and returns its URL. */
async function migrateDatabase(
  { name, migrations }: ServiceDefinition,
  { databaseUrl, namespace, log }: MigrationInfra,
): Promise<string> {
  const url = await ensureDatabase(databaseUrl, databaseName(name, namespace));
  // No timeout: an index over millions of rows takes long, also if another process is building it.
  const migrationDb = openDatabase<unknown>({ service: name, url, poolSize: 1, statementMs: 0, log });
  try {
    const applied = await migrate(migrationDb, migrations!);
    log.info({ service: name, migrations: applied }, 'the database is up to date');
  } finally {
    await migrationDb.destroy();
  }
  return url;
}

/**
 * Migrates the database of a service: the step before a deployment. It may run while other versions do, twice at once,
 * and again after it was killed.
 */
export async function migrateOnly(definition: ServiceDefinition, infra: MigrationInfra): Promise<void> {
  if (definition.migrations) await migrateDatabase(definition, infra);
}

/** Stands for the database of a service that has none. */
export function noDatabase(service: string): Kysely<unknown> {
  return new Proxy({} as Kysely<unknown>, {
    get() {
      throw new Error(`the service ${service} has no database`);
    },
  });
}

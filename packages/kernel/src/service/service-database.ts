import type { Kysely } from 'kysely';
import { databaseUrl, ensureDatabase, openDatabase } from '../db/database.ts';
import { migrate, requireMigrated } from '../db/migrate.ts';
import type { ServiceDefinition } from './definition.ts';
import type { Infra } from './infra.ts';

/** Returns the URL of a service's database, with all migrations of this version. */
export async function upToDateDatabase(
  definition: ServiceDefinition,
  { migrations, ...infra }: Pick<Infra, keyof MigrationInfra | 'migrations'>,
): Promise<string> {
  if (migrations === 'run') return migratedDatabase(definition, infra);
  const url = databaseUrl(infra.databaseUrl, databaseName(definition.name, infra.namespace));
  const say = (line: string) => infra.log.warn(`waiting: ${line}`);
  await requireMigrated(definition.name, url, definition.migrations!, { ...migrations, say });
  return url;
}

/** The infrastructure of a migration: the database and nothing else. */
export type MigrationInfra = Pick<Infra, 'databaseUrl' | 'namespace' | 'log'>;

const databaseName = (service: string, namespace: string) => `${namespace}_${service}`.replaceAll('-', '_');

/** Creates a service's database if necessary, migrates it, and returns its URL. */
async function migratedDatabase(
  { name, migrations }: ServiceDefinition,
  { databaseUrl, namespace, log }: MigrationInfra,
): Promise<string> {
  const url = await ensureDatabase(databaseUrl, databaseName(name, namespace));
  // No timeout: an index over millions of rows takes its time, also if another process is building it.
  const patient = openDatabase<unknown>({ service: name, url, poolSize: 1, statementMs: 0, log });
  try {
    const ran = await migrate(patient, migrations!);
    log.info({ service: name, migrations: ran }, 'the database is up to date');
  } finally {
    await patient.destroy();
  }
  return url;
}

/**
 * Migrates the database of a service: the step before a deployment. It may run while other versions do, twice at once,
 * and again after it was killed.
 */
export async function migrateOnly(definition: ServiceDefinition, infra: MigrationInfra): Promise<void> {
  if (definition.migrations) await migratedDatabase(definition, infra);
}

/** Stands for the database of a service that has none. */
export function noDatabase(service: string): Kysely<unknown> {
  return new Proxy({} as Kysely<unknown>, {
    get() {
      throw new Error(`the service ${service} has no database`);
    },
  });
}

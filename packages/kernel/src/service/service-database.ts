import type { Kysely } from 'kysely';
import { databaseUrl, ensureDatabase, openDatabase } from '../db/database.ts';
import { migrate, requireMigrated } from '../db/migrate.ts';
import type { ServiceDefinition } from './definition.ts';
import type { Infra } from './infra.ts';

/** The URL of a service's database, which has all that this version wants. */
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

/** What a migration needs: the database and nothing else. */
export type MigrationInfra = Pick<Infra, 'databaseUrl' | 'namespace' | 'log'>;

const databaseName = (service: string, namespace: string) => `${namespace}_${service}`.replaceAll('-', '_');

/** The URL of a service's database, which is made if need be and brought up to date. */
async function migratedDatabase(
  { name, migrations }: ServiceDefinition,
  { databaseUrl, namespace, log }: MigrationInfra,
): Promise<string> {
  const url = await ensureDatabase(databaseUrl, databaseName(name, namespace));
  // An index over millions of rows takes the time that it takes, and so does another process that is making it.
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
 * Brings the database of a service up to date: the step before a deployment, which may run while other versions do, twice
 * at once, and again after it was killed.
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

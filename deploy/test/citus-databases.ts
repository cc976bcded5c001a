import { randomBytes } from 'node:crypto';
import { migrate, openDatabase } from '@waybill/kernel';
import { serverUrl, withServerClient } from '@waybill/testing';
import pg from 'pg';
import { distributeDatabase, joinDatabase, parseNodes } from '../citus/distribute.ts';
import { services } from '../services.ts';

/** A database that the tests request; a service that only stands in for one has no plan of its own. */
interface WantedDatabase {
  service: string;
  database: string;
  /** The URL of the folder of the migrations. */
  migrations: string;
}

const key = randomBytes(32).toString('base64url');
/** Required settings; only those that SQL reads matter here. */
const env = {
  PUBLIC_BASE_URL: 'http://127.0.0.1:8080',
  WAYBILL_PRINCIPAL_KEY: key,
  WAYBILL_USER_TOKEN_KEY: key,
  WAYBILL_WEBHOOK_ENCRYPTION_KEY: key,
  WAYBILL_PAYMENT_ENCRYPTION_KEY: key,
  WAYBILL_SERVICE_TOKEN: key,
};

/**
 * Creates a service's database on all nodes of the tests' Citus cluster: migrated, distributed, and without
 * connections.
 */
export async function createDistributedDatabase(wanted: WantedDatabase): Promise<string> {
  const { service, database: name, migrations } = wanted;
  const definition = services.find((each) => each.name === service);
  const workers = parseNodes('WAYBILL_TEST_CITUS_WORKERS', process.env.WAYBILL_TEST_CITUS_WORKERS ?? '');
  const nodes = [serverUrl, ...workers.map(({ host, port }) => urlOf('postgres', { host, port }))];
  const database = pg.escapeIdentifier(name);
  for (const node of nodes) {
    await withServerClient(
      (client) => client.query(`create database ${database} template template0 encoding 'UTF8'`),
      node,
    );
    const own = Object.assign(new URL(node), { pathname: `/${name}` }).href;
    await withServerClient((client) => client.query('create extension citus'), own);
  }
  const config = definition?.config.read(env);
  const settings = definition?.sqlSettings?.(config) ?? {};
  await joinDatabase(name, { adminUrl: serverUrl, workers, settings });
  const url = urlOf(name);
  const db = openDatabase<unknown>({ service: 'template', url, poolSize: 2 });
  await migrate(db, new URL(migrations));
  await db.destroy();
  await distributeDatabase(url, definition ? service : null);
  // A database with connections can be neither renamed nor copied, and Citus itself is connected.
  for (const node of nodes)
    await withServerClient(async (client) => {
      await client.query(`alter database ${database} allow_connections false`);
      await client.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [
        name,
      ]);
    }, node);
  return name;
}

function urlOf(database: string, node?: { host: string; port: number }): string {
  const url = new URL(serverUrl);
  if (node) Object.assign(url, { hostname: node.host, port: String(node.port) });
  url.pathname = `/${database}`;
  return url.href;
}

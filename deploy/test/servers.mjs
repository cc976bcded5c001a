import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

const usual = 'postgres://postgres@127.0.0.1:5432/postgres';

/** Before a test run: finds a PostgreSQL or starts the embedded one, and clears what dead runs have left. */
export default async function prepareServers() {
  process.env.WAYBILL_TEST_RUN = String(process.pid);
  process.env.DATABASE_URL ||= usual;
  if (!(await answers(process.env.DATABASE_URL))) {
    const { startPostgres } = await import('../standalone/postgres.ts');
    const dataDir = await mkdtemp(join(tmpdir(), 'waybill-test-'));
    const postgres = await startPostgres({ dataDir, log: () => {} });
    process.env.DATABASE_URL = postgres.url;
    globalThis.embeddedPostgres = { ...postgres, dataDir };
  }
  await dropDatabasesOfDeadRuns();
}

async function answers(connectionString) {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2000 });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

async function dropDatabasesOfDeadRuns() {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  const { rows } = await client.query(`select datname from pg_database where datname ~ '^wbt_[0-9]+_'`);
  for (const { datname } of rows) {
    if (isAlive(Number(datname.split('_')[1]))) continue;
    await client.query(`drop database if exists ${pg.escapeIdentifier(datname)} with (force)`);
  }
  await client.end();
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

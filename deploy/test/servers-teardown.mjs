import pg from 'pg';

/** After a test run: stops its systems, drops its databases and stops the servers that it has started. */
export default async function clearServers() {
  await globalThis.stopSharedSystems();
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  const { rows } = await client.query('select datname from pg_database where starts_with(datname, $1)', [
    `wbt_${process.env.WAYBILL_TEST_RUN}_`,
  ]);
  for (const { datname } of rows) {
    await client.query(`drop database if exists ${pg.escapeIdentifier(datname)} with (force)`);
  }
  await client.end();
  await globalThis.stopOwnServers();
}

import { createServer } from 'node:http';
import pg from 'pg';
import { startMissingServers } from '../testing/missing-servers.ts';
import { neededPrograms } from './needs.mjs';
import { createRunFolder, removeRunFolder } from './run-folder.ts';

/**
 * A cluster uses some forty connections, and four clusters may run at once with the other suites. The data ends with the
 * run: power cuts are tested with separate servers.
 */
const postgresOptions = {
  maxConnections: 400,
  settings: {
    fsync: 'off',
    full_page_writes: 'off',
    // Otherwise one process after the other looks through all databases of a run once a minute.
    autovacuum_naptime: '10min',
    // The log, too, may be in memory.
    max_wal_size: '256MB',
    // A run opens some two thousand connections, each with a password that nobody attacks.
    scram_iterations: '1',
  },
};

/**
 * Before a test run: finds the servers that the tests use, or starts the run's own, from Debian's packages if they are
 * missing and may be installed; and removes leftovers of dead runs.
 */
export default async function prepareServers({ rootDir, nonFlagArgs }) {
  process.env.WAYBILL_TEST_RUN = String(process.pid);
  const folder = await createRunFolder(isAlive);
  // For `tmpdir()` of the servers, the workers and the systems that they start.
  process.env.TMPDIR = folder;
  if (process.env.WAYBILL_TEST_CITUS) process.env.DATABASE_URL = process.env.WAYBILL_TEST_CITUS;
  const [servers, sharedSystems] = await Promise.all([
    startMissingServers(neededPrograms(rootDir, nonFlagArgs), postgresOptions),
    offerSharedSystems(),
  ]);
  globalThis.stopOwnServers = async () => {
    await Promise.all([servers.stop(), sharedSystems.stop()]);
    await removeRunFolder(folder);
  };
  await dropDatabasesOfDeadRuns();
}

/**
 * Offers whole systems that several suites share. `GET /<topology>` starts one for the first suite and returns its
 * address to each. `GET /<topology>/output` returns its output, `GET /spans` the spans that the systems have sent to a
 * collector. The systems use the run's own emulator of Stripe, through its pages. They belong to this process, because
 * a worker may end before the other workers. `GET /distributed?service=…` creates a migrated database on a Citus cluster.
 */
async function offerSharedSystems() {
  const started = new Map();
  let trusted;
  const { startCollector } = await import('./e2e/collector.ts');
  const collector = await startCollector();
  // Imported once the servers are running: the module reads their addresses when it is loaded.
  let stripe;
  const startStripe = async () => (await import('@waybill/testing')).startStripeEmulator();
  // Only requests that ask for spans cause them.
  const traced = { ...collector.env, OTEL_TRACES_SAMPLER: 'parentbased_always_off' };
  async function start(name) {
    const { namedReviewer, topologies, unlimited } = await import('./e2e/topologies.ts');
    const topology = topologies.find((each) => each.name === name);
    stripe ??= startStripe();
    return topology.start({
      ...unlimited,
      ...traced,
      WEBHOOK_TRUSTED_TARGETS: trusted,
      STRIPE_API_URL: (await stripe).url,
      PLATFORM_REVIEWER_EMAILS: namedReviewer,
    });
  }
  const server = createServer(async (req, res) => {
    const { pathname, searchParams } = new URL(req.url, 'http://127.0.0.1');
    const [, name, what] = pathname.split('/');
    if (name === 'spans') return void res.end(JSON.stringify(collector.spans));
    try {
      if (name === 'distributed') {
        const { createDistributedDatabase } = await import('./citus-databases.ts');
        return void res.end(await createDistributedDatabase(Object.fromEntries(searchParams)));
      }
      if (!started.has(name)) started.set(name, start(name));
      const { baseUrl, demo, dataDir, output, pids } = await started.get(name);
      res.end(what === 'output' ? output() : JSON.stringify({ baseUrl, demo, dataDir, pids: pids() }));
    } catch (error) {
      res.writeHead(500).end(error.stack);
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.env.WAYBILL_TEST_SHARED = `http://127.0.0.1:${server.address().port}`;
  const { freePorts } = await import('../free-port.ts');
  const [appPort, ...ports] = await freePorts(21);
  process.env.WAYBILL_TEST_RECEIVERS = ports.map((port) => `127.0.0.1/32:${port}`).join();
  process.env.WAYBILL_TEST_APP_PORT = String(appPort);
  trusted = `${process.env.WAYBILL_TEST_RECEIVERS},127.0.0.1/32:${appPort}`;
  // Also called before the run's end, as soon as no suite uses a system (shared-systems.mjs); a later suite has a new
  // one started.
  let stopped = Promise.resolve();
  globalThis.stopSharedSystems = (topologies = [...started.keys()]) => {
    const stops = topologies.map(async (topology) => {
      const system = started.get(topology);
      started.delete(topology);
      await (await system?.catch(() => {}))?.stop();
    });
    stopped = Promise.all([stopped, ...stops]);
    return stopped;
  };
  globalThis.lastFailuresOfSharedSystems = async () => {
    const systems = await Promise.all([...started.values()].map((system) => system.catch(() => {})));
    const lines = systems.flatMap((system) => system?.output().split('\n') ?? []);
    return lines.filter((line) => line.includes('a request failed')).slice(-10);
  };
  return {
    async stop() {
      server.close();
      await Promise.all([collector.close(), stripe?.then((emulator) => emulator.close())]);
    },
  };
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

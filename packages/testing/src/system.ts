import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Principal } from '@waybill/contracts';
import {
  collectPrincipalKeys,
  createInProcessBus,
  createInProcessCache,
  createLog,
  createPrincipalSigner,
  type Env,
  ed25519Key,
  principalHeader,
  type Running,
  readServiceTokens,
  run,
  type ServiceDefinition,
} from '@waybill/kernel';
import pg from 'pg';
import { cloneDatabases, dropDatabases, serverUrl } from './databases.ts';

const principalSeed = randomBytes(32).toString('base64url');
const sign = createPrincipalSigner(ed25519Key(principalSeed));

let signedFrom = 0;
let tokens = new Map<string, Promise<string>>();

/**
 * Signs a principal. As in the gateway, one token serves many requests; only for a few seconds, so that each token has
 * most of its life left.
 */
function signPrincipal(principal: Principal): Promise<string> {
  if (Date.now() - signedFrom > 5_000) {
    signedFrom = Date.now();
    tokens = new Map();
  }
  const facts = JSON.stringify(principal);
  const token = tokens.get(facts) ?? sign(facts, principal);
  tokens.set(facts, token);
  return token;
}

export interface TestSystem {
  /** The public address; only if the gateway is among the services. */
  url: string;
  internalUrl: string;
  serviceToken: string;
  /** Returns the headers with which the gateway would pass this principal to a service. */
  as(principal: Principal): Promise<Record<string, string>>;
  databaseUrl(service: string): string;
  /** The folder where services store files; `stop` removes it. */
  dataDir: string;
  namespace: string;
  /**
   * Stops the services, runs `runWhileStopped`, and restarts them on the same databases, with `changes` of their settings.
   */
  restart(changes?: Env, runWhileStopped?: () => Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
}

/** Runs a statement in a service's database, for changes that no request can make. */
export async function runSql(system: TestSystem, service: string, statement: string): Promise<object[]> {
  const client = new pg.Client(system.databaseUrl(service));
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    // An open connection would end the worker when the system's databases are dropped.
    await client.end();
  }
}

/** Counts the transactions of a service that stay open and idle, such as those that wait for other services. */
export async function countWaitingTransactions(system: TestSystem, service: string): Promise<number> {
  const client = new pg.Client(system.databaseUrl(service));
  await client.connect();
  try {
    const { rows } = await client.query(
      `select count(*)::int from pg_stat_activity a
       where datname = current_database() and state = 'idle in transaction' and pid <> pg_backend_pid()
         and state_change < clock_timestamp() - interval '50 milliseconds'`,
    );
    return rows[0].count;
  } finally {
    await client.end();
  }
}

/** Counts the statements that this process sends to databases during some work. */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const { submit } = pg.Query.prototype;
  let count = 0;
  pg.Query.prototype.submit = function (connection) {
    count++;
    submit.call(this, connection);
  };
  try {
    await work();
  } finally {
    pg.Query.prototype.submit = submit;
  }
  return count;
}

/**
 * For supertest's `agent`: keeps connections open for further requests, as the gateway does; a new one for each costs
 * more.
 */
export const keptConnections = new Agent({ keepAlive: true });

/** Closes idle connections, to which a stop would give time to finish. */
function closeIdleConnections(): void {
  for (const socket of Object.values(keptConnections.freeSockets).flat()) socket?.destroy();
}

/**
 * Starts services in this process, in the standalone topology. They get databases of their own, which are cloned from
 * the run's templates and dropped by `stop`.
 */
export async function startSystem(
  services: readonly ServiceDefinition[],
  env: Env = {},
): Promise<TestSystem> {
  const namespace = `wbt_${process.env.WAYBILL_TEST_RUN ?? process.pid}_${randomBytes(4).toString('hex')}`;
  await cloneDatabases(services, namespace);
  const dataDir = await mkdtemp(join(tmpdir(), 'waybill-test-'));
  const serviceToken = randomBytes(32).toString('base64url');
  let settings: Env = {
    WAYBILL_PRINCIPAL_KEY: principalSeed,
    WAYBILL_USER_TOKEN_KEY: randomBytes(32).toString('base64url'),
    WAYBILL_WEBHOOK_ENCRYPTION_KEY: randomBytes(32).toString('base64url'),
    WAYBILL_PAYMENT_ENCRYPTION_KEY: randomBytes(32).toString('base64url'),
    WAYBILL_SERVICE_TOKEN: serviceToken,
    WAYBILL_DATA_DIR: dataDir,
    ...env,
  };
  let running: Running | undefined;
  let addresses: Pick<Running, 'url' | 'internalUrl'>;
  const start = async () => {
    const log = createLog(process.env.TEST_LOG ?? 'silent');
    running = await run(services, {
      env: settings,
      log,
      bus: createInProcessBus(log),
      cache: createInProcessCache(),
      databaseUrl: serverUrl,
      namespace,
      migrations: 'run',
      poolSize: 5,
      principalKeys: collectPrincipalKeys(settings),
      ...readServiceTokens(settings),
      peerUrls: {},
      listen: { host: '127.0.0.1', port: 0 },
      internal: { host: '127.0.0.1', port: 0 },
    });
    addresses = { url: running.url, internalUrl: running.internalUrl };
  };
  const stop = async () => {
    closeIdleConnections();
    await running?.stop();
    // A worker keeps the modules of all its suites, and with a suite's system all that its services have in memory.
    running = undefined;
  };
  await start();

  return {
    get url() {
      return addresses.url ?? '';
    },
    get internalUrl() {
      return addresses.internalUrl;
    },
    serviceToken,
    namespace,
    dataDir,
    as: async (principal) => ({ [principalHeader]: await signPrincipal(principal) }),
    databaseUrl(service) {
      const url = new URL(serverUrl);
      url.pathname = `/${namespace}_${service.replaceAll('-', '_')}`;
      return url.href;
    },
    async restart(changes = {}, runWhileStopped = async () => {}) {
      await stop();
      await runWhileStopped();
      settings = { ...settings, ...changes };
      await start();
    },
    async stop() {
      await stop();
      await dropDatabases(namespace);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

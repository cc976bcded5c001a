import { once } from 'node:events';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  checkSettings,
  createLog,
  type Env,
  migrateOnly,
  processSettings,
  runProgram,
  type ServiceDefinition,
  StartError,
} from '@waybill/kernel';
import got from 'got';
import { announce, say } from '../announce.ts';
import { distributeTables, joinNodes, parseNodes } from '../citus/distribute.ts';
import { ensureDemo, furnishStore, isFurnishing } from '../demo/demo.ts';
import { freePorts } from '../free-port.ts';
import { principalPublicKeys, readCallers, withSecrets } from '../secrets.ts';
import { createInstalledDatabases, databaseServices } from '../servers/databases.ts';
import { services } from '../services.ts';
import { settings } from '../settings.ts';
import { openDataDirectory } from '../standalone/data-directory.ts';
import { requireServers } from './servers.ts';
import { readReplicaCounts, takeDistributionOption } from './settings.ts';
import { type Supervised, supervise } from './supervised.ts';

type Servers = ReturnType<(typeof processSettings)['read']>;

interface Copy {
  definition: ServiceDefinition;
  label: string;
  port: number;
}

const readyDeadlineMs = 60_000;
/** Polling has a cost while nine processes are about to start on two cores. */
const readyPollMs = 150;

/**
 * Starts every service as a process of its own on PostgreSQL, RabbitMQ and Redis, `decisions.md 9.2`: the topology of
 * production, on one machine. `npm run cluster -- --delivery 3` runs three copies of a service. SIGHUP restarts every
 * copy in turn, as a roll-out does: the next one when the previous one is ready again.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: each step needs what the last ones started
async function start(): Promise<() => Promise<void>> {
  const { port, internalPort, dataDir, demo, hasShop, storesFiles, publicUrl, ...citus } = settings.read(
    process.env,
  );
  const { isDistributed: isRequested, rest } = takeDistributionOption(process.argv.slice(2));
  const replicaCounts = readReplicaCounts(rest, services);
  const directory = await openDataDirectory(resolve(dataDir));
  const demoFile = join(directory.path, 'demo.json');
  const running: Supervised[] = [];
  let isStopping = false;
  const stop = async () => {
    isStopping = true;
    await stopProcesses(running.splice(0));
    await directory.release();
  };
  try {
    const env: Env = {
      ...(await withSecrets(directory.path, process.env)),
      WAYBILL_DATA_DIR: directory.path,
      PUBLIC_BASE_URL: publicUrl,
      // `full` enables the import of past orders, while the demo is being created.
      WAYBILL_DEMO: !demo ? 'off' : isFurnishing(demoFile, hasShop) ? 'full' : 'on',
    };
    checkSettings(
      services.map(({ config }) => config),
      env,
    );
    const callers = await readCallers(directory.path, process.env, startOrder);
    const servers = processSettings.read({ ...env, ...callers.settingsOf('gateway') });
    await requireServers(servers);
    await requireFreePort(port);

    const processes = await planProcesses(replicaCounts, internalPort);
    const peers = processes.map((copy) => `${copy.definition.name}=http://127.0.0.1:${copy.port}`).join(',');
    const width = Math.max(...processes.map(({ label }) => label.length));
    const isDistributed = isRequested || citus.citusWorkers !== '';
    if (isDistributed) await joinCitus(directory.path, servers, { ...citus, env });
    const databases = await ownDatabases(directory.path, servers);
    await migrateAll(databases, servers);
    if (isDistributed) await distributeTables((service) => databases(service).DATABASE_URL!, say);
    const shared = {
      peers,
      port,
      readyFile: demo ? demoFile : undefined,
      isShared: replicaCounts.gateway! > 1,
    };
    for (const copy of processes) {
      const { name } = copy.definition;
      const own = childEnv({ ...env, ...databases(name), ...callers.settingsOf(name) }, copy, shared);
      running.push(supervise(name, copy.label.padEnd(width), own));
    }
    await Promise.all(
      processes
        .filter(({ definition }) => !definition.front)
        .map((copy) => ready(`http://127.0.0.1:${copy.port}/health/ready`, copy.label)),
    );
    const url = `http://127.0.0.1:${port}`;
    await reachable(url);
    const findUrl = (name: string) =>
      `http://127.0.0.1:${processes.find(({ definition }) => definition.name === name)!.port}`;
    const identityUrl = findUrl('identity');
    const serviceToken = callers.operatorToken;
    await directory.announce({ baseUrl: publicUrl, identityUrl });
    const system = { url, identityUrl, ordersUrl: findUrl('orders'), serviceToken, storesFiles };
    if (demo) await ensureDemo(demoFile, system, { hasShop });
    await ready(`${url}/healthz`, 'the system');
    const gateway = processes.find(({ definition }) => definition.front)!;
    announce(publicUrl, `http://127.0.0.1:${gateway.port}`, demo ? demoFile : null);
    if (hasShop) void furnishStore(demoFile, system, say);

    restartOnSighup(processes, running, () => isStopping);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Stops all processes: the gateway first, so that the services behind it can finish their work. */
async function stopProcesses(all: readonly Supervised[]): Promise<void> {
  const isGateway = ({ label }: Supervised) => label.startsWith('gateway');
  await Promise.all(all.filter(isGateway).map((process) => process.stop()));
  // Nobody sends requests to the others now.
  await Promise.all(all.map((process) => process.stop()));
}

/** Returns the copies of all services in the order of their start, each with a free port. */
async function planProcesses(
  copies: Readonly<Record<string, number>>,
  internalPort: number,
): Promise<Copy[]> {
  const ordered = startOrder.map((name) => services.find((service) => service.name === name)!);
  const ports = await freePorts(ordered.reduce((sum, { name }) => sum + copies[name]!, 0));
  return ordered.flatMap((definition) =>
    Array.from({ length: copies[definition.name]! }, (_, i): Copy => {
      const label = copies[definition.name]! > 1 ? `${definition.name}-${i + 1}` : definition.name;
      const hasInternalPort = definition.front && internalPort > 0 && i === 0;
      return { definition, label, port: hasInternalPort ? internalPort : ports.pop()! };
    }),
  );
}

/** Restarts every process in turn at each SIGHUP, as a roll-out does: the next one when the previous one is ready. */
function restartOnSighup(
  processes: readonly Copy[],
  running: readonly Supervised[],
  isStopping: () => boolean,
): void {
  let rolling = Promise.resolve();
  const roll = async () => {
    for (const [i, { label, port: health }] of processes.entries()) {
      if (isStopping()) return;
      await running[i]!.restart();
      await ready(`http://127.0.0.1:${health}/health/ready`, label);
    }
    say('Every process has been restarted.');
  };
  process.on('SIGHUP', () => {
    rolling = rolling.then(roll).catch((error) => say(`The restart broke off: ${error.message}`));
  });
}

/** The gateway last, because a stop begins with it. */
const startOrder = [
  'delivery',
  'webhooks',
  'content',
  'app-platform',
  'media',
  'identity',
  'catalog',
  'payments',
  'orders',
  'gateway',
];

/**
 * Returns a function with a service's `DATABASE_URL`: with its own role, if the installation's role may create roles.
 * `decisions.md 18.2`.
 */
async function ownDatabases(
  dataDir: string,
  { DATABASE_URL: adminUrl, WAYBILL_NAMESPACE: namespace }: Servers,
): Promise<(service: string) => Env> {
  const urls = await createInstalledDatabases(dataDir, { adminUrl, namespace });
  if (!urls) say('The role in DATABASE_URL cannot create roles, so all services connect as it.');
  // A service without a database gets no URL.
  return (service) => ({
    DATABASE_URL: databaseServices.includes(service) ? (urls?.[service] ?? adminUrl) : undefined,
  });
}

/** Creates the services' databases on all nodes of the Citus cluster whose coordinator is the installation's server. */
async function joinCitus(
  dataDir: string,
  { DATABASE_URL: adminUrl, WAYBILL_NAMESPACE: namespace }: Servers,
  { citusWorkers, citusCoordinator, env }: { citusWorkers: string; citusCoordinator: string; env: Env },
): Promise<void> {
  const [coordinator] = parseNodes('WAYBILL_CITUS_COORDINATOR', citusCoordinator);
  const workers = parseNodes('WAYBILL_CITUS_WORKERS', citusWorkers);
  const readSqlSettings = (service: string) => {
    const { config, sqlSettings } = services.find(({ name }) => name === service)!;
    return sqlSettings?.(config.read(env)) ?? {};
  };
  await joinNodes({
    dataDir,
    adminUrl,
    namespace,
    workers,
    ...(coordinator && { coordinator }),
    readSqlSettings,
    say,
  });
}

/**
 * Runs all migrations before the processes start, which would otherwise wait for them; production has jobs for this.
 * `decisions.md 18.3`.
 */
async function migrateAll(databases: (service: string) => Env, servers: Servers): Promise<void> {
  const log = createLog(servers.LOG_LEVEL).child({ step: 'migrate' });
  const ours = services.filter(({ migrations }) => migrations);
  await Promise.all(
    ours.map((definition) =>
      migrateOnly(definition, {
        databaseUrl: databases(definition.name).DATABASE_URL!,
        namespace: servers.WAYBILL_NAMESPACE,
        log,
      }),
    ),
  );
}

/**
 * The pool of each service, unless configured: two clusters should fit next to each other into the 100 connections that
 * a server allows by default.
 */
const poolSize = '6';

/**
 * Returns the environment of a child: the secrets that its own settings name, and the addresses of the other services.
 */
function childEnv(
  env: Env,
  { definition, port }: Copy,
  own: { peers: string; port: number; readyFile: string | undefined; isShared: boolean },
): Env {
  const known = Object.keys(definition.config.schema.properties);
  const others = Object.entries(env).filter(([name]) => !secretNames.has(name) || known.includes(name));
  return {
    DATABASE_POOL_SIZE: poolSize,
    ...Object.fromEntries(others),
    ...principalPublicKeys(env),
    WAYBILL_PEERS: own.peers,
    PORT: String(own.port),
    PORT_SHARED: own.isShared ? 'on' : 'off',
    HOST: '127.0.0.1',
    INTERNAL_HOST: '127.0.0.1',
    INTERNAL_PORT: String(port),
    ...(own.readyFile && { READY_FILE: own.readyFile }),
  };
}

const secretNames = new Set([
  'WAYBILL_PRINCIPAL_KEY',
  'WAYBILL_PRINCIPAL_KEYS',
  'WAYBILL_USER_TOKEN_KEY',
  'WAYBILL_USER_TOKEN_KEYS',
  'WAYBILL_WEBHOOK_ENCRYPTION_KEY',
  'WAYBILL_WEBHOOK_ENCRYPTION_KEYS',
  'WAYBILL_PAYMENT_ENCRYPTION_KEY',
  'WAYBILL_PAYMENT_ENCRYPTION_KEYS',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  // Contains a password.
  'SMTP_URL',
]);

async function ready(url: string, label: string): Promise<void> {
  const deadline = Date.now() + readyDeadlineMs;
  for (;;) {
    if ((await ask(url))?.ok) return;
    if (Date.now() > deadline)
      throw new StartError(`${label} was not ready within a minute; see its log above.`);
    await sleep(readyPollMs);
  }
}

/** Waits until the gateway answers, ready or not. */
async function reachable(url: string): Promise<void> {
  const deadline = Date.now() + readyDeadlineMs;
  while (!(await ask(url))) {
    if (Date.now() > deadline) throw new StartError('The gateway does not answer; see its log above.');
    await sleep(readyPollMs);
  }
}

/** Null if there is no answer within two seconds. */
const ask = (url: string) =>
  got(url, { throwHttpErrors: false, retry: { limit: 0 }, timeout: { request: 2000 } }).catch(() => null);

async function requireFreePort(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    const why =
      error.code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be used (${error.code})`;
    throw new StartError(`Port ${port} on 127.0.0.1 ${why}; set PORT to a free one.`);
  });
  server.close();
  await once(server, 'close');
}

say('Starting every service as a process of its own…');
runProgram(start);

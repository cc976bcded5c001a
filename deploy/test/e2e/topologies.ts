import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { dropDatabases, eventually } from '@waybill/testing';
import { listChildren } from '../../chaos/processes.ts';
import type { Demo } from '../../demo/demo.ts';
import { freePort } from '../../free-port.ts';
import { clusterServersAnswer, removeFromBroker, removeFromRedis } from '../../testing/cluster-servers.ts';
import { registerSystem } from '../../testing/operators.ts';
import type { Span } from './collector.ts';

/** A complete Waybill, started as its users start it, and used only over HTTP. */
export interface StartedSystem {
  baseUrl: string;
  /** The address of metrics, health and internal routes; it may change with a restart. */
  readonly internalUrl: string;
  demo: Demo;
  dataDir: string;
  /** Returns Waybill's own processes. */
  pids(): number[];
  /** Returns its output on standard output and standard error, logs included. */
  output(): string;
  /**
   * Sends a signal to Waybill's processes. Resolves when they have ended, to the exit code (null if the signal ended
   * it).
   */
  kill(signal: NodeJS.Signals): Promise<number | null>;
  /** Restarts it on the same data directory and port, after stopping it in order unless it was killed. */
  restart(): Promise<void>;
  /** Runs a command of its operator: `npm run admin -- …`. */
  admin(...args: string[]): Promise<{ stdout: string; stderr: string }>;
  /** Stops it and removes all its data. */
  stop(): Promise<void>;
}

export interface Topology {
  name: string;
  /** Starts a separate system with these settings, ready and with a demo store. */
  start(env?: Record<string, string>, args?: readonly string[]): Promise<StartedSystem>;
  /**
   * Returns a system that other suites use at the same time, started for the first of them: with a demo store, without
   * request limits, and with trust in every receiver of `startReceiver`. Tests must create stores of their own in it.
   */
  share(): Promise<SharedSystem>;
  /**
   * Defines a test that runs in one of the topologies. Use it for what a service decides by itself, such as which
   * fields it refuses, what a price comes to and what a page prints: those are the same functions in every process.
   * Define a test with `test`, for all topologies, if its outcome depends on what differs between them: whether a call
   * passes the proxy of the gateway or stays in the process, whether an event passes RabbitMQ, whether a cached fact
   * and its invalidation pass Redis, how many copies there are, and what a killed process leaves behind.
   */
  readonly inOneTopology: jest.It;
}

export interface SharedSystem extends Pick<StartedSystem, 'baseUrl' | 'demo' | 'dataDir' | 'admin'> {
  /** Returns its output, like `StartedSystem.output`. */
  output(): Promise<string>;
  /** Waybill's own processes when the system was requested. */
  pids: readonly number[];
}

/** Returns the shared system of the test run, see servers.mjs. */
async function share(topology: string): Promise<SharedSystem> {
  const system = JSON.parse(await askRun(topology));
  registerSystem(system.baseUrl, system.dataDir);
  return {
    ...system,
    output: () => askRun(`${topology}/output`),
    admin: (...args) => runAdmin(system.dataDir, args),
  };
}

/** Returns the spans that shared systems have sent, which are only those of requests whose `traceparent` is flagged. */
export async function sharedSpans(): Promise<Span[]> {
  return JSON.parse(await askRun('spans'));
}

async function askRun(path: string): Promise<string> {
  const reply = await fetch(`${process.env.WAYBILL_TEST_SHARED}/${path}`);
  if (!reply.ok) throw new Error(await reply.text());
  return reply.text();
}

/** Limits that no unrelated test reaches. */
export const unlimited = {
  RATE_LIMIT_PER_MINUTE: '100000000',
  RATE_LIMIT_BURST: '1000000',
  STOREFRONT_ORDERS_PER_MINUTE: '1000000',
};

/** A reviewer in the settings of shared systems. */
export const namedReviewer = 'boss@platform.example';

/**
 * Settings for tests that measure memory: with plenty of room V8 leaves garbage, but in a small heap only live data
 * remains.
 */
export const smallHeap = { NODE_OPTIONS: '--max-old-space-size=256 --max-semi-space-size=4' };

/** Returns the resident memory of one process, in MiB. */
export async function residentMiBOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(text)![1]) / 1024;
}

/**
 * Expects that no process has kept the data of a load: started with `smallHeap`, each must be well below its idle
 * memory plus the bytes of the load. The exact amount depends on the machine.
 */
export async function expectNothingHeld(system: StartedSystem): Promise<void> {
  const each = await Promise.all(system.pids().map(residentMiBOf));
  expect(Math.max(...each)).toBeLessThan(800);
}

const programs = {
  standalone: fileURLToPath(new URL('../../standalone/main.ts', import.meta.url)),
  cluster: fileURLToPath(new URL('../../cluster/main.ts', import.meta.url)),
  admin: fileURLToPath(new URL('../../ops/admin/main.ts', import.meta.url)),
};

async function startProgram(
  program: 'standalone' | 'cluster',
  env: Record<string, string>,
  args: readonly string[] = [],
  removeTraces: () => Promise<void> = async () => {},
): Promise<StartedSystem> {
  const dataDir = await mkdtemp(join(tmpdir(), 'waybill-e2e-'));
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  let child: ChildProcess;
  let exited: Promise<number | null>;
  let output = '';
  let internalUrl = '';

  async function start(): Promise<void> {
    output = '';
    child = spawn(process.execPath, [programs[program], ...args], {
      // The store is empty, so that only the tests of a suite change it.
      env: {
        ...process.env,
        WAYBILL_DEMO: 'on',
        ...env,
        PORT: String(port),
        WAYBILL_DATA_DIR: dataDir,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    exited = once(child, 'exit').then(([code]) => code);
    const keep = (chunk: Buffer) => {
      output = (output + chunk).slice(-200_000);
    };
    child.stdout!.on('data', keep);
    child.stderr!.on('data', keep);
    const isReady = async () => {
      const { ok } = await fetch(`${baseUrl}/healthz`);
      internalUrl = /Metrics +(\S+)\/metrics/.exec(output)?.[1] ?? '';
      return ok && internalUrl !== '';
    };
    const ended = exited.then(() => {
      throw new Error(`the system ended before it was ready:\n${output}`);
    });
    await Promise.race([eventually(isReady, { withinMs: 180_000, what: 'readiness' }), ended]);
  }

  /** The program, and in the cluster the services that it supervises. */
  const pids = () => [
    child.pid!,
    ...(program === 'cluster' ? listChildren(child.pid!).map(({ pid }) => pid) : []),
  ];

  async function kill(signal: NodeJS.Signals): Promise<number | null> {
    // A supervisor that is asked to stop also stops the others; a killed one cannot.
    const all = signal === 'SIGKILL' ? pids() : [child.pid!];
    for (const pid of all) process.kill(pid, signal);
    const code = await exited;
    await eventually(() => !all.some(isRunning), { what: 'the end of every process' });
    return code;
  }

  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;

  await start();
  registerSystem(baseUrl, dataDir);
  return {
    baseUrl,
    get internalUrl() {
      return internalUrl;
    },
    demo: JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')),
    dataDir,
    pids,
    output: () => output,
    kill,
    async restart() {
      if (!hasEnded()) await kill('SIGTERM');
      await start();
    },
    admin: (...args) => runAdmin(dataDir, args),
    async stop() {
      // A start ends the PostgreSQL that a killed system has left behind.
      if (hasEnded()) await start();
      await kill('SIGTERM');
      await rm(dataDir, { recursive: true, force: true });
      await removeTraces();
    },
  };
}

function runAdmin(dataDir: string, args: string[]): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, [programs.admin, ...args], {
    env: { ...process.env, WAYBILL_DATA_DIR: dataDir },
  });
}

/** Whether a process with this id exists. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * The coordinator and the workers of a Citus cluster, on which the suites run in place of the other topologies:
 * `WAYBILL_TEST_CITUS=postgres://postgres@127.0.0.1:5600/postgres` and `WAYBILL_TEST_CITUS_WORKERS=127.0.0.1:5601,…`.
 */
const citus = process.env.WAYBILL_TEST_CITUS
  ? { url: process.env.WAYBILL_TEST_CITUS, workers: process.env.WAYBILL_TEST_CITUS_WORKERS ?? '' }
  : null;

async function startCluster(
  env: Record<string, string> = {},
  args: readonly string[] = [],
): Promise<StartedSystem> {
  const namespace = `wbt_${process.env.WAYBILL_TEST_RUN ?? process.pid}_${randomBytes(4).toString('hex')}`;
  // Several run at once, on a server that other suites also use.
  const own = {
    DATABASE_POOL_SIZE: '4',
    WAYBILL_NAMESPACE: namespace,
    ...(citus && { DATABASE_URL: citus.url, WAYBILL_CITUS_WORKERS: citus.workers }),
  };
  return startProgram('cluster', { ...env, ...own }, args, async () => {
    await dropDatabases(namespace);
    await removeFromBroker(namespace);
    await removeFromRedis(namespace);
  });
}

/** Stands in for `test` in the topologies in which a test of one topology does not run. */
const elsewhere = Object.assign(() => {}, { each: () => () => {} }) as unknown as jest.It;

function createTopology(name: string, start: Topology['start']): Topology {
  return {
    name,
    start,
    share: () => share(name),
    // A getter, because the run itself uses topologies too, where no tests can be defined.
    get inOneTopology() {
      return name === oneTopology[0].name ? test : elsewhere;
    },
  };
}

const standalone = createTopology('standalone', (env = {}) => startProgram('standalone', env));
const cluster = createTopology('cluster', startCluster);

/** The ways to run Waybill; every end-to-end suite runs over each, except its tests `inOneTopology`. */
export const topologies: readonly Topology[] = citus
  ? [cluster]
  : [standalone, ...((await clusterServersAnswer()) ? [cluster] : [])];

/** The topology of tests `inOneTopology`, as a list for `describe.each`: for suites of which all tests are such. */
export const oneTopology = [topologies[0]!] as const;

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { dropDatabases, eventually } from '@waybill/testing';
import { childrenOf } from '../../chaos/processes.ts';
import type { Demo } from '../../demo.ts';
import { freePort } from '../../free-port.ts';
import { clusterServersAnswer, removeFromBroker, removeFromRedis } from './cluster-servers.ts';
import type { Span } from './collector.ts';
import { registerSystem } from './operators.ts';

/** A whole Waybill, started as its users start it, and reached over HTTP alone. */
export interface StartedSystem {
  baseUrl: string;
  /** Metrics, health and internal routes; it may be another after a restart. */
  readonly internalUrl: string;
  demo: Demo;
  dataDir: string;
  /** The processes that are Waybill's own. */
  pids(): number[];
  /** What it has said on standard output and standard error, logs included. */
  output(): string;
  /** Sends a signal to Waybill's processes; resolves when they have ended, with the exit code (null: the signal's). */
  kill(signal: NodeJS.Signals): Promise<number | null>;
  /** Starts it again on the same data directory and port, after a stop in good order unless it was killed. */
  restart(): Promise<void>;
  /** What its operator does at its machine: `npm run admin -- …`. */
  admin(...args: string[]): Promise<{ stdout: string; stderr: string }>;
  /** Stops it and removes all it has stored. */
  stop(): Promise<void>;
}

export interface Topology {
  name: string;
  /** Starts a system of its own with these settings, ready and with a demo store. */
  start(env?: Record<string, string>, args?: readonly string[]): Promise<StartedSystem>;
  /**
   * A system that other suites use at the same time, started for the first of them: with a demo store, without limits of
   * requests, and with trust in every receiver of `startReceiver`. What is tried there is tried in stores of one's own.
   */
  share(): Promise<SharedSystem>;
}

export interface SharedSystem extends Pick<StartedSystem, 'baseUrl' | 'demo' | 'dataDir' | 'admin'> {
  /** What it has said, as `StartedSystem.output` gives it. */
  output(): Promise<string>;
  /** The processes that were Waybill's own when it was asked for. */
  pids: readonly number[];
}

/** The test run itself has it, see servers.mjs. */
async function share(topology: string): Promise<SharedSystem> {
  const system = JSON.parse(await askRun(topology));
  registerSystem(system.baseUrl, system.dataDir);
  return {
    ...system,
    output: () => askRun(`${topology}/output`),
    admin: (...args) => runAdmin(system.dataDir, args),
  };
}

/** The spans that shared systems have sent: of the requests alone whose `traceparent` asks for it by its flag. */
export async function sharedSpans(): Promise<Span[]> {
  return JSON.parse(await askRun('spans'));
}

async function askRun(path: string): Promise<string> {
  const reply = await fetch(`${process.env.WAYBILL_TEST_SHARED}/${path}`);
  if (!reply.ok) throw new Error(await reply.text());
  return reply.text();
}

/** Limits that no test of something else runs into. */
export const unlimited = {
  RATE_LIMIT_PER_MINUTE: '100000000',
  RATE_LIMIT_BURST: '1000000',
  STOREFRONT_ORDERS_PER_MINUTE: '1000000',
};

/** Whom shared systems name as a reviewer in their settings. */
export const namedReviewer = 'boss@platform.example';

/**
 * For tests that measure memory: V8 lets garbage lie where there is plenty of room; in a small heap what stays is
 * what is kept.
 */
export const smallHeap = { NODE_OPTIONS: '--max-old-space-size=256 --max-semi-space-size=4' };

/** The resident memory of one process, in MiB. */
export async function residentMiBOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(text)![1]) / 1024;
}

/**
 * That no process has kept what a load sent it: started with `smallHeap`, each is well below what one of its kind
 * needs at rest and the load's bytes together. By how much one wavers is the machine's matter, not a test's.
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
      // An empty store: what a suite tries is all that happens in it.
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
    ...(program === 'cluster' ? childrenOf(child.pid!).map(({ pid }) => pid) : []),
  ];

  async function kill(signal: NodeJS.Signals): Promise<number | null> {
    // A supervisor that is asked to stop stops the others; one that is killed cannot.
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

/** Whether there is a process of that number. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * The coordinator and the workers of a Citus cluster that the suites run on in the place of the other topologies:
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
  // Several run at once, on a server that other suites use as well.
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

const cluster: Topology = { name: 'cluster', start: startCluster, share: () => share('cluster') };

/** The ways to run Waybill; every end-to-end suite runs over each. */
export const topologies: readonly Topology[] = citus
  ? [cluster]
  : [
      {
        name: 'standalone',
        start: (env = {}) => startProgram('standalone', env),
        share: () => share('standalone'),
      },
      ...((await clusterServersAnswer()) ? [cluster] : []),
    ];

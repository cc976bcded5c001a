import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { amqpUrl, dropDatabases, redisUrl, serverUrl } from '@waybill/testing';
import { listChildren } from '../chaos/processes.ts';
import type { Demo } from '../demo/demo.ts';
import { freePort } from '../free-port.ts';
import { removeFromBroker, removeFromRedis } from '../testing/cluster-servers.ts';
import { listenerAt, type Measured } from './meter.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Starts a program of the benchmark. Resolves to the first line that it prints. */
export async function startProgram(
  file: string,
  env: Record<string, string>,
): Promise<{ line: string; pid: number; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [join(root, 'deploy/bench', file)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(fail(file)),
  ]);
  return { line, pid: child.pid!, stop: () => end(child) };
}

/** Runs a program of the benchmark to its end. Returns its output. */
export async function captureOutput(file: string, env: Record<string, string>): Promise<string> {
  const [program, ...args] = onCore('load', [process.execPath, join(root, 'deploy/bench', file)]);
  const child = spawn(program!, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) fail(file)();
  return output;
}

/**
 * Returns a command that runs on its own core with `BENCH_CORES=apart`: one core for the system and all that it starts,
 * the other for the load, as if the load came from another machine. Otherwise a growing load takes CPU from the system
 * that it should measure.
 */
function onCore(whose: 'system' | 'load', command: readonly string[]): string[] {
  if (process.env.BENCH_CORES !== 'apart') return [...command];
  return ['taskset', '-c', whose === 'system' ? '0' : '1', ...command];
}

const fail = (file: string) => () => {
  throw new Error(`${file} ended`);
};

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

export interface System {
  demo: Demo;
  pid: number;
  readyMs: number;
  /** Returns the URL of a service's database. */
  databaseUrl(service: string): Promise<string>;
  /** Returns the address of a service's internal routes. */
  internalUrlOf(service: string): Promise<string>;
  /** The system's processes by name, and the servers that it uses. Each stands for all that it has started. */
  processes(): Measured;
  servers(): Promise<Measured>;
  stop(): Promise<void>;
}

export async function newDataDir(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'waybill-bench-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Starts the standalone system as `npm start` does, without rate limits. */
export async function startWaybill(dataDir: string, env: Record<string, string>): Promise<System> {
  const internalPort = await freePort();
  const { demo, ...started } = await startComposition('standalone', [], dataDir, {
    ...env,
    INTERNAL_PORT: String(internalPort),
  });
  const postmaster = async () =>
    Number((await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]);
  // PostgreSQL is a child of the system's process.
  return {
    ...started,
    demo,
    internalUrlOf: async () => `http://127.0.0.1:${internalPort}`,
    processes: () => ({ system: started.pid }),
    servers: async () => ({ postgres: await postmaster() }),
    async databaseUrl(service) {
      const password = (await readFile(join(dataDir, 'postgres-password'), 'utf8')).trim();
      const postgresPort = (await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[3];
      return `postgres://postgres:${password}@127.0.0.1:${postgresPort}/waybill_${service}`;
    },
  };
}

/** Starts the cluster as `npm run cluster` does, without rate limits, in a namespace that its stop removes. */
export async function startCluster(
  dataDir: string,
  env: Record<string, string>,
  copiesOfDelivery = 1,
): Promise<System> {
  const namespace = `wbb_${process.pid}_${randomBytes(3).toString('hex')}`;
  const args = ['--delivery', String(copiesOfDelivery)];
  const started = await startComposition('cluster', args, dataDir, { ...env, WAYBILL_NAMESPACE: namespace });
  const processes = () => {
    const named = listChildren(started.pid).flatMap(({ pid, command }) => {
      const [, name] = /services\/([\w-]+)\/src\/main\.ts/.exec(command) ?? [];
      return name ? [[name, pid] as const] : [];
    });
    return Object.fromEntries(
      named.map(([name, pid], i) => [
        named.findIndex((each) => each[0] === name) === i ? name : `${name}-${i}`,
        pid,
      ]),
    );
  };
  return {
    ...started,
    processes,
    async internalUrlOf(service) {
      const settings = (await readFile(`/proc/${processes().gateway}/environ`, 'utf8')).split('\0');
      const peers = settings.find((each) => each.startsWith('WAYBILL_PEERS='))!;
      return new RegExp(`[=,]${service}=(http://[^,]+)`).exec(peers)![1]!;
    },
    async servers() {
      const parsePort = (url: string, usual: number) => Number(new URL(url.split(',')[0]!).port || usual);
      return {
        postgres: listenerAt(parsePort(serverUrl, 5432)),
        rabbitmq: listenerAt(parsePort(amqpUrl, 5672)),
        redis: listenerAt(parsePort(redisUrl, 6379)),
      };
    },
    async databaseUrl(service) {
      const url = new URL(serverUrl);
      url.pathname = `/${namespace}_${service}`.replaceAll('-', '_');
      return url.href;
    },
    async stop() {
      await started.stop();
      await dropDatabases(namespace);
      await removeFromBroker(namespace);
      await removeFromRedis(namespace);
    },
  };
}

async function startComposition(
  composition: 'standalone' | 'cluster',
  args: readonly string[],
  dataDir: string,
  env: Record<string, string>,
): Promise<Pick<System, 'demo' | 'pid' | 'readyMs' | 'stop'>> {
  const port = 18_000 + (process.pid % 10_000);
  const started = performance.now();
  const main = join(root, `deploy/${composition}/main.ts`);
  const [program, ...rest] = onCore('system', [process.execPath, main, ...args]);
  const child = spawn(program!, rest, {
    env: {
      ...process.env,
      PORT: String(port),
      WAYBILL_DATA_DIR: dataDir,
      RATE_LIMIT_PER_MINUTE: '100000000',
      RATE_LIMIT_BURST: '1000000',
      STOREFRONT_ORDERS_PER_MINUTE: '100000000',
      LOG_LEVEL: 'warn',
      // The store is empty, so that only the measured work happens.
      WAYBILL_DEMO: 'on',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error('the system ended');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const readyMs = performance.now() - started;
  const demoFile = join(dataDir, 'demo.json');
  let demo: Demo | null = null;
  while (!demo) demo = JSON.parse(await readFile(demoFile, 'utf8').catch(() => 'null'));
  return { demo, pid: child.pid!, readyMs, stop: () => end(child) };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz`)).ok;
  } catch {
    return false;
  }
}

/** Returns the resident memory of a process in MiB. */
export async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
}

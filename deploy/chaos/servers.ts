import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnServer } from '../servers/own-process.ts';
import { startPostgres } from '../standalone/postgres.ts';
import { childrenOf, signal, until } from './processes.ts';
import { startProxy, type TcpProxy } from './proxy.ts';

/** A server of the run's own, behind a proxy so that its address stays. */
export interface ChaosServer {
  proxy: TcpProxy;
  /** As the services get it. */
  url: string;
  /** Without the proxy, for the judge. */
  directUrl(): string;
  pids(): Promise<number[]>;
  /** Starts it (again); resolves when it answers. `empty`: without what it had. */
  start(empty: boolean): Promise<void>;
}

export async function postgresServer(dataDir: string): Promise<ChaosServer> {
  const proxy = await startProxy(0);
  let direct = '';
  const start = async () => {
    const postgres = await startPostgres({ dataDir, log: () => {} });
    direct = postgres.url;
    proxy.target = Number(new URL(direct).port);
  };
  await start();
  return {
    proxy,
    url: atPort(direct, proxy.port),
    directUrl: () => direct,
    async pids() {
      const pid = Number((await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]);
      return [pid, ...childrenOf(pid).map((child) => child.pid)];
    },
    start,
  };
}

/** Starts a server and stands a proxy before it. */
export async function behindProxy(server: OwnServer): Promise<ChaosServer> {
  await server.start(true);
  const proxy = await startProxy(server.port);
  return {
    proxy,
    url: atPort(server.url, proxy.port),
    directUrl: () => server.url,
    pids: async () => [server.pid()].filter((pid) => pid !== undefined),
    start: server.start,
  };
}

function atPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}

/** Ends a server as a kill does; its data goes with the run's directory. */
export async function killServer(server: ChaosServer): Promise<void> {
  const pids = await server.pids().catch(() => []);
  signal(pids, 'SIGKILL');
  await until('the end of a server', 10_000, () => !pids.some(isRunning));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

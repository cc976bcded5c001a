import { execFile, execFileSync } from 'node:child_process';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../free-port.ts';
import type { OwnServer } from '../servers/own-process.ts';
import { startPostgres } from '../standalone/postgres.ts';
import { listChildren, signal, waitUntil } from './processes.ts';
import { startProxy, type TcpProxy } from './proxy.ts';

/** A server of the run, behind a proxy so that its address stays the same. */
export interface ChaosServer {
  proxy: TcpProxy;
  /** The URL for the services. */
  url: string;
  /** The URL without the proxy, for the judge. */
  directUrl(): string;
  pids(): Promise<number[]>;
  /** Starts the server (again); resolves when it answers. `empty` means without its data. */
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
    pids: () => listPostgresPids(dataDir),
    start,
  };
}

async function listPostgresPids(home: string): Promise<number[]> {
  const pid = Number((await readFile(join(home, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]);
  return [pid, ...listChildren(pid).map((child) => child.pid)];
}

/**
 * Starts PostgreSQL without a proxy, which would be the slowest part of a long run. PostgreSQL keeps its port, and the
 * kernel resets its connections. That requires root on Linux; on other systems there is a proxy.
 */
export async function barePostgresServer(home: string): Promise<ChaosServer> {
  if (!canReset()) return postgresServer(home);
  const port = await freePort();
  // The kernel keeps all writes of a killed process, so waiting for the disk would prove nothing here. With fsync a
  // restart first syncs every file of every database.
  const settings = { port: String(port), fsync: 'off', max_connections: '300' };
  const start = () => startPostgres({ dataDir: home, log: () => {}, settings });
  const url = atPort((await start()).url, port);
  return {
    proxy: { port, target: port, cut: () => resetConnectionsTo(port), close() {} },
    url,
    directUrl: () => url,
    pids: () => listPostgresPids(home),
    start: async () => void (await start()),
  };
}

const resetConnectionsTo = (port: number): void =>
  void execFileSync('ss', ['-tK', 'dst', '127.0.0.1', 'dport', '=', String(port)], { stdio: 'ignore' });

function canReset(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    // Nothing listens on this port.
    resetConnectionsTo(1);
    return true;
  } catch {
    return false;
  }
}

export interface PostgresPair extends ChaosServer {
  /** Kills the primary and promotes the standby. Returns how many milliseconds that took. */
  failOver(): Promise<number>;
}

/**
 * Starts PostgreSQL with a standby: a commit is answered when both have it on disk. The proxy stands for whatever leads
 * to the primary in production, an operator's service or a pooler, and switches to the standby when that is promoted.
 */
export async function postgresPair(home: string): Promise<PostgresPair> {
  const folders = { primary: home, standby: join(home, 'standby') };
  const replicating = { wal_level: 'replica', max_wal_senders: '5' };
  const begin = (dataDir: string, settings: Record<string, string> = {}) =>
    startPostgres({ dataDir, log: () => {}, settings: { ...replicating, ...settings } });
  // The standby begins as a copy of the new primary.
  await (await begin(folders.primary)).stop();
  await mkdir(folders.standby);
  const copied = ['postgres', 'postgres-password'].map((name) => join(folders.primary, name));
  await promisify(execFile)('cp', ['-a', ...copied, folders.standby]);
  const primary = await begin(folders.primary, { synchronous_standby_names: '*' });
  const { hostname, port, username, password } = new URL(primary.url);
  const conninfo = `host=${hostname} port=${port} user=${username} password=${password}`;
  const standbyData = join(folders.standby, 'postgres');
  await appendFile(join(standbyData, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
  await writeFile(join(standbyData, 'standby.signal'), '');
  const standby = await begin(folders.standby);
  const proxy = await startProxy(Number(port));
  let present = { url: primary.url, folder: folders.primary };
  const ask = async <Row extends object>(url: string, statement: string): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return (await client.query(statement).finally(() => client.end())).rows as Row[];
  };
  await waitUntil('a standby that is in step', 30_000, async () => {
    const rows = await ask<{ sync_state: string }>(primary.url, 'select sync_state from pg_stat_replication');
    return rows.some(({ sync_state }) => sync_state === 'sync');
  });
  return {
    proxy,
    url: atPort(primary.url, proxy.port),
    directUrl: () => present.url,
    pids: async () =>
      present.folder === folders.standby
        ? listPostgresPids(folders.standby)
        : [...(await listPostgresPids(folders.primary)), ...(await listPostgresPids(folders.standby))],
    async start() {
      throw new Error('the primary does not come back: its standby has taken its place');
    },
    async failOver() {
      const pids = await listPostgresPids(folders.primary);
      const begun = performance.now();
      signal(pids, 'SIGKILL');
      await ask(standby.url, 'select pg_promote(true, 30)');
      present = { url: standby.url, folder: folders.standby };
      proxy.target = Number(new URL(standby.url).port);
      proxy.cut();
      return performance.now() - begun;
    },
  };
}

/** Starts a server with a proxy in front of it. */
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

/** Kills a server; its data is removed with the run's directory. */
export async function killServer(server: ChaosServer): Promise<void> {
  const pids = await server.pids().catch(() => []);
  signal(pids, 'SIGKILL');
  await waitUntil('the end of a server', 10_000, () => !pids.some(isRunning));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

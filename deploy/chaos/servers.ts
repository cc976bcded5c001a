import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect as connectTo } from 'node:net';
import { delimiter, join } from 'node:path';
import { connect } from 'amqplib';
import { startPostgres } from '../standalone/postgres.ts';
import { childrenOf, signal, until } from './processes.ts';
import { freePort, startProxy, type TcpProxy } from './proxy.ts';

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

const searched = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/lib/rabbitmq/bin'];
const rabbitmqPrograms = ['/usr/lib/rabbitmq/bin/rabbitmq-server'];

function find(program: string): string | undefined {
  return searched.map((folder) => join(folder, program)).find(existsSync);
}

/** Debian's rabbitmq-server on the PATH changes to its own account and place; the one behind it does not. */
function findRabbitmq(): string | undefined {
  return rabbitmqPrograms.find(existsSync) ?? find('rabbitmq-server');
}

/** The servers' programs that this machine does not have. */
export function missingPrograms(): string[] {
  return [!find('redis-server') && 'redis-server', !findRabbitmq() && 'rabbitmq-server'].filter(
    (name) => name !== false,
  );
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
  const url = new URL(direct);
  url.port = String(proxy.port);
  return {
    proxy,
    url: url.href,
    directUrl: () => direct,
    async pids() {
      const pid = Number((await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]);
      return [pid, ...childrenOf(pid).map((child) => child.pid)];
    },
    start,
  };
}

export async function redisServer(): Promise<ChaosServer> {
  const port = await freePort();
  const proxy = await startProxy(port);
  let child: ChildProcess;
  const start = async () => {
    const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    child = spawn(find('redis-server')!, options, { stdio: 'ignore', cwd: '/tmp' });
    await until('Redis', 10_000, () => listens(port));
  };
  await start();
  const url = (of: number) => `redis://127.0.0.1:${of}`;
  return {
    proxy,
    url: url(proxy.port),
    directUrl: () => url(port),
    pids: async () => [child.pid!],
    start,
  };
}

export async function rabbitmqServer(home: string): Promise<ChaosServer> {
  const [port, distPort] = [await freePort(), await freePort()];
  const proxy = await startProxy(port);
  const url = (of: number) => `amqp://guest:guest@127.0.0.1:${of}`;
  const at = (name: string) => join(home, name);
  await mkdir(home, { recursive: true });
  await writeFile(at('.erlang.cookie'), 'WAYBILLCHAOS');
  await chmod(at('.erlang.cookie'), 0o400);
  await writeFile(at('plugins'), '[].');
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    // Not the machine's configuration: its own node, ports, data.
    RABBITMQ_CONF_ENV_FILE: at('none.env'),
    RABBITMQ_CONFIG_FILE: at('none'),
    RABBITMQ_ADVANCED_CONFIG_FILE: at('none.advanced'),
    RABBITMQ_ENABLED_PLUGINS_FILE: at('plugins'),
    RABBITMQ_NODENAME: `chaos${port}@localhost`,
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_DIST_PORT: String(distPort),
    RABBITMQ_MNESIA_BASE: at('data'),
    RABBITMQ_LOG_BASE: at('log'),
    RABBITMQ_PID_FILE: at('pid'),
    RABBITMQ_SERVER_START_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
  };
  const start = async (empty: boolean) => {
    if (empty) await rm(at('data'), { recursive: true, force: true });
    await rm(at('pid'), { force: true });
    spawn(findRabbitmq()!, { env, cwd: home, stdio: 'ignore', detached: true });
    await until('RabbitMQ', 90_000, async () => {
      const connection = await connect(url(port));
      await connection.close();
      return true;
    });
  };
  await start(true);
  return {
    proxy,
    url: url(proxy.port),
    directUrl: () => url(port),
    pids: async () => [Number(await readFile(at('pid'), 'utf8').catch(() => '0'))].filter(Boolean),
    start,
  };
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

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTo({ host: '127.0.0.1', port });
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

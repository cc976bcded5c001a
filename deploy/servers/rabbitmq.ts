import { type ChildProcess, execFile, spawnSync } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect } from 'amqplib';
import { freePorts } from '../free-port.ts';
import { endProcess, type OwnServer, spawnOwn, waitUntilAnswering } from './own-process.ts';
import { findProgram } from './programs.ts';

/** Creates a RabbitMQ server with its data below `home`, not started yet. */
export async function rabbitmqServer(home: string): Promise<OwnServer> {
  const [node] = await rabbitmqCluster(home, 1);
  return node!;
}

const cookie = 'WAYBILLTEST';
/** By default the broker's threads spin for a while before they sleep, on cores that others need here. */
const sleepAtOnce = '+sbwt none +sbwtdcpu none +sbwtdio none';

interface Node {
  /** The folder of its files. */
  home: string;
  name: string;
  port: number;
  distributionPort: number;
}

/**
 * Creates a cluster of RabbitMQ nodes, not started yet; the first time, start them one after the other. A restarted
 * node counts as started when no queue depends on a single other node.
 */
export async function rabbitmqCluster(home: string, count: number): Promise<OwnServer[]> {
  const [mapperPort, ...ports] = (await freePorts(1 + 2 * count)) as [number, ...number[]];
  const nodes: Node[] = [];
  for (let i = 1; i <= count; i++) {
    const [port, distributionPort] = ports.splice(0, 2) as [number, number];
    const name = `waybill${port}@localhost`;
    nodes.push({ home: count === 1 ? home : join(home, `node-${i}`), name, port, distributionPort });
  }
  return Promise.all(nodes.map((node) => rabbitmqNode(node, nodes, mapperPort)));
}

async function rabbitmqNode(
  { home, name, port, distributionPort }: Node,
  cluster: readonly Node[],
  mapperPort: number,
): Promise<OwnServer> {
  const url = `amqp://guest:guest@127.0.0.1:${port}`;
  const at = (file: string) => join(home, file);
  await mkdir(home, { recursive: true });
  await writeFile(at('.erlang.cookie'), cookie);
  await chmod(at('.erlang.cookie'), 0o400);
  await writeFile(at('plugins'), '[].');
  const others = cluster.filter((node) => node.name !== name);
  const members = cluster.map(
    (node, i) => `cluster_formation.classic_config.nodes.${i + 1} = ${node.name}\n`,
  );
  const formation = `cluster_formation.peer_discovery_backend = classic_config\n${members.join('')}`;
  await writeFile(at('rabbitmq.conf'), others.length > 0 ? formation : '');
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    // Runs the broker instead of the script that starts it, so that the started process is the broker itself.
    RUNNING_UNDER_SYSTEMD: '1',
    // Its own node, ports, data and Erlang port mapper, instead of the machine's configuration.
    RABBITMQ_CONF_ENV_FILE: at('none.env'),
    RABBITMQ_CONFIG_FILE: at('rabbitmq.conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: at('none.advanced'),
    RABBITMQ_ENABLED_PLUGINS_FILE: at('plugins'),
    RABBITMQ_NODENAME: name,
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_DIST_PORT: String(distributionPort),
    RABBITMQ_MNESIA_BASE: at('data'),
    RABBITMQ_LOG_BASE: at('log'),
    RABBITMQ_PID_FILE: at('pid'),
    RABBITMQ_SERVER_START_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: sleepAtOnce,
    ERL_EPMD_PORT: String(mapperPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
  };
  let child: ChildProcess | undefined;

  /**
   * Fails while a queue would lose its majority without `node`. It uses a tool of Erlang: RabbitMQ's own takes seconds.
   */
  async function assertCanStop(node: string): Promise<void> {
    const call = 'rabbit_quorum_queue list_with_minimum_quorum []';
    const args = ['-sname', node, '-c', cookie, '-a', call];
    const { stdout } = await promisify(execFile)('erl_call', args, { env });
    if (stdout.trim() !== '[]') throw new Error(stdout.slice(0, 200));
  }

  return {
    url,
    port,
    pid: () => child?.pid,
    async start(empty) {
      const isBack = child !== undefined;
      if (empty) await rm(at('data'), { recursive: true, force: true, maxRetries: 5 });
      child = spawnOwn([findProgram('rabbitmq-server')!], { env, cwd: home });
      await waitUntilAnswering('RabbitMQ', child, 120_000, async () => {
        const connection = await connect(url, { timeout: 5000 });
        await connection.close();
      });
      if (!isBack) return;
      for (const other of others)
        await waitUntilAnswering('the queues of RabbitMQ', child, 120_000, () => assertCanStop(other.name));
    },
    async stop() {
      await endProcess(child);
      // The mapper is not a child of this process, and ends only when no broker is registered with it.
      spawnSync('epmd', ['-port', String(mapperPort), '-kill'], { stdio: 'ignore' });
    },
  };
}

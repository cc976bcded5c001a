import { type ChildProcess, execFile, spawnSync } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect } from 'amqplib';
import { freePorts } from '../free-port.ts';
import { endProcess, type OwnServer, spawnOwn, untilItAnswers } from './own-process.ts';
import { findProgram } from './programs.ts';

/** A RabbitMQ of our own, with its data below `home`; not started yet. */
export async function rabbitmqServer(home: string): Promise<OwnServer> {
  const [node] = await rabbitmqCluster(home, 1);
  return node!;
}

const cookie = 'WAYBILLTEST';

interface Node {
  /** Where its files are. */
  home: string;
  name: string;
  port: number;
  distributionPort: number;
}

/**
 * A cluster of RabbitMQ nodes; not started yet, and to be started one after the other at first. A node that comes back
 * has started when every queue could do without any other one.
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
    // The broker in place of the script that starts it: then it has the process that we started.
    RUNNING_UNDER_SYSTEMD: '1',
    // Not the machine's configuration: its own node, ports, data, and Erlang's port mapper.
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
    ERL_EPMD_PORT: String(mapperPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
  };
  let child: ChildProcess | undefined;

  /** Fails while a queue would stand still without `node`. By a tool of Erlang's: RabbitMQ's own takes seconds. */
  async function mayMiss(node: string): Promise<void> {
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
      await untilItAnswers('RabbitMQ', child, 120_000, async () => {
        const connection = await connect(url, { timeout: 5000 });
        await connection.close();
      });
      if (!isBack) return;
      for (const other of others)
        await untilItAnswers('the queues of RabbitMQ', child, 120_000, () => mayMiss(other.name));
    },
    async stop() {
      await endProcess(child);
      // The mapper is nobody's child, and goes only once no broker is registered with it.
      spawnSync('epmd', ['-port', String(mapperPort), '-kill'], { stdio: 'ignore' });
    },
  };
}

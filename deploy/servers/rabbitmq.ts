import { type ChildProcess, spawnSync } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'amqplib';
import { freePort } from '../free-port.ts';
import { endProcess, type OwnServer, spawnOwn, untilItAnswers } from './own-process.ts';
import { findProgram } from './programs.ts';

/** A RabbitMQ of our own, with its data below `home`; not started yet. */
export async function rabbitmqServer(home: string): Promise<OwnServer> {
  const [port, distributionPort, mapperPort] = [await freePort(), await freePort(), await freePort()];
  const url = `amqp://guest:guest@127.0.0.1:${port}`;
  const at = (name: string) => join(home, name);
  await mkdir(home, { recursive: true });
  await writeFile(at('.erlang.cookie'), 'WAYBILLTEST');
  await chmod(at('.erlang.cookie'), 0o400);
  await writeFile(at('plugins'), '[].');
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    // The broker in place of the script that starts it: then it has the process that we started.
    RUNNING_UNDER_SYSTEMD: '1',
    // Not the machine's configuration: its own node, ports, data, and Erlang's port mapper.
    RABBITMQ_CONF_ENV_FILE: at('none.env'),
    RABBITMQ_CONFIG_FILE: at('none'),
    RABBITMQ_ADVANCED_CONFIG_FILE: at('none.advanced'),
    RABBITMQ_ENABLED_PLUGINS_FILE: at('plugins'),
    RABBITMQ_NODENAME: `waybill${port}@localhost`,
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
  return {
    url,
    port,
    pid: () => child?.pid,
    async start(empty) {
      if (empty) await rm(at('data'), { recursive: true, force: true, maxRetries: 5 });
      child = spawnOwn([findProgram('rabbitmq-server')!], { env, cwd: home });
      await untilItAnswers('RabbitMQ', child, 120_000, async () => {
        const connection = await connect(url, { timeout: 5000 });
        await connection.close();
      });
    },
    async stop() {
      await endProcess(child);
      // The mapper is nobody's child, and goes only once no broker is registered with it.
      spawnSync('epmd', ['-port', String(mapperPort), '-kill'], { stdio: 'ignore' });
    },
  };
}

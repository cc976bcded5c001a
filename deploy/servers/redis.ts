import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { freePort } from '../free-port.ts';
import { endProcess, type OwnServer, spawnOwn, waitUntilAnswering } from './own-process.ts';
import { findProgram } from './programs.ts';

/** Creates a Redis server that stores nothing on disk, not started yet. */
export async function redisServer(): Promise<OwnServer> {
  const port = await freePort();
  let child: ChildProcess | undefined;
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    pid: () => child?.pid,
    async start() {
      const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
      child = spawnOwn([findProgram('redis-server')!, ...options], { cwd: tmpdir() });
      await waitUntilAnswering('Redis', child, 30_000, async () => {
        const socket = connect({ host: '127.0.0.1', port });
        await once(socket, 'connect');
        socket.destroy();
      });
    },
    stop: () => endProcess(child),
  };
}

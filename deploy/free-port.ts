import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * The ports are below those that systems use for outgoing connections (Linux from 32768, macOS and Windows from 49152):
 * otherwise an outgoing connection could take the port on which a program is about to listen, or to which it returns
 * after a crash. They are above those that browsers refuse (the last is 10080).
 */
const [first, end] = [11_000, 32_768];

/** Returns a port of loopback that is free now and that no program gets by chance. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(first, end);
    if (await isFree(port)) return port;
  }
}

/** Returns this number of free ports, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}

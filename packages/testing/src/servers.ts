import net from 'node:net';

export const amqpUrl = process.env.AMQP_URL || 'amqp://guest:guest@127.0.0.1:5672';
export const redisUrl = process.env.REDIS_URL || 'redis://127.0.0.1:6379';

/**
 * Whether servers answer at these addresses. Where one does not, one line says which suites are left out, which in
 * CI is a failure.
 */
export async function serversAnswer(
  servers: Readonly<Record<string, string>>,
  suites: string,
): Promise<boolean> {
  const names = Object.keys(servers);
  const answering = await Promise.all(Object.values(servers).map(listens));
  const missing = names.filter((_, i) => !answering[i]);
  if (missing.length === 0) return true;
  const message = `${missing.join(' and ')} not reachable: ${suites} left out`;
  if (process.env.CI === 'true') throw new Error(message);
  process.stderr.write(`${message}\n`);
  return false;
}

/** Whether something listens where a URL points. */
export function listens(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = net.connect({ host: hostname, port: Number(port), timeout: 2000 });
    const end = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.on('connect', () => end(true));
    socket.on('timeout', () => end(false));
    socket.on('error', () => end(false));
  });
}

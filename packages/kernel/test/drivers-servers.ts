import net from 'node:net';

export const amqpUrl = process.env.AMQP_URL || 'amqp://guest:guest@127.0.0.1:5672';
export const redisUrl = process.env.REDIS_URL || 'redis://127.0.0.1:6379';

/**
 * `describe` where the server answers; where it does not, one line says so and the suite is left out, which in CI
 * is a failure.
 */
export async function describeWith(server: string, url: string): Promise<typeof describe> {
  if (await answers(url)) return describe;
  const message = `${server} is not reachable: its suites are left out`;
  if (process.env.CI === 'true') throw new Error(message);
  process.stderr.write(`${message}\n`);
  return describe.skip as typeof describe;
}

function answers(url: string): Promise<boolean> {
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

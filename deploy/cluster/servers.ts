import { once } from 'node:events';
import { connect } from 'node:net';
import { type processSettings, StartError } from '@waybill/kernel';
import pg from 'pg';

type Settings = ReturnType<(typeof processSettings)['read']>;

/** Says at once, in one line, which of the three servers is not there; later the services bear with them. */
export async function requireServers({ DATABASE_URL, AMQP_URL, REDIS_URL }: Settings): Promise<void> {
  const client = new pg.Client({ connectionString: DATABASE_URL, connectionTimeoutMillis: 3000 });
  try {
    await client.connect();
    await client.end();
  } catch (error) {
    throw new StartError(
      `PostgreSQL (DATABASE_URL, ${placeOf(DATABASE_URL)}) refuses: ${(error as Error).message || 'no answer'}.`,
    );
  }
  await requireListener('RabbitMQ', 'AMQP_URL', AMQP_URL, 5672);
  await requireListener('Redis', 'REDIS_URL', REDIS_URL, 6379);
}

async function requireListener(
  name: string,
  variable: string,
  url: string,
  usualPort: number,
): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || usualPort,
    timeout: 3000,
  });
  socket.once('timeout', () => socket.destroy(new Error('no answer')));
  try {
    await once(socket, 'connect');
  } catch {
    throw new StartError(`${name} (${variable}, ${placeOf(url)}) does not answer.`);
  } finally {
    socket.destroy();
  }
}

/** Host and port of a URL: never what stands before the @. */
function placeOf(url: string): string {
  return URL.parse(url)?.host ?? 'not a URL';
}

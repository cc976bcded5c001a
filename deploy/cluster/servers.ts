import { once } from 'node:events';
import { connect } from 'node:net';
import { parseBrokers, type processSettings, StartError } from '@waybill/kernel';
import pg from 'pg';

type Settings = ReturnType<(typeof processSettings)['read']>;

/**
 * Reports at the start, in one line, which of the three servers is missing; later, the services cope with their
 * absence.
 */
export async function requireServers({ DATABASE_URL, AMQP_URL, REDIS_URL }: Settings): Promise<void> {
  requireScheme('DATABASE_URL', DATABASE_URL, ['postgres', 'postgresql']);
  for (const url of AMQP_URL.split(',')) requireScheme('AMQP_URL', url.trim(), ['amqp', 'amqps']);
  requireScheme('REDIS_URL', REDIS_URL, ['redis', 'rediss']);
  const client = new pg.Client({ connectionString: DATABASE_URL, connectionTimeoutMillis: 3000 });
  try {
    await client.connect();
    await client.end();
  } catch (error) {
    throw new StartError(
      `PostgreSQL (DATABASE_URL, ${parseHost(DATABASE_URL)}) refuses: ${(error as Error).message || 'no answer'}.`,
    );
  }
  const nodes = parseBrokers(AMQP_URL);
  await requireListener(
    'RabbitMQ',
    'AMQP_URL',
    nodes.map(({ hostname, port = 5672 }) => ({ hostname: hostname!, port })),
  );
  const { hostname, port } = new URL(REDIS_URL);
  await requireListener('Redis', 'REDIS_URL', [
    { hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 6379 },
  ]);
}

function requireScheme(variable: string, url: string, schemes: readonly string[]): void {
  if (schemes.some((scheme) => url.startsWith(`${scheme}://`))) return;
  throw new StartError(
    `${variable}: must be a URL that begins with ${schemes.map((s) => `${s}://`).join(' or ')}`,
  );
}

/** Requires that at least one of several places answers. */
async function requireListener(
  name: string,
  variable: string,
  listeners: readonly { hostname: string; port: number }[],
): Promise<void> {
  try {
    await Promise.any(listeners.map(({ hostname, port }) => listens(hostname, port)));
  } catch {
    const all = listeners.map(({ hostname, port }) => `${hostname}:${port}`).join(', ');
    throw new StartError(`${name} (${variable}, ${all}) does not answer.`);
  }
}

async function listens(host: string, port: number): Promise<void> {
  const socket = connect({ host, port, timeout: 3000 });
  socket.once('timeout', () => socket.destroy(new Error('no answer')));
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}

/** Returns host and port of a URL, and never the part before the @. */
function parseHost(url: string): string {
  return URL.parse(url)?.host ?? 'not a URL';
}

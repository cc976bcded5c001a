import { isListening } from './listens.ts';

export const amqpUrl = process.env.AMQP_URL || 'amqp://guest:guest@127.0.0.1:5672';
export const redisUrl = process.env.REDIS_URL || 'redis://127.0.0.1:6379';

/**
 * Whether servers answer at these addresses. If one does not, one line names the suites that are skipped; in CI that is
 * an error.
 */
export async function areServersReachable(
  servers: Readonly<Record<string, string>>,
  suites: string,
): Promise<boolean> {
  const names = Object.keys(servers);
  const reachable = await Promise.all(Object.values(servers).map(isListening));
  const missing = names.filter((_, i) => !reachable[i]);
  if (missing.length === 0) return true;
  const message = `${missing.join(' and ')} not reachable: ${suites} left out`;
  if (process.env.CI === 'true') throw new Error(message);
  process.stderr.write(`${message}\n`);
  return false;
}

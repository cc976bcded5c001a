import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { OwnServer } from '../servers/own-process.ts';
import type { Program } from '../servers/programs.ts';

const usualAddresses = {
  DATABASE_URL: 'postgres://postgres@127.0.0.1:5432/postgres',
  AMQP_URL: 'amqp://guest:guest@127.0.0.1:5672',
  REDIS_URL: 'redis://127.0.0.1:6379',
};
type Address = keyof typeof usualAddresses;

/** Servers that were started because none answered. */
export interface StartedServers {
  /** Stops them and removes their data. */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL, RabbitMQ and Redis where none answers at the address in the environment, or else at the usual one,
 * and puts the address of each into the environment. Modules that read these addresses are imported after it.
 * `programs` are those that the run needs; missing ones are installed from Debian's packages if that is allowed.
 */
export async function startMissingServers(
  programs: readonly Program[],
  postgresOptions: { maxConnections: number; settings?: Record<string, string> },
): Promise<StartedServers> {
  for (const [name, url] of Object.entries(usualAddresses)) process.env[name] ||= url;
  const started: (() => Promise<void>)[] = [];

  const createFolder = () => mkdtemp(join(tmpdir(), 'waybill-servers-'));
  function addServer(name: Address, { url, stop }: Pick<OwnServer, 'url' | 'stop'>, folder?: string): void {
    process.env[name] = url;
    started.push(async () => {
      await stop();
      if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    });
  }

  async function startPostgres(): Promise<void> {
    if (await acceptsQueries(process.env.DATABASE_URL!)) return;
    const { startPostgres: start } = await import('../standalone/postgres.ts');
    const dataDir = await createFolder();
    const server = await start({ dataDir, log: () => {}, ...postgresOptions });
    addServer('DATABASE_URL', server, dataDir);
    if (postgresOptions.settings?.scram_iterations) await hashPasswordAgain(server.url);
  }
  async function startRedis(): Promise<void> {
    const { redisServer } = await import('../servers/redis.ts');
    const server = await redisServer();
    await server.start(true);
    addServer('REDIS_URL', server);
  }
  async function startRabbitmq(): Promise<void> {
    const { rabbitmqServer } = await import('../servers/rabbitmq.ts');
    const folder = await createFolder();
    const server = await rabbitmqServer(folder);
    await server.start(true);
    addServer('AMQP_URL', server, folder);
  }
  async function startCluster(): Promise<void> {
    const { installPrograms } = await import('../servers/programs.ts');
    const { isListening } = await import('@waybill/testing/listens');
    const isAnswering: Partial<Record<Program, boolean>> = {
      'redis-server': await isListening(process.env.REDIS_URL!),
      'rabbitmq-server': await isListening(process.env.AMQP_URL!),
    };
    const needed = programs.filter((program) => !isAnswering[program]);
    const missing = await installPrograms(needed, (line) => process.stderr.write(`${line}\n`));
    const isStartable = (program: Program) => needed.includes(program) && !missing.includes(program);
    await Promise.all([
      isStartable('redis-server') && startRedis(),
      isStartable('rabbitmq-server') && startRabbitmq(),
    ]);
  }

  await Promise.all([startPostgres(), startCluster()]);
  return { stop: async () => void (await Promise.all(started.map((stop) => stop()))) };
}

async function acceptsQueries(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2000 });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

/** Stores the password of a URL's role anew, by the settings of the running server. */
async function hashPasswordAgain(url: string): Promise<void> {
  const { username, password } = new URL(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`alter role ${pg.escapeIdentifier(username)} password ${pg.escapeLiteral(password)}`);
  await client.end();
}

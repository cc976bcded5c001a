import { subscriptions } from '@waybill/contracts';
import Type from 'typebox';
import { createInProcessCache } from './cache/in-process-cache.ts';
import { defineConfig, type Env } from './config.ts';
import { createInProcessBus } from './events/in-process-bus.ts';
import { ed25519Key, ed25519PublicKey, publicKeyOf } from './http/principal.ts';
import { createLog, logLevels } from './log.ts';
import { runProgram } from './program.ts';
import { type Infra, migrateOnly, run } from './run.ts';
import type { ServiceDefinition } from './service.ts';

const port = (options: object) => Type.Integer({ minimum: 0, maximum: 65_535, ...options });

const databaseSettings = {
  DATABASE_URL: Type.String({ default: 'postgres://postgres@127.0.0.1:5432/postgres' }),
  WAYBILL_NAMESPACE: Type.String({ default: 'waybill', pattern: '^[a-z][a-z0-9_]{0,30}$' }),
  LOG_LEVEL: Type.Enum([...logLevels], { default: 'info' }),
};

/** What a migration needs to know: it asks the database, and nobody else. */
const migrationSettings = defineConfig(Type.Object(databaseSettings));

/** What every process of the cluster reads beside its service's own settings, `decisions.md 9.2, 9.5`. */
export const processSettings = defineConfig(
  Type.Object({
    ...databaseSettings,
    DATABASE_POOL_SIZE: Type.Integer({ minimum: 1, maximum: 500, default: 10 }),
    AMQP_URL: Type.String({
      default: 'amqp://guest:guest@127.0.0.1:5672',
      description: 'RabbitMQ; of a cluster the URLs of its nodes, separated by commas.',
    }),
    REDIS_URL: Type.String({ default: 'redis://127.0.0.1:6379' }),
    WAYBILL_PRINCIPAL_PUBLIC_KEY: Type.Optional(
      Type.String({ description: "Verifies the gateway's principals: 32 bytes, base64url." }),
    ),
    WAYBILL_PRINCIPAL_KEY: Type.Optional(Type.String()),
    WAYBILL_SERVICE_TOKEN: Type.String({ minLength: 16 }),
    WAYBILL_PEERS: Type.String({
      default: '',
      description:
        'Where the other services answer: `catalog=http://host:port,…`; a service may stand there twice.',
    }),
    HOST: Type.String({ default: '127.0.0.1' }),
    PORT: port({ default: 8080 }),
    INTERNAL_HOST: Type.String({ default: '127.0.0.1' }),
    INTERNAL_PORT: port({ default: 0 }),
  }),
  (env) => ({ ...env, peerUrls: parsePeers(env.WAYBILL_PEERS), principalKey: principalKeyOf(env) }),
);

/** The process of one service: `node services/catalog/src/main.ts`; with `migrate`, only its migrations. */
export function runService(definition: ServiceDefinition): void {
  runProgram(async () => {
    if (process.argv[2] === 'migrate') {
      const { LOG_LEVEL, DATABASE_URL, WAYBILL_NAMESPACE } = migrationSettings.read(process.env);
      await migrateOnly(definition, {
        databaseUrl: DATABASE_URL,
        namespace: WAYBILL_NAMESPACE,
        log: createLog(LOG_LEVEL),
      });
      process.exit(0);
    }
    const infra = await infraFromEnv(definition, process.env);
    const running = await run([definition], infra);
    infra.log.info({ service: definition.name, url: running.url, internalUrl: running.internalUrl }, 'ready');
    return running.stop;
  });
}

/** The infrastructure of production, from environment variables: PostgreSQL, RabbitMQ, Redis. */
export async function infraFromEnv(definition: ServiceDefinition, env: Env): Promise<Infra> {
  const settings = processSettings.read(env);
  const { WAYBILL_NAMESPACE: namespace, AMQP_URL, REDIS_URL } = settings;
  const log = createLog(settings.LOG_LEVEL);
  const usesBus = definition.migrations || definition.workers || definition.subscriptions;
  // Loaded only where they are used: the standalone system has neither.
  const { createRabbitmqBus } = await import('./events/rabbitmq/bus.ts');
  const { createRedisCache } = await import('./cache/redis-cache.ts');
  return {
    env,
    log,
    bus: usesBus
      ? createRabbitmqBus({
          url: AMQP_URL,
          namespace,
          log,
          ...(definition.migrations && { mark: definition.name }),
          subscriptions: Object.values(subscriptions).map(({ queue, events }) => ({
            queue,
            names: events.map(({ name }) => name),
          })),
        })
      : createInProcessBus(log),
    cache: definition.usesCache
      ? createRedisCache({ url: REDIS_URL, namespace, log })
      : createInProcessCache(),
    databaseUrl: settings.DATABASE_URL,
    namespace,
    poolSize: settings.DATABASE_POOL_SIZE,
    principalKey: settings.principalKey,
    serviceToken: settings.WAYBILL_SERVICE_TOKEN,
    peerUrls: settings.peerUrls,
    listen: { host: settings.HOST, port: settings.PORT },
    internal: { host: settings.INTERNAL_HOST, port: settings.INTERNAL_PORT },
  };
}

function parsePeers(text: string): Record<string, string[]> {
  const urls: Record<string, string[]> = {};
  for (const entry of text.split(',').filter(Boolean)) {
    const [, name, url] = /^([a-z-]+)=(https?:\/\/[^\s,]+)$/.exec(entry.trim()) ?? [];
    if (!name || !url) throw new Error(`WAYBILL_PEERS: "${entry}" is not service=http://host:port`);
    urls[name] = [...(urls[name] ?? []), url.replace(/\/+$/, '')];
  }
  return urls;
}

function principalKeyOf(env: { WAYBILL_PRINCIPAL_PUBLIC_KEY?: string; WAYBILL_PRINCIPAL_KEY?: string }) {
  if (env.WAYBILL_PRINCIPAL_PUBLIC_KEY) return ed25519PublicKey(env.WAYBILL_PRINCIPAL_PUBLIC_KEY);
  if (env.WAYBILL_PRINCIPAL_KEY) return publicKeyOf(ed25519Key(env.WAYBILL_PRINCIPAL_KEY));
  throw new Error('WAYBILL_PRINCIPAL_PUBLIC_KEY: must be set');
}

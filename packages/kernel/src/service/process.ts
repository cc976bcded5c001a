import type { KeyObject } from 'node:crypto';
import { subscriptions } from '@waybill/contracts';
import Type from 'typebox';
import { createInProcessCache } from '../cache/in-process-cache.ts';
import { createInProcessBus } from '../events/in-process-bus.ts';
import { derivePublicKey, ed25519Key, ed25519PublicKey } from '../http/principal.ts';
import { defineConfig, type Env } from '../operations/config.ts';
import { hashToken, type KeyEnv, keySettings, keysFrom, parseCallers, readKeys } from '../operations/keys.ts';
import { createLog, logLevels } from '../operations/log.ts';
import { runProgram } from '../operations/program.ts';
import type { ServiceDefinition } from './definition.ts';
import type { Infra } from './infra.ts';
import { run } from './run.ts';
import { migrateOnly } from './service-database.ts';

const port = (options: object) => Type.Integer({ minimum: 0, maximum: 65_535, ...options });

/** The setting that keeps installations on the same servers apart. It is part of the names of databases and queues. */
export const namespaceSetting = Type.String({
  default: 'waybill',
  pattern: '^[a-z][a-z0-9_]{0,30}$',
  description: 'Lower-case letters, digits and _; the first is a letter; at most 31.',
});

const databaseSettings = {
  DATABASE_URL: Type.String({ default: 'postgres://postgres@127.0.0.1:5432/postgres' }),
  WAYBILL_NAMESPACE: namespaceSetting,
  LOG_LEVEL: Type.Enum([...logLevels], { default: 'info' }),
};

/** The settings of a migration, which needs only the database. */
const migrationSettings = defineConfig(Type.Object(databaseSettings));

/** The settings of every process of the cluster besides those of its service, `decisions.md 9.2, 9.5`. */
export const processSettings = defineConfig(
  Type.Object({
    ...databaseSettings,
    DATABASE_POOL_SIZE: Type.Integer({ minimum: 1, maximum: 500, default: 10 }),
    AMQP_URL: Type.String({
      default: 'amqp://guest:guest@127.0.0.1:5672',
      description: 'RabbitMQ; for a cluster the URLs of its nodes, separated by commas.',
    }),
    REDIS_URL: Type.String({ default: 'redis://127.0.0.1:6379' }),
    ...keySettings('WAYBILL_PRINCIPAL_PUBLIC_KEY', "Verifies the gateway's principals: 32 bytes, base64url."),
    ...keySettings('WAYBILL_PRINCIPAL_KEY', 'Signs principals: 32 bytes, base64url.'),
    ...keySettings(
      'WAYBILL_SERVICE_TOKEN',
      'Identifies this process to other services, and encrypts stored answers: at least 16 characters.',
    ),
    WAYBILL_CALLERS: Type.Optional(
      Type.String({
        description:
          'The callers of internal routes: `catalog:<SHA-256 of its token in hex>,…`. By default every holder of a ' +
          'token of this process.',
      }),
    ),
    WAYBILL_PEERS: Type.String({
      default: '',
      description:
        'The addresses of the other services: `catalog=http://host:port,…`; a service may appear twice.',
    }),
    HOST: Type.String({ default: '127.0.0.1' }),
    PORT: port({ default: 8080 }),
    PORT_SHARED: Type.Enum(['on', 'off'], {
      default: 'off',
      description:
        'On: other copies also listen at PORT, and the system distributes connections among them (Linux).',
    }),
    INTERNAL_HOST: Type.String({ default: '127.0.0.1' }),
    INTERNAL_PORT: port({ default: 0 }),
  }),
  (env) => ({
    ...env,
    peerUrls: parsePeers(env.WAYBILL_PEERS),
    principalKeys: collectPrincipalKeys(env),
    ...readServiceTokens(env),
  }),
);

/**
 * How long a process waits for its migrations. Kubernetes starts job and process at the same moment: most jobs finish
 * within this time, without a restart. A job that takes longer, or fails, shows as a process that does not start, with
 * the reason as its last line; the startup probe allows a minute more than this. Meanwhile the previous version keeps
 * running.
 */
const migrationWaitMs = 120_000;

/**
 * Runs the process of one service: `node services/catalog/src/main.ts`, which finds its database migrated or waits for
 * that; with `migrate`, it only migrates.
 */
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

/** Returns the infrastructure of production, from environment variables: PostgreSQL, RabbitMQ, Redis. */
async function infraFromEnv(definition: ServiceDefinition, env: Env): Promise<Infra> {
  const settings = processSettings.read(env);
  const { WAYBILL_NAMESPACE: namespace, AMQP_URL, REDIS_URL } = settings;
  const log = createLog(settings.LOG_LEVEL);
  const usesBus = definition.migrations || definition.workers || definition.subscriptions;
  // Loaded only if used: the standalone system has neither.
  const { createRabbitmqBus } = await import('../events/rabbitmq/bus.ts');
  const { createRedisCache } = await import('../cache/redis-cache.ts');
  return {
    env,
    log,
    bus: usesBus
      ? createRabbitmqBus({
          url: AMQP_URL,
          namespace,
          log,
          ...(definition.migrations && { mark: definition.name }),
          subscriptions: Object.values(subscriptions).map(({ events, ...rest }) => ({
            ...rest,
            names: events.map(({ name }) => name),
          })),
        })
      : createInProcessBus(log),
    cache: definition.usesCache
      ? createRedisCache({ url: REDIS_URL, namespace, log })
      : createInProcessCache(),
    databaseUrl: settings.DATABASE_URL,
    namespace,
    migrations: { waitMs: migrationWaitMs },
    poolSize: settings.DATABASE_POOL_SIZE,
    principalKeys: settings.principalKeys,
    serviceTokens: settings.serviceTokens,
    callers: settings.callers,
    peerUrls: settings.peerUrls,
    listen: { host: settings.HOST, port: settings.PORT, isShared: settings.PORT_SHARED === 'on' },
    internal: { host: settings.INTERNAL_HOST, port: settings.INTERNAL_PORT },
  };
}

function parsePeers(text: string): Record<string, string[]> {
  const urls: Record<string, string[]> = {};
  for (const entry of text.split(',').filter(Boolean)) {
    const [, name, url] = /^([a-z-]+)=(https?:\/\/[^\s,]+)$/.exec(entry.trim()) ?? [];
    if (!name || !url) throw new Error(`WAYBILL_PEERS: "${entry}" is not service=http://host:port`);
    urls[name] = [...(urls[name] ?? []), url.replace(/(?<!\/)\/+$/, '')];
  }
  return urls;
}

/**
 * Returns the keys that verify principals: the public ones if they are configured, otherwise those of the signing keys.
 * Throws an error of one line.
 */
export function collectPrincipalKeys(
  env: KeyEnv<'WAYBILL_PRINCIPAL_PUBLIC_KEY' | 'WAYBILL_PRINCIPAL_KEY'>,
): KeyObject[] {
  const isSigner = !env.WAYBILL_PRINCIPAL_PUBLIC_KEY && !env.WAYBILL_PRINCIPAL_PUBLIC_KEYS;
  if (isSigner && (env.WAYBILL_PRINCIPAL_KEY || env.WAYBILL_PRINCIPAL_KEYS))
    return readPrincipalKeys(env).map(derivePublicKey);
  const name = 'WAYBILL_PRINCIPAL_PUBLIC_KEY';
  return keysFrom(name, readKeys(env, name), ed25519PublicKey).map(({ key }) => key);
}

/** Returns the keys that sign principals, the current one first. Throws an error of one line. */
export function readPrincipalKeys(env: KeyEnv<'WAYBILL_PRINCIPAL_KEY'>): KeyObject[] {
  const name = 'WAYBILL_PRINCIPAL_KEY';
  return keysFrom(name, readKeys(env, name), ed25519Key).map(({ key }) => key);
}

/**
 * Returns the tokens of this process and the callers that it accepts, `decisions.md 18.1`. Throws an error of one line.
 */
export function readServiceTokens(
  env: KeyEnv<'WAYBILL_SERVICE_TOKEN'> & { readonly WAYBILL_CALLERS?: string | undefined },
): Pick<Infra, 'serviceTokens' | 'callers'> {
  const name = 'WAYBILL_SERVICE_TOKEN';
  const own = keysFrom(name, readKeys(env, name), (token) => {
    if (token.length < 16) throw new Error('must be 16 characters or more');
    return token;
  });
  return {
    serviceTokens: own.map(({ key }) => key),
    callers: env.WAYBILL_CALLERS
      ? parseCallers(env.WAYBILL_CALLERS)
      : own.map(({ id, key }) => ({ name: id || 'service', hash: hashToken(key) })),
  };
}

import { randomBytes } from 'node:crypto';
import { newId, type Principal } from '@waybill/contracts';
import {
  createInProcessBus,
  createInProcessCache,
  createLog,
  createPrincipalSigner,
  type Env,
  ed25519Key,
  principalHeader,
  publicKeyOf,
  type Running,
  run,
  type ServiceDefinition,
} from '@waybill/kernel';
import { cloneDatabases, dropDatabases, serverUrl } from './databases.ts';

const principalSeed = randomBytes(32).toString('base64url');
const signPrincipal = createPrincipalSigner(ed25519Key(principalSeed));

export interface TestSystem {
  /** The public address; only with the gateway among the services. */
  url: string;
  internalUrl: string;
  serviceToken: string;
  /** The headers with which the gateway would introduce this principal to a service. */
  as(principal: Principal): Promise<Record<string, string>>;
  databaseUrl(service: string): string;
  /** Stops the services and starts them again on the same databases. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts services in this process, in the standalone topology, on databases of their own that are cloned from
 * the run's templates and dropped by `stop`.
 */
export async function startSystem(
  services: readonly ServiceDefinition[],
  env: Env = {},
): Promise<TestSystem> {
  const namespace = `wbt_${process.env.WAYBILL_TEST_RUN ?? process.pid}_${randomBytes(4).toString('hex')}`;
  await cloneDatabases(services, namespace);
  const serviceToken = randomBytes(32).toString('base64url');
  const settings: Env = {
    WAYBILL_PRINCIPAL_KEY: principalSeed,
    WAYBILL_USER_TOKEN_KEY: randomBytes(32).toString('base64url'),
    WAYBILL_WEBHOOK_ENCRYPTION_KEY: randomBytes(32).toString('base64url'),
    WAYBILL_SERVICE_TOKEN: serviceToken,
    ...env,
  };
  let running: Running;
  const start = async () => {
    const log = createLog(process.env.TEST_LOG ?? 'silent');
    running = await run(services, {
      env: settings,
      log,
      bus: createInProcessBus(log),
      cache: createInProcessCache(),
      databaseUrl: serverUrl,
      namespace,
      poolSize: 5,
      principalKey: publicKeyOf(ed25519Key(principalSeed)),
      serviceToken,
      peerUrls: {},
      listen: { host: '127.0.0.1', port: 0 },
      internal: { host: '127.0.0.1', port: 0 },
    });
  };
  await start();

  return {
    get url() {
      return running.url ?? '';
    },
    get internalUrl() {
      return running.internalUrl;
    },
    serviceToken,
    as: async (principal) => ({ [principalHeader]: await signPrincipal(newId('event'), principal) }),
    databaseUrl(service) {
      const url = new URL(serverUrl);
      url.pathname = `/${namespace}_${service.replaceAll('-', '_')}`;
      return url.href;
    },
    async restart() {
      await running.stop();
      await start();
    },
    async stop() {
      await running.stop();
      await dropDatabases(namespace);
    },
  };
}

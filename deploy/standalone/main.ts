import { join, resolve } from 'node:path';
import {
  createInProcessBus,
  createInProcessCache,
  createLog,
  type Env,
  ed25519Key,
  publicKeyOf,
  run,
  StartError,
} from '@waybill/kernel';
import { ensureDemo } from '../demo.ts';
import { openDataDirectory, readOrCreateSecrets } from './data-directory.ts';
import { startPostgres } from './postgres.ts';
import { services } from './services.ts';
import { settings } from './settings.ts';

/** Each of the installation's secrets under the name of the setting that it is the default of. */
const secretNames = {
  WAYBILL_PRINCIPAL_KEY: 'principalKey',
  WAYBILL_USER_TOKEN_KEY: 'userTokenKey',
  WAYBILL_WEBHOOK_ENCRYPTION_KEY: 'webhookEncryptionKey',
  WAYBILL_SERVICE_TOKEN: 'serviceToken',
} as const;

const stopDeadlineMs = 15_000;

/** The whole system as one process on an embedded PostgreSQL, `decisions.md 9.1`. */
async function start(): Promise<() => Promise<void>> {
  const { port, internalPort, dataDir, demo, logLevel, publicUrl } = settings.read(process.env);
  const log = createLog(logLevel);
  const directory = await openDataDirectory(resolve(dataDir));
  const demoFile = join(directory.path, 'demo.json');
  const undo: (() => Promise<void> | void)[] = [() => directory.release()];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const secrets = await readOrCreateSecrets(directory.path, Object.values(secretNames));
    const env: Env = {
      ...Object.fromEntries(Object.entries(secretNames).map(([setting, name]) => [setting, secrets[name]])),
      ...process.env,
      ...(demo && { READY_FILE: demoFile }),
    };
    // Before anything is started: a wrong setting of any service.
    for (const { config } of services) config.read(env);

    const postgres = await startPostgres({ dataDir: directory.path, log: say });
    postgres.ended.then((line) => fail(new StartError(line)));
    undo.push(() => postgres.stop());
    const running = await run(services, {
      env,
      log,
      bus: createInProcessBus(log),
      cache: createInProcessCache(),
      databaseUrl: postgres.url,
      namespace: 'waybill',
      poolSize: 10,
      principalKey: publicKeyOf(ed25519Key(env.WAYBILL_PRINCIPAL_KEY!)),
      serviceToken: env.WAYBILL_SERVICE_TOKEN!,
      peerUrls: {},
      listen: { host: '127.0.0.1', port },
      internal: { host: '127.0.0.1', port: internalPort },
    });
    undo.push(() => running.stop());
    if (demo) await ensureDemo(demoFile, running.url!);
    announce(publicUrl ?? running.url!, running.internalUrl, demo ? demoFile : null);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

const say = (line: string) => process.stdout.write(`${line}\n`);

function announce(url: string, internalUrl: string, demoFile: string | null): void {
  const lines = [
    `Waybill is ready at ${url}`,
    `  API reference  ${url}/docs`,
    `  Metrics        ${internalUrl}/metrics`,
  ];
  if (demoFile) {
    const key = `KEY=$(node -p "require('${demoFile}').apiKey")`;
    const auth = '-H "Authorization: Bearer $KEY"';
    lines.push(
      `  Demo store     ${demoFile} (API key, accounts)`,
      '',
      'Try, in another terminal:',
      `  ${key}`,
      `  curl ${url}/api/v1/products ${auth} -H 'Content-Type: application/json' -d '{"name":"Tea"}'`,
      `  curl ${url}/api/v1/products ${auth}`,
    );
  }
  lines.push('', 'Ctrl-C stops it.');
  say(lines.join('\n'));
}

function fail(error: unknown): never {
  process.stderr.write(
    `waybill: ${error instanceof StartError ? error.message : ((error as Error).stack ?? error)}\n`,
  );
  process.exit(1);
}

let stopping: Promise<void> | null = null;
const started = start();

function stopOnce(reason: string): void {
  if (stopping) return;
  say(`${reason}: stopping.`);
  setTimeout(() => fail(new StartError('The stop took too long and was cut short.')), stopDeadlineMs).unref();
  stopping = started.then((stop) => stop()).then(() => process.exit(0), fail);
}

process.on('SIGINT', () => stopOnce('Ctrl-C'));
process.on('SIGTERM', () => stopOnce('SIGTERM'));
// The launcher's channel closes when it ends, however it ended.
process.on('disconnect', () => stopOnce('The launcher has gone'));
started.catch(fail);

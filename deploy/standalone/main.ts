import { join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import {
  checkSettings,
  collectPrincipalKeys,
  createInProcessBus,
  createInProcessCache,
  createLog,
  type Env,
  exitWithError,
  readServiceTokens,
  run,
  runProgram,
  StartError,
} from '@waybill/kernel';
import { announce, say } from '../announce.ts';
import { ensureDemo, furnishStore, isFurnishing } from '../demo/demo.ts';
import { oneProcess, readCallers, withSecrets } from '../secrets.ts';
import { createInstalledDatabases } from '../servers/databases.ts';
import { services } from '../services.ts';
import { settings } from '../settings.ts';
import { openDataDirectory } from './data-directory.ts';
import { startPostgres } from './postgres.ts';

// By default V8 lets garbage grow to several times the live heap and returns little memory: a shop's process that needs
// 75 MiB took 460. So it collects when the heap has grown by two fifths.
setFlagsFromString('--heap-growing-percent=40');

/** Starts the whole system as one process on an embedded PostgreSQL, `decisions.md 9.1`. */
async function start(): Promise<() => Promise<void>> {
  const { port, internalPort, dataDir, demo, hasShop, storesFiles, logLevel, publicUrl } = settings.read(
    process.env,
  );
  const log = createLog(logLevel ?? 'warn');
  const directory = await openDataDirectory(resolve(dataDir));
  const demoFile = join(directory.path, 'demo.json');
  const undo: (() => Promise<void> | void)[] = [() => directory.release()];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const env: Env = {
      ...(await withSecrets(directory.path, process.env)),
      WAYBILL_DATA_DIR: directory.path,
      PUBLIC_BASE_URL: publicUrl,
      // `full` enables the import of past orders, while the demo is being created.
      WAYBILL_DEMO: !demo ? 'off' : isFurnishing(demoFile, hasShop) ? 'full' : 'on',
      ...(demo && { READY_FILE: demoFile }),
    };
    // Detects wrong settings of all services before anything starts.
    checkSettings(
      services.map(({ config }) => config),
      env,
    );

    const callers = await readCallers(directory.path, process.env, [oneProcess]);
    const serviceToken = callers.operatorToken;
    const postgres = await startPostgres({ dataDir: directory.path, log: say });
    postgres.ended.then((line) => exitWithError(new StartError(line)));
    undo.push(() => postgres.stop());
    // A compromised service reaches its own database and no other. `decisions.md 18.2`
    const namespace = 'waybill';
    const server = { adminUrl: postgres.socketUrl, namespace, isOwnServer: true };
    const ownDatabaseUrls = await createInstalledDatabases(directory.path, server);
    const running = await run(services, {
      env,
      log,
      bus: createInProcessBus(log),
      cache: createInProcessCache(),
      databaseUrl: postgres.socketUrl,
      ...(ownDatabaseUrls && { ownDatabaseUrls }),
      namespace,
      migrations: 'run',
      poolSize: 10,
      principalKeys: collectPrincipalKeys(env),
      ...readServiceTokens(callers.settingsOf(oneProcess)),
      peerUrls: {},
      listen: { host: '127.0.0.1', port },
      internal: { host: '127.0.0.1', port: internalPort },
    });
    undo.push(() => running.stop());
    const identityUrl = running.internalUrl;
    await directory.announce({ baseUrl: publicUrl, identityUrl });
    const ordersUrl = running.internalUrl;
    const system = { url: running.url!, identityUrl, ordersUrl, serviceToken, storesFiles };
    if (demo) await ensureDemo(demoFile, system, { hasShop });
    announce(publicUrl, running.internalUrl, demo ? demoFile : null);
    if (hasShop) void furnishStore(demoFile, system, say);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

runProgram(start);

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { defineConfig, namespaceSetting, StartError } from '@waybill/kernel';
import Type from 'typebox';
import { say } from '../../announce.ts';
import { settings } from '../../settings.ts';
import { findRunning, openDataDirectory, requireData } from '../../standalone/data-directory.ts';
import { startPostgres } from '../../standalone/postgres.ts';

/** The entries of a data directory that are data; all others belong to PostgreSQL or to the running process. */
export const savedEntries = ['objects', 'mail', 'secrets.json', 'demo.json', 'demo-accounts.json'];

/** An installation: its databases on a server, and its files. */
export interface Installation {
  /** The URL of the owner of the server, on the database `postgres`. */
  adminUrl: string;
  namespace: string;
  dataDir: string;
  close(): Promise<void>;
}

const servers = defineConfig(
  Type.Object({
    DATABASE_URL: Type.String({ default: 'postgres://postgres@127.0.0.1:5432/postgres' }),
    WAYBILL_NAMESPACE: namespaceSetting,
  }),
);

/** Returns the databases of `npm run cluster`. Throws a StartError. */
export function readClusterServer(): Pick<Installation, 'adminUrl' | 'namespace'> {
  const { DATABASE_URL: adminUrl, WAYBILL_NAMESPACE: namespace } = servers.read(process.env);
  return { adminUrl, namespace };
}

/**
 * Opens the installation of the environment: that of `npm run cluster` or that of `npm start`, whose PostgreSQL is
 * started if it is not running. With `isRestore`, no system may be running on it, and it may be new. Throws a StartError.
 */
export async function openInstallation(isCluster: boolean, isRestore: boolean): Promise<Installation> {
  const path = resolve(settings.read(process.env).dataDir);
  if (!isRestore && !isCluster) requireData(path);
  const isRunning =
    !isRestore &&
    (await findRunning(path).then(
      () => true,
      () => false,
    ));
  const directory = isRunning ? null : await openDataDirectory(path, { isRestore });
  const release = async () => directory?.release();
  try {
    if (isCluster) return { ...readClusterServer(), dataDir: path, close: release };
    const namespace = 'waybill';
    if (isRunning) return { adminUrl: await readRunningUrl(path), namespace, dataDir: path, close: release };
    const postgres = await startPostgres({ dataDir: path, log: say });
    return {
      adminUrl: postgres.url,
      namespace,
      dataDir: path,
      async close() {
        await postgres.stop();
        await release();
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Returns the URL of the PostgreSQL that a running system has started. */
async function readRunningUrl(path: string): Promise<string> {
  try {
    const [password, pidFile] = await Promise.all([
      readFile(join(path, 'postgres-password'), 'utf8'),
      readFile(join(path, 'postgres/postmaster.pid'), 'utf8'),
    ]);
    return `postgres://postgres:${password.trim()}@127.0.0.1:${pidFile.split('\n')[3]}/postgres`;
  } catch {
    throw new StartError(`No database of npm start runs in ${path}; --cluster is for npm run cluster.`);
  }
}

import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { StartError } from '@waybill/kernel';
import { say } from '../../announce.ts';
import { databaseServices } from '../../servers/databases.ts';
import { createDirectory, syncDirectory, writePrivateFile } from '../../standalone/data-directory.ts';
import { openSnapshots, type SavedDatabase, saveDatabase } from './databases.ts';
import { checksums, copyMissing, listFiles } from './files.ts';
import { type Installation, savedEntries } from './installation.ts';

/** The content of `backup.json`, which is written last. */
export interface Manifest {
  format: 1;
  /** RFC 3339: the moment of the backup's state. */
  madeAt: string;
  namespace: string;
  /** The databases by service. */
  databases: Record<string, SavedDatabase>;
  files: number;
}

export const databaseUrl = ({ adminUrl, namespace }: Installation, service: string, suffix = ''): string =>
  Object.assign(new URL(adminUrl), { pathname: `/${databaseName(namespace, service)}${suffix}` }).href;

export const databaseName = (namespace: string, service: string): string =>
  `${namespace}_${service}`.replaceAll('-', '_');

/**
 * Writes all databases and files of an installation, as of one moment, into a new folder, while the installation runs
 * (`decisions.md 18.4`). The folder appears completely or not at all; it contains the installation's secrets. Throws a
 * StartError.
 */
export async function backup(installation: Installation, target: string): Promise<Manifest> {
  const folder = resolve(target);
  const left = await readdir(folder).catch(() => []);
  if (left.length > 0) throw new StartError(`${folder} is not empty; a backup needs an empty folder.`);
  const fresh = `${folder}.new`;
  try {
    await rm(fresh, { recursive: true, force: true });
    await createDirectory(fresh, 0o700);
  } catch (error) {
    throw new StartError(`The folder ${fresh} cannot be created: ${(error as NodeJS.ErrnoException).code}.`);
  }
  await mkdir(join(fresh, 'files'), { mode: 0o700 });
  try {
    // Copies files once before that moment and once after it, so that files that are deleted or added in between are
    // included.
    await copyMissing(installation.dataDir, join(fresh, 'files'), savedEntries);
    const urls = databaseServices.map((service) => [service, databaseUrl(installation, service)]);
    const snapshots = await openSnapshots(Object.fromEntries(urls));
    const madeAt = new Date().toISOString();
    const databases: Manifest['databases'] = {};
    try {
      await copyMissing(installation.dataDir, join(fresh, 'files'), savedEntries);
      for (const [service, client] of snapshots)
        databases[service] = await saveDatabase(client, join(fresh, 'databases', service));
    } finally {
      await Promise.all([...snapshots.values()].map((client) => client.end()));
    }
    const paths = await listFiles(join(fresh, 'files'), savedEntries);
    await writePrivateFile(join(fresh, 'files.sha256'), await checksums(join(fresh, 'files'), paths));
    const { namespace } = installation;
    const manifest: Manifest = { format: 1, madeAt, namespace, databases, files: paths.length };
    await writePrivateFile(join(fresh, 'backup.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    await rm(folder, { recursive: true, force: true });
    await rename(fresh, folder);
    await syncDirectory(dirname(folder));
    const rows = Object.values(databases).flatMap(({ tables }) => tables.map((table) => table.rows));
    const sum = rows.reduce((total, count) => total + count, 0);
    say(`${folder}: ${sum} rows of ${snapshots.size} databases and ${paths.length} files, as of ${madeAt}`);
    return manifest;
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
}

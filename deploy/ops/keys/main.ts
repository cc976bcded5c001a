import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runProgram, StartError } from '@waybill/kernel';
import { say } from '../../announce.ts';
import { settings } from '../../settings.ts';
import { openDataDirectory, requireData } from '../../standalone/data-directory.ts';
import { startPostgres } from '../../standalone/postgres.ts';
import { type Installation, readClusterServer } from '../backup/installation.ts';
import { checkArguments, isClusterData, runKeys } from './keys.ts';

/**
 * Opens the places where the keys of a data directory may have sealed data: the databases that `npm start` stores
 * there, and those of `npm run cluster`, if a cluster has used the directory or `isCluster` says so.
 */
async function openPlaces(
  dataDir: string,
  secrets: Readonly<Record<string, string>>,
  isCluster: boolean,
): Promise<Installation[]> {
  const hasOwn = existsSync(join(dataDir, 'postgres'));
  const hasCluster = isCluster || isClusterData(secrets, hasOwn);
  if (!hasOwn && !hasCluster)
    throw new StartError(
      `No database of npm start is in ${dataDir}, so what is sealed cannot be seen: --cluster looks into those of npm run cluster.`,
    );
  const installations: Installation[] = [];
  if (hasCluster) installations.push({ ...readClusterServer(), dataDir, close: async () => {} });
  if (hasOwn) {
    const postgres = await startPostgres({ dataDir, log: say });
    installations.push({
      adminUrl: postgres.url,
      namespace: 'waybill',
      dataDir,
      close: () => postgres.stop(),
    });
  }
  return installations;
}

runProgram(async () => {
  const args = process.argv.slice(2);
  const path = resolve(settings.read(process.env).dataDir);
  checkArguments(args.filter((arg) => arg !== '--cluster'));
  requireData(path);
  const directory = await openDataDirectory(path);
  try {
    await runKeys(
      args.filter((arg) => arg !== '--cluster'),
      directory.path,
      (secrets) => openPlaces(directory.path, secrets, args.includes('--cluster')),
    );
  } finally {
    await directory.release();
  }
  process.exit(0);
});

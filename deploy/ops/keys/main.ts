import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runProgram, StartError } from '@waybill/kernel';
import { say } from '../../announce.ts';
import { settings } from '../../settings.ts';
import { openDataDirectory } from '../../standalone/data-directory.ts';
import { startPostgres } from '../../standalone/postgres.ts';
import { type Place, readClusterServer } from '../backup/place.ts';
import { runKeys } from './keys.ts';

/**
 * Opens the places where the keys of a data directory may have sealed data: the databases that `npm start` stores
 * there, and those of `npm run cluster`, whose roles have passwords among the secrets; `isCluster` selects them if the
 * roles have none.
 */
async function openPlaces(
  dataDir: string,
  secrets: Readonly<Record<string, string>>,
  isCluster: boolean,
): Promise<Place[]> {
  const hasOwn = existsSync(join(dataDir, 'postgres'));
  const hasRoles = Object.keys(secrets).some((name) => name.startsWith('postgres.'));
  if (!hasOwn && !hasRoles && !isCluster)
    throw new StartError(
      `No database of npm start is in ${dataDir}, so what is sealed cannot be seen: --cluster looks into those of npm run cluster.`,
    );
  const places: Place[] = [];
  if (hasRoles || isCluster) places.push({ ...readClusterServer(), dataDir, close: async () => {} });
  if (hasOwn) {
    const postgres = await startPostgres({ dataDir, log: say });
    places.push({ adminUrl: postgres.url, namespace: 'waybill', dataDir, close: () => postgres.stop() });
  }
  return places;
}

runProgram(async () => {
  const args = process.argv.slice(2);
  const directory = await openDataDirectory(resolve(settings.read(process.env).dataDir));
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

import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createLog, ensureDatabase, migrate, openDatabase, StartError } from '@waybill/kernel';
import pg from 'pg';
import { say } from '../../announce.ts';
import { databaseServices } from '../../servers/databases.ts';
import { services } from '../../services.ts';
import { restoringFile, syncDirectory, writePrivateFile } from '../../standalone/data-directory.ts';
import { databaseName, type Manifest } from './backup.ts';
import { connect, fillDatabase, type SavedDatabase } from './databases.ts';
import { checksums, copyMissing, exists, listFiles } from './files.ts';
import { type Installation, savedEntries } from './installation.ts';

/** Suffix of restored databases, which stay next to the existing ones until all of them are complete. */
const suffix = '_restoring';

/**
 * Restores an installation from a backup, while no system runs on it (`decisions.md 18.4`). It replaces existing data
 * only with `force`, and only after everything in the backup is read, checked and ready. Throws a StartError.
 */
export async function restore(installation: Installation, source: string, force: boolean): Promise<void> {
  const folder = resolve(source);
  const manifest = await readManifest(folder);
  const admin = await connect(installation.adminUrl);
  try {
    const present = await findPresent(admin, installation);
    if (present.length > 0 && !force)
      throw new StartError(`There is data already (${present.join(', ')}); --force replaces it.`);
    await checkFiles(folder);
    for (const service of databaseServices)
      await restoreDatabase(admin, installation, service, join(folder, 'databases', service), manifest);
    const incoming = join(installation.dataDir, 'restoring-files');
    await rm(incoming, { recursive: true, force: true });
    await mkdir(incoming, { mode: 0o700 });
    await copyMissing(join(folder, 'files'), incoming, savedEntries);

    // From here on, the data is from two moments, and no system starts on it.
    await writePrivateFile(join(installation.dataDir, restoringFile), `${folder}\n`);
    for (const service of databaseServices)
      await putInPlace(admin, databaseName(installation.namespace, service));
    for (const entry of savedEntries) {
      await rm(join(installation.dataDir, entry), { recursive: true, force: true });
      if (await exists(join(incoming, entry)))
        await rename(join(incoming, entry), join(installation.dataDir, entry));
    }
    await rm(incoming, { recursive: true, force: true });
    await syncDirectory(installation.dataDir);
    await rm(join(installation.dataDir, restoringFile));
    say(`Restored as of ${manifest.madeAt}.`);
  } finally {
    await admin.end();
  }
}

async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, 'backup.json'), 'utf8').catch(() => {
    throw new StartError(`${folder} is not a complete backup: it has no backup.json.`);
  });
  let manifest: Manifest | undefined;
  try {
    manifest = JSON.parse(text);
  } catch {
    // Reported below.
  }
  const missing = databaseServices.find((service) => !manifest?.databases?.[service]);
  if (manifest?.format !== 1 || missing)
    throw new StartError(`${folder}/backup.json is damaged, or was not written by this version of Waybill.`);
  return manifest;
}

/** Returns the data that a restore would replace. */
async function findPresent(admin: pg.Client, { dataDir, namespace }: Installation): Promise<string[]> {
  const names = databaseServices.map((service) => databaseName(namespace, service));
  const { rows } = await admin.query<{ datname: string }>(
    'select datname from pg_database where datname = any($1) order by 1',
    [names],
  );
  const files = await Promise.all(savedEntries.map((entry) => exists(join(dataDir, entry))));
  return [
    ...rows.map(({ datname }) => `database ${datname}`),
    ...savedEntries.filter((_, i) => files[i]).map((entry) => join(dataDir, entry)),
  ];
}

async function checkFiles(folder: string): Promise<void> {
  const files = join(folder, 'files');
  const found = await checksums(files, await listFiles(files, savedEntries));
  if (found !== (await readFile(join(folder, 'files.sha256'), 'utf8')))
    throw new StartError(`${files} is damaged: sha256sum --check ../files.sha256 says where.`);
}

async function restoreDatabase(
  admin: pg.Client,
  installation: Installation,
  service: string,
  folder: string,
  { databases }: Manifest,
): Promise<void> {
  const name = `${databaseName(installation.namespace, service)}${suffix}`;
  await admin.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
  const url = await ensureDatabase(installation.adminUrl, name);
  const { migrations } = services.find((definition) => definition.name === service)!;
  const log = createLog('warn');
  const db = openDatabase<unknown>({ service, url, poolSize: 1, statementMs: 0, log });
  try {
    await migrate(db, migrations!);
  } finally {
    await db.destroy();
  }
  const saved = databases[service]!;
  await requireMigrations(url, service, saved);
  await fillDatabase(url, folder, saved);
  if (service === 'payments') await holdPayments(url);
}

/**
 * Stops calls to payment providers until an operator allows them (`PAYMENTS_RESUME=on`): requests made after the backup
 * are unknown here. A system that never had any payments continues.
 */
export async function holdPayments(url: string): Promise<void> {
  const client = await connect(url);
  const { rowCount } = await client.query(
    'insert into provider_hold (since) select now() where exists (select from payment_session) on conflict do nothing',
  );
  await client.end();
  if (rowCount) say('Payment providers are not called until PAYMENTS_RESUME=on says so.');
}

/** Requires that the database has the migrations of the version that made the backup. */
async function requireMigrations(url: string, service: string, saved: SavedDatabase): Promise<void> {
  const client = await connect(url);
  const { rows } = await client.query<{ name: string }>('select name from migration');
  await client.end();
  const ours = new Set(rows.map(({ name }) => name));
  const theirs = new Set(saved.migrations);
  const more = saved.migrations.find((name) => !ours.has(name));
  const less = [...ours].find((name) => !theirs.has(name));
  if (more || less)
    throw new StartError(
      `The backup is of ${more ? 'a later' : 'an earlier'} version of Waybill (${service}, ${more ?? less}): restore it with that one, then upgrade.`,
    );
}

async function putInPlace(admin: pg.Client, name: string): Promise<void> {
  await admin.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
  await admin.query(
    `alter database ${pg.escapeIdentifier(name + suffix)} rename to ${pg.escapeIdentifier(name)}`,
  );
}

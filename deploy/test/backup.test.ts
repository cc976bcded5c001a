import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dropDatabases, serverUrl, startSystem, type TestSystem } from '@waybill/testing';
import pg from 'pg';
import { backup, databaseUrl, type Manifest } from '../ops/backup/backup.ts';
import type { Installation } from '../ops/backup/installation.ts';
import { restore } from '../ops/backup/restore.ts';
import { databaseServices } from '../servers/databases.ts';
import { services } from '../services.ts';
import { openDataDirectory } from '../standalone/data-directory.ts';
import { expectStatus } from '../testing/accounts.ts';
import { createCaller } from '../testing/client.ts';
import { documentOf, heading, Site } from './e2e/site.ts';
import { unlimited } from './e2e/topologies.ts';

let folder: string;
let system: TestSystem;
let site: Site;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-backup-'));
  system = await startSystem(services, unlimited);
  await writeFile(join(system.dataDir, 'secrets.json'), '{"principalKey":"x"}');
  site = await Site.open(system.url, 'Tea House');
});
afterAll(async () => {
  await system.stop();
  await dropDatabases(`${system.namespace}_`);
  await rm(folder, { recursive: true, force: true });
});

/** Reopens the same store after a restart. */
function reopen(): void {
  const { owner, storeId, slug, api } = site;
  const call = createCaller(system.url, owner.accessToken);
  site = new Site(system.url, { ...owner, call }, storeId, slug, api);
}

const createInstallation = (namespace = system.namespace, dataDir = system.dataDir): Installation => ({
  adminUrl: serverUrl,
  namespace,
  dataDir,
  close: async () => {},
});
/** Returns the rows of a backup, without its time. */
const rowsOf = ({ databases }: Manifest) =>
  Object.entries(databases).flatMap(([service, { tables, sequences }]) => [
    ...tables
      // All of the outbox will be sent again.
      .filter(({ name }) => !name.startsWith('outbox'))
      .map(({ name, rows, sha256 }) => `${service}.${name} ${rows} ${sha256}`),
    ...sequences.map(({ name, value }) => `${service}.${name} ${value}`),
  ]);

async function newOrder(stock: number) {
  const variants = [{ sku: `T-${Math.random()}`, priceCents: 250, stock }];
  const created = await site.edit('POST', '/products', { name: 'Tea', status: 'active', variants });
  const [{ id: variantId }] = expectStatus(created, 201).body.product.variants;
  const items = [{ variantId, quantity: 1 }];
  const customer = { name: 'Bob', email: 'bob@example.com' };
  return expectStatus(await site.edit('POST', '/orders', { items, customer }), 201).body.order;
}

test('a backup during writes restores pages, orders, files and all rows', async () => {
  const page = await site.live('Welcome', documentOf([heading('Before the backup')]));
  const order = await newOrder(5);
  const form = new FormData();
  form.set('file', new Blob([png]), 'a.png');
  const uploaded = await fetch(`${system.url}/api/stores/${site.storeId}/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${site.owner.accessToken}` },
    body: form,
  });
  expect(uploaded.status).toBe(201);

  let goesOn = true;
  const writes = Promise.all(
    [1, 2].map(async () => {
      const names: string[] = [];
      while (goesOn) names.push((await newOrder(1)).id);
      return names;
    }),
  );
  const target = join(folder, 'first');
  const manifest = await backup(createInstallation(), target);
  goesOn = false;
  const written = (await writes).flat();
  expect(written.length).toBeGreaterThan(0);
  expect((await stat(target)).mode & 0o077).toBe(0);
  expect(existsSync(`${target}.new`)).toBe(false);
  expect(Object.keys(manifest.databases).sort()).toEqual([...databaseServices].sort());

  // In another place, every row and every file matches the backup, and no order exists without its reduction of the
  // stock.
  const [namespace, dataDir] = [`${system.namespace}_copy`, await mkdtemp(join(folder, 'data-'))];
  await restore(createInstallation(namespace, dataDir), target, false);
  const again = await backup(createInstallation(namespace, dataDir), join(folder, 'second'));
  expect(rowsOf(again)).toEqual(rowsOf(manifest));
  expect(again.files).toBe(manifest.files);
  expect(await readFile(join(folder, 'second/files.sha256'), 'utf8')).toBe(
    await readFile(join(target, 'files.sha256'), 'utf8'),
  );
  expect(await readFile(join(dataDir, 'secrets.json'), 'utf8')).toBe('{"principalKey":"x"}');

  // Over data that has changed since, which requires --force.
  await site.edit('DELETE', `/orders/${order.id}`);
  const later = await newOrder(1);
  await system.restart({}, async () => {
    await expect(restore(createInstallation(), target, false)).rejects.toThrow(
      /There is data already .*--force replaces it/,
    );
    await restore(createInstallation(), target, true);
  });
  reopen();
  expectStatus(await site.edit('GET', `/orders/${order.id}`), 200);
  expectStatus(await site.edit('GET', `/orders/${later.id}`), 404);
  await site.shows(`/${page.slug}`, 'Before the backup');
  expectStatus(await newOrder(1).then(() => site.edit('GET', '/orders')), 200);
  const left = await readdir(system.dataDir);
  expect(left.filter((name) => name.includes('restoring'))).toEqual([]);
});

test('a backup waits for open emits, and covers all databases at one moment', async () => {
  const client = new pg.Client(databaseUrl(createInstallation(), 'orders'));
  await client.connect();
  await client.query('begin; lock table only outbox in row exclusive mode');
  let isDone = false;
  const making = backup(createInstallation(), join(folder, 'waited')).finally(() => {
    isDone = true;
  });
  // Reads continue meanwhile.
  expectStatus(await site.edit('GET', '/orders'), 200);
  expect(isDone).toBe(false);
  await client.query('commit');
  await client.end();
  await making;
});

test('after an interrupted restore only another restore starts', async () => {
  const target = join(folder, 'cut-off');
  await backup(createInstallation(), target);
  await system.restart({}, async () => {
    const admin = new pg.Client(serverUrl);
    await admin.connect();
    // A template cannot be dropped, so the database that is replaced last stays.
    const last = `${system.namespace}_${databaseServices.at(-1)!.replaceAll('-', '_')}`;
    await admin.query(`alter database "${last}" is_template true`);
    await expect(restore(createInstallation(), target, true)).rejects.toThrow(/template/);
    await expect(openDataDirectory(system.dataDir)).rejects.toThrow(/cut off.*npm run restore with --force/);
    await admin.query(`alter database "${last}" is_template false`);
    await admin.end();
    await restore(createInstallation(), target, true);
    await (await openDataDirectory(system.dataDir)).release();
  });
  reopen();
  expectStatus(await site.edit('GET', '/orders'), 200);
});

test('a damaged backup, or one of another version, replaces nothing', async () => {
  const target = join(folder, 'damaged');
  await backup(createInstallation(), target);
  const before = expectStatus(await site.edit('GET', '/orders'), 200).body.total;
  const manifest = await readFile(join(target, 'backup.json'), 'utf8');
  const refused = (message: RegExp) =>
    expect(restore(createInstallation(), target, true)).rejects.toThrow(message);
  await system.restart({}, async () => {
    const later = JSON.parse(manifest);
    later.databases.orders.migrations.push('9999_more');
    await writeFile(join(target, 'backup.json'), JSON.stringify(later));
    await refused(/of a later version of Waybill \(orders, 9999_more\)/);
    const wrong = JSON.parse(manifest);
    wrong.databases.identity.tables.find(({ name }: { name: string }) => name === 'store').rows++;
    await writeFile(join(target, 'backup.json'), JSON.stringify(wrong));
    await refused(/is damaged/);
    await writeFile(join(target, 'backup.json'), manifest);
    await appendFile(join(target, 'files/secrets.json'), ' ');
    await refused(/sha256sum --check/);
  });
  reopen();
  expect(expectStatus(await site.edit('GET', '/orders'), 200).body.total).toBe(before);
  await expect(backup(createInstallation(), target)).rejects.toThrow('is not empty');
  await expect(restore(createInstallation(), folder, true)).rejects.toThrow('has no backup.json');
});

/** One pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

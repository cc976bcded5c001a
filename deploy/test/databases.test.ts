import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { catalog } from '@waybill/catalog';
import { createLog, ensureDatabase, migrate, openDatabase } from '@waybill/kernel';
import { cloneDatabases, dropDatabases, serverUrl, withServerClient } from '@waybill/testing';
import pg from 'pg';
import { createServiceDatabases } from '../servers/databases.ts';
import { services } from '../services.ts';

const namespace = `wbt_${process.env.WAYBILL_TEST_RUN ?? process.pid}_${randomBytes(4).toString('hex')}`;
afterAll(() => dropDatabases(namespace));

const publicKey = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x!;

const newPasswords = () => ({
  catalog: randomBytes(32).toString('base64url'),
  orders: randomBytes(32).toString('base64url'),
});

/** Runs a statement as the user of a URL. Returns the rows, or the code of the error. */
async function query(url: string, statement: string): Promise<unknown> {
  const client = new pg.Client(url);
  try {
    await client.connect();
    return (await client.query({ text: statement, rowMode: 'array' })).rows.flat();
  } catch (error) {
    return (error as { code?: string }).code;
  } finally {
    await client.end();
  }
}

const migrateCatalog = async (url: string) => {
  const db = openDatabase<unknown>({ service: 'catalog', url, poolSize: 1, log: createLog('silent') });
  await migrate(db, catalog.migrations!);
  await db.destroy();
};
const elsewhere = (url: string, database: string) => Object.assign(new URL(url), { pathname: database }).href;
const refused = '42501';

test('a service reaches only its own database', async () => {
  const make = (passwords: Record<string, string>) =>
    createServiceDatabases({ adminUrl: serverUrl, namespace, passwords });
  const urls = (await make(newPasswords()))!;
  await migrateCatalog(urls.catalog!);
  expect(await query(urls.catalog!, 'select count(*)::int from product')).toEqual([0]);
  expect(await query(elsewhere(urls.catalog!, `${namespace}_orders`), 'select 1')).toBe(refused);
  expect(await query(urls.catalog!, 'create database other')).toBe(refused);
  expect(await query(urls.catalog!, `set role ${namespace}_orders`)).toBe(refused);
  expect(await query(urls.catalog!, `select rolpassword from pg_authid`)).toBe(refused);

  // Another start, with other passwords.
  const again = (await make(newPasswords()))!;
  expect(await query(again.catalog!, 'select count(*)::int from product')).toEqual([0]);
  if (await passwordsCount()) expect(await query(urls.catalog!, 'select 1')).toBe('28P01');
});

test('databases that an older version created as the administrator pass to the role with their contents', async () => {
  const older = `${namespace}_older`;
  await migrateCatalog(await ensureDatabase(serverUrl, `${older}_catalog`));
  const { catalog: password } = newPasswords();
  const urls = (await createServiceDatabases({
    adminUrl: serverUrl,
    namespace: older,
    passwords: { catalog: password },
  }))!;
  await migrateCatalog(urls.catalog!);
  const others = `select relname from pg_class c where relnamespace = 'public'::regnamespace
    and pg_get_userbyid(relowner) <> current_user`;
  expect(await query(urls.catalog!, others)).toEqual([]);
  expect(await query(urls.catalog!, 'alter table product add column more text')).toEqual([]);
});

test('the process of a service creates and migrates nothing: it reports the missing migrations and waits', async () => {
  const bare = `${namespace}_bare`;
  const main = fileURLToPath(new URL('../../services/catalog/src/main.ts', import.meta.url));
  const keys = ['WAYBILL_PRINCIPAL_PUBLIC_KEY', 'WAYBILL_SERVICE_TOKEN'];
  const env = {
    ...process.env,
    ...Object.fromEntries(keys.map((name) => [name, publicKey])),
    DATABASE_URL: serverUrl,
    WAYBILL_NAMESPACE: bare,
    LOG_LEVEL: 'warn',
  };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  try {
    const [line] = await once(createInterface(child.stdout!), 'line');
    expect(JSON.parse(line).msg).toMatch(
      /^waiting: the database of catalog lacks \d+ migrations, 0000_\w+ to \w+: /,
    );
    const databases = await query(serverUrl, `select datname from pg_database where datname ~ '^${bare}'`);
    expect(databases).toEqual([]);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
});

test('the statements of the runbook use existing tables and columns', async () => {
  const own = `${namespace}_runbook`;
  await cloneDatabases(services, own);
  const runbook = readFileSync(new URL('../RUNBOOK.md', import.meta.url), 'utf8');
  const statements = [...runbook.matchAll(/`db (\S+) <<< (["'])(.*?)\2`/gs)];
  expect(statements.length).toBeGreaterThan(8);
  for (const [, database, , statement] of statements) {
    const name = database === '<service>' ? 'catalog' : database!.replaceAll('-', '_');
    const url = database === 'postgres' ? serverUrl : elsewhere(serverUrl, `${own}_${name}`);
    const isPlanned = Array.isArray(await query(url, `explain ${statement}`));
    expect([statement, isPlanned]).toEqual([statement, true]);
  }
});

test('no statement that the server receives contains a password', async () => {
  const seen: string[] = [];
  const { submit } = pg.Query.prototype;
  pg.Query.prototype.submit = function (connection) {
    seen.push((this as unknown as { text: string }).text);
    submit.call(this, connection);
  };
  const { orders } = newPasswords();
  try {
    await createServiceDatabases({ adminUrl: serverUrl, namespace, passwords: { orders } });
  } finally {
    pg.Query.prototype.submit = submit;
  }
  expect(seen.some((text) => text.includes('password'))).toBe(true);
  expect(seen.filter((text) => text?.includes(orders))).toEqual([]);
});

test('an administrator that cannot create roles is reported, and nothing is created', async () => {
  const [name, password] = [`${namespace}_limited`, randomBytes(8).toString('hex')];
  await withServerClient((client) => client.query(`create role ${name} login password '${password}'`));
  const adminUrl = Object.assign(new URL(serverUrl), { username: name, password }).href;
  expect(await createServiceDatabases({ adminUrl, namespace, passwords: newPasswords() })).toBeNull();
});

/** Whether the server checks passwords: a test server may trust everybody on this machine. */
async function passwordsCount(): Promise<boolean> {
  const wrong = Object.assign(new URL(serverUrl), { password: 'wrong' }).href;
  return (await query(wrong, 'select 1')) === '28P01';
}

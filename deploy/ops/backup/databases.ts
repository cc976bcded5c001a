import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { StartError } from '@waybill/kernel';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

/** The rows of a table in a backup. */
export interface SavedTable {
  name: string;
  columns: string[];
  rows: number;
  /** The hash of the rows as PostgreSQL's COPY writes them. */
  sha256: string;
}

export interface SavedPartition {
  name: string;
  parent: string;
  /** `FOR VALUES FROM … TO …` */
  bound: string;
  options: string[];
}

export interface SavedSequence {
  name: string;
  value: string;
  isCalled: boolean;
}

/** A service's database in a backup; its migrations create the tables. */
export interface SavedDatabase {
  migrations: string[];
  tables: SavedTable[];
  partitions: SavedPartition[];
  sequences: SavedSequence[];
}

/** Tables that migrations write, or used to; everything else that belongs to no extension is data. */
const schemaTables = `('migration', 'migration_lock')`;
const lockMs = 2_000;
const lockAttempts = 30;

/**
 * Opens a transaction in each database, all with the state of one moment. At that moment nobody can emit an event, so
 * no event is in one database and missing in another; the lock ends as soon as all transactions are open. Throws a
 * StartError if other transactions prevent this for a minute.
 */
export async function openSnapshots(urls: Readonly<Record<string, string>>): Promise<Map<string, pg.Client>> {
  const open = new Map<string, pg.Client>();
  try {
    for (const [name, url] of Object.entries(urls)) open.set(name, await connect(url));
    for (let attempt = 1; attempt <= lockAttempts; attempt++) {
      if (await beginTogether(Object.values(urls), [...open.values()])) return open;
    }
    throw new StartError('A transaction has held an outbox for a minute; no backup was made.');
  } catch (error) {
    await Promise.all([...open.values()].map((client) => client.end()));
    throw error;
  }
}

/** Begins the transaction of each client while nobody emits. Returns false if an emitting transaction took too long. */
async function beginTogether(urls: readonly string[], clients: readonly pg.Client[]): Promise<boolean> {
  const locks = await Promise.all(urls.map(connect));
  try {
    await Promise.all(locks.map(holdEmitters));
    await Promise.all(
      clients.map((client) =>
        client.query('begin isolation level repeatable read read only; select 1 from migration limit 1'),
      ),
    );
    return true;
  } catch (error) {
    const lockNotAvailable = '55P03';
    if ((error as { code?: string }).code !== lockNotAvailable) throw error;
    await Promise.all(clients.map((client) => client.query('rollback')));
    return false;
  } finally {
    // Ending the connections releases their locks.
    await Promise.all(locks.map((client) => client.end()));
  }
}

/** Blocks new emitting transactions, after the current ones have ended. */
async function holdEmitters(client: pg.Client): Promise<void> {
  await client.query(`begin; set local lock_timeout = ${lockMs}; lock table only outbox in share mode`);
}

/** Writes the rows of every table into `folder`, as the client's transaction sees them. */
export async function saveDatabase(client: pg.Client, folder: string): Promise<SavedDatabase> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { rows: migrations } = await client.query<{ name: string }>(
    'select name from migration order by name',
  );
  const { rows: names } = await client.query<{ name: string; columns: string[] }>(
    `select c.relname as name, array(select attname::text from pg_attribute a
       where a.attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns
     from pg_class c
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not in ${schemaTables}
       and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
     order by relname`,
  );
  const tables: SavedTable[] = [];
  for (const { name, columns } of names) tables.push(await saveTable(client, folder, name, columns));
  const { rows: partitions } = await client.query<SavedPartition>(
    `select c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound,
       coalesce(c.reloptions, '{}') as options
     from pg_class c join pg_inherits on inhrelid = c.oid join pg_class p on p.oid = inhparent
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relispartition order by 1`,
  );
  const { rows: sequenceNames } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S' order by 1`,
  );
  const sequences: SavedSequence[] = [];
  for (const { name } of sequenceNames) {
    const { rows } = await client.query<{ value: string; isCalled: boolean }>(
      `select last_value::text as value, is_called as "isCalled" from ${pg.escapeIdentifier(name)}`,
    );
    sequences.push({ name, ...rows[0]! });
  }
  return { migrations: migrations.map(({ name }) => name), tables, partitions, sequences };
}

const getTableFile = (folder: string, table: string) => join(folder, `${table}.copy.gz`);
const quoteColumns = (columns: readonly string[]) => columns.map(pg.escapeIdentifier).join(', ');

async function saveTable(
  client: pg.Client,
  folder: string,
  name: string,
  columns: string[],
): Promise<SavedTable> {
  const copy = client.query(
    copyTo(`copy (select ${quoteColumns(columns)} from only ${pg.escapeIdentifier(name)}) to stdout`),
  );
  const { hash, through } = hashing();
  const file = createWriteStream(getTableFile(folder, name), { mode: 0o600, flush: true });
  await pipeline(copy, through, createGzip({ level: 1 }), file);
  return { name, columns, rows: copy.rowCount, sha256: hash.digest('hex') };
}

/**
 * Fills a database that its migrations have just created. Triggers are off meanwhile, because the backup contains the
 * rows that they write. Foreign keys are dropped, and recreated and checked for all rows at the end. Throws a
 * StartError for a file that differs from the written one.
 */
export async function fillDatabase(url: string, folder: string, saved: SavedDatabase): Promise<void> {
  const client = await connect(url);
  try {
    await client.query('begin');
    const { rows: keys } = await client.query<{ owner: string; name: string; definition: string }>(
      `select conrelid::regclass::text as owner, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
       from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0`,
    );
    for (const { owner, name } of keys) await client.query(`alter table ${owner} drop constraint ${name}`);
    await createPartitions(client, saved.partitions);
    // Rows that migrations have written are part of the backup.
    await client.query(`truncate ${saved.tables.map(({ name }) => pg.escapeIdentifier(name)).join(', ')}`);
    for (const table of saved.tables) await fillTable(client, folder, table);
    for (const { name, value, isCalled } of saved.sequences)
      await client.query('select setval($1::regclass, $2, $3)', [pg.escapeIdentifier(name), value, isCalled]);
    for (const { owner, name, definition } of keys)
      await client.query(`alter table ${owner} add constraint ${name} ${definition}`);
    // The broker may have lost events that it had accepted; a subscriber that handled an event recognises its id.
    await client.query('update outbox set published_at = null where published_at is not null');
    await client.query('commit');
    await client.query('analyze');
  } finally {
    await client.end();
  }
}

async function createPartitions(client: pg.Client, partitions: readonly SavedPartition[]): Promise<void> {
  const { rows: present } = await client.query<{ name: string; isDefault: boolean }>(
    `select relname as name, pg_get_expr(relpartbound, oid) = 'DEFAULT' as "isDefault" from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relispartition`,
  );
  for (const { name } of present.filter(({ isDefault }) => !isDefault))
    await client.query(`drop table ${pg.escapeIdentifier(name)}`);
  for (const { name, parent, bound, options } of partitions) {
    if (bound === 'DEFAULT') continue;
    const storage = options.length > 0 ? ` with (${options.join(', ')})` : '';
    await client.query(
      `create table ${pg.escapeIdentifier(name)} partition of ${pg.escapeIdentifier(parent)} ${bound}${storage}`,
    );
  }
}

async function fillTable(
  client: pg.Client,
  folder: string,
  { name, columns, rows, sha256 }: SavedTable,
): Promise<void> {
  const table = pg.escapeIdentifier(name);
  await client.query(`alter table ${table} disable trigger user`);
  const copy = client.query(copyFrom(`copy ${table} (${quoteColumns(columns)}) from stdin`));
  const { hash, through } = hashing();
  await pipeline(createReadStream(getTableFile(folder, name)), createGunzip(), through, copy);
  if (copy.rowCount !== rows || hash.digest('hex') !== sha256)
    throw new StartError(`${getTableFile(folder, name)} is damaged: it is not what the backup wrote.`);
  await client.query(`alter table ${table} enable trigger user`);
}

/** Passes bytes on and hashes them. */
function hashing() {
  const hash = createHash('sha256');
  const through = new Transform({
    transform(chunk, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  return { hash, through };
}

/** Connects to a server. Throws a StartError, without the password. */
export async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect().catch((error) => {
    throw new StartError(`PostgreSQL cannot be reached: ${error.message || error.code}`);
  });
  return client;
}

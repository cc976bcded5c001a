import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { StartError } from '@waybill/kernel';
import pg from 'pg';
import { services } from '../services.ts';
import { readOrCreateSecrets } from '../standalone/data-directory.ts';

/** The services with a database. */
export const databaseServices: readonly string[] = services
  .filter(({ migrations }) => migrations)
  .map(({ name }) => name);

export interface OwnDatabases {
  /** The URL of a role that may create roles and databases, on the database `postgres`. */
  adminUrl: string;
  namespace: string;
  /** The passwords by service. */
  passwords: Readonly<Record<string, string>>;
  /** Whether nobody else uses the server: then its initial databases are closed to the services' roles as well. */
  isOwnServer?: boolean;
}

/**
 * Creates a role and a database of that role for each service, which no other role reaches (`decisions.md 18.2`);
 * existing ones get their password and owner. Returns the URLs by service, or null if the caller may not create roles.
 * Throws a StartError.
 */
export async function createServiceDatabases(options: OwnDatabases): Promise<Record<string, string> | null> {
  const { adminUrl, namespace, passwords, isOwnServer = false } = options;
  const admin = await connect(adminUrl);
  try {
    // Of several simultaneous starts, one creates them and the others find them.
    await admin.query('select pg_advisory_lock(hashtext($1))', [`${namespace} databases`]);
    const { rows } = await admin.query<{ isSuper: boolean; canCreate: boolean }>(
      `select rolsuper as "isSuper", rolsuper or (rolcreaterole and rolcreatedb) as "canCreate" from pg_roles
       where rolname = current_user`,
    );
    if (!rows[0]?.canCreate) return null;
    if (isOwnServer) {
      for (const name of ['postgres', 'template1'])
        await admin.query(`revoke connect on database ${name} from public`);
    }
    const urls: Record<string, string> = {};
    for (const [service, password] of Object.entries(passwords)) {
      const name = `${namespace}_${service}`.replaceAll('-', '_');
      await createOwnedDatabase(admin, name, password, rows[0].isSuper);
      await handOver(adminUrl, name);
      urls[service] = createDatabaseUrl(adminUrl, name, name, password);
    }
    return urls;
  } finally {
    await admin.end();
  }
}

/** Creates the databases of services with the passwords of the data directory, and creates the missing passwords. */
export async function createInstalledDatabases(
  dataDir: string,
  server: Omit<OwnDatabases, 'passwords'>,
): Promise<Record<string, string> | null> {
  const getSecretName = (service: string) => `postgres.${service}`;
  const secrets = await readOrCreateSecrets(dataDir, databaseServices.map(getSecretName));
  const passwords = Object.fromEntries(
    databaseServices.map((service) => [service, secrets[getSecretName(service)]!]),
  );
  return createServiceDatabases({ ...server, passwords });
}

/** Creates a role and its database, with the same name. */
async function createOwnedDatabase(
  admin: pg.Client,
  name: string,
  password: string,
  isSuper: boolean,
): Promise<void> {
  const [quoted, verifier] = [pg.escapeIdentifier(name), pg.escapeLiteral(scramVerifier(password))];
  const { rowCount: hasRole } = await admin.query('select 1 from pg_roles where rolname = $1', [name]);
  await admin.query(`${hasRole ? 'alter' : 'create'} role ${quoted} login password ${verifier}`);
  // Only a member of a role can transfer objects to it.
  if (!isSuper) await admin.query(`grant ${quoted} to current_user`);
  const { rowCount: hasDatabase } = await admin.query('select 1 from pg_database where datname = $1', [name]);
  if (!hasDatabase)
    await admin.query(`create database ${quoted} owner ${quoted} template template0 encoding 'UTF8'`);
  await admin.query(`revoke all on database ${quoted} from public`);
}

/**
 * Transfers a database, and all of Waybill's objects in it, to its role: an earlier version created it as the
 * administrator. Objects of extensions keep their owner.
 */
async function handOver(adminUrl: string, name: string): Promise<void> {
  const database = await connect(createDatabaseUrl(adminUrl, name));
  try {
    const role = pg.escapeIdentifier(name);
    const { rows } = await database.query<{ statement: string }>(
      `select format('alter database %I owner to %I', current_database(), $1::text) as statement
       from pg_database where datname = current_database() and pg_get_userbyid(datdba) <> $1
       union all
       select format('alter %s %s owner to ${role.replaceAll("'", "''")}',
         case relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view' else 'table' end,
         c.oid::regclass)
       from pg_class c
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S') and pg_get_userbyid(relowner) <> $1
         -- The sequence of a column goes with its table.
         and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
           and (d.deptype = 'e' or relkind = 'S' and d.deptype in ('a', 'i')))
       union all
       select format('alter routine %s owner to ${role.replaceAll("'", "''")}', p.oid::regprocedure)
       from pg_proc p
       where pronamespace = 'public'::regnamespace and pg_get_userbyid(proowner) <> $1
         and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`,
      [name],
    );
    for (const { statement } of rows) await database.query(statement);
  } finally {
    await database.end();
  }
}

/**
 * Returns the form in which PostgreSQL stores a password (RFC 5803), so that no statement or log contains the password.
 */
function scramVerifier(password: string): string {
  const [salt, iterations] = [randomBytes(16), 4096];
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  const serverKey = hmac('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}

function createDatabaseUrl(adminUrl: string, database: string, user?: string, password = ''): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  if (user) Object.assign(url, { username: user, password });
  return url.href;
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 });
  await client.connect().catch((error) => {
    throw new StartError(`PostgreSQL (DATABASE_URL) cannot be reached: ${error.message || error.code}`);
  });
  return client;
}

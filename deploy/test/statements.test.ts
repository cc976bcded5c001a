import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type ServiceDefinition, takenText } from '@waybill/kernel';
import { cloneDatabases, dropDatabases, serverUrl } from '@waybill/testing';
import pg from 'pg';
import { services } from '../services.ts';

interface Statement {
  name: string;
  text: string;
}

const script = fileURLToPath(new URL('./prepared-statements.ts', import.meta.url));

/** The statements that run on a service's database: the kernel's, and its own. */
async function statementsOf(service: string): Promise<Statement[]> {
  const args = ['--disable-warning=ExperimentalWarning', script, service];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 25 });
  const { ofKernel, own }: Record<'ofKernel' | 'own', Statement[]> = JSON.parse(stdout);
  return [...ofKernel, ...own];
}

/** Does something on a service's migrated database. */
async function onDatabaseOf<Result>(
  definition: ServiceDefinition,
  action: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const namespace = `wbt_${process.pid}_${randomBytes(4).toString('hex')}`;
  await cloneDatabases([definition], namespace);
  const url = new URL(serverUrl);
  url.pathname = `/${namespace}_${definition.name.replaceAll('-', '_')}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return await action(client);
  } finally {
    await client.end();
    await dropDatabases(namespace);
  }
}

/** What PostgreSQL says of each statement that it cannot prepare on a service's migrated database. */
const problemsIn = (definition: ServiceDefinition, statements: readonly Statement[]): Promise<string[]> =>
  onDatabaseOf(definition, async (client) => {
    const problems: string[] = [];
    for (const [i, { name, text }] of statements.entries())
      await client
        .query(`prepare checked_${i} as ${text}`)
        .catch(({ message }: Error) => problems.push(`${name}: ${message}`));
    return problems;
  });

const withDatabase = services.filter(({ migrations }) => migrations);

describe('each prepared statement fits the tables of its service', () => {
  test.each(withDatabase.map((service) => [service.name, service] as const))(
    'in %s',
    async (name, service) => {
      const statements = await statementsOf(name);
      expect(statements.length).toBeGreaterThan(5);
      expect(await problemsIn(service, statements)).toEqual([]);
    },
  );

  test.each([
    ['catalog', 'product'],
    ['catalog', 'category'],
    ['content', 'page'],
    ['content', 'article'],
  ])(
    '%s looks up a taken slug of a %s by its index while nothing is known of the table',
    async (name, table) => {
      const service = services.find((each) => each.name === name)!;
      const text = takenText(table, 'slug')({ values: `'{tea}'`, storeId: `'str_1'` });
      await onDatabaseOf(service, async (client) => {
        // An empty table is read from end to end, one of more than a page is not.
        await client.query('set enable_seqscan = off');
        const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`);
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        expect(plan).toContain(`using ${table}_slug_key`);
      });
    },
  );

  test('a planted wrong column is found', async () => {
    const media = services.find(({ name }) => name === 'media')!;
    const planted = { name: 'planted', text: 'select no_such_column from media_asset where id = $1' };
    expect(await problemsIn(media, [planted])).toEqual([
      expect.stringContaining('column "no_such_column" does not exist'),
    ]);
  });
});

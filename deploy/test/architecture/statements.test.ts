import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findExistingText, type ServiceDefinition } from '@waybill/kernel';
import { cloneDatabases, dropDatabases, serverUrl } from '@waybill/testing';
import pg from 'pg';
import { services } from '../../services.ts';

interface Statement {
  name: string;
  text: string;
  oneServerText: string;
}

const script = fileURLToPath(new URL('./prepared-statements.ts', import.meta.url));

/** Returns the statements that run on a service's database: the kernel's, and its own. */
async function statementsOf(service: string): Promise<Statement[]> {
  const args = ['--disable-warning=ExperimentalWarning', script, service];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 25 });
  const { ofKernel, own }: Record<'ofKernel' | 'own', Statement[]> = JSON.parse(stdout);
  return [...ofKernel, ...own];
}

/** Runs an action on a service's migrated database. */
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

/** Returns PostgreSQL's error for each statement that it cannot prepare on a service's migrated database. */
const problemsIn = (definition: ServiceDefinition, statements: readonly Statement[]): Promise<string[]> =>
  onDatabaseOf(definition, async (client) => {
    const problems: string[] = [];
    for (const [i, { name, oneServerText }] of statements.entries())
      await client
        .query(`prepare checked_${i} as ${oneServerText}`)
        .catch(({ message }: Error) => problems.push(`${name}: ${message}`));
    return problems;
  });

/** Statements for one server that are replaced by another on Citus. */
const ofOneServer = new Set([
  'fact-change-record',
  'idempotent-answer-keep',
  'idempotent-answer-lock',
  'mail-sending-stores',
  'mails-of-orders',
  'product-insert',
  'webhook-settle-delivered',
]);

/** Returns a sample value for a parameter of a statement, as SQL. */
function sampleOf(type: string, text: string, parameter: string): string {
  if (type.endsWith('[]')) return `array[${sampleOf(type.slice(0, -2), text, parameter)}]::${type}`;
  const follows = (words: string) => new RegExp(`${words} ?\\${parameter}\\b`).test(text);
  const values: readonly [RegExp, string][] = [
    [/^(?:text|character)/, follows('time zone') ? 'UTC' : follows('date_trunc\\(') ? 'day' : 'x'],
    [/int|double|numeric/, '1'],
    [/bool/, 'true'],
    [/timestamp|date/, '2026-01-01'],
    [/bytea/, '\\x00'],
    [/json/, text.includes('recordset') ? '[]' : '{}'],
  ];
  return `'${values.find(([pattern]) => pattern.test(type))?.[1] ?? ''}'::${type}`;
}

/** SQLSTATEs of values that fit no row, and of rows that a constraint refuses: samples cause them on one server too. */
const ofSamples = /^(?:22(?!P04)|23|P0001)/;

/**
 * Runs a statement and rolls it back, to test what a plan does not show, such as how rows of one part reach the next.
 */
async function runAndUndo(client: pg.Client, text: string): Promise<void> {
  await client.query('begin');
  try {
    await client.query(text);
  } catch (error) {
    if (!ofSamples.test((error as pg.DatabaseError).code ?? '')) throw error;
  } finally {
    await client.query('rollback');
  }
}

/** Returns Citus's error for each statement that it cannot plan or run, with values in place of its parameters. */
const refusedByCitus = (definition: ServiceDefinition, statements: readonly Statement[]): Promise<string[]> =>
  onDatabaseOf(definition, async (client) => {
    const names = new Set(statements.map(({ name }) => name));
    const ofCluster = statements.filter(
      ({ name }) =>
        !ofOneServer.has(name) && !names.has(`${name}-distributed`) && !names.has(`${name}-of-store`),
    );
    const refused: string[] = [];
    for (const [i, { name, text }] of ofCluster.entries()) {
      await client.query(`prepare planned_${i} as ${text}`);
      const { rows } = await client.query<{ types: string[] }>(
        'select parameter_types::text[] as types from pg_prepared_statements where name = $1',
        [`planned_${i}`],
      );
      const { types } = rows[0]!;
      const withValues = text.replace(/\$(\d+)/g, (parameter, n) =>
        sampleOf(types[Number(n) - 1]!, text, parameter),
      );
      await client
        .query(`explain ${withValues}`)
        .then(() => runAndUndo(client, withValues))
        .catch(({ message }: Error) => refused.push(`${name}: ${message}`));
    }
    return refused;
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
      const text = findExistingText(table, 'slug')({ values: `'{tea}'`, storeId: `'str_1'` });
      await onDatabaseOf(service, async (client) => {
        // PostgreSQL scans an empty table, but not one of more than a page.
        await client.query('set enable_seqscan = off');
        const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`);
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        expect(plan).toContain(`using ${table}_slug_key`);
      });
    },
  );

  const onCitus = process.env.WAYBILL_TEST_CITUS ? test : test.skip;
  onCitus.each(withDatabase.map((service) => [service.name, service] as const))(
    'is one that a Citus cluster takes, in %s',
    async (name, service) => {
      expect(await refusedByCitus(service, await statementsOf(name))).toEqual([]);
    },
  );

  test('a planted wrong column is found', async () => {
    const media = services.find(({ name }) => name === 'media')!;
    const text = 'select no_such_column from media_asset where id = $1';
    expect(await problemsIn(media, [{ name: 'planted', text, oneServerText: text }])).toEqual([
      expect.stringContaining('column "no_such_column" does not exist'),
    ]);
  });
});

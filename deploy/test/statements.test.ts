import { randomBytes } from 'node:crypto';
import { preparedStatements, type ServiceDefinition } from '@waybill/kernel';
import { cloneDatabases, dropDatabases, serverUrl } from '@waybill/testing';
import pg from 'pg';

// What is declared by now stands in the kernel, and runs on each service's database.
const ofKernel = preparedStatements();

/** The statements that a service declares, which its modules do when they are loaded. */
async function load(service: string) {
  const before = new Set(preparedStatements().map(({ text }) => text));
  const module = (await import(`@waybill/${service}`)) as Record<string, unknown>;
  const definition = Object.values(module).find(isDefinition)!;
  return { definition, own: preparedStatements().filter(({ text }) => !before.has(text)) };
}

const isDefinition = (value: unknown): value is ServiceDefinition =>
  typeof value === 'object' && value !== null && 'aggregates' in value;

/** What PostgreSQL says of each statement that it cannot prepare on a service's migrated database. */
async function problemsIn(definition: ServiceDefinition, statements: typeof ofKernel): Promise<string[]> {
  const namespace = `wbt_${process.pid}_${randomBytes(4).toString('hex')}`;
  await cloneDatabases([definition], namespace);
  const url = new URL(serverUrl);
  url.pathname = `/${namespace}_${definition.name.replaceAll('-', '_')}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    const problems: string[] = [];
    for (const [i, { name, text }] of statements.entries())
      await client
        .query(`prepare checked_${i} as ${text}`)
        .catch(({ message }: Error) => problems.push(`${name}: ${message}`));
    return problems;
  } finally {
    await client.end();
    await dropDatabases(namespace);
  }
}

const services = [
  'identity',
  'catalog',
  'orders',
  'payments',
  'content',
  'media',
  'app-platform',
  'webhooks',
];

describe('each prepared statement fits the tables of its service', () => {
  test.each(services)('in %s', async (service) => {
    const { definition, own } = await load(service);
    expect(await problemsIn(definition, [...ofKernel, ...own])).toEqual([]);
  });

  test('a planted wrong column is found', async () => {
    const { media } = (await import('@waybill/media')) as { media: ServiceDefinition };
    const planted = { name: 'planted', text: 'select no_such_column from media_asset where id = $1' };
    expect(await problemsIn(media, [planted])).toEqual([
      expect.stringContaining('column "no_such_column" does not exist'),
    ]);
  });
});

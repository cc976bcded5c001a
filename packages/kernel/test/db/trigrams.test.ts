import { dropDatabases, serverUrl } from '@waybill/testing';
import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { rarestPatterns, trigramShares } from '../../src/db/trigrams.ts';
import { ensureDatabase, openDatabase } from '../../src/index.ts';

const namespace = `wbt_${process.env.WAYBILL_TEST_RUN}_trigrams`;
let db: Kysely<unknown>;

beforeAll(async () => {
  const url = await ensureDatabase(serverUrl, `${namespace}_1`);
  db = openDatabase({ service: 'trigrams', url, poolSize: 1 });
  for (const text of [
    'create extension pg_trgm',
    'create table thing (search text not null)',
    'create statistics thing_trigrams on (show_trgm(search)) from thing',
    `insert into thing select 'sku-' || g || '-0 ' || left(md5(g::text), 12) || '@example.com'
     from generate_series(1, 3000) g`,
  ])
    await sql.raw(text).execute(db);
});
afterAll(async () => {
  await db.destroy();
  await dropDatabases(namespace);
});

/** Returns the patterns for the index once the table was analyzed. */
async function findPatterns(...words: string[]): Promise<string[]> {
  await sql`analyze thing`.execute(db);
  return rarestPatterns(words, (await trigramShares('thing_trigrams')(db))!);
}

const finds = async (text: string, patterns: readonly string[]) =>
  (await sql<{ found: boolean }>`select ${text} like all (${patterns}::text[]) as found`.execute(db)).rows[0]!
    .found;

test('a table that was never analyzed has no trigram statistics', async () => {
  await sql`create table young (search text not null)`.execute(db);
  await sql`create statistics young_trigrams on (show_trgm(search)) from young`.execute(db);
  expect(await trigramShares('young_trigrams')(db)).toBeNull();
});

test('a pattern contains the distinguishing part of a number, and not the host of an address', async () => {
  const [number, ...others] = await findPatterns('sku-777-0');
  expect(others).toEqual([]);
  expect(number).toMatch(/^%-?777-?%$/);
  const [address] = await findPatterns('f1c159258841@example.com');
  expect(address).toMatch(/^%[0-9a-f_]+%$/);
  expect(await findPatterns('sku', 'example.com')).toEqual([]);
});

test('a pattern contains only the beginning of the longest words', async () => {
  const words = Array.from({ length: 5 }, (_, i) => `${i}${'abcdefghijklmnopqrstuvwxyz-'.repeat(20)}`);
  const patterns = await findPatterns(...words);
  expect(patterns.join('').length).toBeLessThan(5 * 34);
});

test('a row with all words is always found, whatever the statistics say', async () => {
  const char = fc.constantFrom(...'aabc12@.%_\\- äßж💶');
  const chars = fc.string({ unit: char, maxLength: 40 });
  const word = fc
    .string({ unit: char, minLength: 1, maxLength: 40 })
    .map((text) => text.replaceAll(' ', '') || 'x');
  const parts = fc.array(fc.tuple(chars, word), { minLength: 1, maxLength: 5 });
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  await fc.assert(
    fc.asyncProperty(parts, fc.array(share, { minLength: 1 }), async (of, each) => {
      const text = of.flat().join('');
      const shares = (trigram: string) => each[trigram.charCodeAt(1) % each.length]!;
      const patterns = rarestPatterns(
        of.map(([, held]) => held),
        shares,
      );
      expect(await finds(text, patterns)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

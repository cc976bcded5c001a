import { foldText } from '@waybill/contracts';
import { dropDatabases, serverUrl } from '@waybill/testing';
import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { ensureDatabase, foldStep, migrate, openDatabase } from '../../src/index.ts';

const namespace = `wbt_${process.env.WAYBILL_TEST_RUN}_fold`;
let db: Kysely<unknown>;

beforeAll(async () => {
  const url = await ensureDatabase(serverUrl, `${namespace}_1`);
  db = openDatabase({ service: 'fold', url, poolSize: 1 });
  await migrate(db, new URL('fixture-migrations/', import.meta.url));
});
afterAll(async () => {
  await db.destroy();
  await dropDatabases(namespace);
});

async function foldInDatabase(texts: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ folded: string }>`
    select folded(text) from unnest(${texts}::text[]) with ordinality as each (text, place) order by place`.execute(
    db,
  );
  return rows.map(({ folded }) => folded);
}

/** Returns the texts that the database folds differently from the services. */
async function differing(texts: readonly string[]) {
  const folded = await foldInDatabase(texts);
  return texts.flatMap((text, i) =>
    folded[i] === foldText(text) ? [] : [{ text, service: foldText(text), database: folded[i] }],
  );
}

const characters = Array.from({ length: 0x110000 - 1 }, (_, i) => i + 1)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((char) => /^[^\p{Cn}\p{Co}]$/u.test(char));

/**
 * Returns the characters that both know. Node.js and PostgreSQL know different versions of Unicode, and only one of
 * them decomposes a character of a later version.
 */
async function listSharedCharacters(): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    select text from unnest(${characters}::text[]) text where unicode_assigned(text)`.execute(db);
  return rows.map(({ text }) => text);
}

test('finds texts in any case and with any accents', () => {
  const same: [string, string][] = [
    ['Café', 'cafe'],
    ['Łódź', 'lodz'],
    ['O’Brien', "O'Brien"],
    ['OʼBrien', "O'Brien"],
    ['Größe', 'GRÖSSE'],
    ['ẞ', 'SS'],
    ['García', 'garcia'],
    ['Ærøskøbing', 'aeroskobing'],
    ['Œuvre', 'oeuvre'],
    ['Đorđe', 'dorde'],
    ['Þórður', 'thordur'],
    ['İstanbul Iğdır', 'istanbul igdir'],
    ['Ёлка', 'елка'],
    ['ΟΔΥΣΣΕΎΣ', 'οδυσσευς'],
    ['ﬁne', 'FINE'],
    ['A4\u00a0–\u2009„Block‟', 'a4 - "block"'],
    ['\u2212 5', '-\u00a05'],
  ];
  for (const [stored, typed] of same) expect(foldText(stored)).toBe(foldText(typed));
  expect(foldText('Йод')).toBe('йод');
  expect(foldText('йод')).not.toBe(foldText('иод'));
});

test('folding folded text changes nothing', () => {
  expect(characters.filter((char) => foldText(foldText(char)) !== foldText(char))).toEqual([]);
});

test('the database folds every character as the services do, after letters and before marks', async () => {
  const shared = await listSharedCharacters();
  expect(shared.length).toBeGreaterThan(150_000);
  const around = ([before, after]: readonly string[]) => shared.map((char) => before + char + after);
  const contexts = [
    ['', ''],
    ['a', 'A\u0301\u0327'],
    ['Σ', '\u0308B'],
  ];
  for (const context of contexts) expect(await differing(around(context))).toEqual([]);
  const unit = fc.nat(shared.length - 1).map((i) => shared[i]!);
  const text = fc.string({ unit, maxLength: 20 });
  expect(await differing(fc.sample(text, 2000))).toEqual([]);
});

test('rows of an older version are folded in steps, and folded rows stay unchanged', async () => {
  await sql`create table thing (store_id text, id text, name text, name_key text, search text)`.execute(db);
  const texts = ['Łódź', 'ASCII', 'йод'];
  await sql`insert into thing select 'str', name, name, lower(name), lower(name)
    from unnest(${texts}::text[]) name`.execute(db);
  const folded = { table: 'thing', columns: { search: 'search', name_key: 'name' } };
  expect(await foldStep(db, folded)).toBe(true);
  expect(await foldStep(db, folded)).toBe(false);
  const { rows } = await sql`select name_key, search from thing order by id`.execute(db);
  expect(rows).toEqual(['ascii', 'lodz', 'йод'].map((text) => ({ name_key: text, search: text })));
});

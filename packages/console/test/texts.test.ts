import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { storeLimits } from '@waybill/contracts';
import { compileCatalogue, compileCatalogues, toPseudoLocale } from '../catalogues.ts';
import type afterSale from '../src/texts/en/after-sale.ts';
import { bindCatalogue } from '../src/texts/messages.ts';
import { listUnboundImports, readTextUses } from './text-uses.ts';

type Entry = string | { readonly [key: string]: Entry };

const folder = fileURLToPath(new URL('../src/texts', import.meta.url));
const getPath = (language: 'en' | 'de', name: string) => join(folder, language, `${name}.ts`);
const names = readdirSync(join(folder, 'en')).map((file) => file.replace('.ts', ''));

/** Returns the messages of a catalogue, by their keys with dots between them. */
async function readMessages(language: 'en' | 'de', name: string): Promise<[string, string][]> {
  const { default: catalogue } = await import(getPath(language, name));
  const list = (entry: Entry, path: string): [string, string][] =>
    typeof entry === 'string'
      ? [[path, entry]]
      : Object.entries(entry).flatMap(([key, child]) => list(child, path === '' ? key : `${path}.${key}`));
  return list(catalogue, '');
}

/** Returns the arguments of a message, each with whether it is a number. */
function listArguments(parts: readonly MessageFormatElement[]): string[] {
  const found = parts.flatMap((part) => {
    if (part.type === TYPE.argument) return [part.value];
    if (part.type === TYPE.number) return [`${part.value}: number`];
    if (part.type !== TYPE.plural && part.type !== TYPE.select) return [];
    const inner = Object.values(part.options).flatMap(({ value }) => listArguments(value));
    return [part.type === TYPE.plural ? `${part.value}: number` : part.value, ...inner];
  });
  return [...new Set(found)].sort();
}

describe.each(names)('%s', (name) => {
  it('has in German the keys and arguments that it has in English, in the same order', async () => {
    const english = new Map(await readMessages('en', name));
    // Where texts are looked up by codes, German may have more: English says some codes as they are.
    const german = (await readMessages('de', name)).filter(([key]) => english.has(key));
    expect(german.map(([key]) => key)).toEqual([...english.keys()]);
    for (const [key, message] of german)
      expect({ [key]: listArguments(parse(message)) }).toEqual({
        [key]: listArguments(parse(english.get(key)!)),
      });
  });
});

test('every text is used', async () => {
  const uses = readTextUses();
  const unused: string[] = [];
  for (const name of names) {
    // The type of the permissions lists all domains.
    if (name === 'permissions') continue;
    const { default: catalogue } = await import(getPath('en', name));
    const list = (entry: Entry, path: readonly string[]): void => {
      if (typeof entry === 'string' || Array.isArray(entry)) {
        if (!uses.get(name)?.(path)) unused.push(`${name}: ${path.join('.')}`);
      } else for (const [key, child] of Object.entries(entry)) list(child, [...path, key]);
    };
    list(catalogue, []);
  }
  expect(unused).toEqual([]);
  expect(['title', 'neverRead'].map((key) => uses.get('products')?.([key]))).toEqual([true, false]);
});

test('every limit of a store has a name', async () => {
  const names = (await readMessages('en', 'settings')).map(([key]) => key);
  const limits = [...Object.keys(storeLimits), 'media'].map((name) => `limitNames.${name}`);
  expect(limits.filter((key) => !names.includes(key))).toEqual([]);
});

test('catalogues are loaded by `defineTexts` alone', () => {
  expect(listUnboundImports()).toEqual([]);
});

test('numbers and plurals follow the language', async () => {
  const load = async (language: 'en' | 'de') => {
    const code = await compileCatalogue(getPath(language, 'after-sale'));
    const module: { default: typeof afterSale } = await import(
      `data:text/javascript,${encodeURIComponent(code)}`
    );
    return bindCatalogue(module.default, language);
  };
  const [english, german] = await Promise.all([load('en'), load('de')]);
  expect([0, 1, 1000].map((count) => english.slipCount({ count }))).toEqual([
    '0 orders',
    '1 order',
    '1,000 orders',
  ]);
  expect(german.slipCount({ count: 1000 })).toBe('1.000 Bestellungen');
  expect(english.sendFaults.tooManyRows({ most: 5000 })).toBe('The file has more than 5,000 rows. Split it.');
  expect(english.refundOf({ sum: '€ 5 {count}' })).toBe('Refund of € 5 {count}');
});

test('the build names a message that is no ICU message', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waybill-texts-'));
  const file = join(folder, 'broken.ts');
  await writeFile(file, "export default { list: { count: '{count, plural, one {# order}}' } };");
  await expect(compileCatalogue(file)).rejects.toThrow(/broken\.ts, list, count: .*: \{count, plural/);
  await rm(folder, { recursive: true });
});

test('the pseudo-locale accents and lengthens a text, and keeps its arguments', () => {
  expect(toPseudoLocale('Move {count, plural, one {# file} other {# files}} to {folder}')).toBe(
    '⟦Ḿóṽé {count,plural,one{# ƒíĺé} other{# ƒíĺéš}} ţó {folder} Ḿóṽé⟧',
  );
});

test('the pseudo-locale stands in for English alone', async () => {
  const { load } = compileCatalogues({ isPseudo: true }) as unknown as { load: CatalogueLoader };
  const codes = await Promise.all(
    (['en', 'de'] as const).map(async (language) => (await load.handler(getPath(language, 'stores'))).code),
  );
  expect(codes.map((code) => code.includes('⟦'))).toEqual([true, false]);
});

interface CatalogueLoader {
  handler(id: string): Promise<{ code: string }>;
}

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const glossary = readFileSync(`${root}packages/contracts/docs/glossary.md`, 'utf8');

/** The replaced names in the glossary's last table, with the names to use. */
const replaced = new Map(
  [...glossary.slice(glossary.indexOf('## Replaced names')).matchAll(/^\| `(\w+)` +\| (\S+) +\|$/gm)].map(
    ([, name, use]) => [name!, use!] as const,
  ),
);

/** Returns the replaced names that a source uses as identifiers: comments and texts may quote them. */
function replacedNamesIn(source: string): string[] {
  const code = source
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/(?<!:)\/\/.*$/gm, '')
    .replaceAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''");
  const names = new Set(code.match(/[A-Za-z_$][\w$]*/g));
  return [...replaced.keys()].filter((name) => names.has(name));
}

/** Lists the files that are committed or about to be, by path. */
function listFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  // Git also lists what was deleted since.
  return listed.split('\n').filter((path) => existsSync(root + path));
}

/** Lists the sources in TypeScript and JavaScript, without generated ones. */
const listSources = (): string[] =>
  listFiles().filter((path) => /\.(?:ts|tsx|mjs|js)$/.test(path) && !path.endsWith('/api.ts'));

/** Comments whose first sentence has no subject: a question word stands in for the noun or the verb. */
const questioningComments = (source: string): string[] =>
  source.match(
    /(?<=^|[\s{])(?:\/\*\*?\s+(?:\*\s+)?|\/\/ (?<!\/\/ .*\n\s*\/\/ )|-- (?<!-- .*\n\s*-- ))(?:What|Who|Whose|Whom|Which) .*/gm,
  ) ?? [];

test('no identifier has a name that the glossary lists as replaced', () => {
  const sources = listSources();
  expect(sources.length).toBeGreaterThan(1000);
  const found = sources.flatMap((path) => {
    const source = readFileSync(root + path, 'utf8');
    return replacedNamesIn(source).map((name) => `${path}: ${name}, use ${replaced.get(name)}`);
  });
  expect(found).toEqual([]);
});

test.each([
  ['const slots = createSlots(4);', ['createSlots']],
  ['type Callee = { url: string };', ['Callee']],
  ['// as createSlots did\n/* takeSlug */ const text = "createLine";', []],
  ['createSlotsOfDays();', []],
])('a planted one is found, a quoted one is not: %j', (source, names) => {
  expect(replacedNamesIn(source)).toEqual(names);
});

test('every name that the glossary gives instead exists', () => {
  const names = new Set(
    listSources().flatMap((path) => readFileSync(root + path, 'utf8').match(/[A-Za-z_$][\w$]*/g) ?? []),
  );
  const given = [...replaced.values()].flatMap((use) => use.match(/(?<=`)\w+(?=`)/g) ?? []);
  expect(given.length).toBeGreaterThan(300);
  expect(given.filter((name) => !names.has(name))).toEqual([]);
});

test('no comment opens with a question word', () => {
  const migrations = listFiles().filter((path) => path.endsWith('.sql'));
  expect(migrations.length).toBeGreaterThan(100);
  const found = [...listSources(), ...migrations].flatMap((path) =>
    questioningComments(readFileSync(root + path, 'utf8')).map((comment) => `${path}: ${comment}`),
  );
  expect(found).toEqual([]);
});

test.each([
  ['/** What an order costs. */', 1],
  ['/**\n * Who may read it.\n */', 1],
  ['const a = 1; \x2f/ Which of them', 1],
  ['-- Who may read it.\ncreate table reader ();', 1],
  ['-- The readers.\n-- Who asks twice waits.', 0],
  ['/** Returns what an order costs. */', 0],
  ['// The store decides.\n// Who asks twice waits.', 0],
  ["const title = 'What is new';", 0],
])('a planted one is found, another one is not: %j', (source, count) => {
  expect(questioningComments(source)).toHaveLength(count);
});

/** Returns the terms that a glossary defines more than once, in whichever sections. */
function repeatedTerms(text: string): string[] {
  const definitions = text.match(/^- \*\*.+?\*\*(?:, \*\*.+?\*\*)*/gm) ?? [];
  const terms = definitions.flatMap((line) =>
    [...line.matchAll(/\*\*(.+?)\*\*/g)].map(([, term]) => term!.toLowerCase()),
  );
  return terms.filter((term, i) => terms.indexOf(term) !== i);
}

test('every term of the glossary is there once', () => {
  expect(glossary).toContain('- **store**: ');
  expect(repeatedTerms(glossary)).toEqual([]);
});

test('a term that two sections define is found, also beside another one', () => {
  const text =
    '## A\n- **quote**: a price\n- **payment**, **entry**: one\n\n## B\n- **Entry**: two\n- **Quote**: a sum\n';
  expect(repeatedTerms(text)).toEqual(['entry', 'quote']);
});

test('every replaced name is listed once', () => {
  expect(replaced.size).toBeGreaterThan(400);
  const rows = glossary.slice(glossary.indexOf('## Replaced names')).match(/^\| `/gm) ?? [];
  expect(rows).toHaveLength(replaced.size);
});

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
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

test('no identifier has a name that the glossary lists as replaced', () => {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  const sources = listed
    .split('\n')
    .filter((path) => /\.(?:ts|tsx|mjs|js)$/.test(path) && !/\/api\.ts$/.test(path));
  expect(sources.length).toBeGreaterThan(1000);
  const found = sources.flatMap((path) => {
    let source = '';
    try {
      source = readFileSync(`${root}${path}`, 'utf8');
    } catch {
      // Git lists the file, but it was deleted since.
    }
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

test('every term of the glossary is there once', () => {
  expect(replaced.size).toBeGreaterThan(5);
  for (const part of glossary.split('\n## ').slice(1)) {
    const terms = [...part.matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, term]) => term!.toLowerCase());
    expect(terms.filter((term, i) => terms.indexOf(term) !== i)).toEqual([]);
  }
});

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Packages whose SQL is part of the statements of services. */
const sharedPackages = ['packages/kernel', 'packages/custom-fields', 'packages/contracts'];

const withoutComments = (source: string): string =>
  source.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/(?<=^|\s)\/\/.*$/gm, '');

/** Returns the strings and templates of a source, which contain all of its SQL. */
const textsIn = (source: string): string =>
  (source.match(/`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/gs) ?? []).join('\n');

const closing: Readonly<Record<string, string>> = { '{': '}', '<': '>', '(': ')', '[': ']' };

/** Returns the text between the bracket at `start` and the one that closes it. */
function insideOf(source: string, start: number): string {
  const [open, close] = [source[start]!, closing[source[start]!]!];
  let depth = 0;
  for (let i = start; i < source.length; i++) {
    if (source[i] === open) depth++;
    // `=>` closes nothing.
    else if (source[i] === close && source[i - 1] !== '=' && --depth === 0) return source.slice(start + 1, i);
  }
  return '';
}

/** Returns a text with everything inside its brackets blanked, so that only its outermost level is left. */
function outermost(text: string): string {
  let depth = 0;
  return [...text]
    .map((character) => {
      if ('}])>'.includes(character)) depth--;
      const shown = depth === 0 ? character : ' ';
      if ('{[(<'.includes(character)) depth++;
      return shown;
    })
    .join('');
}

/** Returns the names of the fields that statements give their rows, as the type arguments of their calls name them. */
function rowFieldsIn(source: string): string[] {
  const literals: string[] = [];
  for (const call of source.matchAll(
    /\b(?:prepare|compileUnprepared|prepareOnce|prepareByTopology|sql)(?=<)/g,
  )) {
    const types = insideOf(source, call.index + call[0].length);
    const outer = outermost(types);
    const end = outer.includes(',') ? outer.indexOf(',') : types.length;
    for (const { index } of outer.slice(0, end).matchAll(/\{/g)) literals.push(insideOf(types, index));
    for (const [name] of outer.slice(0, end).matchAll(/\b[A-Z]\w+/g)) {
      const declared = new RegExp(`\\b(?:interface|type) ${name}\\b[^{;]*\\{`).exec(source);
      if (declared) literals.push(insideOf(source, declared.index + declared[0].length - 1));
    }
  }
  return literals.flatMap((literal) =>
    [...outermost(literal).matchAll(/(?:^|[;,\n])\s*(?:readonly\s+)?(\w+)\??\s*:/g)].map(([, name]) => name!),
  );
}

/** Returns the fields of rows that no SQL mentions: a statement cannot fill them. */
const unfilledFields = (source: string, sql: string): string[] =>
  rowFieldsIn(source).filter((field) => !new RegExp(`\\b${field}\\b`).test(sql));

/** Lists the sources of a folder with their texts, without comments. */
const sourcesOf = (folder: string) =>
  readdirSync(join(root, folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => {
      const path = join(root, folder, 'src', name);
      return { path: relative(root, path), source: withoutComments(readFileSync(path, 'utf8')) };
    });

// The compiler believes the row type of a statement: a field renamed without its alias would read as undefined.
test('every field of a statement’s row is named in the SQL of its service', () => {
  const sqlOf = (folder: string) =>
    sourcesOf(folder)
      .map(({ source }) => textsIn(source))
      .join('\n');
  const shared = sharedPackages.map(sqlOf).join('\n');
  const services = readdirSync(join(root, 'services')).map((name) => `services/${name}`);
  let count = 0;
  const found = [...services, ...sharedPackages].flatMap((folder) => {
    const sql = `${sqlOf(folder)}\n${shared}`;
    return sourcesOf(folder).flatMap(({ path, source }) => {
      count += rowFieldsIn(source).length;
      return unfilledFields(source, sql).map((field) => `${path}: ${field}`);
    });
  });
  expect(found).toEqual([]);
  expect(count).toBeGreaterThan(400);
});

test.each([
  ["prepare<{ id: string; left: number }>('x', 'select id, n as left from t')", []],
  ["prepare<{ id: string; rest: number }>('x', 'select id, n as left from t')", ['rest']],
  ["interface Row { id: string; of: { rest: number } }\nprepare<Row>('x', 'select id, of from t')", []],
  ['interface Row { rest: Map<string, number> }\nsql<Row>`select 1 as left`', ['rest']],
  ["compileUnprepared<{ id: string }, { rest: number }>('select id from t')", []],
])('a planted field without a column is found: %j', (source, fields) => {
  expect(unfilledFields(source, textsIn(source))).toEqual(fields);
});

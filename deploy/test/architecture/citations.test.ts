import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const self = fileURLToPath(import.meta.url);

/** The documents whose rules are cited by number, each with its rules: `6.3`, and `6.3, rule 7` for a numbered list. */
const rules = new Map(
  ['store-api.md', 'decisions.md'].map((name) => [
    name,
    rulesOf(join(root, 'packages/contracts/docs', name)),
  ]),
);

function rulesOf(path: string): Set<string> {
  const found = new Set<string>();
  let current = '';
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const rule = /^#{2,3} (\d+(?:\.\d+)?[a-z]?) /.exec(line) ?? /^\*\*(\d+\.\d+)\*\*/.exec(line);
    if (rule) current = rule[1]!;
    const item = /^(\d+)\. /.exec(line);
    found.add(item ? `${current}, rule ${item[1]}` : current);
  }
  return found;
}

/** Returns the rules, documents and issues that a file cites and that do not exist. */
function wrongCitations(path: string, text: string): string[] {
  // A citation may continue on the next line of a comment.
  const flat = text.replaceAll(/\s*\n\s*(?:\*|\/\/|--|#)?\s*/g, ' ');
  const cited = flat.matchAll(
    /\b(store-api\.md|decisions\.md)((?:(?:,|–| and| to)?\s*\d+(?:\.\d+)?[a-z]?\b)+)(?:`?, rule (\d+))?/g,
  );
  const unknownRules = [...cited].flatMap(([, name, numbers, item]) => {
    const each = numbers!.match(/\d[\d.]*[a-z]?/g)!;
    if (item) each.push(`${each.at(-1)}, rule ${item}`);
    return each.filter((rule) => !rules.get(name!)!.has(rule)).map((rule) => `${name} ${rule}`);
  });
  const unknownDocuments = (flat.match(/[\w./-]+\.md\b/g) ?? []).filter(
    (name) => !rules.has(basename(name)) && ![dirname(path), root].some((at) => existsSync(join(at, name))),
  );
  const issues = flat.match(/\b(?:issue|ticket|pull request|PR)s? #?\d+/gi) ?? [];
  return [...unknownRules, ...unknownDocuments, ...issues];
}

function citingFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name.startsWith('.')) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return citingFiles(path);
    return /\.(ts|js|mjs|md|sql|ya?ml)$/.test(entry.name) && path !== self ? [path] : [];
  });
}

describe('citations', () => {
  test('name existing rules and documents, and no issues', () => {
    const files = citingFiles(root);
    expect(files.length).toBeGreaterThan(500);
    const found = files.flatMap((path) =>
      wrongCitations(path, readFileSync(path, 'utf8')).map((wrong) => `${relative(root, path)}: ${wrong}`),
    );
    expect(found).toEqual([]);
  });

  test.each([
    ['/** `decisions.md 99.1`. */', 'decisions.md 99.1'],
    ['// As in `store-api.md 6.3, 6.9`.', 'store-api.md 6.9'],
    ['`decisions.md 12.1 to 12.70`', 'decisions.md 12.70'],
    ['/**\n * Kept as `store-api.md\n * 4.99` says.\n */', 'store-api.md 4.99'],
    ['-- `store-api.md 4.12`, rule 16', 'store-api.md 4.12, rule 16'],
    ['// The design is `page-model.md`.', 'page-model.md'],
    ['// See issue #14.', 'issue #14'],
  ])('a planted one is found: %j', (text, wrong) => {
    expect(wrongCitations(join(root, 'services/catalog/src/x.ts'), text)).toEqual([wrong]);
  });

  test('existing rules are accepted', () => {
    const text = '`store-api.md 2.4a, 7.2–7.4`, `decisions.md 5, 12.1 to 12.7`, `store-api.md 6.3`, rule 7';
    expect(wrongCitations(join(root, 'x.ts'), text)).toEqual([]);
  });
});

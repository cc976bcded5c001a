import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { checkSync } from 'recheck';
import { collectExpressions, collectFromText, type Expression } from './expressions.ts';

// Uses its JavaScript engine: the checker's other engines need Java or a separate binary.
process.env.RECHECK_BACKEND = 'pure';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Expressions that are not linear, with the limit of the texts that they match. */
const bounded: Readonly<Record<string, string>> = {};

/** Expressions that are built at run time, with the origin of their parts. */
const computed: Readonly<Record<string, string>> = {
  // Built from ids of one form: `^abc_[0-9a-hjkmnp-tv-z]{26}$`.
  'packages/kernel/src/http/router.ts: new RegExp(idPattern(kind))': 'idPattern',
  "services/app-platform/src/oauth/authorization.ts: new RegExp(idPattern('app'))": 'idPattern',
  "services/app-platform/src/oauth/clients.ts: new RegExp(idPattern('app'))": 'idPattern',
  "services/app-platform/src/review/review.ts: new RegExp(idPattern('app'))": 'idPattern',
  "services/app-platform/src/review/review.ts: new RegExp(idPattern('appVersion'))": 'idPattern',
  "services/catalog/src/categories/rules.ts: new RegExp(idPattern('category'))": 'idPattern',
  "services/catalog/src/products/media.ts: new RegExp(idPattern('mediaAsset'))": 'idPattern',
  'services/catalog/src/products/routes.ts: pattern: gtinPattern': 'gtinPattern',
  // A definition without a pattern; merchants' patterns run in linear time, as in RE2.
  'packages/custom-fields/src/definitions.ts: pattern: null': 'none',
  "packages/custom-fields/src/check-value.ts: new RegExp(idPattern('mediaAsset'))": 'idPattern',
  "packages/custom-fields/src/check-value.ts: new RegExp(idPattern('product'))": 'idPattern',
  "services/content/src/publication/rendering/document-html.ts: new RegExp(idPattern('mediaAsset'))":
    'idPattern',
  "services/content/src/storefront/shop-pages/cart.ts: new RegExp(idPattern('variant'))": 'idPattern',
  // Built from the vocabulary, whose texts have at most 1,000 characters.
  "packages/page/src/check/values.ts: new RegExp(pattern, 'u')": 'a value is at most its maxLength long',
  'packages/console/src/editor/panels/fields.ts: new RegExp(type.pattern)': 'the same, in the form',
  "packages/console/src/features/developer/manifest-preview.tsx: new RegExp(control.pattern, 'u')":
    'the same, in the form',
  'packages/page/src/vocabulary/specials.ts: pattern: `^${prefix}_[0-9a-z]{1,40}$`': 'anchored, no loop',
  'packages/page/src/vocabulary/style.ts: pattern: `^(?:${source})$`': 'maxLength 200',
  'packages/page/src/vocabulary/style.ts: pattern: `^(?:none|${gradient})$`': 'maxLength 1,000',
  // Built from words in the sources.
  "packages/kernel/src/service/run.ts: new RegExp(`^${path.replace(/\\{\\w+\\*\\}$/, '.+').replaceAll(/\\{\\w+\\}/g, '[^/]+')}/?$`)":
    'paths of routes: each part ends at a slash',
  'packages/sdk/package-files.ts: new RegExp(`^  "?${library}"?: (.+)$`, \'m\')': 'a file of the repository',
  'services/content/src/forms/submissions/live-forms.ts: new RegExp(`^(${owners})\\\\.([0-9a-z]{1,20})$`)':
    'prefixes of ids, no loop',
  "services/media/src/files/routes.ts: pattern: `^(${widths.join('|')})$`": 'numbers, no loop',
  'deploy/bench/processes.ts: new RegExp(`[=,]${service}=(http://[^,]+)`)':
    'a setting of our own; a name, no loop before it',
  // Built from characters and names in the sources.
  "packages/console/src/editor/core/foreign-html.ts: new RegExp(`(?:^|;)\\\\s*${property}:\\\\s*(${values})`, 'i')":
    'names of properties and values; a match begins at a semicolon',
  'packages/console/src/ui/typed-number.ts: new RegExp(`^[1-9]\\\\d{0,2}(?:\\\\${mark}\\\\d{3})+$`)':
    'anchored; a mark and three digits',
  "packages/contracts/src/fold.ts: new RegExp(`[${Object.keys(replacements).join('')}]`, 'g')":
    'a class of characters',
  'packages/product-files/src/amounts.ts: new RegExp(`^[1-9]\\\\d{0,2}(?:${mark}\\\\d{3})+$`)':
    'anchored; a mark and three digits',
  "services/identity/src/mail/plain-names.ts: new RegExp(\n  [\n    `(?<=[^\\\\s${dots}])[${dots}](?=[^\\\\s${dots}])`,\n    `[${ats}]`,\n    `[${colons}](?=[^\\\\s\\\\p{Nd}])`,\n    `(?<!\\\\p{Nd})[${colons}](?=\\\\p{Nd})`,\n    `[${slashes}](?=[${slashes}])`,\n  ].join('|'),\n  'gu',\n)":
    'classes of characters, each of bounded length',
};

/**
 * Hashes of the expressions that the checker has found linear. Checking all of them takes half a minute, so they are
 * part of the repository: the test adds new ones and removes obsolete ones, and the change must be committed.
 */
const verdictsFile = fileURLToPath(new URL('linear-expressions.txt', import.meta.url));

/** Attacks are tried for the few expressions that no automaton decides; these sizes reveal quadratic time. */
const limits = {
  timeout: 10_000,
  maxAttackStringSize: 20_000,
  attackLimit: 200_000,
  incubationLimit: 5_000,
  maxIteration: 5,
  maxInitialGenerationSize: 50,
  maxGenerationSize: 20,
};

/**
 * Whether an expression is linear by its form: the degree of its time is at most the number of its unbounded loops,
 * plus one if a match may begin anywhere. The checker needs seconds for some of these.
 */
function isPlain({ source, flags }: Expression): boolean {
  const bare = source.replace(/\\(?:[pP]\{[^}]*\}|.)/gs, '.').replace(/\[[^\]]*\]/g, '.');
  if (/\(\?<?[=!]|\)[*+{]/.test(bare)) return false;
  const loops = bare.match(/[*+]|\{\d*,\}/g)?.length ?? 0;
  const isLong = [...bare.matchAll(/\{(?:\d+,)?(\d+)\}/g)].some(([, most]) => Number(most) > 1000);
  const isAnchored = bare.startsWith('^') && !flags.includes('m') && !bare.includes('|');
  return !isLong && loops <= (isAnchored ? 1 : 0);
}

const { version } = createRequire(import.meta.url)('recheck/package.json') as { version: string };
const hashOf = ({ source, flags }: Expression) =>
  createHash('sha256')
    .update(JSON.stringify([version, limits, source, flags]))
    .digest('hex');

const written = readFileSync(verdictsFile, 'utf8');
const known: ReadonlySet<string> = new Set(written.split('\n'));
const linear = new Set<string>();

/** Writes the verdicts of the current expressions. */
function keepVerdicts(): void {
  const text = [...linear].sort().map((hash) => `${hash}\n`);
  if (text.join('') !== written) writeFileSync(verdictsFile, text.join(''));
}

/** Returns why an expression may take more than linear time; null if it does not. */
function fault(expression: Expression): string | null {
  if (isPlain(expression)) return null;
  const hash = hashOf(expression);
  if (known.has(hash)) {
    linear.add(hash);
    return null;
  }
  const { source, flags, files } = expression;
  const verdict = checkSync(source, flags, limits);
  const { status } = verdict;
  if (status === 'safe') {
    linear.add(hash);
    return null;
  }
  return `/${source}/${flags} ${'complexity' in verdict ? verdict.complexity?.summary : status}: ${files.join(', ')}`;
}

const { expressions, computed: found } = collectExpressions(root);

test('every regular expression runs in linear time, or sees a text of bounded length', () => {
  expect(expressions.length).toBeGreaterThan(300);
  const faults = expressions.filter(({ source, flags }) => !(`/${source}/${flags}` in bounded)).map(fault);
  keepVerdicts();
  expect(faults.filter((each) => each !== null)).toEqual([]);
});

test('every exception is still needed, and every computed expression is known', () => {
  const sources = new Set(expressions.map(({ source, flags }) => `/${source}/${flags}`));
  expect(Object.keys(bounded).filter((each) => !sources.has(each))).toEqual([]);
  expect(found).toEqual(Object.keys(computed).sort());
});

test('an expression of quadratic time is found in any notation', () => {
  const { expressions: planted } = collectFromText(`
    const word = '[a-z]+';
    export const literal = /(a+)+$/;
    export const tail = /\\s+$/.test(x);
    export const composed = new RegExp(\`^(?:\${word})*$\`);
    export const schema = Type.String({ pattern: '^a*a*$' });
    export const linear = /^a*$/;
  `);
  expect(planted.filter((each) => fault(each) !== null).map(({ source }) => source)).toEqual([
    '(a+)+$',
    '\\s+$',
    '^(?:[a-z]+)*$',
    '^a*a*$',
  ]);
});

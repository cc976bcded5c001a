import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { long, waiting } from '../suite-order.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Libraries that only the kernel may import, besides deploy and tests. */
const kernelOnly = ['express', 'amqplib', 'ioredis', 'pg'];

interface Import {
  file: string;
  specifier: string;
  /** Whether none of it exists when the program runs. */
  isType: boolean;
}

/** Returns what is wrong with an import, null if nothing is. Paths are relative to the repository. */
function violation({ file, specifier }: Import): string | null {
  const [area, name] = file.split('/') as [string, string];
  // Benchmarks are for development too, and examples are the code of others.
  const isTest = /\/(test|testing|bench|chaos|examples)\//.test(file) || name === 'testing';
  const isSuite = (path: string) => path.includes('/test/');
  if (specifier.startsWith('.') && isSuite(join(file, '..', specifier)) && !isSuite(file))
    return 'imports a test';
  const target = /^@waybill\/([\w-]+)/.exec(specifier)?.[1];
  const outside = specifier.startsWith('.') && !join(file, '..', specifier).startsWith(`${area}/`);
  if (outside) return 'leaves its package by a relative path';
  if (
    specifier.startsWith('.') &&
    area !== 'deploy' &&
    !join(file, '..', specifier).startsWith(`${area}/${name}/`)
  ) {
    return 'leaves its package by a relative path';
  }
  // Delivery publishes to other people's RabbitMQ.
  const isDestination = file.startsWith('services/delivery/src/destinations/') && specifier === 'amqplib';
  if (kernelOnly.includes(specifier) && name !== 'kernel' && !isTest && area !== 'deploy' && !isDestination)
    return 'is the kernel’s business';
  if (name === 'console' && area === 'packages') {
    const broken = consoleViolation({ file, specifier });
    if (broken) return broken;
  }
  const arrow = arrowViolation({ file, specifier });
  if (arrow) return arrow;
  if (target === undefined) {
    const isLibrary = !specifier.startsWith('.') && !specifier.startsWith('node:');
    return name === 'contracts' && isLibrary && !isTest && specifier !== 'typebox'
      ? 'contracts import typebox only'
      : null;
  }
  if (target === 'testing') return isTest ? null : 'testing is for tests and benchmarks';
  if (area === 'deploy') return null;
  if (services.includes(target)) return 'is another service';
  if (name === 'contracts') return 'contracts import typebox only';
  if (name === 'kernel' && target !== 'contracts') return 'the kernel imports contracts only';
  return null;
}

/**
 * Returns what is wrong with an import of the console: every file may import `ui`, a feature is a chunk of its own, and
 * the editor's core uses no DOM.
 */
function consoleViolation({ file, specifier }: Pick<Import, 'file' | 'specifier'>): string | null {
  if (
    file.startsWith('packages/console/src/') &&
    join(file, '..', specifier).startsWith('packages/console/dev/')
  )
    return 'is for development only';
  const [, folder] = /^packages\/console\/src\/([\w-]+)\//.exec(file) ?? [];
  if (folder === undefined) return null;
  if (specifier === 'react-aria-components' || specifier === 'react-aria')
    return 'brings every component into the first chunk';
  const target = specifier.startsWith('.') ? join(file, '..', specifier) : specifier;
  const [, targetFolder, targetFeature] = /^packages\/console\/src\/([\w-]+)\/([\w-]+)\//.exec(target) ?? [];
  const into = targetFolder ?? /^packages\/console\/src\/([\w-]+)\//.exec(target)?.[1];
  if (folder === 'ui' && (specifier.startsWith('@waybill/') || (into !== undefined && into !== 'ui')))
    return 'ui knows nothing of Waybill';
  if (folder !== 'features' && into === 'features') return 'only the router knows the features';
  const feature = /^packages\/console\/src\/features\/([\w-]+)\//.exec(file)?.[1];
  if (feature && into === 'features' && targetFeature !== feature) return 'features never import features';
  const isCore = file.startsWith('packages/console/src/editor/core/');
  if (isCore && !specifier.startsWith('./') && specifier !== '@waybill/page') return 'the core is pure';
  return null;
}

/** Folders whose parts depend on each other in one direction only: the parts that each part may import. */
const arrows: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'services/content/src': {
    shared: [],
    translations: ['shared'],
    publication: ['shared', 'translations'],
    blog: ['shared', 'translations', 'publication'],
    editing: ['shared', 'translations', 'publication', 'blog'],
    storefront: ['shared', 'translations', 'publication'],
    forms: ['shared', 'translations', 'publication'],
  },
  'packages/console/src/editor': {
    core: [],
    save: ['core'],
    workbench: ['core'],
    checks: ['core', 'workbench'],
    elements: ['core', 'workbench'],
    clipboard: ['core', 'workbench'],
    canvas: ['core', 'workbench', 'elements', 'clipboard'],
    panels: ['core', 'workbench', 'elements', 'clipboard'],
    screen: ['core', 'save', 'workbench', 'checks', 'elements', 'clipboard', 'canvas', 'panels'],
  },
};

/** Returns what is wrong with an import between the parts of one of these folders. */
function arrowViolation({ file, specifier }: Pick<Import, 'file' | 'specifier'>): string | null {
  const folder = Object.keys(arrows).find((each) => file.startsWith(`${each}/`));
  if (folder === undefined || !specifier.startsWith('.')) return null;
  const findPart = (path: string) =>
    path.startsWith(`${folder}/`) ? /^[^/]+(?=\/)/.exec(path.slice(folder.length + 1))?.[0] : undefined;
  const [from, into] = [findPart(file), findPart(join(file, '..', specifier))];
  if (from === undefined || into === undefined || from === into) return null;
  return arrows[folder]![from]?.includes(into) ? null : `is an arrow from ${from} to ${into}`;
}

const services = readdirSync(join(root, 'services'));

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules') return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sourceFiles(path) : /\.(tsx?|mjs)$/.test(entry.name) ? [path] : [];
  });
}

function importsOf(path: string): Import[] {
  const file = relative(root, path);
  const text = readFileSync(path, 'utf8');
  const pattern =
    /(?:^|\n)\s*(?:import|export)\b([^'"`;]*?)from\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g;
  return [...text.matchAll(pattern)].map(([, names = '', from, inner]) => {
    const each = names.replace(/^\s*\{|\}\s*$/g, '').split(',');
    const isType = /^\s*type\b/.test(names) || each.every((name) => /^\s*(type\s|$)/.test(name));
    return { file, specifier: from ?? inner!, isType: isType && inner === undefined };
  });
}

/** Returns the file that a relative import names. */
const targetOf = ({ file, specifier }: Import) => join(file, '..', specifier);

/** Returns the folder of a service or of the kernel that contains a file; undefined for a file next to the folders. */
const folderOf = (file: string) =>
  /^(?:services\/[\w-]+|packages\/kernel)\/src\/[\w-]+(?=\/)/.exec(file)?.[0];

/** Returns the circles among imports, each once with all of its members; `nodeOf` maps a file to a node. */
function circles(imports: readonly Import[], nodeOf: (file: string) => string | undefined): string[][] {
  const needs = new Map<string, Set<string>>();
  for (const each of imports) {
    if (!each.specifier.startsWith('.')) continue;
    const [from, to] = [nodeOf(each.file), nodeOf(targetOf(each))];
    if (from === undefined || to === undefined || (from === to && from !== each.file)) continue;
    needs.set(from, (needs.get(from) ?? new Set()).add(to));
  }
  const reachedFrom = (from: string) => {
    const reached = new Set<string>();
    const open = [from];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const node of needs.get(next) ?? []) {
        if (reached.has(node)) continue;
        reached.add(node);
        open.push(node);
      }
    }
    return reached;
  };
  const reached = new Map([...needs.keys()].map((node) => [node, reachedFrom(node)]));
  const found = new Set<string>();
  for (const [node, others] of reached) {
    if (!others.has(node)) continue;
    const circle = [...others].filter((other) => reached.get(other)?.has(node));
    found.add(circle.sort().join(' '));
  }
  return [...found].map((each) => each.split(' '));
}

const isQueries = (file: string) => /(^|[/-])queries\.ts$/.test(file);

/**
 * Returns the imports by which queries reach a rule, which is a file that runs queries itself. Type imports do not
 * count.
 */
function rulesInQueries(imports: readonly Import[]): Import[] {
  const own = imports.filter(({ specifier, isType }) => specifier.startsWith('.') && !isType);
  const rules = new Set(
    own.filter((each) => isQueries(targetOf(each)) && !isQueries(each.file)).map(({ file }) => file),
  );
  return own.filter((each) => isQueries(each.file) && rules.has(targetOf(each)));
}

describe('imports', () => {
  const imports = ['services', 'packages', 'deploy'].flatMap((area) =>
    sourceFiles(join(root, area)).flatMap(importsOf),
  );

  test('follow the rules of the architecture', () => {
    expect(imports.length).toBeGreaterThan(100);
    const found = imports.flatMap((each) => {
      const wrong = violation(each);
      return wrong ? [`${each.file}: ${each.specifier} ${wrong}`] : [];
    });
    expect(found).toEqual([]);
  });

  test.each([
    ['services/catalog/src/x.ts', '@waybill/identity'],
    ['services/catalog/src/x.ts', '../../identity/src/index.ts'],
    ['services/catalog/src/x.ts', 'express'],
    ['services/catalog/src/x.ts', '@waybill/testing'],
    ['deploy/bench/x.ts', '../test/e2e/topologies.ts'],
    ['packages/contracts/src/x.ts', 'kysely'],
    ['packages/contracts/src/x.ts', '@waybill/kernel'],
    ['packages/kernel/src/x.ts', '@waybill/html'],
    ['packages/html/src/x.ts', '@waybill/catalog'],
    ['packages/console/src/main.tsx', '../dev/server.ts'],
    ['packages/console/src/ui/x.tsx', '@waybill/sdk'],
    ['packages/console/src/ui/x.tsx', '../api/client.ts'],
    ['packages/console/src/ui/x.tsx', 'react-aria-components'],
    ['packages/console/src/shell/x.tsx', '../features/home/index.tsx'],
    ['packages/console/src/features/orders/x.tsx', '../products/queries.ts'],
    ['packages/console/src/editor/core/x.ts', 'react'],
    ['packages/console/src/editor/core/x.ts', '../canvas/frame.ts'],
    ['packages/console/src/editor/canvas/x.ts', '../panels/fields.ts'],
    ['packages/console/src/editor/panels/x.tsx', '../canvas/surface.ts'],
    ['packages/console/src/editor/workbench/x.ts', '../elements/names.ts'],
    ['services/content/src/publication/served-documents/x.ts', '../../editing/pages/pages.ts'],
    ['services/content/src/storefront/shop-pages/x.ts', '../../blog/articles/articles.ts'],
  ])('a planted violation is found: %s imports %s', (file, specifier) => {
    expect(violation({ file, specifier, isType: false })).not.toBeNull();
  });

  test('between folders form no cycle, and queries import no rules', () => {
    expect(circles(imports, folderOf)).toEqual([]);
    expect(rulesInQueries(imports)).toEqual([]);
  });

  test('between files form no cycle', () => {
    expect(circles(imports, (file) => file)).toEqual([]);
  });

  test('a planted cycle and a planted rule in queries are found', () => {
    const of = (file: string, specifier: string) => ({
      file: `services/x/src/${file}`,
      specifier,
      isType: false,
    });
    const planted = [of('a/a.ts', '../b/b.ts'), of('b/b.ts', '../c/c.ts'), of('c/c.ts', '../a/d.ts')];
    expect(circles(planted, folderOf)).toEqual([['a', 'b', 'c'].map((name) => `services/x/src/${name}`)]);
    expect(circles(planted.slice(1), folderOf)).toEqual([]);
    expect(circles(planted, (file) => file)).toEqual([]);
    const around = [...planted, of('a/d.ts', './a.ts'), of('e.ts', './e.ts')];
    expect(circles(around, (file) => file)).toEqual([
      ['a/a.ts', 'a/d.ts', 'b/b.ts', 'c/c.ts'].map((file) => `services/x/src/${file}`),
      ['services/x/src/e.ts'],
    ]);
    const rule = of('a/a.ts', './queries.ts');
    expect(rulesInQueries([rule, of('a/queries.ts', './a.ts')])).toHaveLength(1);
    expect(
      rulesInQueries([rule, of('a/queries.ts', './limits.ts'), of('b/queries.ts', '../a/queries.ts')]),
    ).toEqual([]);
  });
});

/**
 * Whether a text keys hidden state by the objects that a service gets; such state belongs into `start(context) →
 * state`.
 */
const isHiddenState = (text: string) => /new WeakMap<[^,>]*(Context|Peers|Kysely|Database)/.test(text);

describe('a service’s state', () => {
  test('is created by its start', () => {
    const hidden = sourceFiles(join(root, 'services')).filter((path) =>
      isHiddenState(readFileSync(path, 'utf8')),
    );
    expect(hidden).toEqual([]);
  });

  test('a planted WeakMap is found', () => {
    expect(isHiddenState("const sources = new WeakMap<Context['peers'], Source>();")).toBe(true);
    expect(isHiddenState('const texts = new WeakMap<Vocabulary, string>();')).toBe(false);
  });
});

/** Whether a literal is spread into another one to save lines; its members could be written there themselves. */
const hasSpreadLiteral = (text: string) => /(?<!\{)\.\.\.\{(?![^{}]*\}\[\])/.test(text);

describe('a literal', () => {
  test('is not spread into another', () => {
    const found = ['services', 'packages', 'deploy'].flatMap((area) =>
      sourceFiles(join(root, area)).filter((path) => hasSpreadLiteral(readFileSync(path, 'utf8'))),
    );
    expect(found).toEqual([]);
  });

  test('a planted one is found; values, attributes and types are not', () => {
    expect(hasSpreadLiteral('const a = { ..' + '.{ b, c }, d };')).toBe(true);
    expect(hasSpreadLiteral('const a = { ...b, ...(c && { c }), d };')).toBe(false);
    expect(hasSpreadLiteral('<p {...{ role: "note" }} />')).toBe(false);
    expect(hasSpreadLiteral('tabs: [Tab, ...{ id: string }[]]')).toBe(false);
  });
});

/** The only file that assigns positions to values. */
const statements = 'packages/kernel/src/db/statements.ts';

/** Returns what is wrong with the way a file builds SQL; null if nothing is. */
function unsafeSql(file: string, text: string): string | null {
  const isCounted = /\$\$\{(?!['"])|['"`]\$['"`]\s*\+/.test(text);
  if (isCounted && file !== statements) return 'counts a parameter’s position';
  if (!isQueries(file)) return null;
  // An SQL operator between quotes, in the arguments of a function.
  if (/\b\w*(path|url)\(\s*(['"`])[^()]*\|\|[^()]*\)/i.test(text)) return 'has a function for URLs make SQL';
  return /\bimport \{[^}]*\b(emit|createEmission)\b[^}]*\}/.test(text) ? 'emits' : null;
}

describe('SQL', () => {
  test('counts no positions of parameters, is not built by URL functions, and emits nothing', () => {
    const found = ['services', 'packages'].flatMap((area) =>
      sourceFiles(join(root, area)).flatMap((path) => {
        const wrong = unsafeSql(relative(root, path), readFileSync(path, 'utf8'));
        return wrong ? [`${relative(root, path)} ${wrong}`] : [];
      }),
    );
    expect(found).toEqual([]);
  });

  test.each([
    'const like = words.map((_, i) => `and search like $${i + 3}`);',
    "const like = words.map((_, i) => 'and search like ' + '$' + (i + 3));",
    `const path = "'\${mediaPath("' || p.store_id || '", id)}'";`,
    "import { createEmission, prepare } from '@waybill/kernel';",
  ])('a planted breach is found: %s', (text) => {
    expect(unsafeSql('services/x/src/a/queries.ts', text)).not.toBeNull();
  });

  test('the existing style is accepted', () => {
    const text = `import { type Emission, insertEmission } from '@waybill/kernel';
      const find = prepare('find', ($) => \`select 1 from a where id = \${$.id} and b = $1\`);
      const url = baseUrl + mediaPath(storeId, '');`;
    expect(unsafeSql('services/x/src/a/queries.ts', text)).toBeNull();
  });
});

/** Functions of the kernel that write in a bare transaction. Services call those of their `WriteContext`. */
const bareWrites = ['emit', 'audit'];

/** The services' files that still call one of them, each with the reason. */
const bareWriters: Readonly<Record<string, string>> = {
  'services/webhooks/src/endpoint-alerts/endpoint-alerts.ts':
    'The ends of deliveries, with which its alerts are written, are recorded in transactions without a context.',
};

/** Whether a text imports such a function from the kernel, under any name. */
const importsBareWrite = (text: string) =>
  [...text.matchAll(/\b(?:import|export)\s*\{([^}]*)\}\s*from\s*['"]@waybill\/kernel['"]/g)].some(
    ([, names]) => names!.split(',').some((name) => bareWrites.includes(name.trim().split(/\s/)[0]!)),
  );

describe('a write', () => {
  test('emits and audits by its context, apart from the listed files', () => {
    const found = sourceFiles(join(root, 'services'))
      .filter((path) => /^services\/[\w-]+\/src\//.test(relative(root, path)))
      .filter((path) => importsBareWrite(readFileSync(path, 'utf8')));
    expect(found.map((path) => relative(root, path))).toEqual(Object.keys(bareWriters));
  });

  test.each([
    "import { emit } from '@waybill/kernel';",
    "import {\n  type Actor,\n  audit,\n} from '@waybill/kernel';",
    "import { rawJson, emit as tell } from '@waybill/kernel';",
  ])('a planted import is found: %j', (text) => {
    expect(importsBareWrite(text)).toBe(true);
  });

  test('other imports are accepted', () => {
    expect(importsBareWrite("import { emitAll, type AuditEntry } from '@waybill/kernel';")).toBe(false);
    expect(importsBareWrite("import { emit } from '../events.ts';")).toBe(false);
  });
});

/** Returns the indexes of a service whose name another index already has, which `if not exists` would silently skip. */
function namesTakenTwice(migrations: readonly string[]): string[] {
  const taken = new Set<string>();
  const pattern =
    /(create (?:unique )?index (?:concurrently )?(?:if not exists )?|drop index (?:concurrently )?(?:if exists )?|alter index (?:if exists )?)(\w+)/gi;
  return migrations.flatMap((text) =>
    [...text.matchAll(pattern)].flatMap(([, deed, name]) => {
      if (!/^create/i.test(deed!)) taken.delete(name!);
      else if (taken.has(name!)) return [name!];
      else taken.add(name!);
      return [];
    }),
  );
}

describe('migrations', () => {
  test('use each index name once', () => {
    const found = services.flatMap((service) => {
      const folder = join(root, 'services', service, 'migrations');
      const files = existsSync(folder) ? readdirSync(folder).sort() : [];
      return namesTakenTwice(files.map((file) => readFileSync(join(folder, file), 'utf8')));
    });
    expect(found).toEqual([]);
  });

  test('a planted duplicate is found, a dropped name is not', () => {
    const again = 'create index concurrently if not exists a on t (c);';
    expect(namesTakenTwice(['create index a on t (b);', again])).toEqual(['a']);
    expect(namesTakenTwice(['create index a on t (b);', 'drop index a;', again])).toEqual([]);
  });
});

describe('the order of suites', () => {
  test('names only existing suites', () => {
    const suites = ['deploy', 'packages', 'services'].flatMap((folder) => sourceFiles(join(root, folder)));
    const isThere = (part: string) => suites.some((path) => path.endsWith('.test.ts') && path.includes(part));
    expect([...long, ...waiting].filter((part) => !isThere(part))).toEqual([]);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';

const sources = fileURLToPath(new URL('../src', import.meta.url));

/** Names by which a module reads texts. */
interface Names {
  /** Keys that are read: `words.title`. */
  readonly keys: Set<string>;
  /** Keys that are read of another key: `words.states.done` is `states.done`. */
  readonly pairs: Set<string>;
  /** Keys of which everything may be read: `words.states[state]`. */
  readonly maps: Set<string>;
  /** Strings, by which a text may be read: `words[code]`. */
  readonly strings: Set<string>;
}

type ReadTest = (path: readonly string[]) => boolean;

/** Returns for each catalogue, such as `products`, a function that tells whether a path of keys is read. */
export function readTextUses(): Map<string, ReadTest> {
  const modules = listModules();
  const catalogues = new Set(modules.flatMap(({ catalogues }) => [...catalogues]));
  return new Map([...catalogues].map((catalogue) => [catalogue, createReadTest(modules, catalogue)]));
}

function createReadTest(modules: readonly Module[], catalogue: string): ReadTest {
  const importers = modules.filter((module) => importsCatalogue(modules, module, catalogue));
  // Screens pass texts to their parts, so that all modules of a feature, and of the editor, may read them.
  const areas = new Set(importers.map(({ area }) => area));
  const readers = modules.filter(({ area }) => areas.has(area));
  const names = [...readers.map(({ names }) => names), ...modules.map(({ interfaces }) => interfaces)];
  const isIndexed = importers.some(({ indexesWords }) => indexesWords);
  return (path) => {
    const [first = ''] = path;
    if (isIndexed && names.some(({ strings }) => strings.has(first))) return true;
    return names.some(({ keys }) => keys.has(first)) && isRead(names, path);
  };
}

function isRead(names: readonly Names[], path: readonly string[]): boolean {
  for (const [at, key] of path.entries()) {
    const next = path[at + 1];
    if (next === undefined || names.some(({ maps }) => maps.has(key))) return true;
    if (!names.some(({ pairs }) => pairs.has(`${key}.${next}`))) return false;
  }
  return true;
}

/** Returns the modules that load catalogues without `defineTexts`, so that they would get them unbound. */
export const listUnboundImports = (): string[] =>
  listModules()
    .filter(
      ({ file, definesTexts }) =>
        !definesTexts && /import\('[^']*\/texts\/(?:en|de)\//.test(readFileSync(file, 'utf8')),
    )
    .map(({ file }) => file);

interface Module {
  readonly file: string;
  /** The folder of the feature, or that of the layer. */
  readonly area: string;
  readonly imports: readonly string[];
  /** Catalogues that the module imports, or only their types. */
  readonly catalogues: ReadonlySet<string>;
  readonly definesTexts: boolean;
  /** Whether it reads texts by variables: `words[code]`. */
  readonly indexesWords: boolean;
  readonly names: Names;
  /** Keys of interfaces by which a component takes texts of any feature. */
  readonly interfaces: Names;
}

/** Whether a module imports a catalogue, or a module that declares it by `defineTexts`. */
const importsCatalogue = (modules: readonly Module[], module: Module, catalogue: string): boolean =>
  module.catalogues.has(catalogue) ||
  modules.some(
    ({ file, definesTexts, catalogues }) =>
      definesTexts && catalogues.has(catalogue) && module.imports.includes(file),
  );

function listModules(): Module[] {
  return readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/^texts[\\/](?:en|de)[\\/]/.test(file))
    .map((path) => {
      const file = join(sources, path);
      const code = readFileSync(file, 'utf8');
      const imports = [...code.matchAll(/(?:from |import\()'(\.[^']+)'/g)].map(([, path]) =>
        resolve(dirname(file), path!),
      );
      const catalogues = imports.flatMap(
        (path) => /[\\/]texts[\\/]en[\\/]([\w-]+)\.ts$/.exec(path)?.[1] ?? [],
      );
      const { program } = parseSync(file, code);
      return {
        file,
        area: /^(?:features[\\/])?[\w-]+/.exec(path)![0],
        imports,
        catalogues: new Set(catalogues),
        definesTexts: code.includes('defineTexts('),
        indexesWords: /\bwords\[/.test(code),
        names: readNames(program, /import type \{[^}]*Words\b/.test(code)),
        interfaces: readInterfaces(program),
      };
    });
}

// biome-ignore lint/suspicious/noExplicitAny: the nodes of a syntax tree, of any type.
type Node = any;

const emptyNames = (): Names => ({ keys: new Set(), pairs: new Set(), maps: new Set(), strings: new Set() });

function* walk(node: Node, parent?: Node): Generator<[node: Node, parent: Node]> {
  if (Array.isArray(node)) for (const child of node) yield* walk(child, parent);
  else if (node && typeof node.type === 'string') {
    yield [node, parent];
    for (const key in node) yield* walk(node[key], node);
  }
}

function readNames(program: Node, knowsWords: boolean): Names {
  const names = emptyNames();
  for (const [node, parent] of walk(program)) {
    if (node.type === 'Literal' && typeof node.value === 'string') names.strings.add(node.value);
    if (node.type === 'ObjectPattern' && takesTexts(node, parent, knowsWords))
      for (const property of node.properties) names.keys.add(findName(property) ?? '');
    const name = findName(node);
    if (name === undefined) continue;
    if (node.type === 'MemberExpression' && holdsTexts(node.object)) names.keys.add(name);
    const child =
      parent?.type === 'MemberExpression' && parent.object === node ? findName(parent) : undefined;
    if (child === undefined) names.maps.add(name);
    else names.pairs.add(`${name}.${child}`);
  }
  return names;
}

/** Whether an expression stands for texts, by the names that variables with texts have. */
const holdsTexts = (node: Node): boolean =>
  /^(?:common|form|names|states|texts|words|\w+Words)$/.test(findName(node) ?? '') ||
  (node.type === 'CallExpression' &&
    /^use\w*(?:Common|Names|Texts|Words)$/.test(findName(node.callee) ?? ''));

/**
 * Whether a pattern takes keys from texts: `const { title } = useProductTexts()`, `({ errors }: CommonWords) => …`, or
 * in a module that knows the type of texts, any parameter.
 */
const takesTexts = (pattern: Node, parent: Node, knowsWords: boolean): boolean =>
  (parent?.type === 'VariableDeclarator' && parent.init && holdsTexts(parent.init)) ||
  (knowsWords && /Function/.test(parent?.type)) ||
  [...walk(pattern.typeAnnotation)].some(([node]) =>
    /(?:Words|Texts|TemplateNames)$/.test(findName(node) ?? ''),
  );

/** Returns the name of a variable, of a property that is read, or of one that is taken by destructuring. */
function findName(node: Node): string | undefined {
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'MemberExpression') return node.computed ? node.property.value : node.property.name;
  if (node.type === 'Property' && !node.computed) return node.key.name ?? node.key.value;
  return undefined;
}

function readInterfaces(program: Node): Names {
  const names = emptyNames();
  for (const [node] of walk(program)) {
    const isInterface = node.type === 'TSInterfaceDeclaration' && /(?:Words|Texts)$/.test(node.id.name);
    const isProperty = node.type === 'TSPropertySignature' && node.key.name === 'words';
    if (!isInterface && !isProperty) continue;
    for (const [member] of walk(node)) {
      if (member.type !== 'TSPropertySignature' && member.type !== 'TSMethodSignature') continue;
      const name = member.key.name ?? member.key.value;
      names.keys.add(name);
      names.maps.add(name);
    }
  }
  return names;
}

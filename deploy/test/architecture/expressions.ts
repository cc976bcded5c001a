import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/** A regular expression in the sources. */
export interface Expression {
  source: string;
  flags: string;
  /** The files that contain it. */
  files: string[];
}

/** The regular expressions of the sources. */
export interface Collected {
  expressions: Expression[];
  /** `new RegExp(…)` and `pattern:` whose text is not in the sources; by file and code. */
  computed: string[];
}

type Node = Readonly<Record<string, unknown>> & { type: string; start: number; end: number };

const folders = ['services', 'packages', 'deploy'];
const skipped = new Set(['node_modules', 'test', 'dist', 'testing']);

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sourceFiles(path) : /\.(tsx?|m?js)$/.test(entry.name) ? [path] : [];
  });
}

function* nodesIn(value: unknown): Generator<Node> {
  if (Array.isArray(value)) {
    for (const each of value) yield* nodesIn(each);
  } else if (typeof value === 'object' && value !== null) {
    if ('type' in value) yield value as Node;
    for (const each of Object.values(value)) yield* nodesIn(each);
  }
}

/** Constants by name: literal texts, or texts composed of such constants. */
type Constants = ReadonlyMap<string, Node>;

/** Returns the text of an expression of the program; undefined if it comes from elsewhere. */
function textOf(node: Node | undefined, constants: Constants): string | undefined {
  if (node?.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node?.type === 'Identifier') {
    const constant = constants.get(node.name as string);
    return constant && textOf(constant, constants);
  }
  if (node?.type !== 'TemplateLiteral') return undefined;
  const quasis = node.quasis as { value: { cooked: string } }[];
  const inner = (node.expressions as Node[]).map((each) => textOf(each, constants));
  if (inner.includes(undefined)) return undefined;
  return quasis.map(({ value }, i) => value.cooked + (inner[i] ?? '')).join('');
}

const languageOf = (path: string) => (path.endsWith('x') ? 'tsx' : path.endsWith('s') ? 'ts' : 'js');

/** Collects every regular expression of the sources below `root`: literals, `new RegExp`, and patterns of schemas. */
export function collectExpressions(root: string): Collected {
  const programs = folders
    .flatMap((folder) => sourceFiles(join(root, folder)))
    .map((path) => {
      const text = readFileSync(path, 'utf8');
      const lang = /\.m?js$/.test(path) ? 'js' : languageOf(path);
      return { file: relative(root, path), text, program: parseAst(text, { lang }) as unknown as Node };
    });
  return collectFrom(programs);
}

interface Program {
  file: string;
  text: string;
  program: Node;
}

/** Collects the expressions of one text, to test the collection itself. */
export const collectFromText = (text: string): Collected =>
  collectFrom([{ file: 'text.ts', text, program: parseAst(text, { lang: 'ts' }) as unknown as Node }]);

function collectFrom(programs: readonly Program[]): Collected {
  const exported = new Map<string, Node>();
  for (const { program } of programs) {
    for (const node of nodesIn(program)) {
      if (node.type === 'ExportNamedDeclaration') addConstants(exported, node);
    }
  }
  const found = new Map<string, Expression>();
  const computed = new Set<string>();
  for (const { file, text, program } of programs) {
    const constants = new Map(exported);
    addConstants(constants, program);
    const add = (source: string, flags: string) => {
      const key = `/${source}/${flags}`;
      const known = found.get(key);
      if (known) known.files.push(file);
      else found.set(key, { source, flags, files: [file] });
    };
    for (const node of nodesIn(program)) {
      const regex = node.regex as { pattern: string; flags: string } | undefined;
      if (node.type === 'Literal' && regex) add(regex.pattern, regex.flags);
      const [pattern, flags] = patternOf(node) ?? [];
      if (!pattern) continue;
      const source = textOf(pattern, constants);
      // The checker cannot build the automaton of a composed expression that is longer than a page.
      if (source === undefined || source.length > 2_000)
        computed.add(`${file}: ${text.slice(node.start, node.end)}`);
      else add(source, textOf(flags, constants) ?? '');
    }
  }
  return { expressions: [...found.values()], computed: [...computed].sort() };
}

function addConstants(constants: Map<string, Node>, within: Node): void {
  for (const node of nodesIn(within)) {
    if (node.type !== 'VariableDeclarator' || !node.init) continue;
    const { id, init } = node as unknown as { id: { name?: string }; init: Node };
    if (id.name && ['Literal', 'TemplateLiteral'].includes(init.type)) constants.set(id.name, init);
  }
}

/**
 * Returns the arguments from which a node makes a regular expression: those of `RegExp`, or the `pattern` of a schema.
 */
function patternOf(node: Node): [Node, Node?] | undefined {
  if (node.type === 'NewExpression' || node.type === 'CallExpression') {
    const { callee, arguments: given } = node as unknown as { callee: Node; arguments: [Node, Node?] };
    return callee.type === 'Identifier' && callee.name === 'RegExp' ? given : undefined;
  }
  if (node.type !== 'Property') return undefined;
  const { key, value, shorthand } = node as unknown as { key: Node; value: Node; shorthand: boolean };
  if (shorthand) return undefined;
  const isText = ['Literal', 'TemplateLiteral', 'Identifier'].includes(value.type);
  return key.type === 'Identifier' && key.name === 'pattern' && isText ? [value] : undefined;
}

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectOriginProblem, isRedirectUri, redirectUriRule } from '@waybill/contracts/app-addresses';
import { permissions } from '@waybill/contracts/permissions';
import { checkIslandNames, checkManifest, vocabulary } from '@waybill/page';
import {
  findNodeAtLocation,
  getNodePath,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { exitCodes, Failure } from './failure.ts';

/** The contents of `waybill.json`, which describe an app. `app dev` and `app push` add the ids. */
export interface AppSettings {
  name: string;
  scopes: string[];
  connectOrigins: string[];
  redirectUris: string[];
  orgId?: string;
  appId?: string;
  /** The development store in which `app dev` shows the app. */
  storeId?: string;
}

/** The files of an app: `waybill.json`, `blocks.json`, `islands/<name>.js`. */
export interface Project {
  folder: string;
  settings: AppSettings;
  blocks: object[];
  /** Module texts by island name. */
  islands: ReadonlyMap<string, string>;
}

/** A problem at one place of a file; lines and columns count from 1. */
export interface FileProblem {
  file: string;
  line: number;
  column: number;
  code: string;
  /** RFC 6901 pointer into the file. */
  pointer: string;
  message: string;
}

const files = { settings: 'waybill.json', blocks: 'blocks.json', islands: 'islands' } as const;
const maxManifestBytes = 1024 * 1024;
const maxModuleBytes = 512 * 1024;

/** Stands for the app's id in an island's module, because the id is unknown before the app is registered. */
export const appIdPlaceholder = '__APP_ID__';

/**
 * Reads an app and runs all of the server's checks that need only the files (`store-api.md 7.2, 7.3`). Returns the
 * project if it has no problems, and the problems with their places.
 */
export async function checkProject(
  folder: string,
): Promise<{ project: Project | null; problems: FileProblem[] }> {
  const problems: FileProblem[] = [];
  const settings = await readSource(folder, files.settings);
  const manifest = await readSource(folder, files.blocks);
  const islands = await readIslands(folder, problems);
  for (const source of [settings, manifest]) problems.push(...source.syntaxProblems());
  if (problems.some(({ code }) => code === 'invalid_json')) return { project: null, problems };

  problems.push(...settingsProblems(settings));
  const names = [...islands.keys()];
  for (const { pointer, code, message } of checkIslandNames(names)) {
    const name = names[Number(pointer.split('/')[2])];
    const file = name === undefined ? files.islands : `${files.islands}/${name}.js`;
    problems.push({ file, line: 1, column: 1, pointer: '', code, message });
  }
  const { blocks } = (manifest.value ?? {}) as { blocks?: unknown };
  if (!Array.isArray(blocks))
    problems.push(manifest.at('/blocks', 'invalid_body', 'must be a list of blocks'));
  else if (Buffer.byteLength(JSON.stringify({ blocks })) > maxManifestBytes)
    problems.push(manifest.at('', 'body_too_large', 'must be at most 1 MiB'));
  else
    for (const { pointer, code, message } of checkManifest(vocabulary, blocks, new Set(islands.keys())))
      problems.push(manifest.at(pointer, code, message));
  if (problems.length > 0) return { project: null, problems };
  const settingsWithDefaults = {
    connectOrigins: [],
    redirectUris: [],
    ...(settings.value as object),
  } as unknown as AppSettings;
  return {
    project: { folder, settings: settingsWithDefaults, blocks: blocks as object[], islands },
    problems,
  };
}

/** Returns a folder's `waybill.json` without checking it; an empty object if there is no app. */
export async function readAppSettings(folder: string): Promise<Partial<AppSettings>> {
  try {
    return JSON.parse(await readFile(join(folder, files.settings), 'utf8')) ?? {};
  } catch {
    return {};
  }
}

/** Writes an app's new ids into its `waybill.json` and keeps the rest of the file. */
export async function saveIds(project: Project, ids: Partial<AppSettings>): Promise<void> {
  const file = join(project.folder, files.settings);
  const stored = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, `${JSON.stringify({ ...stored, ...ids }, null, 2)}\n`);
  Object.assign(project.settings, ids);
}

interface Source {
  value: unknown;
  at(pointer: string, code: string, message: string): FileProblem;
  syntaxProblems(): FileProblem[];
}

async function readSource(folder: string, file: string): Promise<Source> {
  let text: string;
  try {
    text = await readFile(join(folder, file), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Failure(`There is no ${file} in ${folder}.`, {
      code: 'no_app',
      exitCode: exitCodes.usage,
      remedy: 'Create an app with `waybill init <folder>`, or pass its folder: `waybill app … <folder>`.',
    });
  }
  const faults: ParseError[] = [];
  const root = parseTree(text, faults, { disallowComments: true });
  const findPosition = (offset: number) => {
    const before = text.slice(0, offset);
    return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
  };
  return {
    value: faults.length > 0 ? undefined : JSON.parse(text),
    at: (pointer, code, message) => ({
      file,
      pointer,
      code,
      message,
      ...findPosition(root ? nodeAt(root, pointer).offset : 0),
    }),
    // Further faults often only follow from the first one.
    syntaxProblems: () =>
      faults.slice(0, 1).map(({ error, offset }) => ({
        file,
        pointer: '',
        code: 'invalid_json',
        message: syntaxMessages[printParseErrorCode(error)] ?? 'is not JSON',
        ...findPosition(offset),
      })),
  };
}

const syntaxMessages: Readonly<Record<string, string>> = {
  InvalidNumberFormat: 'a number is malformed',
  PropertyNameExpected: 'a name in double quotes is missing here',
  ValueExpected: 'a value is missing here',
  ColonExpected: 'a colon is missing here',
  CommaExpected: 'a comma is missing here',
  CloseBraceExpected: 'a closing brace } is missing here',
  CloseBracketExpected: 'a closing bracket ] is missing here',
  EndOfFileExpected: 'nothing may follow the end of the object',
  InvalidCommentToken: 'JSON has no comments',
  UnexpectedEndOfComment: 'JSON has no comments',
  UnexpectedEndOfString: 'a text has no closing quote',
  UnexpectedEndOfNumber: 'a number is incomplete',
  InvalidUnicode: '\\u needs four hexadecimal digits',
  InvalidEscapeCharacter: 'an escape after a backslash is not valid',
  InvalidCharacter: 'a control character must be escaped',
};

/** Returns the node that a pointer names; if it does not exist, its nearest existing ancestor. */
function nodeAt(root: Node, pointer: string): Node {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  let node = root;
  for (const step of steps) {
    const next = findNodeAtLocation(node, [node.type === 'array' ? Number(step) : step]);
    if (!next) return node;
    node = next;
  }
  return node.parent?.type === 'property' && getNodePath(node).length > 0 ? node.parent : node;
}

const scopeProblem = (scope: string) =>
  permissions.some((permission) => permission === scope) ? null : 'is not a permission such as products.read';

const addressRules: Readonly<Record<string, (address: string) => string | null>> = {
  connectOrigins: (origin) => connectOriginProblem(origin, { loopback: true }),
  redirectUris: (uri) => (isRedirectUri(uri) ? null : redirectUriRule),
};

/** Returns the problems of a list of texts in `waybill.json`. */
function findProblemsOfEach(
  source: Source,
  key: string,
  findProblem: (text: string) => string | null,
): FileProblem[] {
  const texts = (source.value as Record<string, string[]>)[key]!;
  return texts.flatMap((text, i) => {
    const problem = findProblem(text);
    return problem === null ? [] : [source.at(`/${key}/${i}`, 'invalid_body', problem)];
  });
}

function settingsProblems(source: Source): FileProblem[] {
  const settings = source.value as Record<string, unknown>;
  const isTexts = (value: unknown) =>
    Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '');
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
    return [source.at('', 'invalid_body', 'must be an object')];
  const problems: FileProblem[] = [];
  if (typeof settings.name !== 'string' || settings.name.trim() === '')
    problems.push(source.at('/name', 'invalid_body', 'must name the app'));
  if (!isTexts(settings.scopes))
    problems.push(
      source.at('/scopes', 'invalid_body', 'must be a list of permissions, such as "appdata.read"'),
    );
  else problems.push(...findProblemsOfEach(source, 'scopes', scopeProblem));
  for (const [key, findProblem] of Object.entries(addressRules)) {
    if (settings[key] === undefined) continue;
    if (!isTexts(settings[key]))
      problems.push(source.at(`/${key}`, 'invalid_body', 'must be a list of addresses'));
    else problems.push(...findProblemsOfEach(source, key, findProblem));
  }
  return problems;
}

/** Returns the first syntax error of a module, or null if Node.js can parse it. The module is not run. */
async function findSyntaxFault(
  text: string,
): Promise<Pick<FileProblem, 'line' | 'column' | 'message'> | null> {
  const folder = await mkdtemp(join(tmpdir(), 'waybill-check-'));
  try {
    // The `.mjs` suffix marks a module; otherwise Node.js looks for a package.json that does.
    const file = join(folder, 'island.mjs');
    await writeFile(file, text);
    const { stderr } = await promisify(execFile)(process.execPath, ['--check', file]).then(
      () => ({ stderr: '' }),
      (error: { stderr?: string }) => ({ stderr: error.stderr ?? '' }),
    );
    const message = /^SyntaxError: (.{1,500})/m.exec(stderr)?.[1];
    if (!message) return null;
    const [, line = '1'] = /island\.mjs:(\d{1,9})/.exec(stderr) ?? [];
    const [, indent = ''] = /^( {0,2000})\^/m.exec(stderr) ?? [];
    return { line: Number(line), column: indent.length + 1, message };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readIslands(folder: string, problems: FileProblem[]): Promise<Map<string, string>> {
  const islands = new Map<string, string>();
  const names = await readdir(join(folder, files.islands)).catch(() => []);
  for (const fileName of names.filter((name) => name.endsWith('.js')).sort()) {
    const file = `${files.islands}/${fileName}`;
    const bytes = await readFile(join(folder, file));
    const report = (code: string, message: string) =>
      problems.push({ file, line: 1, column: 1, pointer: '', code, message });
    if (bytes.length > maxModuleBytes) report('island_module_too_large', 'must be at most 512 KiB');
    if (bytes.length === 0) report('island_module_not_text', 'must not be empty');
    const name = fileName.slice(0, -'.js'.length);
    // An unreadable module is declared nevertheless, so blocks may name it.
    islands.set(name, '');
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      islands.set(name, text);
      const fault = await findSyntaxFault(text);
      if (fault) problems.push({ file, pointer: '', code: 'island_module_syntax', ...fault });
    } catch {
      report('island_module_not_text', 'must be UTF-8 text');
    }
  }
  return islands;
}

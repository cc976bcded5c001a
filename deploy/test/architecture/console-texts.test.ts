import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import germanCommon from '@waybill/console/texts/de/common.ts';
import german from '@waybill/console/texts/de/refusals.ts';
import englishCommon from '@waybill/console/texts/en/common.ts';
import english from '@waybill/console/texts/en/refusals.ts';
import { findSentence } from '@waybill/console/texts/sentences.ts';
import type { ApiError } from '@waybill/contracts';
import { parseSync } from 'rolldown/utils';
import { apiDocument } from '../../api-document.ts';
import { services } from '../../services.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const document = apiDocument();

/** Codes that no person meets in the console, by the reason. It needs no texts for them. */
const neverMet: Readonly<Record<string, readonly string[]>> = {
  'The console sends no API keys and no tokens of apps.': [
    'api_key_required',
    'app_token_invalid',
    'invalid_credential',
    'key_revoked',
    'key_unusable',
    'missing_credential',
    'refresh_token_not_accepted',
  ],
  'Clients of OAuth get it.': ['invalid_client', 'invalid_grant', 'invalid_scope', 'unsupported_grant_type'],
  'Apps get it for their data.': ['invalid_owner', 'too_many_keys'],
  'Providers of payments get it.': ['invalid_signature'],
  'Visitors of a shop get it on its pages.': ['invalid_form'],
  'The console calls no such path and no such method.': [
    'method_not_allowed',
    'orders_are_read_only',
    'unknown_resource',
  ],
  'The console makes its requests in the form that the API asks for.': [
    'idempotency_conflict',
    'idempotency_key_required',
    'idempotency_key_reused',
    'invalid_idempotency_key',
    'island_name_required',
    'missing_file',
    'range_not_satisfiable',
  ],
  'The console asks for a new sign-in instead.': ['invalid_refresh_token'],
};

const serviceFolders = readdirSync(join(root, 'services')).map((name) => `services/${name}`);

/** Returns the paths of the sources of a service or package. */
const listSources = (folder: string): string[] =>
  readdirSync(join(root, folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `${folder}/src/${path}`);

/** Returns the messages of all errors of the services, by code. */
async function listErrors(): Promise<Map<string, string>> {
  const files = ['packages/contracts', ...serviceFolders]
    .flatMap(listSources)
    .filter((file) => file.endsWith('/errors.ts'));
  const modules: Record<string, Record<string, () => ApiError>>[] = await Promise.all(
    files.map((file) => import(join(root, file))),
  );
  const tables = modules.flatMap(({ errors, oauthErrors }) => [errors ?? {}, oauthErrors ?? {}]);
  const errors = tables.flatMap((table) => Object.values(table).map((createError) => createError()));
  return new Map(errors.map(({ code, message }) => [code, message]));
}

/** Words of a message for programmers. */
const jargon = /`|\b(?:GET|POST)\b|header|token|cursor|minor|Idempotency/i;

test('every error code that a person meets in the console has a German text, and an English one or a plain message', async () => {
  const errors = await listErrors();
  expect(errors.size).toBeGreaterThan(140);
  const excepted = Object.values(neverMet).flat();
  const met = [...errors].filter(([code]) => !excepted.includes(code));
  expect(met.flatMap(([code]) => (germanCommon.errors[code] ? [] : code))).toEqual([]);
  const unclear = met.filter(
    ([code, message]) =>
      !englishCommon.errors[code] && !findSentence(english.messages, message) && jargon.test(message),
  );
  expect(unclear).toEqual([]);
  expect(excepted.filter((code) => !errors.has(code) || germanCommon.errors[code])).toEqual([]);
});

/** A text in the sources, with `{}` for each part that changes. */
interface Sentence {
  readonly file: string;
  readonly text: string;
  /** Whether it is the message of an object that also has a pointer. */
  readonly isProblem: boolean;
  /** The code of the error whose message it is. */
  readonly code?: string;
}

/** Folders and files whose problems no person meets in the console, by the reason. */
const otherAudiences: Readonly<Record<string, RegExp>> = {
  'Operators read it when a service starts.':
    /^packages\/(?:kernel\/src\/(?:operations\/config|service\/process)|outbound\/src\/settings)\.ts$/,
  'It is part of the message of unsupported_type, which has a text.':
    /^services\/media\/src\/uploads\/(?:entities|examiner|identify|svg|svg-encoding)\.ts$/,
  'Visitors of a shop get it.':
    /^services\/(?:content\/src\/(?:forms\/submissions|storefront)|catalog\/src\/storefront|orders\/src\/checkouts\/pages)\//,
  'The editor of a mail’s template shows it beside the words of Liquid, which are English.':
    /^services\/identity\/src\/customer-mails\/rendering\//,
  'Other services get it.': /^services\/webhooks\/src\/events\/publish\.ts$/,
  'It describes a route.': /\/routes\.ts$/,
};

/** Sentences that are put together from parts, by the templates that the sources have for the parts. */
const composed: Readonly<Record<string, readonly string[]>> = {
  'must {} at least {}': ['must be at least {}', 'must have a length of at least {}'],
  'must {} at most {}': ['must be at most {}', 'must have a length of at most {}'],
  'have a length of': [],
  '{}{} is not an option of the product': ['{} is not an option of the product'],
  '{}{} {}': ['{} is missing', '{} has no value {}'],
  'has no value {}': ['{} has no value {}'],
  'leaves the variant {} with options that it does not have:': [
    'leaves the variant {} with options that it does not have: {}',
  ],
};

/** Sentences that need no text, by the reason. */
const needsNoText: Readonly<Record<string, readonly string[]>> = {
  'It is SQL.': ['is distinct from', 'is not', 'is not distinct from'],
  'It describes a field.': ['are returned as `***`, and stay unchanged if that is sent back.'],
  'The console names its fields itself.': ["a member's name {}"],
  'The screen of a section has its own texts for where it is used.': ['{} holds it'],
};

/** The words that a problem begins with, for sentences that reach a problem by way of variables and arguments. */
const opener =
  /^(?:must|is|are|has|have|cannot|does|makes|contains|appears|belongs|comes|exceeds|holds|leaves|names|refunds|takes) \S/;

// biome-ignore lint/suspicious/noExplicitAny: the nodes of a syntax tree, of any type.
type Node = any;

function* walk(node: Node): Generator<Node> {
  if (Array.isArray(node)) for (const child of node) yield* walk(child);
  else if (node && typeof node.type === 'string') {
    yield node;
    for (const key in node) yield* walk(node[key]);
  }
}

/** Returns the text of a literal or a template; a hint at its end is left out. */
function readText(node: Node, code: string): string | null {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type !== 'TemplateLiteral') return null;
  return node.quasis
    .map((quasi: Node, i: number) => {
      const hole = node.expressions[i];
      const isHint = hole && /^(?:hint|suggest)/.test(code.slice(hole.start, hole.end));
      return quasi.value.cooked + (hole && !isHint ? '{}' : '');
    })
    .join('');
}

const findProperty = (node: Node, name: string): Node =>
  node.properties?.find((property: Node) => property.key?.name === name)?.value;

function* readSentences(file: string): Generator<Sentence> {
  const code = readFileSync(join(root, file), 'utf8');
  for (const node of walk(parseSync(file, code).program)) {
    const text = readText(node, code);
    if (text !== null) yield { file, text: text.trim(), isProblem: false };
    if (node.type === 'ObjectExpression' && findProperty(node, 'pointer')) {
      const message = readText(findProperty(node, 'message'), code);
      if (message) yield { file, text: message, isProblem: true };
    }
    if (node.type === 'CallExpression' && node.callee.object?.name === 'errors') {
      const message = readText(findProperty(node.arguments[0] ?? {}, 'message'), code);
      if (message) yield { file, text: message, isProblem: false, code: node.callee.property.name };
    }
  }
}

/** Reads the sentences in the sources of everything that answers requests. */
function readAllSentences(): Sentence[] {
  const packages = ['contracts', 'custom-fields', 'kernel', 'outbound', 'page'];
  return [...packages.map((name) => `packages/${name}`), ...serviceFolders]
    .flatMap(listSources)
    .filter((file) => !Object.values(otherAudiences).some((audience) => audience.test(file)))
    .flatMap((file) => [...readSentences(file)]);
}

/** Returns a template without the names of its parts and without numbers, which may be parts in the sources. */
const normalize = (text: string): string => text.replaceAll(/\{\w*\}|\d[\d,.]*\d|\d/g, '{}');

const listKeys = (table: object) => new Set(Object.keys(table).map(normalize));

const sentences = readAllSentences();

test('every problem that the API finds in a field has a German text', () => {
  const known = listKeys(german.problems);
  const excepted = Object.values(needsNoText).flat();
  const problems = sentences.filter(
    ({ text, isProblem, code }) => !code && (isProblem || opener.test(text)) && !excepted.includes(text),
  );
  expect(problems.length).toBeGreaterThan(250);
  const missing = problems.flatMap(({ file, text }) =>
    (composed[text] ?? [text])
      .filter((each) => !known.has(normalize(each)))
      .map((each) => `${file}: ${each}`),
  );
  expect([...new Set(missing)]).toEqual([]);
});

test('every message that says more than its code has a text in each language', () => {
  const codes = [
    'insufficient_role',
    'invalid_quantity',
    'invalid_state',
    'rate_limited',
    'resource_unavailable',
  ];
  const found = sentences.filter(({ code }) => code !== undefined && codes.includes(code));
  expect(found.length).toBeGreaterThan(40);
  for (const { messages } of [english, german]) {
    const known = listKeys(messages);
    const missing = found.filter(({ text }) => !known.has(normalize(text)));
    expect(missing.map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
  }
});

interface Shape extends Record<string, unknown> {
  $ref?: string;
  properties?: Record<string, Shape>;
  items?: Shape;
  anyOf?: Shape[];
  additionalProperties?: Shape | boolean;
  maxLength?: number;
  maxItems?: number;
}

/** Returns the schemas in a schema, without what only describes them. */
function listSchemas({ title, description, examples, ...schema }: Shape): Shape[] {
  const { properties = {}, items, anyOf = [], additionalProperties } = schema;
  const inner = [...Object.values(properties), ...anyOf, items, additionalProperties];
  return [schema, ...inner.flatMap((each) => (typeof each === 'object' ? listSchemas(each) : []))];
}

/** Returns values of which any schema without properties refuses some, for each of its rules. */
function createWrongValues({ maxLength, maxItems }: Shape): unknown[] {
  const tooLong = [
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...(maxItems === undefined || maxItems > 1000 ? [] : [Array(maxItems + 1).fill('')]),
  ];
  return [null, true, 0, 0.5, -1e9, 1e15, '', ' ', '-', '\u0001', [], {}, [null], ...tooLong];
}

/** Returns the problems that the schemas of bodies find in wrong values. */
async function listSchemaProblems(): Promise<Set<string>> {
  const { createBodyCheck } = await import(join(root, 'packages/kernel/src/http/validation.ts'));
  const bodies = services
    .flatMap(({ aggregates }) => aggregates.flatMap(({ routes }) => Object.values(routes)))
    .flatMap(({ body, path }) => (body && !path.startsWith('/internal/') ? [body as unknown as Shape] : []));
  const schemas = bodies.flatMap((body) => listSchemas(body)).filter(({ properties }) => !properties);
  const found = new Set<string>();
  for (const text of new Set(schemas.map((schema) => JSON.stringify(schema)))) {
    const schema: Shape = JSON.parse(text);
    const check = createBodyCheck({ type: 'object', properties: { field: schema } }, {});
    for (const field of createWrongValues(schema)) {
      try {
        check({ field }, []);
      } catch (error) {
        for (const { message } of (error as ApiError).details!) found.add(message);
      }
    }
  }
  return found;
}

test('every problem that a schema finds has a German text', async () => {
  const found = await listSchemaProblems();
  expect(found.size).toBeGreaterThan(50);
  // The text for any kind of value would hide a missing one.
  const { 'must be {kind}': _, ...texts } = german.problems;
  expect([...found].filter((message) => findSentence(texts, message) === null)).toEqual([]);
});

test('no text is for a sentence that nothing says any more', async () => {
  const texts = [...(await listSchemaProblems()), ...sentences.map(({ text }) => text)];
  const said = new Set(
    texts.flatMap((text) => (Object.hasOwn(composed, text) ? composed[text]! : [text])).map(normalize),
  );
  const unsaid = [...Object.keys(german.messages), ...Object.keys(german.problems)].filter(
    (sentence) => !said.has(normalize(sentence)),
  );
  expect(unsaid).toEqual([]);
});

/** Returns the names of all properties in a schema of the API document. */
function listNames(schema: Shape, seen = new Set<unknown>()): string[] {
  const { schemas } = document.components as { schemas: Record<string, Shape> };
  const shape = schema.$ref ? schemas[schema.$ref.split('/').at(-1)!]! : schema;
  if (seen.has(shape)) return [];
  seen.add(shape);
  const { properties = {}, items, anyOf = [], additionalProperties } = shape;
  const inner = [...Object.values(properties), ...anyOf, items, additionalProperties].filter(
    (each) => typeof each === 'object',
  );
  return [...Object.keys(properties), ...inner.flatMap((each) => listNames(each as Shape, seen))];
}

test('every field of a request that the console sends has a name', () => {
  const sources = join(root, 'packages/console/src');
  const code = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => readFileSync(join(sources, file), 'utf8'))
    .join('\n');
  const paths = new Set([...code.matchAll(/'(\/api\/[^'\s]+)'/g)].map(([, path]) => path));
  const names = Object.entries(document.paths).flatMap(([path, methods]) =>
    paths.has(path)
      ? Object.values(
          methods as Record<string, { requestBody?: { content: Record<string, { schema: Shape }> } }>,
        )
          .flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}))
          .flatMap(({ schema }) => listNames(schema))
      : [],
  );
  expect(new Set(names).size).toBeGreaterThan(150);
  const known = Object.keys(german.fieldNames);
  expect([...new Set(names)].filter((name) => !known.includes(name))).toEqual([]);
});

import { BaseResolver, createConfig, lintDocument, makeDocumentFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { apiDocument } from '../api-document.ts';
import { services } from '../services.ts';

interface Content {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value?: unknown; $ref?: string }>;
}

interface Operation {
  operationId: string;
  tags: string[];
  parameters?: { name: string; in: string; example?: unknown }[];
  summary: string;
  description: string;
  requestBody?: { content: Record<string, Content> };
  responses: Record<
    string,
    { $ref?: string; headers?: Record<string, unknown>; content?: Record<string, Content> }
  >;
}

interface RefusalResponse {
  content: Record<
    string,
    { schema: { allOf: [object, { properties: { code: { enum: string[] } } }] }; examples: object }
  >;
}

const document = apiDocument();
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    operation,
  })),
);
// A member's path repeats the operation of the credentials' path.
const firstDoors = operations.filter(({ operation }) => !operation.operationId.endsWith('AsMember'));
const bodies = firstDoors.flatMap(({ name, operation }) => [
  ...Object.entries(operation.requestBody?.content ?? {}).map(
    ([type, content]) => [`${name} takes ${type}`, type, content] as const,
  ),
  ...Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
    Object.entries(content).map(([type, each]) => [`${name} answers ${status}`, type, each] as const),
  ),
]);

test('an operation has the same name at both doors', () => {
  const summaries = new Map(operations.map(({ operation }) => [operation.operationId, operation.summary]));
  const members = operations.filter(({ operation }) => operation.operationId.endsWith('AsMember'));
  expect(members.length).toBeGreaterThan(100);
  for (const { name, operation } of members) {
    const first = summaries.get(operation.operationId.replace(/AsMember$/, ''));
    expect([name, operation.summary]).toEqual([name, first]);
  }
});

/** Returns the pointers of empty texts in an example, except those whose emptiness is the message. */
function emptyTexts(value: unknown, pointer = ''): string[] {
  if (value === '') return /\/(?:lastError|error|css|line2|region)$/.test(pointer) ? [] : [pointer];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => emptyTexts(each, `${pointer}/${key}`));
}

test('every body and every JSON answer has an example that matches its schema', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: 'document', components: document.components });
  const wrong = bodies.flatMap(([name, type, { schema, example }]) => {
    if (!/json|form/.test(type)) return [];
    if (example === undefined) return [`${name}: no example`];
    const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'));
    const check = ajv.compile(local);
    if (check(example)) return [];
    return [
      `${name}: ${check.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ')}`,
    ];
  });
  expect(wrong).toEqual([]);
});

test('no example has a placeholder for a text', () => {
  const empty = bodies.flatMap(([name, , { example }]) =>
    emptyTexts(example).map((pointer) => `${name} ${pointer}`),
  );
  expect(empty).toEqual([]);
});

test('every parameter of a path has an example', () => {
  const without = operations.flatMap(({ name, operation }) =>
    (operation.parameters ?? [])
      .filter((parameter) => parameter.in === 'path' && parameter.example === undefined)
      .map((parameter) => `${name} ${parameter.name}`),
  );
  expect(without).toEqual([]);
});

test('every error response names its codes, each with an example', () => {
  const { responses, examples } = document.components;
  for (const { name, operation } of operations) {
    for (const [status, { $ref }] of Object.entries(operation.responses)) {
      if (status < '400') continue;
      // The route answers with a page, which contains no code.
      if (!$ref) continue;
      const { content } = responses![$ref.split('/').at(-1)!] as RefusalResponse;
      const { schema, examples: shown } = content['application/json']!;
      const codes = schema.allOf[1].properties.code.enum;
      expect([name, status, Object.keys(shown)]).toEqual([name, status, codes]);
      for (const code of codes) expect(examples).toHaveProperty([code, 'value', 'code'], code);
    }
  }
});

test('every code that the schema of a body names is among the errors of its operation', () => {
  const missing = services.flatMap(({ aggregates }) =>
    aggregates
      .flatMap(({ routes }) => Object.values(routes))
      .filter(({ path, body }) => body && !path.startsWith('/internal/'))
      .flatMap(({ method, path, body, errors = [] }) => {
        const listed = errors.map((createError) => createError().code);
        return listErrorCodes(body)
          .filter((code) => !listed.includes(code))
          .map((code) => `${method} ${path}: ${code}`);
      }),
  );
  expect(missing).toEqual([]);
});

/** Lists the codes that a schema names for what does not fit it. */
function listErrorCodes(schema: unknown): string[] {
  const codes = new Set<string>();
  JSON.stringify(schema, (key, value) => {
    if (key === 'errorCode')
      for (const code of typeof value === 'string' ? [value] : Object.values<string>(value)) codes.add(code);
    return value;
  });
  return [...codes];
}

test('every operation has a unique name, a section, a description and its access', () => {
  const names = operations.map(({ operation }) => operation.operationId);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  const sections = new Set(document.tags.map(({ name }) => name));
  const untold = operations.filter(
    ({ operation: { tags = [], description } }) =>
      !sections.has(tags[0]!) ||
      tags.length !== 1 ||
      !/\*\*Needs\*\*/.test(description) ||
      /^\*\*/.test(description),
  );
  expect(untold.map(({ name, operation }) => `${name}: ${operation.summary}`)).toEqual([]);
});

/**
 * Yields all schemas in a part of the document, with their pointers; `properties` itself is no schema, but contains
 * some.
 */
function* schemasIn(
  part: unknown,
  pointer = '',
): Generator<[pointer: string, schema: Record<string, unknown>]> {
  if (typeof part !== 'object' || part === null) return;
  const key = pointer.slice(pointer.lastIndexOf('/') + 1);
  if (key === 'example' || key === 'examples' || key === 'value') return;
  if (!Array.isArray(part) && key !== 'properties') yield [pointer, part as Record<string, unknown>];
  for (const [name, each] of Object.entries(part)) yield* schemasIn(each, `${pointer}/${name}`);
}

test('every enum has a type, as generators of clients need it', () => {
  const untyped = [...schemasIn(document)].filter(
    ([, schema]) =>
      (Array.isArray(schema.enum) || typeof schema.const === 'string') && schema.type === undefined,
  );
  expect(untyped.map(([pointer]) => pointer)).toEqual([]);
});

test('no boolean is a constant, which a generator for Java compares with a text', () => {
  const constants = [...schemasIn(document)].filter(([, schema]) =>
    [schema.const, ...(Array.isArray(schema.enum) ? schema.enum : [])].some(
      (value) => typeof value === 'boolean',
    ),
  );
  expect(constants.map(([pointer]) => pointer)).toEqual([]);
});

test('no component has the name that generators give to another’s property', () => {
  const { schemas } = document.components;
  const taken = new Set(Object.keys(schemas).map((name) => name.toLowerCase()));
  const twice = Object.entries(schemas as Record<string, { properties?: Record<string, object> }>).flatMap(
    ([name, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([, schema]) => !('$ref' in schema))
        .map(([property]) => `${name}${property}`)
        .filter((joined) => taken.has(joined.toLowerCase())),
  );
  expect(twice).toEqual([]);
});

test('every operation lists the responses that any request can get', () => {
  const without = operations.filter(({ operation: { responses } }) =>
    ['400', '408', '431', '500', '503'].some((status) => !responses[status]),
  );
  expect(without.map(({ name }) => name)).toEqual([]);
});

test('every webhook call has a name that a function can have', () => {
  const names = Object.values(document.webhooks as Record<string, { post: Operation }>).map(
    ({ post }) => post.operationId,
  );
  expect(names.filter((name) => !/^[a-z][A-Za-z0-9]*$/.test(name))).toEqual([]);
});

test('no webhook call becomes a function of a generated client', () => {
  const generated = Object.entries(document.webhooks as Record<string, { post: object }>).filter(
    ([, { post }]) => (post as Record<string, unknown>)['x-internal'] !== true,
  );
  expect(generated.map(([type]) => type)).toEqual([]);
});

test('every GET of an item with an ETag has a 304, except that of a customer', () => {
  const without = operations.filter(
    ({ name, operation: { responses } }) =>
      name.startsWith('GET ') && responses['200']?.headers?.ETag && !responses['304'],
  );
  expect(without.map(({ operation }) => operation.operationId).sort()).toEqual([
    'getCustomer',
    'getCustomerAsMember',
  ]);
});

/** Returns the minimum that `?fields=` leaves of a part of an answer: the ids. */
function leastOf(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(leastOf);
  if (typeof part !== 'object' || part === null) return part;
  return 'id' in part ? { id: part.id } : {};
}

/** Returns the minimum that `?fields=` leaves of a member of an answer; a map of lists keeps its names. */
function leastOfMember(name: string, member: unknown): unknown {
  if (name === 'document') return member;
  if (name !== 'byEntity') return leastOf(member);
  return Object.fromEntries(Object.entries(member as object).map(([id, list]) => [id, leastOf(list)]));
}

test('every answer that `?fields=` reduces matches its schema', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'document', components: document.components });
  const reduced = operations.filter(({ operation }) =>
    operation.parameters?.some(({ name }) => name === 'fields'),
  );
  expect(reduced.length).toBeGreaterThan(100);
  const wrong = reduced.flatMap(({ name, operation }) => {
    const { schema, example } = operation.responses['200']!.content!['application/json']!;
    const check = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')));
    const sparse = Object.fromEntries(
      Object.entries(example as object).map(([key, value]) => [key, leastOfMember(key, value)]),
    );
    return check(sparse) ? [] : [`${name}: ${ajv.errorsText(check.errors)}`];
  });
  expect(wrong).toEqual([]);
});

/** The document without the members' paths, which repeat the same: linters take twice as long with them. */
const linted = JSON.stringify({
  ...document,
  paths: Object.fromEntries(
    Object.entries(document.paths as Record<string, Record<string, Operation>>).filter(
      ([, methods]) => !Object.values(methods).every(({ operationId }) => operationId.endsWith('AsMember')),
    ),
  ),
});

/** Operations that intentionally have no success: those that only refuse or only redirect. */
const unsuccessful = ['/paths/~1api~1v1~1orders/post', '/paths/~1oauth~1authorize/get'];

test('Redocly finds no problem', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintDocument({
    document: makeDocumentFromString(linted, 'openapi.json'),
    externalRefResolver: new BaseResolver(),
    config,
  });
  const reported = problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer ?? ''}`);
  expect(
    reported.filter((line) => !unsuccessful.some((path) => line.includes(`operation-2xx-response #${path}`))),
  ).toEqual([]);
});

test('Spectral finds no problem', async () => {
  const linter = new spectral.Spectral();
  // Examples are checked above, in a tenth of the time.
  const rules = { 'oas3-valid-media-example': 'off', 'oas3-valid-schema-example': 'off' } as const;
  linter.setRuleset({ extends: [rulesets.oas as spectral.RulesetDefinition], rules });
  const problems = await linter.run(linted);
  const reported = problems.map(
    ({ code, path }) => `${code} /${path.map((part) => String(part).replaceAll('/', '~1')).join('/')}`,
  );
  expect(
    reported.filter(
      (line) => !unsuccessful.some((path) => line.includes(`operation-success-response ${path}`)),
    ),
  ).toEqual([]);
});

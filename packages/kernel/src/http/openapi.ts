import {
  ApiError,
  apiSections,
  createExample,
  errors,
  findApiSection,
  type IdKind,
  idPattern,
  kindNames,
  type Permission,
  type Role,
  rolePermissions,
  roles,
} from '@waybill/contracts';
import type { TSchema } from 'typebox';
import { acceptsFields } from './fields.ts';
import { acceptsIdempotencyKey, idempotencyKeyPattern } from './idempotency.ts';
import { type ItemRow, itemRows } from './items.ts';
import { protocolErrors } from './protocol-errors.ts';
import { joinWords } from './refusals.ts';
import { findRestParameter, type RouteDefinition, type RouteTable } from './route.ts';
import { relaxAnswers } from './sparse.ts';
import { canFindUnknownFields } from './strict.ts';

/** One service's part of the OpenAPI 3.1 document. */
export interface ApiDescription {
  paths: Record<string, Record<string, unknown>>;
  schemas: Record<string, unknown>;
  /**
   * Refusals, each set of codes once; missing in the description of an earlier version, whose operations contain their
   * own.
   */
  responses?: Readonly<Record<string, object>>;
  /** An example answer for each code; missing in the same case as `responses`. */
  examples?: Readonly<Record<string, object>>;
  /** The calls that the service makes to others; missing if it makes none. */
  webhooks?: Readonly<Record<string, object>>;
}

const errorSchema = {
  type: 'object',
  required: ['error', 'code'],
  properties: {
    error: { type: 'string', description: 'A message for people; its wording may change.' },
    code: { type: 'string', description: 'A stable code for programs.' },
    permission: { type: 'string', description: 'For a 403: the missing permission.' },
    details: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'message'],
        properties: {
          pointer: { type: 'string', description: 'An RFC 6901 pointer into the body.' },
          message: { type: 'string' },
        },
      },
    },
  },
};

/**
 * Merges the descriptions of several services into one OpenAPI 3.1 document, regardless of their order. `baseUrl` is
 * the address at which its reader reaches the system, without a trailing slash.
 */
export function mergeDescriptions(
  info: object,
  descriptions: readonly ApiDescription[],
  baseUrl = 'http://127.0.0.1:8080',
) {
  const sorted = (parts: object[]) =>
    Object.fromEntries(Object.entries(Object.assign({}, ...parts)).sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: baseUrl }],
    tags: apiSections.flatMap(({ sections }) =>
      sections.map(({ name, description }) => ({ name, description })),
    ),
    'x-tagGroups': apiSections.map(({ name, sections }) => ({
      name,
      tags: sections.map((each) => each.name),
    })),
    paths: sorted(descriptions.map(({ paths }) => paths)),
    webhooks: describeSchemaTree(sorted(descriptions.map(({ webhooks = {} }) => webhooks)), {}),
    components: {
      schemas: sorted([{ Error: errorSchema }, ...descriptions.map(({ schemas }) => schemas)]),
      responses: sorted(descriptions.map(({ responses = {} }) => responses)),
      examples: sorted(descriptions.map(({ examples = {} }) => examples)),
      securitySchemes: {
        credential: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key (wbk_…) or an app token (wba_…).',
        },
        userToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: "A user's access token.",
        },
      },
    },
  };
}

/** The parts that operations share: each is described once and referenced. */
interface Shared {
  schemas: Record<string, unknown>;
  responses: Record<string, object>;
  examples: Record<string, object>;
}

/**
 * Describes route tables without their internal routes. A schema with an `$id` becomes a component. With `isWhole`,
 * answers are described without `?fields=`, for readers that know themselves which fields they leave out.
 */
export function describeApi(tables: readonly RouteTable[], { isWhole = false } = {}): ApiDescription {
  const paths: ApiDescription['paths'] = {};
  const shared: Shared = { schemas: {}, responses: {}, examples: {} };
  const rows = tables.flatMap((table) => Object.entries(table));
  const items = itemRows(rows.map(([, route]) => route));
  for (const [name, route] of rows) {
    if (!isDescribed(route)) continue;
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = describeOperation(name, route, items.get(route), shared);
  }
  if (!isWhole) relaxSparseAnswers(rows, paths, shared.schemas);
  return { paths, ...shared };
}

/** Whether a route is an operation for clients. One that only rejects a method is not. */
const isDescribed = (route: RouteDefinition) =>
  route.access !== 'service' &&
  !route.path.startsWith('/internal/') &&
  !findRestParameter(route) &&
  route.answer[0] !== 405;

function relaxSparseAnswers(
  rows: readonly (readonly [name: string, route: RouteDefinition])[],
  paths: ApiDescription['paths'],
  schemas: Record<string, unknown>,
): void {
  type Contents = Record<string, { schema: unknown }>;
  interface Described {
    requestBody?: { content: Contents };
    responses: Record<string, { content?: Contents }>;
  }
  const described = rows.flatMap(([, route]) => {
    const operation = paths[route.path]?.[route.method.toLowerCase()] as Described | undefined;
    return operation ? [{ route, operation }] : [];
  });
  const listSchemas = (content: Contents = {}) => Object.values(content).map(({ schema }) => schema);
  relaxAnswers(
    described.flatMap(({ route, operation }) =>
      acceptsFields(route) ? listSchemas(operation.responses[200]?.content) : [],
    ),
    described.flatMap(({ operation }) => listSchemas(operation.requestBody?.content)),
    schemas,
  );
}

function describeOperation(name: string, route: RouteDefinition, item: ItemRow | undefined, shared: Shared) {
  const { schemas } = shared;
  const parameters = [
    ...route.path
      .split('/')
      .flatMap((segment, index, segments) =>
        [...segment.matchAll(/\{(\w+)\}/g)].map(([, param]) =>
          pathParameter(param!, segments[index - 1]!, route.ids?.[param!]),
        ),
      ),
    ...Object.entries({ ...route.headers, ...describeSafetyHeaders(route, item) }).map(
      ([header, { description, required = false, pattern }]) => ({
        name: header,
        in: 'header',
        required,
        description,
        schema: { type: 'string', ...(pattern !== undefined && { pattern }) },
      }),
    ),
    ...Object.entries(route.query?.properties ?? {}).map(([param, schema]) => queryParameter(param, schema)),
    ...(acceptsFields(route) ? [fieldsParameter] : []),
  ];
  const permission = findRequiredPermission(route);
  const [status, answer] = route.answer;
  const bodies = route.body ? { 'application/json': route.body } : route.streamedBodies;
  const content = answer && createContent(route.contentType ?? 'application/json', answer, schemas);
  const section = findApiSection(route.path);
  return {
    operationId: name,
    ...(section !== null && { tags: [section] }),
    summary: route.summary,
    description: [route.description, describeAccess(route)].filter(Boolean).join('\n\n'),
    ...(parameters.length > 0 && { parameters }),
    ...(bodies && {
      requestBody: {
        required: !route.isBodyOptional,
        content: Object.assign(
          {},
          ...Object.entries(bodies).map(([type, schema]) => createContent(type, schema, schemas)),
        ),
      },
    }),
    security: security(route),
    ...(permission && { 'x-permission': permission }),
    responses: {
      [status]: {
        description: successes[status] ?? 'Success.',
        ...(item?.tagFrom && { headers: { ETag: etagHeader } }),
        ...(content && { content }),
      },
      ...((item?.revalidates || route.headers?.['If-None-Match']) && {
        304: {
          description: 'Not modified: the client has the current state.',
          headers: { ETag: etagHeader },
        },
      }),
      ...otherResponses(route),
      ...errorResponses(route, takesIfMatch(route), shared),
    },
  };
}

/** Returns the redirects and pages of a route: `RouteDefinition.otherAnswers`. */
function otherResponses({ otherAnswers = {}, contentType = 'text/html' }: RouteDefinition) {
  return Object.fromEntries(
    Object.entries(otherAnswers).map(([status, description]) => [
      status,
      {
        description,
        ...(Number(status) >= 400 && { content: { [contentType]: { schema: { type: 'string' } } } }),
      },
    ]),
  );
}

const successes: Readonly<Record<number, string>> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted; processing continues in the background.',
  204: 'Done, without a body.',
  302: 'Redirects the browser.',
};

/**
 * Returns the description of a path parameter. `before` is the preceding segment of the path, because two kinds of
 * `{kind}` have different examples.
 */
function pathParameter(name: string, before: string, kind: IdKind | undefined) {
  const schema = kind ? { type: 'string', pattern: idPattern(kind) } : { type: 'string' };
  const example = createExample(schema, name, before);
  return {
    name,
    in: 'path',
    required: true,
    ...(kind && { description: `The ID of the ${kindNames[kind]}.` }),
    schema,
    ...(example !== '' && { example }),
  };
}

function queryParameter(name: string, schema: TSchema) {
  const { isRequired, description, ...rest } = describeSchemaTree(schema, {}) as Record<string, unknown>;
  return {
    name,
    in: 'query',
    ...(isRequired === true && { required: true }),
    ...(description !== undefined && { description }),
    schema: rest,
  };
}

/** Returns a body or an answer of a media type, with an example if it is more than text. */
function createContent(type: string, schema: TSchema, schemas: Record<string, unknown>) {
  const example = type.includes('json') || type.includes('form') ? createExample(schema) : undefined;
  return {
    [type]: { schema: describeSchemaTree(schema, schemas), ...(example !== undefined && { example }) },
  };
}

/** Returns who may call the route, in words. */
function describeAccess(route: RouteDefinition): string {
  const { access } = route;
  if (access === 'public') return '**Needs** no credential.';
  if (access === 'user') return '**Needs** a user token.';
  if (access === 'credential') return '**Needs** an API key or an app token, with any permission.';
  if (typeof access === 'string') return '';
  if ('scope' in access) return `**Needs** an API key or an app token with \`${access.scope}\`.`;
  if ('app' in access) return `**Needs** an app token with \`${access.app}\`; no API key will do.`;
  const { member } = access;
  const token = '**Needs** the user token of a member of the store';
  if (member === 'any') return `${token}, in any role.`;
  if (member === 'manager') return `${token}: \`admin\` or \`owner\`.`;
  const allowedRoles = roles.filter((role: Role) => rolePermissions[role].includes(member));
  return `${token} whose role has \`${member}\`: ${joinWords(allowedRoles, 'or')}.`;
}

/** `decisions.md 11.4`. */
const fieldsParameter = {
  name: 'fields',
  in: 'query',
  description:
    'The fields to return for each item, separated by commas, with dots for nested fields: ' +
    '`id,name,variants.sku`. Other fields are omitted, except `id` (also in nested objects) and the other ' +
    'fields of the envelope. Unknown names are ignored; the ETag is that of the whole item.',
  schema: { type: 'string', maxLength: 2000 },
};

const etagHeader = { description: 'A strong validator of the stored state.', schema: { type: 'string' } };

const takesIfMatch = ({ method, access, path }: RouteDefinition) =>
  ['PUT', 'PATCH', 'DELETE'].includes(method) && path.startsWith('/api/') && access !== 'public';

/** Returns the headers of `decisions.md 11.1, 11.2, 19.6` that a route takes. */
function describeSafetyHeaders(
  route: RouteDefinition,
  item: ItemRow | undefined,
): RouteDefinition['headers'] {
  return {
    ...(item?.revalidates && {
      'If-None-Match': { description: 'The ETag that the client has: answers 304 while it is current.' },
    }),
    ...(acceptsIdempotencyKey(route) && {
      'Idempotency-Key': {
        description:
          '1 to 255 visible ASCII characters. For 24 hours, the same request with the same key returns the first ' +
          'answer with `Idempotent-Replayed: true`, and changes nothing more.',
        pattern: idempotencyKeyPattern,
      },
    }),
    ...(canFindUnknownFields(route) && {
      Prefer: {
        description:
          '`handling=strict`: unknown fields are `invalid_body`, with suggestions for the intended names; ' +
          'otherwise they are ignored.',
      },
    }),
    ...(takesIfMatch(route) && {
      'If-Match': {
        description:
          'The ETag of the state that was read; if the state has changed since, the answer is ' +
          '`precondition_failed`. `*`: any state.',
      },
    }),
    ...(route.method === 'PUT' &&
      item?.reader && {
        'If-None-Match': {
          description: '`*`: writes only if nothing is stored yet; otherwise `precondition_failed`.',
        },
      }),
  };
}

function security(route: RouteDefinition): object[] {
  if (route.access === 'public') return [];
  return takesCredential(route) ? [{ credential: [] }] : [{ userToken: [] }];
}

function takesCredential(route: RouteDefinition): boolean {
  return route.access === 'credential' || findRequiredPermission(route) !== null;
}

/** Returns the permission that a credential must have; null if the route takes none. */
function findRequiredPermission({ access }: RouteDefinition): Permission | null {
  if (typeof access === 'string' || 'member' in access) return null;
  return 'app' in access ? access.app : access.scope;
}

function errorResponses(
  route: RouteDefinition,
  isConditional: boolean,
  { responses, examples }: Shared,
): Record<string, object> {
  const ownErrors = (route.errors ?? []).map((createError) => createError());
  const impliedErrors = [
    ...(route.body ? [errors.invalid_body(), errors.body_too_large()] : []),
    ...(route.path.includes('{') ? [errors.not_found()] : []),
    ...accessErrors(route),
    ...(route.query && 'after' in route.query.properties ? [errors.invalid_cursor()] : []),
    ...(isConditional ? [errors.precondition_failed()] : []),
    ...(acceptsIdempotencyKey(route)
      ? [
          errors.invalid_idempotency_key(),
          errors.idempotency_in_progress(),
          errors.idempotency_key_reused(),
          errors.quota_exceeded(),
        ]
      : []),
    // A request without a host, or with an unknown method: `decisions.md 1.8`.
    errors.invalid_body(),
    // `decisions.md 1.13`.
    errors.internal_error(),
    errors.resource_unavailable(),
    ...Object.values(protocolErrors).map(([status, code, message]) => new ApiError(code, status, message)),
  ];
  const byStatus = Map.groupBy([...ownErrors, ...impliedErrors], ({ status }: ApiError) => status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => {
      const codes = [...new Set(group.map(({ code }) => code))].sort();
      for (const error of group) examples[error.code] ??= { summary: error.message, value: error.envelope() };
      const isPage = route.contentType === 'text/html';
      const name = [...(isPage ? ['page'] : []), status, ...codes].join('.');
      responses[name] ??= {
        description: codes.map((code) => `\`${code}\``).join(', '),
        content: {
          // A browser gets the error as a page.
          ...(isPage && { 'text/html': { schema: { type: 'string' } } }),
          'application/json': {
            schema: {
              allOf: [
                { $ref: '#/components/schemas/Error' },
                { type: 'object', properties: { code: { type: 'string', enum: codes } } },
              ],
            },
            examples: Object.fromEntries(
              codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
            ),
          },
        },
      };
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

/**
 * Returns the errors of the gateway and the permission check, which precede the handler: `store-api.md 7.1`,
 * `decisions.md 7.2, 8.2`.
 */
function accessErrors(route: RouteDefinition): ApiError[] {
  if (route.access === 'public') return [];
  const always = [errors.missing_credential(), errors.rate_limited()];
  if (takesCredential(route)) {
    return [
      ...always,
      errors.api_key_required(),
      errors.refresh_token_not_accepted(),
      errors.invalid_credential(),
      errors.key_revoked(),
      errors.app_token_invalid(),
      errors.insufficient_scope(),
      errors.key_unusable(),
    ];
  }
  return [
    ...always,
    errors.user_token_required(),
    ...(route.access === 'user' ? [] : [errors.insufficient_role()]),
  ];
}

/**
 * Returns a schema as plain JSON, with named schemas moved to the components and the kernel's own keywords left out. A
 * body whose check uses keywords of its own is described by its `documentedAs`.
 */
function describeSchemaTree(schema: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => describeSchemaTree(item, schemas));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $id, errorCode: _, readAs: __, documentedAs, ...rest } = schema as Record<string, unknown>;
  if (documentedAs) return describeSchemaTree(documentedAs, schemas);
  const body = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, describeSchemaTree(value, schemas)]),
  );
  if (isValueList(body)) body.type ??= typeOfValues(body);
  describeRecord(body);
  mergeNull(body);
  if (typeof $id !== 'string') return body;
  schemas[$id] ??= body;
  return { $ref: `#/components/schemas/${$id}` };
}

/** Returns a schema without named parts as the API document shows it. */
export const describeSchema = (schema: object): object => describeSchemaTree(schema, {}) as object;

/** Whether this is a schema that lists its values; a property may also be called `enum` or `const`. */
const isValueList = ({ enum: values, const: value }: Record<string, unknown>) =>
  Array.isArray(values) || (value !== undefined && typeof value !== 'object');

/** Returns the type of listed values: generators of clients do not derive it by themselves. */
function typeOfValues({ enum: values, const: value }: Record<string, unknown>): string | string[] {
  const listed = Array.isArray(values) ? values : [value];
  const types = [...new Set(listed.map((each) => (each === null ? 'null' : typeof each)))];
  return types.length === 1 ? types[0]! : types;
}

/** The only pattern of a record with arbitrary keys. Generators of clients understand only `additionalProperties`. */
const anyKey = '^.*$';

/** Describes a record with arbitrary keys by `additionalProperties`. */
function describeRecord(schema: Record<string, unknown>): void {
  const patterns = schema.patternProperties as Record<string, unknown> | undefined;
  if (!patterns || Object.keys(patterns).join() !== anyKey) return;
  delete schema.patternProperties;
  schema.additionalProperties = patterns[anyKey];
}

/**
 * Writes "X or null" as a list of two types. Generators of clients turn an `anyOf` into a class of its own, or fail. A
 * reference stays an `anyOf`, because it has no type to extend.
 */
function mergeNull(schema: Record<string, unknown>): void {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return;
  const [valueSchema, other] = anyOf as [Record<string, unknown>, Record<string, unknown>];
  if (other.type !== 'null' || typeof valueSchema.type !== 'string') return;
  const { enum: values } = valueSchema;
  delete schema.anyOf;
  // The union's own keywords override those of its first part.
  Object.assign(schema, { ...valueSchema, ...schema, type: [valueSchema.type, 'null'] });
  if (Array.isArray(values)) schema.enum = [...values, null];
}

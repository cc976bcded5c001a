import { type ApiError, errors, type Permission } from '@waybill/contracts';
import { takesFields } from './fields.ts';
import { takesKey } from './idempotency.ts';
import { type ItemRow, itemRows } from './items.ts';
import type { RouteDefinition, RouteTable } from './route.ts';

/** One service's part of the OpenAPI 3.1 document. */
export interface ApiDescription {
  paths: Record<string, Record<string, unknown>>;
  schemas: Record<string, unknown>;
  /** The calls that the service makes to others; missing: it makes none. */
  webhooks?: Readonly<Record<string, object>>;
}

const errorSchema = {
  type: 'object',
  required: ['error', 'code'],
  properties: {
    error: { type: 'string', description: 'For people.' },
    code: { type: 'string', description: 'For programs.' },
    details: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'message'],
        properties: {
          pointer: { type: 'string', description: 'RFC 6901 pointer into the body.' },
          message: { type: 'string' },
        },
      },
    },
  },
};

/** What several services say of themselves, as one OpenAPI 3.1 document, whatever their order. */
export function mergeDescriptions(info: object, descriptions: readonly ApiDescription[]) {
  const sorted = (parts: object[]) =>
    Object.fromEntries(Object.entries(Object.assign({}, ...parts)).sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: '/' }],
    paths: sorted(descriptions.map(({ paths }) => paths)),
    webhooks: sorted(descriptions.map(({ webhooks = {} }) => webhooks)),
    components: {
      schemas: sorted([{ Error: errorSchema }, ...descriptions.map(({ schemas }) => schemas)]),
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

/** Describes route tables; internal routes are left out. A schema with an `$id` becomes a component. */
export function describeApi(service: string, tables: readonly RouteTable[]): ApiDescription {
  const paths: ApiDescription['paths'] = {};
  const schemas: Record<string, unknown> = {};
  const rows = tables.flatMap((table) => Object.entries(table));
  const items = itemRows(rows.map(([, route]) => route));
  for (const [name, route] of rows) {
    if (route.access === 'service' || route.path.startsWith('/internal/')) continue;
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = operation(
      service,
      name,
      route,
      items.get(route),
      schemas,
    );
  }
  return { paths, schemas };
}

function operation(
  service: string,
  name: string,
  route: RouteDefinition,
  item: ItemRow | undefined,
  schemas: Record<string, unknown>,
) {
  const parameters = [
    ...[...route.path.matchAll(/\{(\w+)\}/g)].map(([, param]) => ({
      name: param,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...Object.entries({ ...route.headers, ...safetyOf(route, item) }).map(
      ([header, { description, required = false }]) => ({
        name: header,
        in: 'header',
        required,
        description,
        schema: { type: 'string' },
      }),
    ),
    ...Object.entries(route.query?.properties ?? {}).map(([param, schema]) => ({
      name: param,
      in: 'query',
      schema: plain(schema, schemas),
    })),
    ...(takesFields(route) ? [fieldsParameter] : []),
  ];
  const permission = permissionOf(route);
  const [status, answer] = route.answer;
  const bodies = route.body ? { 'application/json': route.body } : route.takes;
  const content = answer && { [route.contentType ?? 'application/json']: { schema: plain(answer, schemas) } };
  return {
    operationId: name,
    tags: [service],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    ...(parameters.length > 0 && { parameters }),
    ...(bodies && {
      requestBody: {
        required: !route.isBodyOptional,
        content: Object.fromEntries(
          Object.entries(bodies).map(([type, schema]) => [type, { schema: plain(schema, schemas) }]),
        ),
      },
    }),
    security: security(route),
    ...(permission && { 'x-permission': permission }),
    responses: {
      [status]: {
        description: 'Success',
        ...(item?.tagFrom && { headers: { ETag: etagHeader } }),
        ...(content && { content }),
      },
      ...(item?.revalidates && {
        304: { description: 'The state that the client knows.', headers: { ETag: etagHeader } },
      }),
      ...errorResponses(route, takesIfMatch(route)),
    },
  };
}

/** `decisions.md 11.4`. */
const fieldsParameter = {
  name: 'fields',
  in: 'query',
  description:
    'The fields wanted of each item, with commas between and dots within: `id,name,variants.sku`. The others are left ' +
    'out; `id` always stays, in nested objects too, and so does what the envelope says besides. Unknown names are ' +
    'ignored; the ETag is that of the whole item.',
  schema: { type: 'string', maxLength: 2000 },
};

const etagHeader = { description: 'Stands for the stored state; strong.', schema: { type: 'string' } };

const takesIfMatch = ({ method, access, path }: RouteDefinition) =>
  ['PUT', 'PATCH', 'DELETE'].includes(method) && path.startsWith('/api/') && access !== 'public';

/** The headers of `decisions.md 11.1, 11.2` that a row takes. */
function safetyOf(route: RouteDefinition, item: ItemRow | undefined): RouteDefinition['headers'] {
  return {
    ...(item?.revalidates && {
      'If-None-Match': { description: 'The ETag that the client knows: 304 while it is the present one.' },
    }),
    ...(takesKey(route) && {
      'Idempotency-Key': {
        description:
          '1 to 255 visible ASCII characters: the same request under the same key is answered as it was first, for ' +
          '24 hours, with `Idempotent-Replayed: true`, and changes nothing more.',
      },
    }),
    ...(takesIfMatch(route) && {
      'If-Match': {
        description:
          'The ETag of what was read: another state than that is `precondition_failed`. `*`: any state.',
      },
    }),
  };
}

function security(route: RouteDefinition): object[] {
  if (route.access === 'public') return [];
  return takesCredential(route) ? [{ credential: [] }] : [{ userToken: [] }];
}

function takesCredential(route: RouteDefinition): boolean {
  return route.access === 'credential' || permissionOf(route) !== null;
}

/** What the bearer of a credential must hold; null where a route takes none. */
function permissionOf({ access }: RouteDefinition): Permission | null {
  if (typeof access === 'string' || 'member' in access) return null;
  return 'app' in access ? access.app : access.scope;
}

function errorResponses(route: RouteDefinition, isConditional: boolean): Record<string, object> {
  const own = (route.errors ?? []).map((make) => make());
  const implied = [
    ...(route.body ? [errors.invalid_body(), errors.body_too_large()] : []),
    ...(route.path.includes('{') ? [errors.not_found()] : []),
    ...accessErrors(route),
    ...(route.query && 'after' in route.query.properties ? [errors.invalid_cursor()] : []),
    ...(isConditional ? [errors.precondition_failed()] : []),
    ...(takesKey(route)
      ? [errors.invalid_idempotency_key(), errors.idempotency_in_progress(), errors.idempotency_key_reused()]
      : []),
    // `decisions.md 1.13`.
    errors.internal_error(),
    errors.resource_unavailable(),
  ];
  const byStatus = Map.groupBy([...own, ...implied], ({ status }: ApiError) => status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: [...new Set(group.map(({ code }) => `\`${code}\``))].join(', '),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}

/** What the gateway and the permission check answer before the handler: `store-api.md 7.1`, `decisions.md 7.2, 8.2`. */
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

/** A schema as plain JSON, named ones moved to the components and our own keyword left out. */
function plain(schema: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => plain(item, schemas));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $id, errorCode: _, ...rest } = schema as Record<string, unknown>;
  const body = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, plain(value, schemas)]));
  if (typeof $id !== 'string') return body;
  schemas[$id] ??= body;
  return { $ref: `#/components/schemas/${$id}` };
}

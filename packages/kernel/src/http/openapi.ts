import { type ApiError, errors } from '@waybill/contracts';
import type { RouteDefinition, RouteTable } from './route.ts';

/** One service's part of the OpenAPI 3.1 document. */
export interface ApiDescription {
  paths: Record<string, Record<string, unknown>>;
  schemas: Record<string, unknown>;
}

/** Describes route tables; internal routes are left out. A schema with an `$id` becomes a component. */
export function describeApi(service: string, tables: readonly RouteTable[]): ApiDescription {
  const paths: ApiDescription['paths'] = {};
  const schemas: Record<string, unknown> = {};
  for (const [name, route] of tables.flatMap((table) => Object.entries(table))) {
    if (route.access === 'service' || route.path.startsWith('/internal/')) continue;
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = operation(service, name, route, schemas);
  }
  return { paths, schemas };
}

function operation(service: string, name: string, route: RouteDefinition, schemas: Record<string, unknown>) {
  const parameters = [
    ...[...route.path.matchAll(/\{(\w+)\}/g)].map(([, param]) => ({
      name: param,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...Object.entries(route.query?.properties ?? {}).map(([param, schema]) => ({
      name: param,
      in: 'query',
      schema: plain(schema, schemas),
    })),
  ];
  const [status, answer] = route.answer;
  const content = answer && { [route.contentType ?? 'application/json']: { schema: plain(answer, schemas) } };
  return {
    operationId: name,
    tags: [service],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: plain(route.body, schemas) } },
      },
    }),
    security: security(route),
    ...(typeof route.access === 'object' &&
      'scope' in route.access && { 'x-permission': route.access.scope }),
    responses: {
      [status]: { description: 'Success', ...(content && { content }) },
      ...errorResponses(route),
    },
  };
}

function security(route: RouteDefinition): object[] {
  if (route.access === 'public') return [];
  return typeof route.access === 'object' && 'scope' in route.access
    ? [{ credential: [] }]
    : [{ userToken: [] }];
}

function errorResponses(route: RouteDefinition): Record<string, object> {
  const own = (route.errors ?? []).map((make) => make());
  const implied = [
    ...(route.body ? [errors.invalid_body(), errors.body_too_large()] : []),
    ...(route.path.includes('{') ? [errors.not_found()] : []),
    ...(route.access === 'public' ? [] : [accessError(route)]),
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

function accessError(route: RouteDefinition): ApiError {
  if (route.access === 'user') return errors.user_token_required();
  return typeof route.access === 'object' && 'scope' in route.access
    ? errors.insufficient_scope()
    : errors.insufficient_role();
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

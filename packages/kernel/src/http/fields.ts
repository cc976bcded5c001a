import { Readable } from 'node:stream';
import { Answer, jsonType } from './answer.ts';
import { ListStream } from './list.ts';
import type { RouteDefinition } from './route.ts';

const maxLength = 2000;
const maxDepth = 8;

/** The requested field names, each with its own requested names, or with `all`. */
type Fields = Map<string, Fields | 'all'>;

/** Whether the answers of a route have fields that can be left out: GET routes of the API that answer JSON. */
export const acceptsFields = ({
  method,
  path,
  access,
  answer: [status, body],
  contentType,
}: RouteDefinition) =>
  method === 'GET' &&
  path.startsWith('/api/') &&
  access !== 'service' &&
  status === 200 &&
  body !== null &&
  !contentType;

/**
 * Reads `?fields=id,name,variants.sku`, `decisions.md 11.4`. Returns null if all fields are requested, also if the text
 * is empty or longer than 2,000 characters (`decisions.md 1.9`). A name more than 8 levels deep counts as unknown.
 */
export function readFields(query: Readonly<Record<string, unknown>>): Fields | null {
  const { fields } = query;
  const text: unknown = Array.isArray(fields) ? fields[0] : fields;
  if (typeof text !== 'string' || text.length > maxLength) return null;
  const paths = text.split(',').flatMap((path) => path.trim() || []);
  if (paths.length === 0) return null;
  const selection: Fields = new Map();
  for (const path of paths.map((name) => name.split('.'))) if (path.length <= maxDepth) add(selection, path);
  return selection;
}

function add(fields: Fields, [name, ...rest]: string[]): void {
  const known = fields.get(name!);
  if (known === 'all') return;
  if (rest.length === 0) fields.set(name!, 'all');
  else {
    const inner: Fields = known ?? new Map();
    fields.set(name!, inner);
    add(inner, rest);
  }
}

/** Returns the names of the members of an answer that map names to lists, such as the translations of each entity. */
export function listMapNames({ answer: [, body] }: RouteDefinition): ReadonlySet<string> {
  const { anyOf = [body] } = (body ?? {}) as { anyOf?: unknown[] };
  const members = anyOf.flatMap((envelope) =>
    Object.entries((envelope as { properties?: Readonly<Record<string, object>> } | null)?.properties ?? {}),
  );
  return new Set(members.flatMap(([name, schema]) => ('patternProperties' in schema ? [name] : [])));
}

/**
 * Reduces an answer to these fields and keeps its headers: the ETag is the whole item's. An envelope keeps its other
 * members (`total`, `nextCursor`, a list of names); each item of a list is reduced, and each object in an item's
 * envelope. Of the members in `mapNames`, each list is reduced. A `document` without an id (`{ document, draft }`) is
 * content and stays whole.
 */
export function withFields(result: unknown, fields: Fields, mapNames: ReadonlySet<string>): unknown {
  if (result instanceof ListStream) return result.map((items) => selectItemFields(items, fields));
  if (!(result instanceof Answer)) return selectEnvelopeFields(result, fields, mapNames);
  const { body, contentType, headers, status } = result;
  if (body instanceof Readable || contentType !== jsonType || body.length === 0) return result;
  return new Answer(
    JSON.stringify(selectEnvelopeFields(JSON.parse(String(body)), fields, mapNames)),
    contentType,
    { ...headers },
    status,
  );
}

const selectItemFields = (items: string, fields: Fields): string =>
  JSON.stringify(selectMember(JSON.parse(`[${items}]`), fields)).slice(1, -1);

function selectEnvelopeFields(envelope: unknown, fields: Fields, mapNames: ReadonlySet<string>): unknown {
  if (typeof envelope !== 'object' || envelope === null || Array.isArray(envelope)) return envelope;
  return mapValues(envelope, (value, name) => {
    if (isScalar(value) || (name === 'document' && !Object.hasOwn(value as object, 'id'))) return value;
    if (mapNames.has(name)) return mapValues(value as object, (list) => selectMember(list, fields));
    return selectMember(value, fields);
  });
}

/** Reduces an item, or each item of a list. A list of scalars has no items. */
const selectMember = (value: unknown, fields: Fields): unknown =>
  Array.isArray(value)
    ? value.map((item) => (isScalar(item) ? item : selectFields(item, fields)))
    : selectFields(value, fields);

const mapValues = (object: object, change: (value: unknown, name: string) => unknown): object =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));

const isScalar = (value: unknown) => typeof value !== 'object' || value === null;

/**
 * Reduces a value. `id` always stays. A value without fields is left out if fields of it are requested; null stays
 * null.
 */
function selectFields(value: unknown, fields: Fields): unknown {
  if (Array.isArray(value))
    return value.flatMap((item) => (isScalar(item) ? [] : [selectFields(item, fields)]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const selection = name === 'id' ? 'all' : fields.get(name);
      if (selection === undefined) return [];
      if (selection === 'all' || inner === null) return [[name, inner]];
      return isScalar(inner) ? [] : [[name, selectFields(inner, selection)]];
    }),
  );
}

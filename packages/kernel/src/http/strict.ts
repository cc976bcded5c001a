import type { IncomingMessage } from 'node:http';
import type { Problem } from '@waybill/contracts';
import { closestMatch } from 'leven';
import type { TSchema } from 'typebox';
import { escapePointer } from './body.ts';
import type { RouteDefinition } from './route.ts';

/** The header of an answer to a request that was checked strictly, RFC 7240. */
export const strictAppliedHeader = ['preference-applied', 'handling=strict'] as const;

/**
 * Whether a request asks to be refused for fields that would be ignored: `Prefer: handling=strict`, `decisions.md
 * 19.6`.
 */
export function prefersStrict(header: string | string[] | undefined): boolean {
  if (header === undefined) return false;
  const preferences = String(header)
    .split(',')
    .map((preference) =>
      preference
        .split(';', 1)[0]!
        .split('=', 2)
        .map((part) => part.trim().toLowerCase()),
    );
  // Of several contradicting preferences, the first counts.
  const value = preferences.find(([name]) => name === 'handling')?.[1];
  return value === 'strict' || value === '"strict"';
}

const writeMethods: ReadonlySet<string | undefined> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Returns the header about the preference for a write that has it and is refused before its service sees it. */
export const strictHeaders = ({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>) =>
  writeMethods.has(method) && prefersStrict(headers.prefer) ? Object.fromEntries([strictAppliedHeader]) : {};

/** Whether a route's requests can be checked strictly: writes with a JSON body, except those between services. */
export const canFindUnknownFields = ({ method, access, body }: RouteDefinition) =>
  body !== undefined && method !== 'GET' && access !== 'service';

/** The parts of a schema that the strict check reads. */
interface Shape {
  properties?: Readonly<Record<string, Shape>>;
  patternProperties?: object;
  additionalProperties?: unknown;
  items?: Shape;
  anyOf?: readonly Shape[];
  oneOf?: readonly Shape[];
  allOf?: readonly Shape[];
}

const listBranches = (shape: Shape): readonly Shape[] => {
  const parts = [...(shape.anyOf ?? []), ...(shape.oneOf ?? []), ...(shape.allOf ?? [])];
  return parts.length > 0 ? parts.flatMap(listBranches) : [shape];
};

/** Whether an object may have any fields, because it is stored unchanged. */
const isOpen = ({ properties, patternProperties, additionalProperties }: Shape) =>
  !properties ||
  Object.keys(properties).length === 0 ||
  patternProperties !== undefined ||
  (additionalProperties !== undefined && additionalProperties !== false);

const canBeObject = (shape: Shape) =>
  'properties' in shape || (shape as { type?: string }).type === 'object' || !('type' in shape);

/**
 * Creates a check that finds the fields of a body that neither its schema nor the item's GET has. `item` are the route
 * itself and the one that reads the item: a client may send back the fields that it has read.
 */
export function createStrictCheck(body: TSchema, item: readonly RouteDefinition[]) {
  const own = body as Shape;
  const list = findListOfPart(item);
  const answerShapes = item.flatMap(({ answer: [, envelope] }) =>
    list === null
      ? findAnswerShapes(envelope as Shape | null, own)
      : findPartShapes(envelope as Shape | null, list),
  );
  return (value: unknown): Problem[] => {
    const problems: Problem[] = [];
    collectUnknown(value, [own], answerShapes, '', problems);
    return problems;
  };
}

/**
 * Returns the shapes in which an answer shows an item: the members of its envelope, and the envelope itself if the body
 * has the same form.
 */
function findAnswerShapes(envelope: Shape | null, body: Shape): Shape[] {
  const properties = envelope?.properties ?? {};
  const names = listBranches(body).flatMap((branch) => Object.keys(branch.properties ?? {}));
  return [...Object.values(properties), ...(names.some((name) => name in properties) ? [envelope!] : [])];
}

/**
 * Returns the name of the list whose member a route writes if only the whole item can be read: `variants` for
 * `…/products/{id}/variants/{variantId}`.
 */
function findListOfPart([route, reader]: readonly RouteDefinition[]): string | null {
  if (!route || !reader || !route.path.startsWith(`${reader.path}/`)) return null;
  const [, list = null] = /^([^/]+)\/\{\w+\}$/.exec(route.path.slice(reader.path.length + 1)) ?? [];
  return list;
}

/** Returns the shapes in which an answer shows the members of a list within its item. */
function findPartShapes(envelope: Shape | null, list: string): Shape[] {
  const items = Object.values(envelope?.properties ?? {}).flatMap(listBranches);
  const lists = items.flatMap(({ properties }) => properties?.[list] ?? []);
  return lists.flatMap(listBranches).flatMap(({ items: member }) => member ?? []);
}

function collectUnknown(
  value: unknown,
  settable: readonly Shape[],
  answerShapes: readonly Shape[],
  pointer: string,
  problems: Problem[],
): void {
  if (typeof value !== 'object' || value === null) return;
  const [own, all] = [settable.flatMap(listBranches), [...settable, ...answerShapes].flatMap(listBranches)];
  if (Array.isArray(value)) {
    const listItemShapes = (shapes: readonly Shape[]) => shapes.flatMap(({ items }) => items ?? []);
    for (const [i, one] of value.entries())
      collectUnknown(one, listItemShapes(own), listItemShapes(all), `${pointer}/${i}`, problems);
    return;
  }
  const objects = (own.length > 0 ? own : all).filter(canBeObject);
  if (objects.length === 0 || objects.some(isOpen)) return;
  const at = (shapes: readonly Shape[], name: string) =>
    shapes.flatMap(({ properties }) =>
      properties && Object.hasOwn(properties, name) ? properties[name]! : [],
    );
  const names = new Set(objects.flatMap(({ properties }) => Object.keys(properties!)));
  for (const [name, child] of Object.entries(value)) {
    const fieldPointer = `${pointer}/${escapePointer(name)}`;
    const known = at(all, name);
    if (known.length > 0) collectUnknown(child, at(own, name), known, fieldPointer, problems);
    else
      problems.push({ pointer: fieldPointer, message: `is not known here${suggestName(name, [...names])}` });
  }
}

const comparable = (name: string) => name.replace(/[_-]/g, '').toLowerCase();

/** Returns a hint at the name that was probably meant: a typo, or several words joined in another style. */
function suggestName(name: string, names: readonly string[]): string {
  const maxDistance = Math.min(3, Math.ceil(name.length / 3));
  if (name.length > 100) return '';
  const nearest = closestMatch(comparable(name), names.map(comparable), { maxDistance });
  const found = names.find((each) => comparable(each) === nearest);
  return found === undefined ? '' : ` (did you mean ${found}?)`;
}

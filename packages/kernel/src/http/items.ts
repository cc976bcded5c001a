import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import fresh from 'fresh';
import type { TSchema } from 'typebox';
import type { RouteDefinition } from './route.ts';

/** The source of an answer's ETag: the answer itself, or the current answer of the item's GET. */
type TagSource = 'answer' | 'reader';

/** How a route relates to the state of one item, `decisions.md 11.1`. */
export interface ItemRow {
  /** The GET route that answers the state, for If-Match. Null: no route does, so a client cannot know the state. */
  reader: RouteDefinition | null;
  /** Null: the answer is not an item and carries no ETag. */
  tagFrom: TagSource | null;
  /** Returns the ETag of the state in the text of an answer. */
  createTag(text: string): string;
  /** Whether something is stored, given the text of the reader's answer; for If-None-Match. */
  isStored(text: string): boolean;
  /** Whether a client that already has the state is answered 304. */
  revalidates: boolean;
}

const isPublicRoute = ({ path, access, answer }: RouteDefinition) =>
  path.startsWith('/api/') && access !== 'public' && access !== 'service' && answer[0] !== 405;

type Members = Readonly<Record<string, TSchema>>;

/** Returns the members of a JSON answer; null if it has no body, is not an object or not JSON. */
function listMembers({ answer: [, body], contentType }: RouteDefinition): Members | null {
  const members = (body as { properties?: Members } | null)?.properties;
  if (!members || contentType) return null;
  // Warnings about a write are no part of the item's state.
  return Object.fromEntries(Object.entries(members).filter(([name]) => name !== 'warnings'));
}

/** Returns the members that make up the state of an item, without those that are computed entirely. */
function listStateMembers(item: RouteDefinition): Members {
  const { computed = [] } = item;
  return Object.fromEntries(Object.entries(listMembers(item)!).filter(([name]) => !computed.includes(name)));
}

/** Whether a route answers one item: the envelope of a list begins with its rows. */
function isItem(route: RouteDefinition): boolean {
  const [first] = Object.values(listMembers(route) ?? {});
  const isList = (first as { type?: string } | undefined)?.type === 'array';
  return route.method === 'GET' && route.isItem !== false && first !== undefined && !isList;
}

const names = (members: Members) => Object.keys(members);
const hasNames = (members: Members, required: Members) => names(required).every((name) => name in members);
const text = (schema: unknown) => JSON.stringify(schema);

/** Whether an answer contains everything that another one does, in the same shape. */
const containsMembers = (members: Members, state: Members) =>
  names(state).every((name) => name in members && text(members[name]) === text(state[name]));

/** Whether a path is below the path of an item: an action on it or a part of it. */
function isBelow(path: string, item: string): boolean {
  return path.startsWith(`${item}/`) && !path.slice(item.length).includes('{');
}

const isCreatedAt = (path: string, item: string) =>
  item.startsWith(`${path}/{`) && item.indexOf('/', path.length + 1) < 0;

/** Whether a route's body names the item below its path, as a PUT does whose caller chooses the name. */
function isNamedAt({ path, body }: RouteDefinition, item: string): boolean {
  if (!isCreatedAt(path, item)) return false;
  const { properties = {} } = (body ?? {}) as { properties?: Members };
  return item.slice(path.length + 2, -1) in properties;
}

/**
 * Finds the routes of a service that answer one item, and for each route the one that reads its item: the one of the
 * same path, the one below a collection, or the one above an action.
 */
export function itemRows(routes: readonly RouteDefinition[]): ReadonlyMap<RouteDefinition, ItemRow> {
  const rows = routes.filter(isPublicRoute);
  const readers = rows.filter(isItem);
  /** States that some answer contains together with other members: they are picked out of every answer. */
  const mixedStates = new Set<string>();
  const found = rows.map((route) => {
    const { path } = route;
    const byPath = [
      ...readers.filter((item) => item.path === path),
      ...readers.filter((item) => isCreatedAt(path, item.path)),
      ...readers.filter((item) => isBelow(path, item.path)).sort((a, b) => b.path.length - a.path.length),
    ];
    const members = route.method === 'GET' && !readers.includes(route) ? null : listMembers(route);
    const answeredItem =
      route.method === 'GET'
        ? byPath[0]
        : [...byPath, ...readers].find((item) => members && containsMembers(members, listStateMembers(item)));
    const shownItem = members && byPath.find((item) => hasNames(members, listStateMembers(item)));
    const item = members && (answeredItem ?? shownItem);
    if (answeredItem && members) {
      const state = listStateMembers(answeredItem);
      if (answeredItem.computed || names(members).length > names(state).length) mixedStates.add(text(state));
    }
    // A part of an item with an id of its own, whose change is answered with the whole item.
    const parentItem = answeredItem && path.startsWith(`${answeredItem.path}/`) ? answeredItem : null;
    const isOfOne = ['PUT', 'PATCH', 'DELETE'].includes(route.method);
    const reader = isOfOne
      ? (byPath.find((row) => !isCreatedAt(path, row.path) || isNamedAt(route, row.path)) ??
        parentItem ??
        null)
      : (item ?? null);
    const tagFrom: TagSource | null = item ? (answeredItem ? 'answer' : 'reader') : null;
    return { route, reader, tagFrom, state: item ?? reader };
  });
  return new Map(
    found.map(({ route, reader, tagFrom, state }) => [
      route,
      {
        reader,
        tagFrom,
        createTag: state ? createTagger(state, mixedStates) : hashTag,
        isStored: (text) => isStored(reader?.storedBy, text),
        revalidates: route === reader && (!route.computed || route.isRevalidated === true),
      },
    ]),
  );
}

/** Returns a strong ETag: two states have the same ETag only if they are equal. */
const hashTag = (text: string) => `"${hash('sha256', withoutWarnings(text), 'base64url').slice(0, 27)}"`;

/** Returns an envelope without the warnings that `withWarnings` added. */
function withoutWarnings(text: string): string {
  const at = text.lastIndexOf(',"warnings":[');
  if (at < 0) return text;
  const envelope = `${text.slice(0, at)}}`;
  try {
    JSON.parse(envelope);
    return envelope;
  } catch {
    // A member within the item has that name.
    return text;
  }
}

function createTagger(item: RouteDefinition, mixedStates: ReadonlySet<string>) {
  const { computed = [], computedLists = [] } = item;
  const state = listStateMembers(item);
  const withoutComputedLists = (answer: string) => computedLists.reduce(withoutList, answer);
  if (!mixedStates.has(text(state))) return (answer: string) => hashTag(withoutComputedLists(answer));
  return (answer: string) => {
    const members = JSON.parse(withoutComputedLists(answer));
    const stateMembers: Record<string, unknown> = {};
    for (const name of names(state)) stateMembers[name] = members[name];
    for (const path of computed) omit(stateMembers, path.split('.'));
    return hashTag(JSON.stringify(stateMembers));
  };
}

/** Returns an answer with a list of ids emptied. Within a JSON string, the quotes around its name would be escaped. */
function withoutList(text: string, name: string): string {
  const start = `"${name}":[`;
  const at = text.indexOf(start);
  if (at < 0) return text;
  const from = at + start.length;
  return `${text.slice(0, from)}${text.slice(text.indexOf(']', from))}`;
}

function isStored(paths: readonly string[] | undefined, text: string): boolean {
  if (!paths) return true;
  const answer: unknown = JSON.parse(text);
  const at = (path: string) =>
    path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], answer);
  return paths.some((path) => Boolean(at(path)));
}

function omit(value: unknown, [name, ...rest]: readonly string[]): void {
  if (typeof value !== 'object' || value === null || name === undefined) return;
  const object = value as Record<string, unknown>;
  if (rest.length === 0) delete object[name];
  else omit(object[name], rest);
}

type Header = string | string[] | undefined;

/** Whether If-Match accepts a state (RFC 9110, 13.1.1): weak tags match nothing. */
export function matchesIfMatch(ifMatch: Header, etag: string | null): boolean {
  return ifMatch === undefined || isAny(ifMatch) || (etag !== null && parseTags(ifMatch).includes(etag));
}

/** Whether a conditional header names any state, by `*`. */
export const isAny = (header: Header) => typeof header === 'string' && header.trim() === '*';

/**
 * Whether the client's copy is current, by its If-None-Match (RFC 9110, 13.1.2). It ignores `Cache-Control: no-cache`,
 * which is meant for caches on the way and which `fetch` sends with every conditional request: `fresh` would take it as
 * a request for the whole item.
 */
export const matchesIfNoneMatch = (
  { 'if-none-match': noneMatch }: IncomingHttpHeaders,
  etag: string,
): boolean => fresh({ 'if-none-match': noneMatch }, { etag });

const parseTags = (header: Header): readonly string[] => String(header).match(/(?:W\/)?"[^"]*"/g) ?? [];

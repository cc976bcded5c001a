import { ApiError, errors } from '@waybill/contracts';
import type { UnitsOfWork } from '../db/units.ts';
import { Answer, jsonType } from './answer.ts';
import type { Idempotency } from './idempotency.ts';
import { type ItemRow, isAny, isKnown, isStillAsRead } from './items.ts';
import { type Once, unkeyed } from './once.ts';
import type { Aggregate, Lock, RouteDefinition, RouteRequest } from './route.ts';
import { queryReader } from './validation.ts';

export type AnyHandler = ReturnType<Aggregate<never>['handlers']>[string];
export type Handle = (request: never) => Promise<unknown>;

export const handleOf = (handler: AnyHandler): Handle =>
  typeof handler === 'function' ? handler : handler.handle;

/**
 * Gives the text of what an item's GET answers now, asked in the course of another request about it, which says by its
 * path, its query, or its body where the path does not, which item that is.
 */
export function readerOf(route: RouteDefinition, handle: Handle) {
  const readQuery = route.query ? queryReader(route.query) : () => ({});
  return async (request: RouteRequest, known?: Record<string, string>): Promise<string> => {
    const [named] = known ? [] : missingParams(route, request.params);
    const told = (named ? request.body : request.query) as Record<string, string>;
    const params = known ?? { ...request.params, ...(named && { [named]: told[named] }) };
    const query = readQuery(known ? {} : told);
    return jsonTextOf(
      await handle({ ...request, params, method: 'GET', query, body: undefined, isForTag: true } as never),
    )!;
  };
}

const missingParams = ({ path }: RouteDefinition, params: Readonly<Record<string, string>>) =>
  [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => (name! in params ? [] : [name!]));

/** The text of a JSON answer; null where it is none, or not whole yet. */
function jsonTextOf(result: unknown): string | null {
  if (!(result instanceof Answer)) return JSON.stringify(result) ?? null;
  return typeof result.body === 'string' && result.contentType === jsonType ? result.body : null;
}

type Read = ReturnType<typeof readerOf>;

/**
 * What answers a request once it is checked: the row's handler, with the item's ETag and by the client's conditions,
 * `decisions.md 11.1`. Where there is something to compare, comparing and changing are one unit of work, under the
 * aggregate's lock of what is changed. Where it has none, they are one on one snapshot: a row that somebody changes
 * meanwhile fails it, and it begins anew with what is there then.
 */
export function performer(
  route: RouteDefinition,
  handler: AnyHandler,
  lock: Lock | null,
  units: UnitsOfWork<unknown> | null,
  idempotency: Idempotency | null,
  item: (ItemRow & { read: Read | null }) | null,
): (request: RouteRequest, key: string | null) => Promise<unknown> {
  const { read = null, tagOf, tagFrom = null, revalidates = false } = item ?? {};
  const isOfOne = item !== null && route.method !== 'POST';
  const handle = handleOf(handler);

  /** The result with the ETag of the item that it shows. */
  async function tag(request: RouteRequest, result: unknown): Promise<unknown> {
    const text = tagFrom && jsonTextOf(result);
    if (!text) return result;
    const state = tagFrom === 'answer' ? text : await read!(request, paramsOf(item!.reader!, request, text));
    const {
      contentType = jsonType,
      headers = {},
      status = undefined,
    } = result instanceof Answer ? result : {};
    return new Answer(text, contentType, { etag: tagOf!(state), ...headers }, status);
  }
  const answer = async (request: RouteRequest) => tag(request, await handle(request as never));

  if (route.method === 'GET') {
    return async (request) => {
      const result = await answer(request);
      const etag = result instanceof Answer ? result.headers.etag : undefined;
      if (!etag || !revalidates || !isKnown(request.headers, etag)) return result;
      return new Answer('', jsonType, { etag }, 304);
    };
  }

  async function changeIf<Result>(
    request: RouteRequest,
    conditions: Conditions,
    make: () => Promise<Result>,
  ): Promise<Result> {
    const { ifMatch, ifNoneMatch } = conditions;
    if (hasAny(conditions)) await lock?.(request);
    if (read && ifMatch !== undefined) {
      const etag = tagOf!(await read(request));
      if (!isStillAsRead(ifMatch, etag)) throw errors.precondition_failed({ headers: { etag } });
    }
    if (read && ifNoneMatch !== undefined) {
      const state = await read(request).catch(ifAbsent);
      const etag = state !== null && item!.isStored(state) ? tagOf!(state) : null;
      if (etag && isKnown(request.headers, etag)) throw errors.precondition_failed({ headers: { etag } });
    }
    const result = await make();
    // Nobody can know the state of what cannot be read by itself. Only the change tells whether it is there at all.
    if (ifMatch !== undefined && !isAny(ifMatch) && !read) throw errors.precondition_failed();
    return result;
  }

  /** Of a handler that says when it makes its change: only that is the unit of work, so that none waits for a body. */
  const onceIf = (request: RouteRequest, once: Once, conditions: Conditions): Once => {
    const commit: Once['commit'] = (make) => once.commit(() => changeIf(request, conditions, make));
    // What is read in the change's transaction keeps it from sharing that with others.
    const isAlone = hasAny(conditions) || tagFrom === 'reader';
    const commitAlone: Once['commitWithOthers'] = (write, answerOf) =>
      commit(async () => answerOf(await write()));
    return { ...once, commit, ...(isAlone && { commitWithOthers: commitAlone }) };
  };

  return (request, key) => {
    const conditions = isOfOne ? conditionsOf(route, request) : {};
    const isolation = hasAny(conditions) && !lock ? 'repeatable read' : 'read committed';
    if (key !== null && route.idempotency === 'handler') {
      const handleIf = (keyed: RouteRequest) =>
        handle({ ...keyed, once: onceIf(keyed, keyed.once, conditions) } as never);
      const tagged = (result: unknown) => tag(request, result);
      return idempotency!.inHandler(route, request, key, isolation, handleIf, tagged);
    }
    const change = () => changeIf(request, conditions, () => answer(request));
    if (key !== null) return idempotency!.once(route, request, key, isolation, change);
    if (!units || (!hasAny(conditions) && tagFrom !== 'reader')) return answer(request);
    if (route.idempotency !== 'handler') return units.run(isolation, change);
    const once: Once = { ...unkeyed, commit: (make) => units.run(isolation, make) };
    return answer({ ...request, once: onceIf(request, once, conditions) });
  };
}

/** Under which a request makes its change; none: under any. */
interface Conditions {
  ifMatch?: string | string[] | undefined;
  ifNoneMatch?: string | string[] | undefined;
}

const hasAny = ({ ifMatch, ifNoneMatch }: Conditions) => ifMatch !== undefined || ifNoneMatch !== undefined;

/**
 * If-None-Match is what a first write is bound to: only PUT makes what is not there, and so only with PUT has
 * `If-Match: *`, any state, to see whether there is one.
 */
function conditionsOf({ method }: RouteDefinition, { headers }: RouteRequest): Conditions {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  return {
    ...((method === 'PUT' || !isAny(ifMatch)) && { ifMatch }),
    ...(method === 'PUT' && { ifNoneMatch }),
  };
}

/** What is not there is no state, and whether it can be made, the change tells. */
function ifAbsent(error: unknown): null {
  if (error instanceof ApiError && error.status === 404) return null;
  throw error;
}

/** The parameters of an item's row: those of the request, and the id of what it has made. */
function paramsOf(route: RouteDefinition, { params }: RouteRequest, text: string) {
  const [missing] = missingParams(route, params);
  if (!missing) return params;
  const [made] = Object.values(JSON.parse(text)) as { id: string }[];
  return { ...params, [missing]: made!.id };
}

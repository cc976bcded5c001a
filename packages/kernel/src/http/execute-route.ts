import { Answer, jsonType } from './answer.ts';
import { fingerprintRequest } from './idempotency.ts';
import type { IdempotentWrite } from './idempotent-write.ts';
import { matchesIfNoneMatch } from './items.ts';
import type { Aggregate, RouteDefinition, RouteRequest } from './route.ts';
import { createQueryReader } from './validation.ts';
import {
  noConditions,
  type ReadState,
  readConditions,
  runCommit,
  runHandler,
  runWrite,
  storedAnswer,
  type Write,
  type WriteRoute,
} from './write-stages.ts';

export type AnyHandler = ReturnType<Aggregate<never>['handlers']>[string];
type Handle = (request: never, context?: never) => Promise<unknown>;

/** Returns the function of a handler; the function of a write handler takes a `WriteContext` as well. */
function selectHandle(handler: AnyHandler): Handle {
  if (typeof handler === 'function') return handler;
  return 'write' in handler ? handler.write : handler.handle;
}

/**
 * Creates the function that reads the state of an item for another request, as the text of its GET's answer. The path
 * and query of that request identify the item, or its body if the path does not name the item.
 */
export function stateReader(route: RouteDefinition, handler: AnyHandler): ReadState {
  const handle = selectHandle(handler);
  const readQuery = route.query ? createQueryReader(route.query) : () => ({});
  return async (request, known) => {
    const [missingName] = known ? [] : missingParams(route, request.params);
    const source = (missingName ? request.body : request.query) as Record<string, string>;
    const params = known ?? { ...request.params, ...(missingName && { [missingName]: source[missingName] }) };
    const query = readQuery(known ? {} : source);
    const readRequest = { ...request, params, method: 'GET', query, body: undefined, isForTag: true };
    return getJsonText(await handle(readRequest as never))!;
  };
}

const missingParams = ({ path }: RouteDefinition, params: Readonly<Record<string, string>>) =>
  [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => (name! in params ? [] : [name!]));

/** Returns the text of a JSON answer; null if it is not JSON or not complete yet. */
function getJsonText(result: unknown): string | null {
  if (!(result instanceof Answer)) return JSON.stringify(result) ?? null;
  return typeof result.body === 'string' && result.contentType === jsonType ? result.body : null;
}

/**
 * Executes a checked request: calls its handler, inside the stages of a write unless it only reads. One with a key may
 * have been refused already, by its guard or for its body: only an answer that is stored comes before that.
 */
export type ExecuteRoute = (request: RouteRequest, key: string | null, refusal?: unknown) => Promise<unknown>;

/** Creates the function that executes the requests of a route, `decisions.md 11.1`. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one closure
export function createRouteExecutor(writeRoute: WriteRoute, handler: AnyHandler): ExecuteRoute {
  const { route, item } = writeRoute;
  const { createTag, tagFrom = null, revalidates = false, read: readRequest = null } = item ?? {};
  const isOfOne = item !== null && route.method !== 'POST';
  const handle = selectHandle(handler);

  /** Adds the ETag of the item that the result shows. */
  async function tag(request: RouteRequest, result: unknown): Promise<unknown> {
    const text = tagFrom && getJsonText(result);
    if (!text) return result;
    const state =
      tagFrom === 'answer' ? text : await readRequest!(request, readParams(item!.reader!, request, text));
    const {
      contentType = jsonType,
      headers = {},
      status = undefined,
    } = result instanceof Answer ? result : {};
    return new Answer(text, contentType, { etag: createTag!(state), ...headers }, status);
  }

  /** Calls the handler; in a write, its reads and the read for its ETag are part of the transaction. */
  async function answer(request: RouteRequest, { context }: Pick<Write, 'context'>): Promise<unknown> {
    if (context) request.db = context.trx;
    return tag(request, await handle(request as never, context as never));
  }

  if (route.method === 'GET') {
    return async (request) => {
      const result = await answer(request, { context: null });
      const etag = result instanceof Answer ? result.headers.etag : undefined;
      if (!etag || !revalidates || !matchesIfNoneMatch(request.headers, etag)) return result;
      return new Answer('', jsonType, { etag }, 304);
    };
  }

  const beginWrite = (request: RouteRequest): Write => ({
    request,
    fingerprint: null,
    conditions: isOfOne ? readConditions(route, request) : noConditions,
    context: null,
    createAnswer: async (result) => storedAnswer(result, route),
    commitInGroup: null,
  });

  /** Returns the write of a handler that decides when it commits. */
  function createIdempotentWrite(write: Write, key: string | null): IdempotentWrite {
    const { request } = write;
    write.createAnswer = async (result) =>
      storedAnswer(await tag({ ...request, db: write.context?.trx ?? request.db }, result), route);
    return {
      hasKey: key !== null,
      async begin(body) {
        if (key === null) return;
        write.fingerprint = fingerprintRequest(route, request, key, body);
        await writeRoute.idempotency!.rejectRepeated(write.fingerprint);
      },
      commit: (change) => runCommit(writeRoute, write, () => change(write.context!)) as never,
      commitInGroup(writeItem, toAnswer) {
        write.commitInGroup = async (keyed) => {
          const createResponse = (result: never) => keyed!.createResponse(toAnswer(result));
          return toAnswer(
            await writeItem({ keyed: keyed && { fingerprint: keyed.fingerprint, createResponse } }),
          );
        };
        const writeAlone = async () =>
          toAnswer(await writeItem(write.context ? { trx: write.context.trx } : {}));
        return runCommit(writeRoute, write, writeAlone) as never;
      },
    };
  }

  /** Gives the stored answer to a key; if there is none, throws the refusal, and stores it if it is a conflict. */
  function refuse(request: RouteRequest, key: string, refusal: unknown): Promise<unknown> {
    const fingerprint = fingerprintRequest(route, request, key, request.body);
    return runHandler(writeRoute, { ...beginWrite(request), fingerprint }, async () => {
      await writeRoute.idempotency!.rejectRepeated(fingerprint);
      throw refusal;
    });
  }

  if (route.idempotency === 'handler') {
    return (request, key, refusal) => {
      if (key !== null && refusal) return refuse(request, key, refusal);
      const write = beginWrite(request);
      const idempotentWrite = createIdempotentWrite(write, key);
      return runHandler(writeRoute, write, async () =>
        tag(request, await handle({ ...request, idempotentWrite } as never)),
      );
    };
  }
  return (request, key, refusal) => {
    if (key !== null && refusal) return refuse(request, key, refusal);
    const write = beginWrite(request);
    if (key !== null) write.fingerprint = fingerprintRequest(route, request, key, request.body);
    return runWrite(writeRoute, write, () => answer(request, write));
  };
}

/** Returns the path parameters of an item: those of the request, and the id of the item that it created. */
function readParams(route: RouteDefinition, { params }: RouteRequest, text: string) {
  const [missing] = missingParams(route, params);
  if (!missing) return params;
  const [createdItem] = Object.values(JSON.parse(text)) as { id: string }[];
  return { ...params, [missing]: createdItem!.id };
}

import { ApiError, errors } from '@waybill/contracts';
import type { IsolationLevel } from 'kysely';
import type { KeyedWrite, RequestFingerprint } from '../db/group-commit.ts';
import type { UnitsOfWork } from '../db/units.ts';
import { createWriteContext, type WriteContext } from '../events/write-context.ts';
import type { Answer } from './answer.ts';
import { type Idempotency, StoredReplay, toAnswer } from './idempotency.ts';
import { type ItemRow, isAny, matchesIfMatch, matchesIfNoneMatch } from './items.ts';
import type { Lock, RouteDefinition, RouteRequest } from './route.ts';

/** The parts of a route that the stages of its writes use. */
export interface WriteRoute {
  route: RouteDefinition;
  /** Null without a database. */
  units: UnitsOfWork<unknown> | null;
  /** Null without a database. */
  idempotency: Idempotency | null;
  lock: Lock | null;
  /** The item that the route is about, with the function that reads its state; null if there is none. */
  item: (ItemRow & { read: ReadState | null }) | null;
  /** Whether the handler gets a `WriteContext`, so that it runs in a transaction. */
  isWrite: boolean;
}

/** Reads the state of an item, as the text of its GET's answer. */
export type ReadState = (request: RouteRequest, params?: Record<string, string>) => Promise<string>;

/** One write on its way through the stages. */
export interface Write {
  request: RouteRequest;
  /** Null if the request has no key, or if it is not yet known which part must be equal in a repetition. */
  fingerprint: RequestFingerprint | null;
  conditions: Conditions;
  /** Null until the transaction is open. */
  context: WriteContext | null;
  /** Turns the result of the innermost stage into the answer to store. */
  createAnswer(result: unknown): Promise<Answer>;
  /** Writes the change together with others of its key, if the change is an item of a group commit. */
  commitInGroup: ((keyed?: KeyedWrite<unknown>) => Promise<unknown>) | null;
}

type Next = () => Promise<unknown>;
type Stage = (route: WriteRoute, write: Write, next: Next) => Promise<unknown>;

/**
 * The stages of a write, the outermost first; `next` runs the stages that follow, and the last one runs the change. A
 * handler that decides when it commits runs inside `replayStoredResponse`, and the other stages run around its commit.
 */
export const writeStages = [
  replayStoredResponse,
  joinGroupCommit,
  openTransaction,
  storeResponse,
  compareConditions,
] as const satisfies readonly Stage[];

const commitStages = writeStages.slice(1);

/** Runs a change inside all stages. */
export const runWrite = (route: WriteRoute, write: Write, change: Next) =>
  runStages(writeStages, route, write, change);

/** Runs a handler that decides when it commits: its commits run the other stages by `runCommit`. */
export const runHandler = (route: WriteRoute, write: Write, handle: Next) =>
  replayStoredResponse(route, write, handle);

/** Runs a handler's commit inside the stages that surround a change. */
export const runCommit = (route: WriteRoute, write: Write, change: Next) =>
  runStages(commitStages, route, write, change);

function runStages(
  stages: readonly Stage[],
  route: WriteRoute,
  write: Write,
  change: Next,
): Promise<unknown> {
  const runFrom = (at: number): Promise<unknown> => {
    const stage = stages[at];
    return stage ? stage(route, write, () => runFrom(at + 1)) : change();
  };
  return runFrom(0);
}

/**
 * The outer stage of idempotency: a request that was answered before gets the stored response, and a conflict is stored
 * as well.
 */
async function replayStoredResponse({ idempotency }: WriteRoute, write: Write, next: Next): Promise<unknown> {
  try {
    return await next();
  } catch (error) {
    if (error instanceof StoredReplay) return error.answer;
    if (!write.fingerprint) throw error;
    const answer = await idempotency!.findMeanwhile(write.fingerprint, error);
    if (answer) return answer;
    await idempotency!.storeRefusal(write.fingerprint, error);
    throw error;
  }
}

/**
 * The stage of group commit: a change that is one item of a group shares the group's transaction, which also stores its
 * response. A change with conditions, or whose item is read again afterwards, has a transaction of its own.
 */
async function joinGroupCommit({ item }: WriteRoute, write: Write, next: Next): Promise<unknown> {
  const { commitInGroup, fingerprint, conditions, createAnswer } = write;
  if (!commitInGroup || hasAny(conditions) || item?.tagFrom === 'reader') return next();
  return commitInGroup(fingerprint ? { fingerprint, createResponse: createAnswer } : undefined);
}

/**
 * The stage of the transaction. If a change is compared with a state without a lock, both see one snapshot: a row that
 * changes meanwhile fails the transaction, which then runs again with the new state.
 */
async function openTransaction(route: WriteRoute, write: Write, next: Next): Promise<unknown> {
  const { units, lock, isWrite } = route;
  const { conditions } = write;
  if (!units || !isWrite) return next();
  const isolation: IsolationLevel = hasAny(conditions) && !lock ? 'repeatable read' : 'read committed';
  return units.run(isolation, (trx, afterCommit) => {
    write.context = createWriteContext(trx, afterCommit);
    return next();
  });
}

/** The inner stage of idempotency: the transaction locks the key, and stores the response of its change. */
async function storeResponse({ idempotency }: WriteRoute, write: Write, next: Next): Promise<unknown> {
  const { fingerprint, createAnswer } = write;
  if (!fingerprint) return next();
  return idempotency!.storeWith(write.context!.trx, fingerprint, next, createAnswer);
}

/**
 * The stage of If-Match and If-None-Match: compares the state that the client knows with the item's, under the
 * aggregate's lock if it has one. `decisions.md 11.1`.
 */
async function compareConditions({ item, lock }: WriteRoute, write: Write, next: Next): Promise<unknown> {
  const { conditions } = write;
  if (!hasAny(conditions)) return next();
  const { ifMatch, ifNoneMatch } = conditions;
  const { read, createTag, isStored } = item!;
  const request = { ...write.request, db: write.context!.trx };
  await lock?.(request, write.context!);
  if (read && ifMatch !== undefined) {
    const etag = createTag(await read(request));
    if (!matchesIfMatch(ifMatch, etag)) throw errors.precondition_failed({ headers: { etag } });
  }
  if (read && ifNoneMatch !== undefined) {
    const state = await read(request).catch(nullIfAbsent);
    const etag = state !== null && isStored(state) ? createTag(state) : null;
    if (etag && matchesIfNoneMatch(request.headers, etag))
      throw errors.precondition_failed({ headers: { etag } });
  }
  const result = await next();
  // If no route reads the item, no client can know its state. Only the change shows whether the item exists at all.
  if (ifMatch !== undefined && !isAny(ifMatch) && !read) throw errors.precondition_failed();
  return result;
}

/** The conditions of a request's change; without any, the change is always made. */
export interface Conditions {
  ifMatch?: string | string[] | undefined;
  ifNoneMatch?: string | string[] | undefined;
}

export const noConditions: Conditions = {};

const hasAny = ({ ifMatch, ifNoneMatch }: Conditions) => ifMatch !== undefined || ifNoneMatch !== undefined;

/**
 * Returns the conditions of a request. If-None-Match is for a first write, and only PUT creates a missing item. So
 * `If-Match: *`, any state, is a condition only with PUT.
 */
export function readConditions({ method }: RouteDefinition, { headers }: RouteRequest): Conditions {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  return {
    ...((method === 'PUT' || !isAny(ifMatch)) && { ifMatch }),
    ...(method === 'PUT' && { ifNoneMatch }),
  };
}

/** A missing item has no state; the change decides whether it can be created. */
function nullIfAbsent(error: unknown): null {
  if (error instanceof ApiError && error.status === 404) return null;
  throw error;
}

/** Returns the answer to store for a route's result. */
export const storedAnswer = (result: unknown, route: RouteDefinition): Answer => toAnswer(result, route);

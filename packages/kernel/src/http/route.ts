import type { Readable } from 'node:stream';
import type { ApiError, ErrorExtras, IdKind, Permission, Principal, Problem } from '@waybill/contracts';
import type { Kysely } from 'kysely';
import type { Static, TObject, TSchema } from 'typebox';
import type { WriteContext } from '../events/write-context.ts';
import type { Log } from '../operations/log.ts';
import type { Answer } from './answer.ts';
import type { IdempotentWrite } from './idempotent-write.ts';

/**
 * The callers that a route admits.
 * - `public`: anybody.
 * - `user`: a signed-in person.
 * - `service`: another service, with the service token; never through the gateway.
 * - `credential`: an API key or app token with any permission.
 * - `{ scope }`: an API key or app token with that permission, `store-api.md 5.2`. A route below `/api/v1` also admits
 *   a member of the store whose role has the permission, below `/api/stores/{storeId}` (`withMemberPath`).
 * - `{ app }`: an app token with that permission. The data belongs to the app, so API keys are refused. Only with
 *   `isForUninstalled` also the token of an uninstalled app, `decisions.md 22.1`.
 * - `{ member }`: a signed-in member of the path's store: with any role, with one that manages the store, or with one
 *   that has the permission, `decisions.md 8.2`.
 */
export type Access =
  | 'public'
  | 'user'
  | 'service'
  | 'credential'
  | { scope: Permission }
  | { app: Permission; isForUninstalled?: true }
  | { member: 'any' | 'manager' | Permission };

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One route of a service's route table: all that its requests must fulfil, and its answers. */
export interface RouteDefinition {
  method: Method;
  /**
   * The path with parameters in braces: `/api/v1/products/{id}`. `{rest*}` at the end matches everything that is left,
   * slashes included; such a route is a fallback, and the API document leaves it out.
   */
  path: `/${string}`;
  access: Access;
  summary: string;
  description?: string;
  /** Parameters that are ids of a kind; any other text in their place is 404 without a lookup. */
  ids?: Readonly<Record<string, IdKind>>;
  /** Headers that it reads, for the API document; the handler checks them. */
  headers?: Readonly<Record<string, { description: string; required?: boolean; pattern?: string }>>;
  /**
   * The query, read leniently: a value that does not fit counts as absent, a number over its maximum as the maximum.
   */
  query?: TObject;
  /** The JSON body. A body that does not fit is `invalid_body`, or the code that a schema's `errorCode` names. */
  body?: TSchema;
  /** Maximum number of bytes of that body, in place of the 1 MiB of `decisions.md 1.7`. */
  maxBodyBytes?: number;
  /** An empty body counts as `{}`. */
  isBodyOptional?: boolean;
  /** Bodies that the handler itself reads from `stream`, by media type; for the API document. */
  streamedBodies?: Readonly<Record<string, TSchema>>;
  /** The status of a success and the schema of its body; null means no body. */
  answer: readonly [status: number, body: TSchema | null];
  /**
   * How the route takes an Idempotency-Key (`decisions.md 11.2`). By default, a route that changes something stores its
   * answer in one transaction with its handler's changes. `none`: it changes nothing. `handler`: it first has to read a
   * body or call other services, so the handler decides when the change is made, through the request's
   * `idempotentWrite`, which also compares by If-Match.
   */
  idempotency?: 'none' | 'handler';
  /** For a GET: the answer is not the state of one thing, and has no ETag. `decisions.md 11.1`. */
  isItem?: false;
  /**
   * For a GET of one item: paths of computed fields (`customer.ordersCount`, `stores`), which are no part of its ETag.
   * It is always answered in full, never with `304`, because these fields may differ, unless `isRevalidated`.
   */
  computed?: readonly string[];
  /** For a GET with computed fields: it is answered `304` as long as the state is what the client knows. */
  isRevalidated?: true;
  /**
   * For a GET of one item: names of computed lists of ids, which are no part of its ETag either. They are cut from the
   * text of an answer, which costs a frequent read next to nothing, so no other list in the answer may have such a
   * name.
   */
  computedLists?: readonly string[];
  /**
   * For a GET that also answers when nothing is stored yet: the paths of fields of its answer, one of which has a value
   * from the first write on. For If-None-Match of that write.
   */
  storedBy?: readonly string[];
  /** The content type of an answer that is not JSON, for the API document. */
  contentType?: string;
  /** Other answers, redirects and pages, by status, each with its meaning; for the API document. */
  otherAnswers?: Readonly<Record<number, string>>;
  /** Errors of this route alone, for the API document. */
  errors?: readonly ((extras?: ErrorExtras) => ApiError)[];
}

/** Returns the name of the parameter that takes the rest of a fallback's path; undefined for any other route. */
export const findRestParameter = ({ path }: RouteDefinition): string | undefined =>
  /\{(\w{1,40})\*\}$/.exec(path)?.[1];

export type RouteTable = Readonly<Record<string, RouteDefinition>>;

/** Defines a folder's route table, with its literal types kept for the handlers. */
export function defineRoutes<const T extends RouteTable>(routes: T): T {
  return routes;
}

type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${string}*` ? never : Name) | ParameterNames<Rest>
  : never;

type PrincipalOf<A extends Access> = A extends 'public' | 'service'
  ? null
  : A extends 'credential'
    ? Extract<Principal, { kind: 'apiKey' | 'app' }>
    : A extends { scope: Permission }
      ? Principal
      : A extends { app: Permission }
        ? Extract<Principal, { kind: 'app' }>
        : Extract<Principal, { kind: 'user' }>;

/** The request that a handler gets: fully checked, and typed by its route. */
export interface RouteRequest<R extends RouteDefinition = RouteDefinition> {
  principal: PrincipalOf<R['access']>;
  /** The store of the credential, or of a member route's path; empty on routes without a store. */
  storeId: string;
  params: Readonly<Record<ParameterNames<R['path']>, string>>;
  query: R['query'] extends TObject ? Static<R['query']> : Record<never, never>;
  body: R['body'] extends TSchema ? Static<R['body']> : undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The method as it was sent: a route for GET also gets HEAD, and may then skip the body. */
  method: string;
  /** The request's body, for routes without a `body` schema; its reader must limit it. */
  stream: Readable;
  /** Aborts when the client is gone. */
  signal: AbortSignal;
  /** The path and the query as requested, which may differ from the route's path by a slash at the end. */
  url: string;
  /** The client's address, as the gateway saw it. */
  address: string;
  /** For a GET: only the state is needed, for its ETag, so computed fields may have any value. Otherwise false. */
  isForTag: boolean;
  /**
   * The database from which the handler of a GET reads: the service's pool, or the transaction of a write that compares
   * the item's state.
   */
  // biome-ignore lint/suspicious/noExplicitAny: a service's handlers name their own tables
  db: Kysely<any>;
  /** For routes with `idempotency: 'handler'`. */
  idempotentWrite: IdempotentWrite;
  log: Log;
}

type AnswerBody<R extends RouteDefinition> = R['answer'][1] extends TSchema ? Static<R['answer'][1]> : void;

type Handler<R extends RouteDefinition> = (request: RouteRequest<R>) => Promise<AnswerBody<R> | Answer>;

/** A handler with more than its function. */
export interface DetailedHandler<R extends RouteDefinition> {
  /**
   * A rule that the contract places before those of the body. It runs on every request of the route: once the JSON body
   * has been read and before it is checked for more than its size; a body that the handler reads by itself is still
   * untouched. It is skipped if the Idempotency-Key was already answered, because that very answer may have ended the
   * condition that the guard checks. Its 409 is stored with the JSON body, so the guard of a route that reads its body
   * by itself throws none.
   */
  guard?(request: Omit<RouteRequest<R>, 'body' | 'stream'>): Promise<unknown>;
  /**
   * Finds what else is wrong with a body that breaks its schema, so that the client learns of all problems at once
   * (`decisions.md 1.5`). A body that keeps to its schema never gets here: the handler itself refuses it.
   */
  findProblems?(request: RefusedRequest<R>): Promise<readonly Problem[]>;
  handle: Handler<R>;
}

/** A request whose body breaks its schema. */
export type RefusedRequest<R extends RouteDefinition> = Omit<RouteRequest<R>, 'body' | 'stream'> & {
  /** The fields that keep to their schemas. */
  body: Partial<RouteRequest<R>['body']>;
  /** The names of the fields that do not. */
  refused: ReadonlySet<string>;
};

/**
 * A handler that writes. It runs in one transaction, through the `WriteContext` that it gets and passes on. It may run
 * again if other writes conflict.
 */
// biome-ignore lint/suspicious/noExplicitAny: as above
export interface WriteHandler<R extends RouteDefinition, Tables = any>
  extends Pick<DetailedHandler<R>, 'guard' | 'findProblems'> {
  write(request: RouteRequest<R>, context: WriteContext<Tables>): Promise<AnswerBody<R> | Answer>;
}

/** One handler for every route of a route table; `Tables` are those that its writes use. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export type Handlers<T extends RouteTable, Tables = any> = {
  readonly [Name in keyof T]: Handler<T[Name]> | DetailedHandler<T[Name]> | WriteHandler<T[Name], Tables>;
};

type AnyFunction = (request: never) => Promise<unknown>;
type AnyWrite = (request: never, context: never) => Promise<unknown>;
type AnyHandlers = Readonly<
  Record<
    string,
    | AnyFunction
    | { guard?: AnyFunction; findProblems?: AnyFunction; handle: AnyFunction }
    | { guard?: AnyFunction; findProblems?: AnyFunction; write: AnyWrite }
  >
>;

/**
 * Locks the data that a request changes until the transaction ends, as its handler does before reading it. If-Match is
 * then compared under that lock, with the state that the change will find. Without a lock, both see one snapshot, and
 * start again if a row that they write was changed since. Such retries rarely end if the change also writes rows that
 * many others write, such as a store's counts. They are also insufficient if a rule depends on rows that are not
 * written, such as that a tree has no cycle.
 */
export type Lock = (
  request: { storeId: string; params: Readonly<Record<string, string>> },
  context: WriteContext,
) => Promise<unknown>;

/**
 * Checks rights that a route's `access` does not cover, such as those of a member of an organisation. It runs on every
 * request with an Idempotency-Key, because a stored answer is given only to callers who still have the right.
 * `decisions.md 19.12`.
 */
export type AuthorizeKeyed = (
  route: Pick<RouteDefinition, 'method' | 'path' | 'access'>,
  request: { principal: Principal | null; params: Readonly<Record<string, string>> },
) => Promise<unknown>;

/** One folder of a service: its route table, the functions that implement it, and the lock for their changes. */
export interface Aggregate<Context> {
  routes: RouteTable;
  handlers: (context: Context) => AnyHandlers;
  lock: ((context: Context) => Lock) | null;
}

/**
 * Combines a route table and its handlers; the compiler checks that every route has its function. Routes that
 * credentials reach below `/api/v1` get a path for members as well, see `withMemberPath`.
 */
export function aggregate<Context, const T extends RouteTable>(
  routes: T,
  handlers: (context: Context) => Handlers<T>,
  lock: ((context: Context) => Lock) | null = null,
): Aggregate<Context> {
  const allRoutes = Object.entries<RouteDefinition>(routes).flatMap(([name, route]) =>
    withMemberPath(name, route),
  );
  return {
    routes: Object.fromEntries(allRoutes.map(({ name, route }) => [name, route])),
    handlers(context) {
      const functions: AnyHandlers = handlers(context);
      return Object.fromEntries(allRoutes.map(({ name, handler }) => [name, functions[handler]!]));
    },
    lock,
  };
}

const publicApi = '/api/v1/';

/**
 * Returns the paths of a route, `decisions.md 10.1`: `/api/v1/<resource>` for a credential with a permission is
 * `/api/stores/{storeId}/<resource>` for a member whose role has it; everything else is the same. A route that only
 * rejects a method has no second path: there the method does not exist, or the service defines it itself.
 */
function withMemberPath(name: string, route: RouteDefinition) {
  const ownRoute = { name, route, handler: name };
  const { access, path, answer } = route;
  const hasMembers = typeof access === 'object' && 'scope' in access && path.startsWith(publicApi);
  if (!hasMembers || answer[0] === 405) return [ownRoute];
  const memberRoute: RouteDefinition = {
    ...route,
    path: `/api/stores/{storeId}/${path.slice(publicApi.length)}`,
    access: { member: access.scope },
  };
  return [ownRoute, { name: `${name}AsMember`, route: memberRoute, handler: name }];
}

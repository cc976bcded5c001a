import type { Readable } from 'node:stream';
import type { ApiError, ErrorExtras, IdKind, Permission, Principal } from '@waybill/contracts';
import type { Kysely } from 'kysely';
import type { Static, TObject, TSchema } from 'typebox';
import type { WriteContext } from '../events/write-context.ts';
import type { Log } from '../operations/log.ts';
import type { Answer } from './answer.ts';
import type { IdempotentWrite } from './idempotent-write.ts';

/**
 * Who may call a route.
 * - `public`: anybody.
 * - `user`: a signed-in person.
 * - `service`: another service, with the service token; never through the gateway.
 * - `credential`: an API key or app token that may do anything at all.
 * - `{ scope }`: an API key or app token with that permission, `store-api.md 5.2`; below `/api/v1` also a member of the
 *   store whose role has it, below `/api/stores/{storeId}` (`withMemberPath`).
 * - `{ app }`: an app token with that permission; what it holds is the app's, so no API key will do. Only with
 *   `isForUninstalled` also the token of an app that was uninstalled, `decisions.md 22.1`.
 * - `{ member }`: a signed-in member of the path's store: any role, one that manages the store, or one whose
 *   role has the permission, `decisions.md 8.2`.
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

/** One row of a service's route table: all of what a request must be and what it is answered with. */
export interface RouteDefinition {
  method: Method;
  /**
   * With parameters in braces: `/api/v1/products/{id}`. `{rest*}` at the end takes all that is left, slashes included; such a
   * row is a fallback, and the API document leaves it out.
   */
  path: `/${string}`;
  access: Access;
  summary: string;
  description?: string;
  /** Parameters that are ids of a kind; anything else in their place is 404 without a look-up. */
  ids?: Readonly<Record<string, IdKind>>;
  /** Headers that it reads, for the API document; the handler checks them. */
  headers?: Readonly<Record<string, { description: string; required?: boolean; pattern?: string }>>;
  /** Lenient: a value that does not fit counts as absent, a number over its maximum as the maximum. */
  query?: TObject;
  /** The JSON body; what does not fit is `invalid_body`, or the code that a schema's `errorCode` names. */
  body?: TSchema;
  /** The most bytes of that body, in place of the 1 MiB of `decisions.md 1.7`. */
  maxBodyBytes?: number;
  /** An empty body counts as `{}`. */
  isBodyOptional?: boolean;
  /** Bodies that the handler itself reads from `stream`, by media type; for the API document. */
  takes?: Readonly<Record<string, TSchema>>;
  /** The success's status and the shape of its body; null: no body. */
  answer: readonly [status: number, body: TSchema | null];
  /**
   * A row that changes something takes Idempotency-Key (`decisions.md 11.2`), in one transaction with what its handler
   * does. `none`: it changes nothing. `handler`: a body is still to come in, or others are asked, so the handler says
   * when the change is made, by the request's `once`, which compares by If-Match as well.
   */
  idempotency?: 'none' | 'handler';
  /** Of a GET: what it answers is not the state of one thing, and has no ETag. `decisions.md 11.1`. */
  isItem?: false;
  /**
   * Of a GET of one item: fields that are computed, so that they take no part in its ETag, as paths
   * (`customer.ordersCount`, `stores`). It is answered in full whatever the client knows, as these may differ.
   */
  computed?: readonly string[];
  /**
   * Of a GET of one item: names of computed lists of ids, which take no part in its ETag either. They are cut from the
   * text of an answer, which costs a read that many make next to nothing; so the names are of no other list in it.
   */
  computedLists?: readonly string[];
  /**
   * Of a GET that answers with something also where nothing is stored yet: the fields of its answer of which one holds
   * something from the first write on, as paths. For If-None-Match of that write.
   */
  storedBy?: readonly string[];
  /** The answer is not JSON; its content type, for the API document. */
  contentType?: string;
  /** Redirects and pages that it answers besides, by status, with what each means; for the API document. */
  otherAnswers?: Readonly<Record<number, string>>;
  /** The errors of its own, for the API document. */
  errors?: readonly ((extras?: ErrorExtras) => ApiError)[];
}

/** The name of the parameter that takes the rest of a fallback's path; undefined for every other row. */
export const restOf = ({ path }: RouteDefinition): string | undefined => /\{(\w{1,40})\*\}$/.exec(path)?.[1];

export type RouteTable = Readonly<Record<string, RouteDefinition>>;

/** A folder's route table, with its literal types kept for the handlers. */
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

/** What a handler gets: everything checked, and typed by its row of the route table. */
export interface RouteRequest<R extends RouteDefinition = RouteDefinition> {
  principal: PrincipalOf<R['access']>;
  /** The store of the credential, or of a member route's path; empty on routes that have none. */
  storeId: string;
  params: Readonly<Record<ParameterNames<R['path']>, string>>;
  query: R['query'] extends TObject ? Static<R['query']> : Record<never, never>;
  body: R['body'] extends TSchema ? Static<R['body']> : undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As it was sent: a route for GET also gets HEAD, and may spare itself the body. */
  method: string;
  /** The request's body, for routes without a `body` schema; who reads it limits it. */
  stream: Readable;
  /** Aborts when whoever asked is gone. */
  signal: AbortSignal;
  /** The path and the query as they were asked for: what a route takes may differ by a slash at the end. */
  url: string;
  /** The client's address, as the gateway saw it. */
  address: string;
  /** Of a GET: only the state is wanted, for its ETag, so what is computed may be anything; elsewhere false. */
  isForTag: boolean;
  /**
   * The database that a handler of a GET reads from: the service's pool, or the transaction of a write that compares the
   * item's state.
   */
  // biome-ignore lint/suspicious/noExplicitAny: a service's handlers name their own tables
  db: Kysely<any>;
  /** For rows with `idempotency: 'handler'`. */
  once: IdempotentWrite;
  log: Log;
}

type AnswerBody<R extends RouteDefinition> = R['answer'][1] extends TSchema ? Static<R['answer'][1]> : void;

type Handler<R extends RouteDefinition> = (request: RouteRequest<R>) => Promise<AnswerBody<R> | Answer>;

/** A handler that is more than its function. */
export interface DetailedHandler<R extends RouteDefinition> {
  /**
   * A rule that the contract puts before those of the body. Runs on every request of the row: when the JSON body is in,
   * and before it is looked at, only its size has been judged; a body that the handler reads by itself has not been
   * touched. It is left out where an Idempotency-Key was answered already: what the guard asks for may have ended with
   * that very answer.
   */
  guard?(request: Omit<RouteRequest<R>, 'body' | 'stream'>): Promise<unknown>;
  handle: Handler<R>;
}

/**
 * A handler that writes. It runs in one transaction, by the `WriteContext` that it is given and passes on. May run again
 * when other writes were in the way.
 */
// biome-ignore lint/suspicious/noExplicitAny: as above
export interface WriteHandler<R extends RouteDefinition, Tables = any>
  extends Pick<DetailedHandler<R>, 'guard'> {
  write(request: RouteRequest<R>, context: WriteContext<Tables>): Promise<AnswerBody<R> | Answer>;
}

/** One handler for every row of a route table; `Tables` are those that its writes have. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export type Handlers<T extends RouteTable, Tables = any> = {
  readonly [Name in keyof T]: Handler<T[Name]> | DetailedHandler<T[Name]> | WriteHandler<T[Name], Tables>;
};

type AnyFunction = (request: never) => Promise<unknown>;
type AnyWrite = (request: never, context: never) => Promise<unknown>;
type AnyHandlers = Readonly<
  Record<
    string,
    AnyFunction | { guard?: AnyFunction; handle: AnyFunction } | { guard?: AnyFunction; write: AnyWrite }
  >
>;

/**
 * Locks what a request changes until the transaction ends, as its handler does before it looks at it: If-Match is then
 * compared under that lock, with what the change will find. Without it both see one snapshot, and begin anew where a row
 * that is written was changed since. That seldom comes to an end where the change also writes what many write, as a
 * store's counts; and it is not enough where a rule looks at rows that are not written, as that a tree has no ring.
 */
export type Lock = (
  request: { storeId: string; params: Readonly<Record<string, string>> },
  context: WriteContext,
) => Promise<unknown>;

/**
 * Checks rights that a row's `access` does not, as those of a member of an organisation. It runs on every request with
 * an Idempotency-Key, since a stored answer is given only to who may still ask. `decisions.md 19.12`.
 */
export type AuthorizeKeyed = (
  route: Pick<RouteDefinition, 'method' | 'path' | 'access'>,
  request: { principal: Principal | null; params: Readonly<Record<string, string>> },
) => Promise<unknown>;

/** One folder of a service: its table, the functions behind it, and the lock under which they change something. */
export interface Aggregate<Context> {
  routes: RouteTable;
  handlers: (context: Context) => AnyHandlers;
  lock: ((context: Context) => Lock) | null;
}

/**
 * Puts a table and its handlers together; the compiler checks that every row has its function. What credentials reach
 * below `/api/v1` members reach as well, see `withMemberPath`.
 */
export function aggregate<Context, const T extends RouteTable>(
  routes: T,
  handlers: (context: Context) => Handlers<T>,
  lock: ((context: Context) => Lock) | null = null,
): Aggregate<Context> {
  const both = Object.entries<RouteDefinition>(routes).flatMap(([name, route]) =>
    withMemberPath(name, route),
  );
  return {
    routes: Object.fromEntries(both.map(({ name, route }) => [name, route])),
    handlers(context) {
      const functions: AnyHandlers = handlers(context);
      return Object.fromEntries(both.map(({ name, handler }) => [name, functions[handler]!]));
    },
    lock,
  };
}

const publicApi = '/api/v1/';

/**
 * The paths of a route, `decisions.md 10.1`: `/api/v1/<resource>` for a credential with its permission is
 * `/api/stores/{storeId}/<resource>` for a member whose role has it, and all else is the same. A route that only
 * refuses has no second path: the method is none there, or the service's own.
 */
function withMemberPath(name: string, route: RouteDefinition) {
  const own = { name, route, handler: name };
  const { access, path, answer } = route;
  const hasMembers = typeof access === 'object' && 'scope' in access && path.startsWith(publicApi);
  if (!hasMembers || answer[0] === 405) return [own];
  const twin: RouteDefinition = {
    ...route,
    path: `/api/stores/{storeId}/${path.slice(publicApi.length)}`,
    access: { member: access.scope },
  };
  return [own, { name: `${name}AsMember`, route: twin, handler: name }];
}

import type { ApiError, ErrorExtras, IdKind, Permission, Principal } from '@waybill/contracts';
import type { Static, TObject, TSchema } from 'typebox';
import type { Log } from '../log.ts';
import type { Answer } from './answer.ts';

/**
 * Who may call a route.
 * - `public`: anybody.
 * - `user`: a signed-in person.
 * - `service`: another service, with the service token; never through the gateway.
 * - `{ scope }`: an API key or app token with that permission, `store-api.md 5.2`.
 * - `{ member }`: a signed-in member of the path's store: any role, one that manages the store, or one whose
 *   role has the permission, `decisions.md 8.2`.
 */
export type Access =
  | 'public'
  | 'user'
  | 'service'
  | { scope: Permission }
  | { member: 'any' | 'manager' | Permission };

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One row of a service's route table: all of what a request must be and what it is answered with. */
export interface RouteDefinition {
  method: Method;
  /** With parameters in braces: `/api/v1/products/{id}`. */
  path: `/${string}`;
  access: Access;
  summary: string;
  description?: string;
  /** Parameters that are ids of a kind; anything else in their place is 404 without a look-up. */
  ids?: Readonly<Record<string, IdKind>>;
  /** Lenient: a value that does not fit counts as absent, a number over its maximum as the maximum. */
  query?: TObject;
  /** The JSON body; what does not fit is `invalid_body`, or the code that a schema's `errorCode` names. */
  body?: TSchema;
  /** The success's status and the shape of its body; null: no body. */
  answer: readonly [status: number, body: TSchema | null];
  /** The answer is not JSON; its content type, for the API document. */
  contentType?: string;
  /** The errors of its own, for the API document. */
  errors?: readonly ((extras?: ErrorExtras) => ApiError)[];
}

export type RouteTable = Readonly<Record<string, RouteDefinition>>;

/** A folder's route table, with its literal types kept for the handlers. */
export function defineRoutes<const T extends RouteTable>(routes: T): T {
  return routes;
}

type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;

type PrincipalOf<A extends Access> = A extends 'public' | 'service'
  ? null
  : A extends { scope: Permission }
    ? Extract<Principal, { kind: 'apiKey' | 'app' }>
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
  /** The client's address, as the gateway saw it. */
  address: string;
  log: Log;
}

type AnswerBody<R extends RouteDefinition> = R['answer'][1] extends TSchema ? Static<R['answer'][1]> : void;

/** One function for every row of a route table. */
export type Handlers<T extends RouteTable> = {
  readonly [Name in keyof T]: (request: RouteRequest<T[Name]>) => Promise<AnswerBody<T[Name]> | Answer>;
};

/** One folder of a service: its table and the functions behind it. */
export interface Aggregate<Context> {
  routes: RouteTable;
  handlers: (context: Context) => Readonly<Record<string, (request: never) => Promise<unknown>>>;
}

/** Puts a table and its handlers together; the compiler checks that every row has its function. */
export function aggregate<Context, const T extends RouteTable>(
  routes: T,
  handlers: (context: Context) => Handlers<T>,
): Aggregate<Context> {
  return { routes, handlers };
}

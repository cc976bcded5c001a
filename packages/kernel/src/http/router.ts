import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline as pipeBody, Readable } from 'node:stream';
import {
  ApiError,
  errors,
  holdsPermission,
  idPattern,
  managesStore,
  type Principal,
  permissionsOf,
  rolePermissions,
} from '@waybill/contracts';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { actingBy } from '../audit/acting.ts';
import { isTransient, isUnreachable, sqlState } from '../db/database.ts';
import type { UnitsOfWork } from '../db/units.ts';
import { type Caller, findCaller } from '../keys.ts';
import type { Log } from '../log.ts';
import { internalRequests, requestSeconds } from '../metrics.ts';
import { withServerSpan } from '../spans.ts';
import { readTrace, traceHeader } from '../trace.ts';
import { Answer, jsonType, jsonWithHeaders } from './answer.ts';
import { readJsonObject, textProblem } from './body.ts';
import { noteRoute, routeHeader } from './door.ts';
import { readFields, takesFields, withFields } from './fields.ts';
import { type Idempotency, type Once, readKey, takesKey, unkeyed } from './idempotency.ts';
import { type ItemRow, isAny, isKnown, isStillAsRead, itemRows } from './items.ts';
import { addressHeader, principalHeader } from './principal.ts';
import { appRefusal, namer, roleRefusal, scopeRefusal } from './refusals.ts';
import type { Access, Aggregate, RouteDefinition, RouteRequest } from './route.ts';
import { shownPath } from './server.ts';
import { bodyCheck, queryReader } from './validation.ts';

export interface RouterOptions<Context> {
  service: string;
  context: Context;
  /** Null without a database. */
  units: UnitsOfWork<unknown> | null;
  /** Null without a database. */
  idempotency: Idempotency | null;
  aggregates: readonly Aggregate<Context>[];
  errorTable: Record<string, (extras?: object) => ApiError>;
  verifyPrincipal: (token: string) => Promise<Principal | null>;
  callers: readonly Caller[];
  /** Whether answers say by a header which route they are of. */
  tellsRoute: boolean;
  log: Log;
}

/**
 * A service's route tables as an Express application: the one place where a request is checked and answered. The routes are
 * the application's own: a router within it, and an application around it, took a read a tenth of the service's CPU.
 */
export function createApp<Context>(options: RouterOptions<Context>): Express {
  const app = bareApp();
  const methods = new Map<string, string[]>();
  const entries = options.aggregates.flatMap(({ routes, handlers }) => {
    const functions = handlers(options.context);
    return Object.entries(routes).map(([name, route]) => ({ name, route, handler: functions[name]! }));
  });
  const items = itemRows(entries.map(({ route }) => route));
  const handlers = new Map(entries.map(({ route, handler }) => [route, handleOf(handler)]));
  for (const { name, route, handler } of entries) {
    const path = expressPath(route.path);
    // A route that only refuses does not make its method an allowed one.
    const allowed = route.answer[0] === 405 ? [] : [route.method];
    methods.set(path, [...(methods.get(path) ?? []), ...allowed]);
    const method = route.method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
    const item = items.get(route);
    const read = item?.reader ? readerOf(item.reader, handlers.get(item.reader)!) : null;
    const perform = performer(
      route,
      handleOf(handler),
      options.units,
      options.idempotency,
      item ? { ...item, read } : null,
    );
    app[method](path, pipeline(name, route, handler, perform, options));
  }
  for (const [path, allowed] of methods) {
    const allow = (allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed).join(', ');
    app.all(path, () => {
      throw errors.method_not_allowed({ headers: { allow } });
    });
  }
  return app.use(notFound, errorHandler(options.log));
}

/** An application that adds nothing of its own to an answer. */
export function bareApp(): Express {
  return express()
    .disable('x-powered-by')
    .disable('etag')
    .set('query parser', 'simple')
    .set('case sensitive routing', true);
}

const expressPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

type AnyHandler = ReturnType<Aggregate<never>['handlers']>[string];
type Handle = (request: never) => Promise<unknown>;

const handleOf = (handler: AnyHandler): Handle => (typeof handler === 'function' ? handler : handler.handle);

/**
 * Gives the text of what an item's GET answers now, asked in the course of another request about it, which says by its
 * path, its query, or its body where the path does not, which item that is.
 */
function readerOf(route: RouteDefinition, handle: Handle) {
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
 * `decisions.md 11.1`. Where there is something to compare, comparing and changing are one unit of work on one
 * snapshot: a row that somebody changes meanwhile fails it, and it begins anew with what is there then.
 */
function performer(
  route: RouteDefinition,
  handle: Handle,
  units: UnitsOfWork<unknown> | null,
  idempotency: Idempotency | null,
  item: (ItemRow & { read: Read | null }) | null,
): (request: RouteRequest, key: string | null) => Promise<unknown> {
  const { read = null, tagOf, tagFrom = null, revalidates = false } = item ?? {};
  const isOfOne = item !== null && route.method !== 'POST';

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
    { ifMatch, ifNoneMatch }: Conditions,
    make: () => Promise<Result>,
  ): Promise<Result> {
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
    if (ifMatch !== undefined && !read) throw errors.precondition_failed();
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
    const isolation = hasAny(conditions) ? 'repeatable read' : 'read committed';
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

/** If-None-Match is what a first write is bound to: only PUT makes what is not there. */
function conditionsOf({ method }: RouteDefinition, { headers }: RouteRequest): Conditions {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  return {
    ...(!isAny(ifMatch) && { ifMatch }),
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

function pipeline<Context>(
  name: string,
  route: RouteDefinition,
  handler: AnyHandler,
  perform: (request: RouteRequest, key: string | null) => Promise<unknown>,
  options: RouterOptions<Context>,
) {
  const { service, verifyPrincipal, callers, tellsRoute, log } = options;
  const guard = typeof handler === 'function' ? null : handler.guard;
  const idempotency = takesKey(route) ? options.idempotency : null;
  const checkBody = route.body && bodyCheck(route.body, options.errorTable);
  const readQuery = route.query && queryReader(route.query);
  const hasFields = takesFields(route);
  const idPatterns = Object.entries(route.ids ?? {}).map(
    ([param, kind]) => [param, new RegExp(idPattern(kind))] as const,
  );
  const [status, answerBody] = route.answer;
  const named = namer(route);

  const template = `${route.method} ${route.path}`;
  const attributes = () => ({ 'http.request.method': route.method, 'http.route': route.path });
  const span = { service, name: template, attributes };
  return (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const parent = readTrace(req.headers[traceHeader]);
    return withServerSpan({ ...span, parent }, parent, res, () => answer(req, res, next));
  };

  async function answer(req: Request, res: Response, next: NextFunction): Promise<void> {
    const started = performance.now();
    noteRoute(res, template);
    if (tellsRoute) res.setHeader(routeHeader, template);
    res.once('close', () => {
      requestSeconds.observe(
        { service, route: name, status: res.statusCode },
        (performance.now() - started) / 1000,
      );
    });
    try {
      const params = req.params as Record<string, string>;
      const token = req.headers[principalHeader];
      const principal = typeof token === 'string' ? await verifyPrincipal(token) : null;
      if (route.access === 'service') admitCaller(callers, service, req.headers.authorization);
      else checkAccess(route.access, principal, params);
      if (!Object.values(params).every(mayBeName)) throw errors.not_found();
      for (const [param, pattern] of idPatterns) if (!pattern.test(params[param]!)) throw errors.not_found();
      const request: RouteRequest = {
        principal: principal as never,
        storeId: (route.access !== 'public' && (principal?.storeId ?? params.storeId)) || '',
        params,
        query: readQuery ? readQuery(req.query) : {},
        body: undefined,
        headers: req.headers,
        method: req.method,
        stream: req,
        get signal() {
          return signalOf(res);
        },
        url: req.url,
        address: String(req.headers[addressHeader] ?? req.socket.remoteAddress ?? ''),
        isForTag: false,
        once: unkeyed,
        log,
      };
      const key = idempotency && readKey(req.headers);
      // What was done already, or is done meanwhile, may be what the guard would refuse now.
      const isAnswered = async () => key !== null && (await idempotency!.isAnswered(route, request, key));
      const guarded = async () => {
        if (!guard || (await isAnswered())) return;
        await guard(request as never).catch(async (error: unknown) => {
          if (!(await isAnswered())) throw error;
        });
      };
      if (checkBody) {
        const { body, problems } = await readJsonObject(req, res, guarded, route.isBodyOptional);
        checkBody(body, problems);
        request.body = body as never;
      } else await guarded();
      const fields = hasFields ? readFields(req.query) : null;
      const whole = await actingBy(request, () => perform(request, key));
      const result = fields ? withFields(whole, fields) : whole;
      if (answerBody === null && !(result instanceof Answer)) res.writeHead(status, notKept).end();
      else send(req, res, status, result);
    } catch (error) {
      next(named(error));
    }
  }
}

/** Made for who asks for it: most requests are answered before anybody could leave. */
function signalOf(res: Response): AbortSignal {
  const controller = new AbortController();
  if (res.closed) controller.abort();
  else res.once('close', () => controller.abort());
  return controller.signal;
}

/** Longer than any slug, key, id or file name. */
const maxNameLength = 512;

/** Whether a part of a path can name anything: no database could even be asked for what it does not store. */
function mayBeName(text: string): boolean {
  return text.length <= maxNameLength && textProblem(text) === null;
}

/** Throws unless the principal may call the route: the credential's scopes first, then the role. */
function checkAccess(
  access: Exclude<Access, 'service'>,
  principal: Principal | null,
  params: Record<string, string>,
): void {
  if (access === 'public') return;
  if (!principal) throw errors.missing_credential();
  if (access === 'user') {
    if (principal.kind !== 'user') throw errors.user_token_required();
  } else if (access === 'credential') {
    if (principal.kind === 'user') throw errors.api_key_required();
    if (permissionsOf(principal).length === 0) throw errors.insufficient_scope();
  } else if ('scope' in access) {
    if (!holdsPermission(principal, access.scope)) throw scopeRefusal(principal, access.scope);
  } else if ('app' in access) {
    const may = principal.kind === 'app' && holdsPermission(principal, access.app);
    if (!may) throw appRefusal(principal, access.app);
  } else {
    if (principal.kind !== 'user') throw errors.user_token_required();
    if (!principal.role || principal.storeId !== params.storeId) throw errors.not_found();
    const { member } = access;
    if (member === 'any') return;
    const may =
      member === 'manager' ? managesStore(principal.role) : rolePermissions[principal.role].includes(member);
    if (!may) throw roleRefusal(principal.role, member);
  }
}

/** Throws unless somebody who may ask internal routes asks; counts who does. `decisions.md 18.1`. */
function admitCaller(callers: readonly Caller[], service: string, authorization: string | undefined): void {
  const caller = findCaller(callers, authorization);
  if (caller === null) throw errors.missing_credential();
  internalRequests.inc({ service, caller });
}

/** `decisions.md 1.7`. */
const notKept = { 'cache-control': 'private, no-store' };

function send(req: IncomingMessage, res: ServerResponse, status: number, result: unknown): void {
  const answer = result instanceof Answer ? result : new Answer(JSON.stringify(result), jsonType);
  const { body } = answer;
  const isStream = body instanceof Readable;
  const code = answer.status ?? status;
  const hasBody = code !== 304 && code !== 204;
  res.writeHead(code, {
    ...(hasBody && { 'content-type': answer.contentType }),
    ...(!isStream && hasBody && { 'content-length': Buffer.byteLength(body) }),
    ...notKept,
    ...answer.headers,
  });
  if (!isStream) res.end(req.method === 'HEAD' ? undefined : body);
  else if (req.method === 'HEAD') {
    body.destroy();
    res.end();
  } else {
    // A body that breaks off has its length in a header: the client sees that it is short.
    pipeBody(body, res, () => {});
  }
}

/** What no route took, as the API's errors; the last two of every chain of routers. */
export function notFound(req: Request): never {
  throw req.path.startsWith('/api/v1/') ? errors.unknown_resource() : errors.not_found();
}

/** Express's form of `answerError`; it tells an error handler by its four parameters. */
export function errorHandler(log: Log) {
  return (error: unknown, req: Request, res: Response, _next: NextFunction): void =>
    answerError(error, req, res, log);
}

/** Turns whatever was thrown into `{ error, code }`: `store-api.md 7`, `decisions.md 1.13`. */
export function answerError(error: unknown, req: IncomingMessage, res: ServerResponse, log: Log): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const apiError = toApiError(error);
  if (apiError.status >= 500 && error !== apiError) {
    log.error(
      {
        err: error,
        method: req.method,
        url: shownPath(req.url!),
        requestId: res.getHeader('x-request-id'),
      },
      'a request failed',
    );
  }
  const headers = { ...(apiError.status === 503 && { 'retry-after': '1' }), ...apiError.headers };
  send(req, res, apiError.status, jsonWithHeaders(apiError.envelope(), headers));
}

/**
 * Makes what answers with an error that is the same each time, in as little time as that takes a server: nothing of it is
 * put together anew, and head and body are one text for one write.
 */
export function readyAnswer(error: ApiError) {
  const body = JSON.stringify(error.envelope());
  const headers = {
    'content-type': jsonType,
    'content-length': String(Buffer.byteLength(body)),
    ...notKept,
    ...error.headers,
  };
  return (req: IncomingMessage, res: ServerResponse, more: Readonly<Record<string, string>>): void => {
    res.writeHead(error.status, { ...more, ...headers });
    res.end(req.method === 'HEAD' ? undefined : body);
  };
}

/** What the database could not do this time: in time, for want of disk, for want of memory. */
const passing = new Set(['57014', '53100', '53200']);

/** Whether what failed may be asked again a little later: the database is away, or was busy with others. */
export function isPassing(error: unknown): boolean {
  return isUnreachable(error) || isTransient(error) || passing.has(sqlState(error) ?? '');
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  // A path that cannot be decoded names nothing.
  if (error instanceof URIError || (error as { status?: number })?.status === 400) return errors.not_found();
  if (isPassing(error)) {
    return errors.resource_unavailable({ headers: { 'retry-after': '1' } });
  }
  return errors.internal_error();
}

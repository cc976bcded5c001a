import { type ApiError, errors, idPattern, type Principal, type Problem } from '@waybill/contracts';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { Kysely } from 'kysely';
import type { UnitsOfWork } from '../db/units.ts';
import type { Caller } from '../operations/keys.ts';
import type { Log } from '../operations/log.ts';
import { requestSeconds } from '../operations/metrics.ts';
import { withServerSpan } from '../operations/spans.ts';
import { readTrace, traceHeader } from '../operations/trace.ts';
import { admitCaller, checkAccess } from './access.ts';
import { runAsPrincipal } from './actor.ts';
import { Answer } from './answer.ts';
import { findTextProblem, readJsonObject } from './body.ts';
import { recordRoute, routeHeader } from './edge-metrics.ts';
import { type AnyHandler, createRouteExecutor, type ExecuteRoute, stateReader } from './execute-route.ts';
import { acceptsFields, listMapNames, readFields, withFields } from './fields.ts';
import { acceptsIdempotencyKey, type Idempotency, isConflict, readKey } from './idempotency.ts';
import { groupCommitOnly } from './idempotent-write.ts';
import { type ItemRow, itemRows } from './items.ts';
import { addressHeader, principalHeader } from './principal.ts';
import { notFoundMessage, withNotFoundMessage } from './refusals.ts';
import {
  type Aggregate,
  type AuthorizeKeyed,
  findRestParameter,
  type RouteDefinition,
  type RouteRequest,
} from './route.ts';
import { errorHandler, noStoreHeaders, notFound, send } from './send.ts';
import { canFindUnknownFields, createStrictCheck, prefersStrict, strictAppliedHeader } from './strict.ts';
import { createBodyCheck, createQueryReader, type FindMoreProblems } from './validation.ts';

export interface RouterOptions<Context> {
  service: string;
  context: Context;
  /** Null without a database. */
  units: UnitsOfWork<unknown> | null;
  /** Null without a database. */
  idempotency: Idempotency | null;
  /** Throws if the service lacks what its routes need. It runs after the check of access, before all other checks. */
  requireConfigured: () => void;
  /** Throws unless the caller still has the right; runs before a stored answer is given. */
  authorizeKeyed: AuthorizeKeyed | null;
  aggregates: readonly Aggregate<Context>[];
  errorTable: Record<string, (extras?: object) => ApiError>;
  verifyPrincipal: (token: string) => Promise<Principal | null>;
  callers: readonly Caller[];
  /** The database from which handlers read. */
  db: Kysely<unknown>;
  /** Whether answers name their route in a header. */
  exposeRouteHeader: boolean;
  log: Log;
}

/**
 * Creates an Express application from a service's route tables: the one place where requests are checked and answered.
 * The routes belong to the application itself: a router within it, with an application around it, cost a read a tenth
 * of the service's CPU.
 */
export function createApp<Context>(options: RouterOptions<Context>): Express {
  const app = createBareApp();
  const methods = new Map<string, string[]>();
  const entries = options.aggregates.flatMap(({ routes, handlers, lock: createLock }) => {
    const functions = handlers(options.context);
    const lock = createLock?.(options.context) ?? null;
    return Object.entries(routes).map(([name, route]) => ({ name, route, handler: functions[name]!, lock }));
  });
  const items = itemRows(entries.map(({ route }) => route));
  const handlers = new Map(entries.map(({ route, handler }) => [route, handler]));
  for (const { name, route, handler, lock } of entries) {
    const path = expressPath(route.path);
    // A route that only rejects a method does not make the method allowed.
    const allowed = route.answer[0] === 405 ? [] : [route.method];
    if (!findRestParameter(route)) methods.set(path, [...(methods.get(path) ?? []), ...allowed]);
    const method = route.method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
    const item = items.get(route);
    const read = item?.reader ? stateReader(item.reader, handlers.get(item.reader)!) : null;
    const { units, idempotency } = options;
    const isWrite = (typeof handler === 'object' && 'write' in handler) || route.idempotency === 'handler';
    if (units && !isWrite) assertReadOnly(name, route, item);
    const writeRoute = { route, units, idempotency, lock, item: item ? { ...item, read } : null, isWrite };
    const executeRoute = createRouteExecutor(writeRoute, handler);
    app[method](path, createPipeline(name, route, handler, item?.reader ?? null, executeRoute, options));
  }
  // If several paths match an address, it has the methods of the most specific one, as in OpenAPI.
  for (const [path, allowed] of [...methods].sort(([a], [b]) => compareSpecificity(a, b))) {
    const allow = (allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed).join(', ');
    app.all(path, () => {
      throw errors.method_not_allowed({ headers: { allow } });
    });
  }
  return app.use(notFound, errorHandler(options.log));
}

/**
 * Throws for a route that may have to write in a transaction of the kernel, for a key or a condition, and whose handler
 * does not use one: its change would be committed separately from its response.
 */
function assertReadOnly(name: string, route: RouteDefinition, item: ItemRow | undefined): void {
  const { method, answer } = route;
  if (method === 'GET' || answer[0] === 405) return;
  const hasConditions = item !== undefined && method !== 'POST';
  if (acceptsIdempotencyKey(route) || hasConditions || item?.tagFrom === 'reader')
    throw new Error(`${name} (${method} ${route.path}) writes, so its handler has to be a \`write\``);
}

/** Creates an application that adds nothing of its own to an answer. */
export function createBareApp(): Express {
  return express()
    .disable('x-powered-by')
    .disable('etag')
    .set('query parser', 'simple')
    .set('case sensitive routing', true);
}

/** Sorts paths of Express so that a literal segment comes before a parameter in its place. */
function compareSpecificity(a: string, b: string): number {
  const rank = (path: string) =>
    path
      .split('/')
      .map((segment) => (/[:*]/.test(segment) ? 1 : 0))
      .join('');
  return rank(a) < rank(b) ? -1 : Number(rank(a) > rank(b));
}

const expressPath = (path: string): string =>
  path.replace(/\{(\w+)\*\}$/, '*$1').replaceAll(/\{(\w+)\}/g, ':$1');

/** Creates the handler of a route in Express: traces and measures each request, and answers it. */
function createPipeline<Context>(
  name: string,
  route: RouteDefinition,
  handler: AnyHandler,
  reader: RouteDefinition | null,
  executeRoute: ExecuteRoute,
  options: RouterOptions<Context>,
) {
  const { service, exposeRouteHeader } = options;
  const template = `${route.method} ${route.path}`;
  const attributes = () => ({ 'http.request.method': route.method, 'http.route': route.path });
  const span = { service, name: template, attributes };
  const answer = createResponder(route, handler, reader, executeRoute, options);
  return (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const parent = readTrace(req.headers[traceHeader]);
    return withServerSpan({ ...span, parent }, parent, res, () => {
      const startedAt = performance.now();
      recordRoute(res, template);
      if (exposeRouteHeader) res.setHeader(routeHeader, template);
      res.once('close', () => {
        requestSeconds.observe(
          { service, route: name, status: res.statusCode },
          (performance.now() - startedAt) / 1000,
        );
      });
      return answer(req, res, next);
    });
  };
}

/** Prepares the checks of a route that do not depend on a request. */
function prepareChecks(
  route: RouteDefinition,
  reader: RouteDefinition | null,
  errorTable: RouterOptions<unknown>['errorTable'],
) {
  const item = reader ? [route, reader] : [route];
  return {
    checkBody: route.body && createBodyCheck(route.body, errorTable),
    findUnknown: canFindUnknownFields(route) ? createStrictCheck(route.body!, item) : null,
    readQuery: route.query && createQueryReader(route.query),
    hasFields: acceptsFields(route),
    mapNames: listMapNames(route),
    idPatterns: Object.entries(route.ids ?? {}).map(
      ([param, kind]) => [param, new RegExp(idPattern(kind))] as const,
    ),
    restName: findRestParameter(route),
  };
}

/** Returns a function that checks a request, runs its handler and sends the answer. */
function createResponder<Context>(
  route: RouteDefinition,
  handler: AnyHandler,
  reader: RouteDefinition | null,
  executeRoute: ExecuteRoute,
  options: RouterOptions<Context>,
) {
  const { service, verifyPrincipal, callers, log } = options;
  const detailed = typeof handler === 'function' ? undefined : handler;
  const [guard, findProblems] = [detailed?.guard, detailed?.findProblems];
  const idempotency = acceptsIdempotencyKey(route) ? options.idempotency : null;
  const checks = prepareChecks(route, reader, options.errorTable);
  const { checkBody, findUnknown, readQuery, hasFields, mapNames, idPatterns, restName } = checks;
  const [status, answerBody] = route.answer;
  const message = notFoundMessage(route);

  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const isStrict = findUnknown !== null && prefersStrict(req.headers.prefer);
    if (isStrict) res.setHeader(...strictAppliedHeader);
    try {
      const params = req.params as Record<string, string>;
      const token = req.headers[principalHeader];
      const principal = typeof token === 'string' ? await verifyPrincipal(token) : null;
      if (route.access === 'service') admitCaller(callers, service, req.headers.authorization);
      else {
        checkAccess(route.access, principal, params);
        options.requireConfigured();
      }
      // The rest of a path is an array of its parts, and no handler gets it.
      if (restName) delete params[restName];
      if (!Object.values(params).every(isPossibleName)) throw errors.not_found();
      for (const [param, pattern] of idPatterns) if (!pattern.test(params[param]!)) throw errors.not_found();
      const request = createRequest(req, res, route, principal, options);
      if (readQuery) request.query = readQuery(req.query) as never;
      const key = idempotency && readKey(req.headers);
      if (key !== null) await options.authorizeKeyed?.(route, request);
      // The guard might now refuse a request that was already done, or is done meanwhile.
      const isAnswered = async () => key !== null && (await idempotency!.isAnswered(route, request, key));
      let refusal: unknown = null;
      const runGuard = async () => {
        if (!guard || (await isAnswered())) return;
        await guard(request as never).catch(async (error: unknown) => {
          if (await isAnswered()) return;
          if (key === null || !isConflict(error)) throw error;
          refusal = error;
        });
      };
      if (checkBody) {
        try {
          const { body, problems } = await readJsonObject(req, res, runGuard, {
            isOptional: route.isBodyOptional,
            maxBytes: route.maxBodyBytes,
          });
          request.body = body as never;
          if (!refusal) {
            const found = isStrict ? [...problems, ...findUnknown(body)] : problems;
            await checkBody(body, found, findProblems && findMoreWith(findProblems, request));
          }
        } catch (error) {
          // The answer to this key may be the guard's conflict, which comes before what is wrong with the body.
          if (!guard || key === null) throw error;
          refusal ??= error;
        }
      } else await runGuard();
      const fields = hasFields ? readFields(req.query) : null;
      const fullResult = await runAsPrincipal(request, () => executeRoute(request, key, refusal));
      const result = fields ? withFields(fullResult, fields, mapNames) : fullResult;
      if (answerBody === null && !(result instanceof Answer)) res.writeHead(status, noStoreHeaders).end();
      else send(req, res, status, result, log);
    } catch (error) {
      next(withNotFoundMessage(error, message));
    }
  };
}

/** Returns the function that has a handler find further problems of a request that is refused. */
const findMoreWith =
  (findProblems: (request: never) => Promise<unknown>, request: RouteRequest): FindMoreProblems =>
  (body, refused) =>
    findProblems(Object.assign(Object.create(request), { body, refused }) as never) as Promise<Problem[]>;

/** Creates the request that a handler gets. Its query is empty, and its body undefined, until they are read. */
function createRequest<Context>(
  req: Request,
  res: Response,
  route: RouteDefinition,
  principal: Principal | null,
  { db, log }: RouterOptions<Context>,
): RouteRequest {
  const params = req.params as Record<string, string>;
  return {
    principal: principal as never,
    storeId: (route.access !== 'public' && (principal?.storeId ?? params.storeId)) || '',
    params,
    query: {},
    body: undefined,
    headers: req.headers,
    method: req.method,
    stream: req,
    get signal() {
      return createAbortSignal(res);
    },
    url: req.url,
    address: String(req.headers[addressHeader] ?? req.socket.remoteAddress ?? ''),
    isForTag: false,
    db,
    idempotentWrite: groupCommitOnly,
    log,
  };
}

/** Creates the signal on demand: most requests are answered before the client could leave. */
function createAbortSignal(res: Response): AbortSignal {
  const controller = new AbortController();
  if (res.closed) controller.abort();
  // After the answer nobody waits for an abort, and an abort costs an exception with its stack.
  else res.once('close', () => !res.writableFinished && controller.abort());
  return controller.signal;
}

/** Longer than any slug, key, id or file name. */
const maxNameLength = 512;

/** Whether a part of a path can be a name: a database refuses texts that it cannot store, even in a query. */
function isPossibleName(text: string): boolean {
  return text.length <= maxNameLength && findTextProblem(text) === null;
}

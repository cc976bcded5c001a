import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline as pipeBody, Readable } from 'node:stream';
import {
  ApiError,
  errors,
  holdsPermission,
  idPattern,
  managesStore,
  type Principal,
  rolePermissions,
} from '@waybill/contracts';
import express, { type NextFunction, type Request, type Response, type Router } from 'express';
import { isUnreachable, sqlState } from '../db/database.ts';
import type { Log } from '../log.ts';
import { requestSeconds } from '../metrics.ts';
import { withServerSpan } from '../spans.ts';
import { readTrace, traceHeader } from '../trace.ts';
import { Answer, jsonType, jsonWithHeaders } from './answer.ts';
import { readJsonObject, textProblem } from './body.ts';
import { addressHeader, principalHeader } from './principal.ts';
import type { Access, Aggregate, RouteDefinition, RouteRequest } from './route.ts';
import { bodyCheck, queryReader } from './validation.ts';

export interface RouterOptions<Context> {
  service: string;
  context: Context;
  aggregates: readonly Aggregate<Context>[];
  errorTable: Record<string, (extras?: object) => ApiError>;
  verifyPrincipal: (token: string) => Promise<Principal | null>;
  serviceToken: string;
  log: Log;
}

/** A service's route tables as an Express router: the one place where a request is checked and answered. */
export function createRouter<Context>(options: RouterOptions<Context>): Router {
  const router = express.Router({ caseSensitive: true, strict: false });
  const methods = new Map<string, string[]>();
  const entries = options.aggregates.flatMap(({ routes, handlers }) => {
    const functions = handlers(options.context);
    return Object.entries(routes).map(([name, route]) => ({ name, route, handler: functions[name]! }));
  });
  for (const { name, route, handler } of entries) {
    const path = expressPath(route.path);
    // A route that only refuses does not make its method an allowed one.
    const allowed = route.answer[0] === 405 ? [] : [route.method];
    methods.set(path, [...(methods.get(path) ?? []), ...allowed]);
    const method = route.method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
    router[method](path, pipeline(name, route, handler, options));
  }
  for (const [path, allowed] of methods) {
    const allow = (allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed).join(', ');
    router.all(path, () => {
      throw errors.method_not_allowed({ headers: { allow } });
    });
  }
  return router;
}

const expressPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

type AggregateHandlers = ReturnType<Aggregate<never>['handlers']>;

function pipeline<Context>(
  name: string,
  route: RouteDefinition,
  handler: AggregateHandlers[string],
  options: RouterOptions<Context>,
) {
  const { service, verifyPrincipal, serviceToken, log } = options;
  const { guard, handle } = typeof handler === 'function' ? { guard: null, handle: handler } : handler;
  const checkBody = route.body && bodyCheck(route.body, options.errorTable);
  const readQuery = route.query && queryReader(route.query);
  const idPatterns = Object.entries(route.ids ?? {}).map(
    ([param, kind]) => [param, new RegExp(idPattern(kind))] as const,
  );
  const [status, answerBody] = route.answer;

  const attributes = () => ({ 'http.request.method': route.method, 'http.route': route.path });
  const span = { service, name: `${route.method} ${route.path}`, attributes };
  return (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const parent = readTrace(req.headers[traceHeader]);
    return withServerSpan({ ...span, parent }, parent, res, () => answer(req, res, next));
  };

  async function answer(req: Request, res: Response, next: NextFunction): Promise<void> {
    const started = performance.now();
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
      checkAccess(route.access, principal, params, req.headers.authorization, serviceToken);
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
        log,
      };
      if (checkBody) {
        const guarded = () => guard?.(request as never);
        const body = await readJsonObject(req, res, guarded, route.isBodyOptional);
        checkBody(body);
        request.body = body as never;
      } else await guard?.(request as never);
      const result = await handle(request as never);
      if (answerBody === null && !(result instanceof Answer)) res.writeHead(status, notKept).end();
      else send(req, res, status, result);
    } catch (error) {
      next(error);
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
  access: Access,
  principal: Principal | null,
  params: Record<string, string>,
  authorization: string | undefined,
  serviceToken: string,
): void {
  if (access === 'public') return;
  if (access === 'service') {
    if (!sameText(authorization ?? '', `Bearer ${serviceToken}`)) throw errors.missing_credential();
    return;
  }
  if (!principal) throw errors.missing_credential();
  if (access === 'user') {
    if (principal.kind !== 'user') throw errors.user_token_required();
  } else if ('scope' in access) {
    if (!holdsPermission(principal, access.scope)) throw errors.insufficient_scope();
  } else if ('app' in access) {
    const may = principal.kind === 'app' && holdsPermission(principal, access.app);
    if (!may) throw errors.insufficient_scope();
  } else {
    if (principal.kind !== 'user') throw errors.user_token_required();
    if (!principal.role || principal.storeId !== params.storeId) throw errors.not_found();
    const { member } = access;
    if (member === 'any') return;
    const may =
      member === 'manager' ? managesStore(principal.role) : rolePermissions[principal.role].includes(member);
    if (!may) throw errors.insufficient_role();
  }
}

/** Compares in a time that tells nothing of where two texts differ. */
function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** `decisions.md 1.7`. */
const notKept = { 'cache-control': 'private, no-store' };

function send(req: IncomingMessage, res: ServerResponse, status: number, result: unknown): void {
  const answer = result instanceof Answer ? result : new Answer(JSON.stringify(result), jsonType);
  const { body } = answer;
  const isStream = body instanceof Readable;
  const code = answer.status ?? status;
  res.writeHead(code, {
    ...(code !== 304 && { 'content-type': answer.contentType }),
    ...(!isStream && code !== 304 && { 'content-length': Buffer.byteLength(body) }),
    ...notKept,
    ...answer.headers,
  });
  if (!isStream) res.end(req.method === 'HEAD' ? undefined : body);
  else if (req.method === 'HEAD') {
    body.destroy();
    res.end();
  } else {
    // A body that breaks off has told its length: the client sees that it is short.
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
      { err: error, method: req.method, url: req.url, requestId: res.getHeader('x-request-id') },
      'a request failed',
    );
  }
  send(req, res, apiError.status, jsonWithHeaders(apiError.envelope(), apiError.headers));
}

/** What the database could not do this time: in time, for want of disk, for want of memory. */
const passing = new Set(['57014', '53100', '53200']);

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  // A path that cannot be decoded names nothing.
  if (error instanceof URIError || (error as { status?: number })?.status === 400) return errors.not_found();
  if (isUnreachable(error) || passing.has(sqlState(error) ?? '')) {
    return errors.resource_unavailable({ headers: { 'retry-after': '1' } });
  }
  return errors.internal_error();
}

import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
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
import { Answer, jsonType } from './answer.ts';
import { readJsonObject } from './body.ts';
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
    return Object.entries(routes).map(([name, route]) => ({ name, route, handle: functions[name]! }));
  });
  for (const { name, route, handle } of entries) {
    const path = expressPath(route.path);
    methods.set(path, [...(methods.get(path) ?? []), route.method]);
    const method = route.method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
    router[method](path, pipeline(name, route, handle, options));
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

type Handle = (request: never) => Promise<unknown>;

function pipeline<Context>(
  name: string,
  route: RouteDefinition,
  handle: Handle,
  options: RouterOptions<Context>,
) {
  const { service, verifyPrincipal, serviceToken, log } = options;
  const checkBody = route.body && bodyCheck(route.body, options.errorTable);
  const readQuery = route.query && queryReader(route.query);
  const idPatterns = Object.entries(route.ids ?? {}).map(
    ([param, kind]) => [param, new RegExp(idPattern(kind))] as const,
  );
  const [status, answerBody] = route.answer;

  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
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
      for (const [param, pattern] of idPatterns) if (!pattern.test(params[param]!)) throw errors.not_found();
      const body = checkBody && (await readJsonObject(req, res));
      checkBody?.(body);
      const request: RouteRequest = {
        principal: principal as never,
        storeId: (route.access !== 'public' && (principal?.storeId ?? params.storeId)) || '',
        params,
        query: readQuery ? readQuery(req.query) : {},
        body: body as never,
        headers: req.headers,
        address: String(req.headers[addressHeader] ?? req.socket.remoteAddress ?? ''),
        log,
      };
      const result = await handle(request as never);
      if (answerBody === null && !(result instanceof Answer)) res.writeHead(status, notKept).end();
      else send(req, res, status, result);
    } catch (error) {
      next(error);
    }
  };
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
  res.writeHead(status, {
    'content-type': answer.contentType,
    'content-length': Buffer.byteLength(answer.body),
    ...notKept,
    ...answer.headers,
  });
  res.end(req.method === 'HEAD' ? undefined : answer.body);
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
  for (const [name, value] of Object.entries(apiError.headers)) res.setHeader(name, value);
  send(req, res, apiError.status, apiError.envelope());
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  // A path that cannot be decoded names nothing.
  if (error instanceof URIError || (error as { status?: number })?.status === 400) return errors.not_found();
  if (isUnreachable(error) || sqlState(error) === '57014') {
    return errors.resource_unavailable({ headers: { 'retry-after': '1' } });
  }
  return errors.internal_error();
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline as pipeBody, Readable } from 'node:stream';
import { ApiError, errors } from '@waybill/contracts';
import type { NextFunction, Request, Response } from 'express';
import { isTransient, isUnreachable, sqlState } from '../db/database.ts';
import type { Log } from '../operations/log.ts';
import { Answer, jsonType, jsonWithHeaders, selectEncoding } from './answer.ts';
import { redactPath } from './server.ts';

/** `decisions.md 1.7`. */
export const noStoreHeaders = { 'cache-control': 'private, no-store' };

/** Sends the result of a handler, with the route's own status unless the result has one. */
export function send(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  result: unknown,
  log: Log,
): void {
  const answer = result instanceof Answer ? result : new Answer(JSON.stringify(result), jsonType);
  const { body } = answer;
  const isStream = body instanceof Readable;
  const code = answer.status ?? status;
  const hasBody = code !== 304 && code !== 204;
  const length = isStream ? 0 : Buffer.byteLength(body);
  res.writeHead(code, {
    ...(hasBody && { 'content-type': answer.contentType }),
    ...(!isStream && hasBody && { 'content-length': length }),
    ...noStoreHeaders,
    ...answer.headers,
  });
  if (!isStream) {
    if (req.method === 'HEAD') res.end();
    else if (typeof body === 'string') res.end(body, selectEncoding(body, length));
    else res.end(body);
  } else if (req.method === 'HEAD') {
    body.destroy();
    res.end();
  } else {
    // A body that breaks off has its length in a header or lacks its end, so the client notices that it is incomplete.
    pipeBody(body, res, (err) => {
      // A client that has gone is no failure.
      if (!err || err.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
      log.error({ err, ...describeRequest(req, res) }, 'an answer broke off');
    });
  }
}

/**
 * Answers a request that no route took, as an error of the API. It and `errorHandler` are the last of every chain of
 * routers.
 */
export function notFound(req: Request): never {
  throw req.path.startsWith('/api/v1/') ? errors.unknown_resource() : errors.not_found();
}

/** Returns `answerError` in the form of Express, which recognises an error handler by its four parameters. */
export function errorHandler(log: Log) {
  return (error: unknown, req: Request, res: Response, _next: NextFunction): void =>
    answerError(error, req, res, log);
}

/** Turns any thrown value into `{ error, code }`: `store-api.md 7`, `decisions.md 1.13`. */
export function answerError(error: unknown, req: IncomingMessage, res: ServerResponse, log: Log): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const apiError = toApiError(error);
  if (apiError.status >= 500 && error !== apiError) {
    log.error({ err: error, ...describeRequest(req, res) }, 'a request failed');
  }
  const headers = { ...(apiError.status === 503 && { 'retry-after': '1' }), ...apiError.headers };
  send(req, res, apiError.status, jsonWithHeaders(apiError.envelope(), headers), log);
}

const describeRequest = (req: IncomingMessage, res: ServerResponse) => ({
  method: req.method,
  url: redactPath(req.url!),
  requestId: res.getHeader('x-request-id'),
});

/**
 * Creates a function that answers with an error that is always the same, as fast as a server can: everything is built
 * in advance, and head and body go out in one write.
 */
export function prepareAnswer(error: ApiError) {
  const body = JSON.stringify(error.envelope());
  const headers = {
    'content-type': jsonType,
    'content-length': String(Buffer.byteLength(body)),
    ...noStoreHeaders,
    ...error.headers,
  };
  return (req: IncomingMessage, res: ServerResponse, more: Readonly<Record<string, string>>): void => {
    res.writeHead(error.status, { ...more, ...headers });
    res.end(req.method === 'HEAD' ? undefined : body);
  };
}

/** SQLSTATEs of temporary failures of the database: a timeout, a full disk, no memory. */
const transientStates = new Set(['57014', '53100', '53200']);

/** Whether the request may succeed a little later: the database is unreachable, or was busy with others. */
export function isTemporary(error: unknown): boolean {
  return isUnreachable(error) || isTransient(error) || transientStates.has(sqlState(error) ?? '');
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  // A path that cannot be decoded names nothing.
  if (error instanceof URIError || (error as { status?: number })?.status === 400) return errors.not_found();
  if (isTemporary(error)) {
    return errors.resource_unavailable({ headers: { 'retry-after': '1' } });
  }
  return errors.internal_error();
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { errors } from '@waybill/contracts';
import type { Agent, Dispatcher } from 'undici';
import { refusedRequests } from '../operations/metrics.ts';
import { recordRoute, routeHeader } from './edge-metrics.ts';
import type { ReplicaPool } from './replica-pool.ts';
import { hasBody } from './server.ts';

/** Headers that concern only one connection; and `expect`, which the gateway's own server has already answered. */
const hopByHop = [
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Header of a `503` answer that says that the service sheds load. */
export const shedHeader = 'x-waybill-shed';

/** Maximum number of attempts before a request counts as failed, and the pause between them, which grows. */
export const retryPolicy = { maxAttempts: 5, pauseMs: 50 };

/** Creates the function that has a service in another process answer a request, with bodies streamed both ways. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one closure
export function createForwarding({
  agent,
  replicas,
  silenceMs,
  report,
}: {
  agent: Agent;
  replicas: ReplicaPool;
  /** How long a service may be silent; four times as long for files. */
  silenceMs: number;
  report(service: string, fields: object, message: string): void;
}) {
  // An upload is answered only when the file is on disk, after others that came at the same time; and a client may
  // pause while it reads a file.
  const fileSilenceMs = 4 * silenceMs;

  /** Forwards a request. If a replica of the service goes away, a request that may be repeated is sent to another. */
  return function forward(service: string, req: IncomingMessage, res: ServerResponse, attempt = 1): void {
    const origin = replicas.next(service)!;
    const headers = { ...req.headers };
    for (const name of ['host', ...hopByHop]) delete headers[name];
    if (isRead(req.method!)) delete headers['content-length'];
    let forwarding: Dispatcher.DispatchController | undefined;
    // Runs while the client stops reading.
    let stallTimer: NodeJS.Timeout | undefined;
    const abort = () => {
      clearTimeout(stallTimer);
      // Creating an error costs more than everything else at the end of a request.
      if (!res.writableEnded) forwarding?.abort(new Error('nobody reads the answer'));
    };
    res.once('close', abort);
    agent.dispatch(
      {
        origin,
        path: req.url!,
        method: req.method as Dispatcher.HttpMethod,
        headers,
        body: isRead(req.method!) || !hasBody(req) ? null : streamBody(req),
        headersTimeout: req.headers['content-type']?.startsWith('multipart/') ? fileSilenceMs : silenceMs,
        bodyTimeout: fileSilenceMs,
      },
      {
        onRequestStart(controller) {
          forwarding = controller;
          if (res.destroyed) abort();
        },
        onResponseStart(_controller, status, reply) {
          for (const name of hopByHop) delete reply[name];
          const route = reply[routeHeader];
          delete reply[routeHeader];
          if (typeof route === 'string') recordRoute(res, route);
          if (reply[shedHeader]) replicas.recordShed(origin);
          delete reply[shedHeader];
          res.writeHead(status, reply);
        },
        onResponseData(controller, chunk) {
          if (res.write(chunk)) return;
          controller.pause();
          stallTimer = setTimeout(() => res.destroy(), fileSilenceMs);
          res.once('drain', () => {
            clearTimeout(stallTimer);
            controller.resume();
          });
        },
        onResponseEnd() {
          res.end();
        },
        onResponseError(_controller, err) {
          replicas.recordFailure(origin, err);
          if (res.headersSent || res.destroyed) return void res.destroy();
          if (attempt < retryPolicy.maxAttempts && canRepeat(err, isRead(req.method!))) {
            res.off('close', abort);
            const retry = () => {
              if (!res.destroyed) forward(service, req, res, attempt + 1);
            };
            setTimeout(retry, retryPolicy.pauseMs * attempt);
            return;
          }
          report(service, { err, target: origin }, 'a service did not answer');
          refusedRequests.inc({ reason: 'no_answer' });
          const error = createUnavailableError();
          res.writeHead(error.status, {
            'content-type': 'application/json; charset=utf-8',
            ...error.headers,
          });
          res.end(JSON.stringify(error.envelope()));
        },
      },
    );
  };
}

const isRead = (method: string) => method === 'GET' || method === 'HEAD';

/** Cast to the type that undici declares; undici takes any iterable. */
const streamBody = (req: IncomingMessage) => readBody(req) as AsyncIterable<Buffer> as Readable;

/**
 * Reads the body only when a connection asks for it: a body that nobody has begun to read can go to another replica.
 * The part that a service leaves unread is read to its end, because the client's connection carries other requests
 * after it.
 */
async function* readBody(req: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* req.iterator({ destroyOnReturn: false });
  } finally {
    req.resume();
  }
}

/**
 * Whether a request may be sent again. A refused connection has carried nothing. A request that was sent may be
 * repeated if doing it twice is harmless, but not after a silence, which used up the time of the caller.
 */
export function canRepeat(error: unknown, isIdempotent: boolean): boolean {
  const { code, name } = error as NodeJS.ErrnoException;
  return (
    code === 'ECONNREFUSED' || (isIdempotent && !timeoutCodes.has(code ?? '') && name !== 'TimeoutError')
  );
}

const timeoutCodes = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** Returns the error for a request that a service did not answer. */
export function createUnavailableError() {
  return errors.resource_unavailable({ headers: { 'retry-after': '1' } });
}

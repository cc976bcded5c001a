import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { errors } from '@waybill/contracts';
import type { Agent, Dispatcher } from 'undici';
import { refusedRequests } from '../operations/metrics.ts';
import { noteRoute, routeHeader } from './edge-metrics.ts';
import type { ReplicaPool } from './replica-pool.ts';
import { hasBody } from './server.ts';

/** What is between two ends of one connection; and `expect`, which the gateway's own server has answered. */
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

/** Of an answer `503`: the service sheds what comes to it. */
export const shedHeader = 'x-waybill-shed';

/** How often something is asked before it counts as failed, and what is waited in between, longer each time. */
export const attempts = { most: 5, pauseMs: 50 };

/** Makes what lets a service of another process answer a request, with bodies streamed both ways. */
export function createForwarding({
  agent,
  replicas,
  silenceMs,
  report,
}: {
  agent: Agent;
  replicas: ReplicaPool;
  /** How long a service may be silent; with files four times as long. */
  silenceMs: number;
  report(service: string, fields: object, message: string): void;
}) {
  // A file is only answered when it is on disk, after others that came at the same time; and who reads one may pause.
  const fileSilenceMs = 4 * silenceMs;

  /** What may be repeated when a copy goes away is asked of another. */
  return function forward(service: string, req: IncomingMessage, res: ServerResponse, attempt = 1): void {
    const origin = replicas.next(service)!;
    const headers = { ...req.headers };
    for (const name of ['host', ...hopByHop]) delete headers[name];
    if (isRead(req.method!)) delete headers['content-length'];
    let forwarding: Dispatcher.DispatchController | undefined;
    // Runs while the client does not read on.
    let stalled: NodeJS.Timeout | undefined;
    const giveUp = () => {
      clearTimeout(stalled);
      // An error costs more than all else that is done at an end.
      if (!res.writableEnded) forwarding?.abort(new Error('nobody reads the answer'));
    };
    res.once('close', giveUp);
    agent.dispatch(
      {
        origin,
        path: req.url!,
        method: req.method as Dispatcher.HttpMethod,
        headers,
        body: isRead(req.method!) || !hasBody(req) ? null : bodyOf(req),
        headersTimeout: req.headers['content-type']?.startsWith('multipart/') ? fileSilenceMs : silenceMs,
        bodyTimeout: fileSilenceMs,
      },
      {
        onRequestStart(controller) {
          forwarding = controller;
          if (res.destroyed) giveUp();
        },
        onResponseStart(_controller, status, reply) {
          for (const name of hopByHop) delete reply[name];
          const route = reply[routeHeader];
          delete reply[routeHeader];
          if (typeof route === 'string') noteRoute(res, route);
          if (reply[shedHeader]) replicas.noteShed(origin);
          delete reply[shedHeader];
          res.writeHead(status, reply);
        },
        onResponseData(controller, chunk) {
          if (res.write(chunk)) return;
          controller.pause();
          stalled = setTimeout(() => res.destroy(), fileSilenceMs);
          res.once('drain', () => {
            clearTimeout(stalled);
            controller.resume();
          });
        },
        onResponseEnd() {
          res.end();
        },
        onResponseError(_controller, err) {
          replicas.noteFailure(origin, err);
          if (res.headersSent || res.destroyed) return void res.destroy();
          if (attempt < attempts.most && mayBeRepeated(err, isRead(req.method!))) {
            res.off('close', giveUp);
            const again = () => {
              if (!res.destroyed) forward(service, req, res, attempt + 1);
            };
            setTimeout(again, attempts.pauseMs * attempt);
            return;
          }
          report(service, { err, target: origin }, 'a service did not answer');
          refusedRequests.inc({ reason: 'no_answer' });
          const error = unavailable();
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

/** In the type that undici's own has room for; it takes any iterable. */
const bodyOf = (req: IncomingMessage) => readBody(req) as AsyncIterable<Buffer> as Readable;

/**
 * The body, not touched before a connection asks for it: one that nobody has begun to read can go to another copy. What
 * a service leaves of it is read to its end: the client's connection carries other requests after it.
 */
async function* readBody(req: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* req.iterator({ destroyOnReturn: false });
  } finally {
    req.resume();
  }
}

/**
 * A refused connection has carried nothing. What was sent may be sent again if nothing is done twice by it; but not
 * after a silence, which was all the time that whoever asked had.
 */
export function mayBeRepeated(error: unknown, mayBeDoneTwice: boolean): boolean {
  const { code, name } = error as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' || (mayBeDoneTwice && !silences.has(code ?? '') && name !== 'TimeoutError');
}

const silences = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** The refusal of what a service did not answer. */
export function unavailable() {
  return errors.resource_unavailable({ headers: { 'retry-after': '1' } });
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from '@waybill/contracts';
import { Agent, type Dispatcher } from 'undici';
import { noteRoute, routeHeader } from './http/door.ts';
import { hasBody } from './http/server.ts';
import { type Log, rateLimited } from './log.ts';
import { refusedRequests } from './metrics.ts';
import { currentTrace, traceHeader } from './trace.ts';

type Listener = (req: IncomingMessage, res: ServerResponse) => void;

/** The other services, wherever they run: in this process or at an address. */
export interface Peers {
  /** Whether the deployment has that service at all. */
  has(service: string): boolean;
  /** Whether each copy of it sheds what comes: that is refused where it came in, at less cost. */
  isShedding(service: string): boolean;
  /** Lets a service answer a request, with these headers put in place of the client's. Bodies are streamed both ways. */
  forward(
    service: string,
    req: IncomingMessage,
    res: ServerResponse,
    headers: Record<string, string | undefined>,
  ): void;
  /**
   * Asks another service's internal route and gives its JSON. Null: it answered 404. Throws
   * `resource_unavailable` when it is out of reach or fails. Where a copy goes away before it has answered, another
   * is asked: what services ask of each other must come to the same when it is asked twice.
   */
  call<Reply>(service: string, method: 'GET' | 'POST', path: string, body?: object): Promise<Reply | null>;
}

export interface PeersOptions {
  /** Services of other processes → the base URLs of their internal addresses; several copies take turns. */
  urls: Readonly<Record<string, readonly string[]>>;
  serviceToken: string;
  log: Log;
  /** How long a connection is kept; one that is older ends with the request that it has. */
  connectionMs?: number;
  /** How long the answer to a call may take. */
  callMs?: number;
  /**
   * How long a service may be silent on a request that was forwarded to it: more than the half minute for which a
   * client may have it wait. With files four times as long.
   */
  silenceMs?: number;
}

export interface PeersControl extends Peers {
  /** Adds a service of this process; `url` is where its internal routes answer. */
  addLocal(service: string, listener: Listener, url: () => string, isShedding: () => boolean): void;
  close(): void;
}

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

export function createPeers(options: PeersOptions): PeersControl {
  const { urls, serviceToken, log, connectionMs = 60_000, callMs = 5_000, silenceMs = 40_000 } = options;
  // A file is only answered when it is on disk, after others that came at the same time; and who reads one may pause.
  const fileSilenceMs = 4 * silenceMs;
  const local = new Map<string, { listener: Listener; url: () => string; isShedding: () => boolean }>();
  /** Until when a copy gets nothing that another one can have, as it has shed what it got, or was not there. */
  const sheddingUntil = new Map<string, number>();
  const awayUntil = new Map<string, number>();
  const isAway = (url: string) => (awayUntil.get(url) ?? 0) > performance.now();
  /** Without it, each attempt of those who come together could have the turn of the copy that refuses. */
  const noteAway = (url: string, error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED')
      awayUntil.set(url, performance.now() + awayMs);
  };
  const isSheddingAt = (url: string) => (sheddingUntil.get(url) ?? 0) > performance.now();
  // As many connections as there are requests, whose number the gateway bounds. With a bound of its own, requests
  // that wait for a connection would stand behind the bodies of slow clients, where no deadline reaches them. None is
  // kept for ever: behind an address that stands for several copies (a ClusterIP) a copy is chosen for a connection,
  // so one that is new would get none of those that are kept.
  const agent = new Agent({ clientTtl: connectionMs, connections: null, allowH2: false });

  const reporters = new Map<string, ReturnType<typeof rateLimited>>();
  function report(service: string, fields: object, message: string): void {
    const reporter = reporters.get(service) ?? rateLimited(log.child({ peer: service }));
    reporters.set(service, reporter);
    reporter(fields, message);
  }

  const turns = new Map<string, number>();
  /** Where the service answers: of several copies the one whose turn it is. */
  function nextUrl(service: string): string | undefined {
    const copies = urls[service] ?? [];
    const turn = turns.get(service) ?? 0;
    turns.set(service, turn + 1);
    const inTurn = [...copies.slice(turn % copies.length), ...copies.slice(0, turn % copies.length)];
    return local.get(service)?.url() ?? inTurn.find((url) => !isSheddingAt(url) && !isAway(url)) ?? inTurn[0];
  }

  return {
    has: (service) => local.has(service) || (urls[service] ?? []).length > 0,

    isShedding(service) {
      const neighbour = local.get(service);
      if (neighbour) return neighbour.isShedding();
      const copies = urls[service] ?? [];
      return copies.length > 0 && copies.every(isSheddingAt);
    },

    forward(service, req, res, headers) {
      for (const [name, value] of Object.entries(headers)) {
        if (value === undefined) delete req.headers[name];
        else req.headers[name] = value;
      }
      const neighbour = local.get(service);
      if (neighbour) neighbour.listener(req, res);
      else forwardOverHttp(service, req, res);
    },

    async call<Reply>(service: string, method: 'GET' | 'POST', path: string, body?: object) {
      const ask = async (attempt = 1): Promise<{ status: number; text: string }> => {
        const url = nextUrl(service);
        if (!url) throw unavailable();
        const trace = currentTrace();
        try {
          const reply = await agent.request({
            origin: url,
            path,
            method,
            headers: {
              authorization: `Bearer ${serviceToken}`,
              ...(trace && { [traceHeader]: trace }),
              ...(body && { 'content-type': 'application/json' }),
            },
            body: body ? JSON.stringify(body) : null,
            signal: AbortSignal.timeout(callMs),
          });
          return { status: reply.statusCode, text: await reply.body.text() };
        } catch (err) {
          noteAway(url, err);
          if (attempt < maxAttempts && mayBeRepeated(err, true)) {
            await sleep(pauseMs * attempt);
            return ask(attempt + 1);
          }
          report(service, { err, path }, 'a service did not answer');
          throw unavailable();
        }
      };
      const { status, text } = await ask();
      if (status === 404) return null;
      if (status < 200 || status > 299) {
        // Who answers 503 has said in its own log why.
        if (status !== 503) report(service, { path, status }, 'a service refused an internal call');
        throw unavailable();
      }
      return JSON.parse(text) as Reply;
    },

    addLocal(service, listener, url, isShedding) {
      local.set(service, { listener, url, isShedding });
    },
    close() {
      void agent.destroy();
    },
  };

  /** What may be repeated when a copy goes away is asked of another. */
  function forwardOverHttp(service: string, req: IncomingMessage, res: ServerResponse, attempt = 1): void {
    const origin = nextUrl(service)!;
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
          if (reply[shedHeader]) sheddingUntil.set(origin, performance.now() + sheddingMs);
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
          noteAway(origin, err);
          if (res.headersSent || res.destroyed) return void res.destroy();
          if (attempt < maxAttempts && mayBeRepeated(err, isRead(req.method!))) {
            res.off('close', giveUp);
            const again = () => {
              if (!res.destroyed) forwardOverHttp(service, req, res, attempt + 1);
            };
            setTimeout(again, pauseMs * attempt);
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
  }
}

/** Of an answer `503`: the service sheds what comes to it. */
export const shedHeader = 'x-waybill-shed';
const sheddingMs = 50;
const awayMs = 1_000;

const maxAttempts = 5;
const pauseMs = 50;

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
function mayBeRepeated(error: unknown, mayBeDoneTwice: boolean): boolean {
  const { code, name } = error as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' || (mayBeDoneTwice && !silences.has(code ?? '') && name !== 'TimeoutError');
}

const silences = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** An answer, or null where it takes longer than one waits for it. */
export async function inTime<Reply>(answer: Promise<Reply>, withinMs: number): Promise<Reply | null> {
  const { promise: tooLate, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, withinMs, null);
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

function unavailable() {
  return errors.resource_unavailable({ headers: { 'retry-after': '1' } });
}

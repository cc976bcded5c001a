import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from '@waybill/contracts';
import got, { type Response } from 'got';
import { type Log, rateLimited } from './log.ts';
import { refusedRequests } from './metrics.ts';
import { currentTrace, traceHeader } from './trace.ts';

type Listener = (req: IncomingMessage, res: ServerResponse) => void;

/** The other services, wherever they run: in this process or at an address. */
export interface Peers {
  /** Whether the deployment has that service at all. */
  has(service: string): boolean;
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
  addLocal(service: string, listener: Listener, url: () => string): void;
  close(): void;
}

const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
];

/**
 * Keeps connections, but none for ever: behind an address that stands for several copies (a ClusterIP) a copy is
 * chosen for a connection, so one that is new would get none of those that are kept.
 */
class AgeingAgent extends http.Agent {
  readonly #born = new WeakMap<Duplex, number>();
  readonly #maxAgeMs: number;

  constructor(options: http.AgentOptions, maxAgeMs: number) {
    super(options);
    this.#maxAgeMs = maxAgeMs;
  }

  // Called when a request is done with its connection; not when one is taken up again.
  override keepSocketAlive(socket: Duplex): boolean {
    const born = this.#born.get(socket) ?? Date.now();
    this.#born.set(socket, born);
    // What it answers is missing from its type: false where the other side does not keep it.
    const isKept = super.keepSocketAlive(socket) as unknown;
    return isKept !== false && Date.now() - born < this.#maxAgeMs;
  }
}

export function createPeers(options: PeersOptions): PeersControl {
  const { urls, serviceToken, log, connectionMs = 60_000, callMs = 5_000, silenceMs = 40_000 } = options;
  // A file is only answered when it is on disk, after others that came at the same time; and who reads one may pause.
  const fileSilenceMs = 4 * silenceMs;
  const local = new Map<string, { listener: Listener; url: () => string }>();
  // As many connections as there are requests, whose number the gateway bounds. With a bound of its own, requests
  // that wait for a connection would stand behind the bodies of slow clients, where no deadline reaches them.
  const agent = new AgeingAgent({ keepAlive: true, keepAliveMsecs: 5_000 }, connectionMs);
  const client = got.extend({
    headers: { authorization: `Bearer ${serviceToken}` },
    timeout: { request: callMs },
    retry: { limit: 0 },
    throwHttpErrors: false,
    agent: { http: agent },
  });

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
    return local.get(service)?.url() ?? copies[turn % copies.length];
  }

  return {
    has: (service) => local.has(service) || (urls[service] ?? []).length > 0,

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
      const ask = async (attempt = 1): Promise<Response<string>> => {
        const url = nextUrl(service);
        if (!url) throw unavailable();
        const trace = currentTrace();
        try {
          return await client(`${url}${path}`, {
            method,
            ...(trace && { headers: { [traceHeader]: trace } }),
            ...(body && { json: body }),
            responseType: 'text',
          });
        } catch (err) {
          if (attempt < maxAttempts && mayBeRepeated(err, true)) {
            await sleep(pauseMs * attempt);
            return ask(attempt + 1);
          }
          report(service, { err, path }, 'a service did not answer');
          throw unavailable();
        }
      };
      const reply = await ask();
      if (reply.statusCode === 404) return null;
      if (!reply.ok) {
        // Who answers 503 has said in its own log why.
        if (reply.statusCode !== 503)
          report(service, { path, status: reply.statusCode }, 'a service refused an internal call');
        throw unavailable();
      }
      return JSON.parse(reply.body) as Reply;
    },

    addLocal(service, listener, url) {
      local.set(service, { listener, url });
    },
    close() {
      agent.destroy();
    },
  };

  /** What may be repeated when a copy goes away is asked of another. */
  function forwardOverHttp(service: string, req: IncomingMessage, res: ServerResponse, attempt = 1): void {
    const target = new URL(nextUrl(service)!);
    const headers: http.OutgoingHttpHeaders = { ...req.headers, host: target.host };
    for (const name of hopByHop) delete headers[name];
    // The frame of what is sent is to be that of what is said. Node's client frames no body of a DELETE by itself: bare,
    // its bytes would be a request of their own on a connection that carries those of everybody.
    if (isRead(req.method!)) delete headers['content-length'];
    else if (req.headers['transfer-encoding']) headers['transfer-encoding'] = 'chunked';
    const upstream = http.request({
      agent,
      host: target.hostname,
      port: target.port,
      method: req.method,
      path: req.url,
      headers,
      timeout: req.headers['content-type']?.startsWith('multipart/') ? fileSilenceMs : silenceMs,
    });
    upstream.on('response', (reply) => {
      upstream.setTimeout(fileSilenceMs);
      for (const name of hopByHop) delete reply.headers[name];
      res.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(res);
      reply.on('error', () => res.destroy());
    });
    upstream.on('timeout', () => {
      // A service that waits for the rest of a body is not the one who is silent, and has a deadline of its own.
      if (req.complete)
        upstream.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' }));
    });
    upstream.on('error', (err: unknown) => {
      if (res.headersSent || res.destroyed) return void res.destroy();
      if (attempt < maxAttempts && mayBeRepeated(err, isRead(req.method!))) {
        const again = () => {
          if (!res.destroyed) forwardOverHttp(service, req, res, attempt + 1);
        };
        setTimeout(again, pauseMs * attempt);
        return;
      }
      report(service, { err, target: target.host }, 'a service did not answer');
      refusedRequests.inc({ reason: 'no_answer' });
      const error = unavailable();
      res.writeHead(error.status, { 'content-type': 'application/json; charset=utf-8', ...error.headers });
      res.end(JSON.stringify(error.envelope()));
    });
    res.on('close', () => upstream.destroy());
    if (isRead(req.method!)) upstream.end();
    // Not before there is a connection: a body that nobody has begun to read can go to another copy.
    else upstream.on('socket', (socket) => whenConnected(socket, () => req.pipe(upstream)));
  }
}

const maxAttempts = 5;
const pauseMs = 50;

const isRead = (method: string) => method === 'GET' || method === 'HEAD';

/**
 * A refused connection has carried nothing. What was sent may be sent again if nothing is done twice by it; but not
 * after a silence, which was all the time that whoever asked had.
 */
function mayBeRepeated(error: unknown, mayBeDoneTwice: boolean): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' || (mayBeDoneTwice && code !== 'ETIMEDOUT');
}

function whenConnected(socket: Socket, then: () => void): void {
  if (socket.connecting) socket.once('connect', then);
  else then();
}

function unavailable() {
  return errors.resource_unavailable({ headers: { 'retry-after': '1' } });
}

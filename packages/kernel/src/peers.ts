import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { errors } from '@waybill/contracts';
import got from 'got';
import type { Log } from './log.ts';

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
   * `resource_unavailable` when it is out of reach or fails.
   */
  call<Reply>(service: string, method: 'GET' | 'POST', path: string, body?: object): Promise<Reply | null>;
}

export interface PeersOptions {
  /** Services of other processes → the base URLs of their internal addresses; several copies take turns. */
  urls: Readonly<Record<string, readonly string[]>>;
  serviceToken: string;
  log: Log;
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

export function createPeers({ urls, serviceToken, log }: PeersOptions): PeersControl {
  const local = new Map<string, { listener: Listener; url: () => string }>();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256, keepAliveMsecs: 5_000 });
  const client = got.extend({
    headers: { authorization: `Bearer ${serviceToken}` },
    timeout: { request: 5_000 },
    retry: { limit: 0 },
    throwHttpErrors: false,
    agent: { http: agent },
  });

  let turn = 0;
  const urlOf = (service: string) => {
    const copies = urls[service] ?? [];
    return local.get(service)?.url() ?? copies[turn++ % copies.length];
  };

  return {
    has: (service) => urlOf(service) !== undefined,

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
      const url = urlOf(service);
      if (!url) throw unavailable();
      const reply = await client(`${url}${path}`, {
        method,
        ...(body && { json: body }),
        responseType: 'text',
      }).catch((err: unknown) => {
        log.warn({ err, service, path }, 'a service did not answer');
        throw unavailable();
      });
      if (reply.statusCode === 404) return null;
      if (!reply.ok) {
        log.warn({ service, path, status: reply.statusCode }, 'a service refused an internal call');
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

  /** A read whose copy goes away before it answers is asked of another; a write might be done twice, and is not. */
  function forwardOverHttp(service: string, req: IncomingMessage, res: ServerResponse, attempt = 1): void {
    const target = new URL(urlOf(service)!);
    const headers: http.OutgoingHttpHeaders = { ...req.headers, host: target.host };
    for (const name of hopByHop) delete headers[name];
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    const upstream = http.request({
      agent,
      host: target.hostname,
      port: target.port,
      method: req.method,
      path: req.url,
      headers,
      timeout: 30_000,
    });
    upstream.on('response', (reply) => {
      for (const name of hopByHop) delete reply.headers[name];
      res.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(res);
      reply.on('error', () => res.destroy());
    });
    upstream.on('timeout', () => upstream.destroy(new Error('timeout')));
    upstream.on('error', (err: unknown) => {
      if (res.headersSent || res.destroyed) return void res.destroy();
      if (isRead && attempt < maxReadAttempts) {
        setTimeout(() => forwardOverHttp(service, req, res, attempt + 1), 50 * attempt);
        return;
      }
      log.warn({ err, target: target.host }, 'a service did not answer');
      const error = unavailable();
      res.writeHead(error.status, { 'content-type': 'application/json; charset=utf-8', ...error.headers });
      res.end(JSON.stringify(error.envelope()));
    });
    res.on('close', () => upstream.destroy());
    if (isRead) upstream.end();
    else req.pipe(upstream);
  }
}

const maxReadAttempts = 5;

function unavailable() {
  return errors.resource_unavailable({ headers: { 'retry-after': '1' } });
}

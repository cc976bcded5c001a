import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { type Log, rateLimited } from '../operations/log.ts';
import { currentTrace, traceHeader } from '../operations/trace.ts';
import { attempts, createForwarding, mayBeRepeated, unavailable } from './forwarding.ts';
import { ReplicaPool } from './replica-pool.ts';

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
  call<Reply>(
    service: string,
    method: 'GET' | 'POST',
    path: string,
    body?: object,
    options?: CallOptions,
  ): Promise<Reply | null>;
}

export interface CallOptions {
  /** How long the answer may take, in place of what holds for every call. */
  timeoutMs?: number;
}

export interface PeersOptions {
  /** Services of other processes → the base URLs of their internal addresses; several replicas take turns. */
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

export function createPeers(options: PeersOptions): PeersControl {
  const { urls, serviceToken, log, connectionMs = 60_000, callMs = 5_000, silenceMs = 40_000 } = options;
  const local = new Map<string, { listener: Listener; url: () => string; isShedding: () => boolean }>();
  const replicas = new ReplicaPool(urls);
  // As many connections as there are requests, whose number the gateway bounds. With a bound of its own, requests
  // that wait for a connection would stand behind the bodies of slow clients, where no deadline reaches them. None is
  // kept for ever: behind an address that stands for several replicas (a ClusterIP) a copy is chosen for a connection,
  // so one that is new would get none of those that are kept.
  const agent = new Agent({ clientTtl: connectionMs, connections: null, allowH2: false });

  const reporters = new Map<string, ReturnType<typeof rateLimited>>();
  function report(service: string, fields: object, message: string): void {
    const reporter = reporters.get(service) ?? rateLimited(log.child({ peer: service }));
    reporters.set(service, reporter);
    reporter(fields, message);
  }

  const forward = createForwarding({ agent, replicas, silenceMs, report });
  const nextUrl = (service: string) => local.get(service)?.url() ?? replicas.next(service);

  return {
    has: (service) => local.has(service) || replicas.has(service),

    isShedding: (service) => local.get(service)?.isShedding() ?? replicas.isShedding(service),

    forward(service, req, res, headers) {
      for (const [name, value] of Object.entries(headers)) {
        if (value === undefined) delete req.headers[name];
        else req.headers[name] = value;
      }
      const neighbour = local.get(service);
      if (neighbour) neighbour.listener(req, res);
      else forward(service, req, res);
    },

    async call<Reply>(
      service: string,
      method: 'GET' | 'POST',
      path: string,
      body?: object,
      { timeoutMs = callMs }: CallOptions = {},
    ) {
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
            signal: AbortSignal.timeout(timeoutMs),
          });
          return { status: reply.statusCode, text: await reply.body.text() };
        } catch (err) {
          replicas.noteFailure(url, err);
          if (attempt < attempts.most && mayBeRepeated(err, true)) {
            await sleep(attempts.pauseMs * attempt);
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
      // An answer may have no body, as 204 has.
      return (text === '' ? null : JSON.parse(text)) as Reply;
    },

    addLocal(service, listener, url, isShedding) {
      local.set(service, { listener, url, isShedding });
    },
    close() {
      void agent.destroy();
    },
  };
}

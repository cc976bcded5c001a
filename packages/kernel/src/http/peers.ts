import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { type Log, rateLimited } from '../operations/log.ts';
import { currentTrace, traceHeader } from '../operations/trace.ts';
import { canRepeat, createForwarding, createUnavailableError, retryPolicy } from './forwarding.ts';
import { ReplicaPool } from './replica-pool.ts';

type Listener = (req: IncomingMessage, res: ServerResponse) => void;

/** The other services, in this process or at an address. */
export interface Peers {
  /** Whether the deployment has that service. */
  has(service: string): boolean;
  /** Whether every replica of it sheds load: refusing a request at the gateway costs less. */
  isShedding(service: string): boolean;
  /** Has a service answer a request, with these headers in place of the client's. Bodies are streamed both ways. */
  forward(
    service: string,
    req: IncomingMessage,
    res: ServerResponse,
    headers: Record<string, string | undefined>,
  ): void;
  /**
   * Calls an internal route of another service and returns its JSON; null if it answered 404. Throws
   * `resource_unavailable` if the service is unreachable or fails. If a replica goes away before it has answered,
   * another is called, so internal calls must be safe to repeat.
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
  /** Maximum time of the answer, in place of the default for all calls. */
  timeoutMs?: number;
}

export interface PeersOptions {
  /** Services of other processes → the base URLs of their internal addresses; several replicas take turns. */
  urls: Readonly<Record<string, readonly string[]>>;
  serviceToken: string;
  log: Log;
  /** How long a connection is kept; an older one ends with its current request. */
  connectionMs?: number;
  /** Maximum time of the answer to a call. */
  callMs?: number;
  /**
   * How long a service may be silent about a forwarded request: longer than the half minute for which a client may have
   * it wait. Four times as long for files.
   */
  silenceMs?: number;
}

export interface PeersControl extends Peers {
  /** Adds a service of this process; `url` returns the address of its internal routes. */
  addLocal(service: string, listener: Listener, url: () => string, isShedding: () => boolean): void;
  close(): void;
}

/** Creates the access to the other services of a deployment. `addLocal` adds those of this process later. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one closure
export function createPeers(options: PeersOptions): PeersControl {
  const { urls, serviceToken, log, connectionMs = 60_000, callMs = 5_000, silenceMs = 40_000 } = options;
  const localServices = new Map<
    string,
    { listener: Listener; url: () => string; isShedding: () => boolean }
  >();
  const replicas = new ReplicaPool(urls);
  // There are as many connections as requests, whose number the gateway limits. With a limit here, requests waiting for
  // a connection would queue behind the bodies of slow clients, where no deadline applies. No connection is kept for
  // ever: behind an address that stands for several replicas (a ClusterIP), a replica is chosen per connection, so a
  // new replica would get none of the kept ones.
  const agent = new Agent({ clientTtl: connectionMs, connections: null, allowH2: false });

  const reporters = new Map<string, ReturnType<typeof rateLimited>>();
  function report(service: string, fields: object, message: string): void {
    const reporter = reporters.get(service) ?? rateLimited(log.child({ peer: service }));
    reporters.set(service, reporter);
    reporter(fields, message);
  }

  const forward = createForwarding({ agent, replicas, silenceMs, report });
  const nextUrl = (service: string) => localServices.get(service)?.url() ?? replicas.next(service);

  return {
    has: (service) => localServices.has(service) || replicas.has(service),

    isShedding: (service) => localServices.get(service)?.isShedding() ?? replicas.isShedding(service),

    forward(service, req, res, headers) {
      for (const [name, value] of Object.entries(headers)) {
        if (value === undefined) delete req.headers[name];
        else req.headers[name] = value;
      }
      const localService = localServices.get(service);
      if (localService) localService.listener(req, res);
      else forward(service, req, res);
    },

    async call<Reply>(
      service: string,
      method: 'GET' | 'POST',
      path: string,
      body?: object,
      { timeoutMs = callMs }: CallOptions = {},
    ) {
      const sendRequest = async (attempt = 1): Promise<{ status: number; text: string }> => {
        const url = nextUrl(service);
        if (!url) throw createUnavailableError();
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
          replicas.recordFailure(url, err);
          if (attempt < retryPolicy.maxAttempts && canRepeat(err, true)) {
            await sleep(retryPolicy.pauseMs * attempt);
            return sendRequest(attempt + 1);
          }
          report(service, { err, path }, 'a service did not answer');
          throw createUnavailableError();
        }
      };
      const { status, text } = await sendRequest();
      if (status === 404) return null;
      if (status < 200 || status > 299) {
        // A service that answers 503 has logged the reason itself.
        if (status !== 503) report(service, { path, status }, 'a service refused an internal call');
        throw createUnavailableError();
      }
      // An answer may have no body, for example a 204.
      return (text === '' ? null : JSON.parse(text)) as Reply;
    },

    addLocal(service, listener, url, isShedding) {
      localServices.set(service, { listener, url, isShedding });
    },
    close() {
      void agent.destroy();
    },
  };
}

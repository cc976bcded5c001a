import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { portOf, type Resolving, type TrustedTarget, vetHost } from '@waybill/outbound';
import type { buildConnector } from 'undici';
import { describeHandshake, Refusal } from './failure.ts';
import { skipUnaskedContinue } from './interim.ts';

export interface Connecting extends Resolving {
  trustedTargets: readonly TrustedTarget[];
  timeoutMs: number;
  /** Certificates to trust in place of the system's. */
  ca?: string;
}

/** Opens the sender's connections and counts them. */
export interface Connector {
  connect: buildConnector.connector;
  /** How many connections are open. */
  open(): number;
  /** Whether one to this origin is open. */
  isOpenTo(origin: string): boolean;
  /** Calls back whenever an origin is left without a connection. */
  onLastClosed(callback: (origin: string) => void): void;
}

/**
 * Connects to nothing but vetted addresses: the name is resolved once, here, all its addresses are held against
 * the address rule, and the socket is given those and no name to resolve (`store-api.md 6.3`, rule 7). TLS still
 * asks for the URL's host and checks its certificate.
 */
export function createConnector({ trustedTargets, lookup, timeoutMs, ca }: Connecting): Connector {
  const socketsTo = new Map<string, number>();
  let open = 0;
  let lastClosed = (_origin: string): void => {};

  function count(origin: string, socket: Socket): void {
    socketsTo.set(origin, (socketsTo.get(origin) ?? 0) + 1);
    open++;
    socket.once('close', () => {
      open--;
      const left = socketsTo.get(origin)! - 1;
      socketsTo.set(origin, left);
      if (left > 0) return;
      socketsTo.delete(origin);
      lastClosed(origin);
    });
  }

  /** One deadline for the name, the connection and TLS together. */
  async function establish(url: URL): Promise<Socket> {
    const until = performance.now() + timeoutMs;
    const vetted = await vetHost(url, trustedTargets, { lookup, timeoutMs: Math.min(2000, timeoutMs) });
    if ('unresolved' in vetted) throw new Refusal('the host name does not resolve');
    if ('forbidden' in vetted) throw new Refusal('the host leads to an address that is not allowed');
    const socket = openSocket(url, vetted.addresses, ca);
    count(url.origin, socket);
    const isTls = url.protocol === 'https:';
    await established(socket, isTls ? 'secureConnect' : 'connect', until).catch((error: unknown) => {
      throw isTls ? ofHandshake(socket, error) : error;
    });
    skipUnaskedContinue(socket);
    return socket;
  }

  return {
    connect({ protocol, host }, callback) {
      establish(new URL(`${protocol}//${host}`)).then(
        (socket) => callback(null, socket),
        (error) => callback(error, null),
      );
    },
    open: () => open,
    isOpenTo: (origin) => socketsTo.has(origin),
    onLastClosed: (callback) => {
      lastClosed = callback;
    },
  };
}

/** A failure after the connection was there is one of TLS, unless it is known already. */
function ofHandshake(socket: Socket, error: unknown): unknown {
  const wasConnected = socket.remoteAddress !== undefined || socket.bytesWritten > 0;
  return wasConnected && !(error instanceof Refusal) ? new Refusal(describeHandshake(error)) : error;
}

function openSocket(url: URL, addresses: string[], ca: string | undefined): Socket {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const vetted = addresses.map((address) => ({ address, family: isIP(address) }));
  const options = {
    host,
    port: portOf(url),
    // The only names and addresses this socket learns. A literal host is its own single, vetted address.
    lookup: (_name: string, _options: unknown, give: (error: null, found: typeof vetted) => void) =>
      give(null, vetted),
    autoSelectFamily: true,
    noDelay: true,
  };
  if (url.protocol === 'http:') return connectTcp(options);
  return connectTls({ ...options, ca, servername: isIP(host) ? '' : host, ALPNProtocols: ['http/1.1'] });
}

function established(socket: Socket, event: string, until: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => fail(new Refusal('the connection took too long')),
      until - performance.now(),
    );
    const fail = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    socket.once('error', fail).once(event, () => {
      clearTimeout(timer);
      socket.off('error', fail);
      resolve();
    });
  });
}

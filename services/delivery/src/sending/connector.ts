import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { getPort, type Resolving, type TrustedTarget, vetHost } from '@waybill/outbound';
import type { buildConnector } from 'undici';
import { describeHandshake, Refusal } from './failure.ts';
import { skipUnrequestedContinue } from './interim.ts';

export interface ConnectorOptions extends Resolving {
  trustedTargets: readonly TrustedTarget[];
  timeoutMs: number;
  /** Certificates to trust instead of the system's. */
  ca?: string;
}

/** A client certificate presented in TLS, and its key; both PEM. */
export interface ClientIdentity {
  certificate: string;
  key: string;
}

/** Opens the sender's connections and counts them. */
export interface Connector {
  /** Connects to an origin. `key` identifies the origin together with the certificate presented to it. */
  connectTo(key: string, identity: ClientIdentity | undefined): buildConnector.connector;
  /** Returns the number of open connections. */
  open(): number;
  /** Whether a connection of this key is open. */
  isOpenTo(key: string): boolean;
  /** Registers a callback that runs whenever a key has lost its last connection. */
  onLastClosed(callback: (key: string) => void): void;
}

/**
 * Creates a connector that connects only to vetted addresses. It resolves the name once, checks every address against
 * the address rule, and gives the socket those addresses instead of a name (`store-api.md 6.3`, rule 7). TLS still asks
 * for the URL's host and checks its certificate.
 */
export function createConnector({ trustedTargets, lookup, timeoutMs, ca }: ConnectorOptions): Connector {
  const socketCounts = new Map<string, number>();
  let open = 0;
  let lastClosed = (_key: string): void => {};

  function countSocket(key: string, socket: Socket): void {
    socketCounts.set(key, (socketCounts.get(key) ?? 0) + 1);
    open++;
    socket.once('close', () => {
      open--;
      const remaining = socketCounts.get(key)! - 1;
      socketCounts.set(key, remaining);
      if (remaining > 0) return;
      socketCounts.delete(key);
      lastClosed(key);
    });
  }

  /** Connects within one deadline for name resolution, connection and TLS together. */
  async function establish(url: URL, key: string, identity: ClientIdentity | undefined): Promise<Socket> {
    const deadline = performance.now() + timeoutMs;
    const vetted = await vetHost(url, trustedTargets, { lookup, timeoutMs: Math.min(2000, timeoutMs) });
    if ('unresolved' in vetted) throw new Refusal('the host name does not resolve');
    if ('forbidden' in vetted) throw new Refusal('the host leads to an address that is not allowed');
    const socket = openSocket(url, vetted.addresses, ca, identity);
    countSocket(key, socket);
    const isTls = url.protocol === 'https:';
    await waitUntilConnected(socket, isTls ? 'secureConnect' : 'connect', deadline).catch(
      (error: unknown) => {
        throw isTls ? toHandshakeError(socket, error) : error;
      },
    );
    skipUnrequestedContinue(socket);
    return socket;
  }

  return {
    connectTo:
      (key, identity) =>
      ({ protocol, host }, callback) => {
        establish(new URL(`${protocol}//${host}`), key, identity).then(
          (socket) => callback(null, socket),
          (error) => callback(error, null),
        );
      },
    open: () => open,
    isOpenTo: (key) => socketCounts.has(key),
    onLastClosed: (callback) => {
      lastClosed = callback;
    },
  };
}

/** Treats a failure after the connection was open as a TLS failure, unless its cause is already known. */
function toHandshakeError(socket: Socket, error: unknown): unknown {
  const wasConnected = socket.remoteAddress !== undefined || socket.bytesWritten > 0;
  return wasConnected && !(error instanceof Refusal) ? new Refusal(describeHandshake(error)) : error;
}

function openSocket(
  url: URL,
  addresses: string[],
  ca: string | undefined,
  identity: ClientIdentity | undefined,
): Socket {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const vetted = addresses.map((address) => ({ address, family: isIP(address) }));
  const options = {
    host,
    port: getPort(url),
    // Gives the socket the vetted addresses only. A literal host is its own single, vetted address.
    lookup: (_name: string, _options: unknown, callback: (error: null, found: typeof vetted) => void) =>
      callback(null, vetted),
    autoSelectFamily: true,
    noDelay: true,
  };
  if (url.protocol === 'http:') return connectTcp(options);
  return connectTls({
    ...options,
    ca,
    ...(identity && { cert: identity.certificate, key: identity.key }),
    servername: isIP(host) ? '' : host,
    ALPNProtocols: ['http/1.1'],
  });
}

function waitUntilConnected(socket: Socket, event: string, deadline: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => fail(new Refusal('the connection took too long')),
      deadline - performance.now(),
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

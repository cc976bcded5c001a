import { once as onceEvent } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { errors, newId } from '@waybill/contracts';
import { StartError } from '../operations/config.ts';
import { malformedRequest, protocolErrors } from './protocol-errors.ts';

export type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/** Returns the path of a URL without its query. */
export function parsePath(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/**
 * Returns the path that logs and traces show. Anybody with the token of an order can see the order (`decisions.md
 * 17.4`), and a query contains search terms, possibly an address.
 */
export const redactPath = (url: string): string =>
  parsePath(url).replace(/(\/orders\/)[^/]*-[^/]*/, '$1{token}');

/** Answers at the public port while the services behind it are starting. */
export const answerNotReady: Handler = (_req, res) => {
  const error = errors.resource_unavailable({ headers: { 'retry-after': '1' } });
  res.writeHead(error.status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, no-store',
    'x-request-id': newId('event').slice(4),
    ...error.headers,
  });
  res.end(JSON.stringify(error.envelope()));
};

export interface Address {
  host: string;
  /** 0 means any free port. */
  port: number;
  /** Whether other processes listen there too. */
  isShared?: boolean;
}

/** A port that answers requests. */
export interface OpenServer {
  readonly http: http.Server;
  /** The address at which this machine reaches it, without a slash at the end. */
  readonly url: string;
  /** Stops it: `closeServer`. */
  close(): Promise<void>;
}

/** Opens a port. On a public one, input that is not HTTP is answered too. */
export async function listen(handler: Handler, address: Address, isPublic: boolean): Promise<OpenServer> {
  const options = { keepAliveTimeout: 65_000, maxHeaderSize: 16 * 1024, requireHostHeader: false };
  const unanswered = new Set<ServerResponse>();
  const serve: Handler = (req, res) => {
    unanswered.add(res);
    // If all services run in one process, the layers of the gateway and of the service each add a listener to one
    // answer.
    res.setMaxListeners(20);
    res.once('close', () => unanswered.delete(res));
    // During a stop, a client that keeps sending requests should go elsewhere.
    if (!server.listening) endConnectionAfter(res);
    if (hasBody(req))
      res.once('finish', () => {
        // Node itself discards a body that nobody has begun to read.
        if (!req.complete || (req.readableDidRead && !req.readableEnded)) drainBody(req);
      });
    handler(req, res);
  };
  const server = http.createServer(options, serve);
  // Expectations other than 100-continue may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', serve);
  server.headersTimeout = 15_000;
  // Long enough for a file of 25 MiB on a slow line; JSON bodies have their own deadline.
  server.requestTimeout = 600_000;
  server.maxRequestsPerSocket = 0;
  if (isPublic) {
    server.on('clientError', answerClientError);
    server.on('connect', (_req, socket) => answerClientError(new Error('a tunnel is asked for'), socket));
  }
  const socketServers = await openSocketServers(server, address).catch((error) => {
    throw listenError(error, address, isPublic ? 'PORT' : 'INTERNAL_PORT');
  });
  return {
    http: server,
    url: getServerUrl(server),
    close: () => closeServer(server, socketServers, unanswered),
  };
}

/**
 * Number of connections that one turn of the event loop can accept, and of those that may wait, within the limits of
 * the machine.
 */
const socketCount = 64;
const backlog = 4_096;

/**
 * Opens the sockets of a port. libuv accepts one connection from a listening socket in each turn of the event loop. If
 * turns are long, as under overload, new connections would queue for seconds, including those of health checks. So
 * several sockets listen at the port, and the system distributes connections among them (Linux: SO_REUSEPORT).
 */
async function openSocketServers(
  server: http.Server,
  { host, port, isShared = false }: Address,
): Promise<NetServer[]> {
  if (process.platform !== 'linux') {
    server.listen({ host, port, backlog });
    await onceEvent(server, 'listening');
    return [];
  }
  const openPort = isShared ? port : await findFreePort(host, port);
  const socketServers = Array.from(
    { length: socketCount - 1 },
    () =>
      new NetServer(
        { allowHalfOpen: true, noDelay: true },
        (socket) => void server.emit('connection', socket),
      ),
  );
  for (const socketServer of [server, ...socketServers]) {
    socketServer.listen({ host, port: openPort, backlog, reusePort: true });
    await onceEvent(socketServer, 'listening');
  }
  return socketServers;
}

/** Holds the port alone for a moment: otherwise it would go unnoticed that another program uses it. */
async function findFreePort(host: string, port: number): Promise<number> {
  const server = new NetServer().listen({ host, port });
  await onceEvent(server, 'listening');
  const found = (server.address() as AddressInfo).port;
  await new Promise((resolve) => server.close(resolve));
  return found;
}

/** Whether a request announces a body (RFC 9112, 6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function endConnectionAfter(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('connection', 'close');
}

const maxDrainBytes = 64 * 1024 * 1024;
const maxDrainMs = 60_000;

/**
 * Reads the rest of a request that was answered before its end: a client that first sends everything and then reads
 * gets the answer instead of a broken connection. Stops after a while.
 */
function drainBody(req: IncomingMessage): void {
  let remainingBytes = maxDrainBytes;
  const timer = setTimeout(() => req.destroy(), maxDrainMs).unref();
  req.once('close', () => clearTimeout(timer));
  req.on('error', () => {});
  req.unpipe();
  req.on('data', (chunk: Buffer) => {
    remainingBytes -= chunk.length;
    if (remainingBytes < 0) req.destroy();
  });
  req.resume();
}

function listenError(
  error: NodeJS.ErrnoException,
  { host, port }: { host: string; port: number },
  setting: string,
): Error {
  if (error.code === 'EADDRINUSE')
    return new StartError(
      `Port ${port} on ${host} is in use by another program; set ${setting} to a free one.`,
    );
  if (error.code === 'EACCES')
    return new StartError(
      `Port ${port} on ${host} needs more rights than this user has; set ${setting} to one above 1023.`,
    );
  return error;
}

/** Answers input that is not HTTP with an error in the form of the API. */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Node itself checks this too: a client would take the text for a part of the answer that has begun.
  const hasBegunAnswer = (socket as Duplex & { _httpMessage?: ServerResponse })._httpMessage?.headersSent;
  // Browsers open connections in advance: they would take an answer to nothing for the answer to their next request.
  const isUnused = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && (socket as Socket).bytesRead === 0;
  if (!socket.writable || error.code === 'ECONNRESET' || hasBegunAnswer || isUnused)
    return void socket.destroy();
  const [status, code, text] = protocolErrors[error.code ?? ''] ?? malformedRequest;
  const body = JSON.stringify({ error: text, code });
  socket.end(
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\nConnection: close\r\n` +
      `X-Request-Id: ${newId('event').slice(4)}\r\nCache-Control: private, no-store\r\n` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** Returns the address at which this machine reaches a server. */
function getServerUrl(server: http.Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

const graceMs = 1_000;
const drainMs = 8_000;
const sweepMs = 50;

/**
 * Closes a server and the further sockets of its port: it takes no new connections, lets requests in flight finish, and cuts off the remaining ones after a
 * while. For a moment, requests on open connections are still answered. Every answer from now on says `connection:
 * close`: a client that sends another request would otherwise meet a reset, and not know whether the request was
 * executed.
 */
async function closeServer(
  server: http.Server,
  socketServers: readonly NetServer[],
  unanswered: ReadonlySet<ServerResponse>,
): Promise<void> {
  unanswered.forEach(endConnectionAfter);
  // http's own `close` would end idle connections at once.
  const close = (socketServer: NetServer) =>
    new Promise<void>((resolve) => void NetServer.prototype.close.call(socketServer, () => resolve()));
  const closed = Promise.all([server, ...socketServers].map(close));
  await Promise.race([closed, sleep(graceMs)]);
  // A connection also counts as idle while its request waits to be read by a busy process. `setImmediate` runs after
  // the event loop has read.
  const closeIdle = () => setImmediate(() => server.closeIdleConnections());
  closeIdle();
  const sweep = setInterval(closeIdle, sweepMs);
  const timer = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  // Stops the checks that http runs by itself.
  server.close();
  clearInterval(sweep);
  clearTimeout(timer);
}

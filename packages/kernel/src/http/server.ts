import { once as onceEvent } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { errors, newId } from '@waybill/contracts';
import { StartError } from '../operations/config.ts';
import { malformedRequest, protocolErrors } from './protocol-errors.ts';

export type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/** The path of what a request names, without its query. */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/**
 * What logs and traces show of it. Whoever has the token of an order can look at it (`decisions.md 17.4`), and a query
 * holds what somebody looks for, an address perhaps.
 */
export const shownPath = (url: string): string => pathOf(url).replace(/(\/orders\/)[^/]*-[^/]*/, '$1{token}');

/** What the public port answers while the services behind it are being started. */
export const notReady: Handler = (_req, res) => {
  const error = errors.resource_unavailable({ headers: { 'retry-after': '1' } });
  res.writeHead(error.status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, no-store',
    'x-request-id': newId('event').slice(4),
    ...error.headers,
  });
  res.end(JSON.stringify(error.envelope()));
};

interface Open {
  unanswered: ReadonlySet<ServerResponse>;
  /** Take connections for the server beside itself. */
  doors: readonly NetServer[];
}
const openOf = new WeakMap<http.Server, Open>();

export interface Address {
  host: string;
  /** 0: any free one. */
  port: number;
  /** Other processes listen there too. */
  isShared?: boolean;
}

/** Opens a port. What comes to a public one and is not HTTP is answered, too. */
export async function listen(handler: Handler, address: Address, isPublic: boolean): Promise<http.Server> {
  const options = { keepAliveTimeout: 65_000, maxHeaderSize: 16 * 1024, requireHostHeader: false };
  const unanswered = new Set<ServerResponse>();
  const serve: Handler = (req, res) => {
    unanswered.add(res);
    // Where all services are one process, the layers of the door and of the service listen at one answer, each once.
    res.setMaxListeners(20);
    res.once('close', () => unanswered.delete(res));
    // During a stop, a client that goes on asking is to go on elsewhere.
    if (!server.listening) endConnectionAfter(res);
    if (hasBody(req))
      res.once('finish', () => {
        // What nobody has begun to read, Node itself throws away.
        if (!req.complete || (req.readableDidRead && !req.readableEnded)) drain(req);
      });
    handler(req, res);
  };
  const server = http.createServer(options, serve);
  // An expectation other than 100-continue may be overlooked (RFC 9110, 10.1.1).
  server.on('checkExpectation', serve);
  server.headersTimeout = 15_000;
  // A file of 25 MiB on a slow line; JSON bodies have a deadline of their own.
  server.requestTimeout = 600_000;
  server.maxRequestsPerSocket = 0;
  if (isPublic) {
    server.on('clientError', answerClientError);
    server.on('connect', (_req, socket) => answerClientError(new Error('a tunnel is asked for'), socket));
  }
  const doors = await openDoors(server, address).catch((error) => {
    throw listenError(error, address, isPublic ? 'PORT' : 'INTERNAL_PORT');
  });
  openOf.set(server, { unanswered, doors });
  return server;
}

/** How many connections one turn of the event loop can take, and how many may wait, as far as the machine lets them. */
const doorCount = 64;
const backlog = 4_096;

/**
 * libuv takes one connection from a listening socket in each turn of the event loop. Where turns are long, as under an
 * overload, new connections would wait for seconds behind each other, those that ask for health among them. So there are
 * several sockets at the port, where the system shares connections out among them (Linux: SO_REUSEPORT).
 */
async function openDoors(
  server: http.Server,
  { host, port, isShared = false }: Address,
): Promise<NetServer[]> {
  if (process.platform !== 'linux') {
    server.listen({ host, port, backlog });
    await onceEvent(server, 'listening');
    return [];
  }
  const free = isShared ? port : await freePort(host, port);
  const doors = Array.from(
    { length: doorCount - 1 },
    () =>
      new NetServer(
        { allowHalfOpen: true, noDelay: true },
        (socket) => void server.emit('connection', socket),
      ),
  );
  for (const door of [server, ...doors]) {
    door.listen({ host, port: free, backlog, reusePort: true });
    await onceEvent(door, 'listening');
  }
  return doors;
}

/** Holds the port alone for a moment: that another program has it would not show otherwise. */
async function freePort(host: string, port: number): Promise<number> {
  const server = new NetServer().listen({ host, port });
  await onceEvent(server, 'listening');
  const found = (server.address() as AddressInfo).port;
  await new Promise((resolve) => server.close(resolve));
  return found;
}

/** Whether a request has announced a body (RFC 9112, 6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function endConnectionAfter(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('connection', 'close');
}

const maxDrainBytes = 64 * 1024 * 1024;
const maxDrainMs = 60_000;

/**
 * Reads on after an answer that came before the request's end: a client that first sends everything and then reads
 * gets it, instead of a broken connection. Not for ever, though.
 */
function drain(req: IncomingMessage): void {
  let left = maxDrainBytes;
  const timer = setTimeout(() => req.destroy(), maxDrainMs).unref();
  req.once('close', () => clearTimeout(timer));
  req.on('error', () => {});
  req.unpipe();
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) req.destroy();
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

/** Also what is not HTTP gets the API's form of an error. */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  // As Node itself tells: a client would take it for a part of the answer that has begun.
  const isWithin = (socket as Duplex & { _httpMessage?: ServerResponse })._httpMessage?.headersSent;
  // Browsers open connections in advance: an answer to nothing would be taken for that of the request that comes now.
  const isUnused = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && (socket as Socket).bytesRead === 0;
  if (!socket.writable || error.code === 'ECONNRESET' || isWithin || isUnused) return void socket.destroy();
  const [status, code, text] = protocolErrors[error.code ?? ''] ?? malformedRequest;
  const body = JSON.stringify({ error: text, code });
  socket.end(
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\nConnection: close\r\n` +
      `X-Request-Id: ${newId('event').slice(4)}\r\nCache-Control: private, no-store\r\n` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** Where it is reached from this machine. */
export function urlOf(server: http.Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

const farewellMs = 1_000;
const drainMs = 8_000;
const sweepMs = 50;

/**
 * Takes no new connections, lets requests in flight finish, and cuts off what is still there after a while. For a
 * moment requests on connections that are open are answered too. Every answer from now on says `connection: close`:
 * a client that sends one more would otherwise meet a reset, and not know whether it was done.
 */
export async function closeServer(server: http.Server): Promise<void> {
  const { unanswered, doors } = openOf.get(server)!;
  unanswered.forEach(endConnectionAfter);
  // http's own close would end what is idle at once.
  const close = (door: NetServer) =>
    new Promise<void>((resolve) => void NetServer.prototype.close.call(door, () => resolve()));
  const closed = Promise.all([server, ...doors].map(close));
  await Promise.race([closed, sleep(farewellMs)]);
  // Idle is also a connection whose request waits to be read, where this process was kept from reading: a turn of
  // the event loop reads before it comes to what was set as immediate.
  const closeIdle = () => setImmediate(() => server.closeIdleConnections());
  closeIdle();
  const sweep = setInterval(closeIdle, sweepMs);
  const timer = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  // Ends what http checks by itself.
  server.close();
  clearInterval(sweep);
  clearTimeout(timer);
}

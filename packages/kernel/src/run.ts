import type { KeyObject } from 'node:crypto';
import { once as onceEvent } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errors, newId } from '@waybill/contracts';
import express, { type Express } from 'express';
import type { Kysely, Transaction } from 'kysely';
import type { Cache } from './cache/cache.ts';
import { type Env, StartError } from './config.ts';
import { ensureDatabase, inTransaction, openDatabase, ping } from './db/database.ts';
import { migrate } from './db/migrate.ts';
import type { Bus } from './events/bus.ts';
import { forgetHandled } from './events/once.ts';
import { hasEmitted, type Relay, startRelay } from './events/outbox.ts';
import { startTask, type Task } from './events/tasks.ts';
import { describeApi } from './http/openapi.ts';
import { createPrincipalVerifier } from './http/principal.ts';
import { createRouter, errorHandler, notFound } from './http/router.ts';
import type { Log } from './log.ts';
import { collectProcessMetrics, metrics } from './metrics.ts';
import { createPeers } from './peers.ts';
import type { Front, ServiceContext, ServiceDefinition } from './service.ts';

/** What differs between the topologies. */
export interface Infra {
  env: Env;
  log: Log;
  bus: Bus;
  cache: Cache;
  /** The PostgreSQL server; each service has a database `<namespace>_<service>` on it. */
  databaseUrl: string;
  namespace: string;
  poolSize: number;
  /** Verifies the principals that the gateway signs. */
  principalKey: KeyObject;
  /** Authenticates services, and first-party applications, to internal routes. */
  serviceToken: string;
  /** Where the services of other processes answer; several copies take turns. */
  peerUrls: Readonly<Record<string, readonly string[]>>;
  /** The public port's address; used when a front door is among the services. */
  listen: { host: string; port: number };
  /** The address of internal routes, metrics and health; port 0: any free one. */
  internal: { host: string; port: number };
}

export interface Running {
  /** The address of the public port, null without a front door. */
  url: string | null;
  internalUrl: string;
  /** Refuses new work, finishes what is in hand, closes. */
  stop(): Promise<void>;
}

interface Part {
  definition: ServiceDefinition;
  context: ServiceContext;
  app: Express;
  relay: Relay | null;
  tasks: Task[];
}

/** Turns service definitions into a running process: migrates, mounts, subscribes, relays, listens. */
export async function run(services: readonly ServiceDefinition[], infra: Infra): Promise<Running> {
  const { log, bus, cache } = infra;
  const peers = createPeers({ urls: infra.peerUrls, serviceToken: infra.serviceToken, log });
  const verifyPrincipal = createPrincipalVerifier(infra.principalKey);
  collectProcessMetrics();

  const undo: (() => Promise<unknown> | void)[] = [
    () => cache.close(),
    () => bus.close(),
    () => peers.close(),
  ];
  let door: Handler = notReady;
  let publicServer: http.Server | null = null;
  const stop = async () => {
    if (publicServer) await closeServer(publicServer);
    for (const step of undo.splice(0).reverse()) await step();
  };

  try {
    // The port first: that it is in use shows before anything else is begun.
    if (services.some(({ front }) => front)) {
      publicServer = await listen((req, res) => door(req, res), infra.listen, true);
    }
    const parts: Part[] = [];
    for (const definition of services) parts.push(await prepare(definition));
    const internal = await listen(internalApp(parts, log), infra.internal, false);
    undo.push(() => closeServer(internal));
    const internalUrl = urlOf(internal);
    for (const { definition, app } of parts) peers.addLocal(definition.name, app, () => internalUrl);

    undo.push(() => bus.stop());
    for (const { definition, context } of parts) {
      for (const { name, events, ...rest } of definition.subscriptions?.(context) ?? []) {
        const queue = `${definition.name}.${name}`;
        await bus.subscribe({ ...rest, queue, names: events.map((event) => event.name) });
      }
      for (const worker of definition.workers?.(context) ?? []) await bus.work(worker);
    }
    // Only now: what the relays hand over must find its subscribers.
    for (const part of parts) {
      const { definition, context } = part;
      if (definition.migrations) {
        const relay = startRelay({ db: context.db, bus, service: definition.name, log: context.log });
        part.relay = relay;
        undo.push(() => relay.stop());
      }
      const upkeep = definition.migrations
        ? [{ name: 'forget-handled-events', everyMs: 3_600_000, run: () => forgetHandled(context.db) }]
        : [];
      const tasks = [...(definition.tasks?.(context) ?? []), ...upkeep];
      part.tasks = tasks.map((task) => startTask(task, context.log));
      undo.push(() => Promise.all(part.tasks.map((task) => task.stop())));
    }
    const front = parts.find(({ definition }) => definition.front);
    if (front) door = frontDoor(front);
    return { url: publicServer && urlOf(publicServer), internalUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }

  async function prepare(definition: ServiceDefinition): Promise<Part> {
    const { name } = definition;
    const config = definition.config.read(infra.env);
    const serviceLog = log.child({ service: name });
    const db = definition.migrations
      ? await openServiceDatabase(definition, infra, serviceLog)
      : noDatabase(name);
    if (definition.migrations) undo.push(() => db.destroy());
    const part = { definition, relay: null, tasks: [] } as unknown as Part;
    part.context = {
      config,
      db,
      transaction: async <R>(work: (trx: Transaction<unknown>) => Promise<R>) => {
        let emitted = false;
        const result = await inTransaction(db, async (trx) => {
          const value = await work(trx);
          emitted = hasEmitted(trx);
          return value;
        });
        if (emitted) part.relay?.wake();
        return result;
      },
      bus,
      cache,
      peers,
      log: serviceLog,
      wake: (task) => part.tasks.find((candidate) => candidate.name === task)?.wake(),
    };
    part.app = serviceApp(part, serviceLog);
    undo.push(() => definition.close?.(part.context));
    return part;
  }

  function serviceApp(part: Part, serviceLog: Log): Express {
    const { definition, context } = part;
    const app = createApp();
    app.use(
      createRouter({
        service: definition.name,
        context,
        aggregates: definition.aggregates,
        errorTable: { ...errors, ...definition.errors },
        verifyPrincipal,
        serviceToken: infra.serviceToken,
        log: serviceLog,
      }),
    );
    const description = describeApi(
      definition.name,
      definition.aggregates.map(({ routes }) => routes),
    );
    app.get(`/internal/openapi/${definition.name}`, (_req, res) => void res.json(description));
    app.get(`/internal/ready/${definition.name}`, (_req, res, next) => {
      isReady(part).then((ready) => void res.status(ready ? 200 : 503).json({ ready }), next);
    });
    app.use(notFound, errorHandler(serviceLog));
    return app;
  }
}

/** A service's database, made if need be and brought up to date. */
async function openServiceDatabase(
  { name, migrations }: ServiceDefinition,
  { databaseUrl, namespace, poolSize }: Infra,
  log: Log,
): Promise<Kysely<unknown>> {
  const url = await ensureDatabase(databaseUrl, `${namespace}_${name}`.replaceAll('-', '_'));
  const db = openDatabase<unknown>({
    service: name,
    url,
    poolSize,
    onError: (err) => log.warn({ err }, 'an idle database connection broke'),
  });
  try {
    await migrate(db, migrations!);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return db;
}

/** Brings the database of a service up to date and closes everything again: the job before a deployment. */
export async function migrateOnly(definition: ServiceDefinition, infra: Infra): Promise<void> {
  if (definition.migrations) await (await openServiceDatabase(definition, infra, infra.log)).destroy();
  await infra.bus.close();
  await infra.cache.close();
}

/** Health: the database answers, and what else the service says of itself. */
async function isReady({ definition, context }: Part): Promise<boolean> {
  try {
    if (definition.migrations) await ping(context.db);
    return (await definition.ready?.(context)) ?? true;
  } catch {
    return false;
  }
}

function createApp(): Express {
  const app = express();
  app
    .disable('x-powered-by')
    .disable('etag')
    .set('query parser', 'simple')
    .set('case sensitive routing', true);
  return app;
}

/** The internal address: metrics, health, and the routes of every service of this process. */
function internalApp(parts: readonly Part[], log: Log): Express {
  const app = createApp();
  app.get('/metrics', (_req, res, next) => {
    metrics.metrics().then((text) => void res.type(metrics.contentType).send(text), next);
  });
  app.get('/health/live', (_req, res) => void res.json({ live: true }));
  app.get('/health/ready', (_req, res, next) => {
    Promise.all(parts.map(isReady)).then((all) => {
      const ready = all.every(Boolean);
      res.status(ready ? 200 : 503).json({ ready });
    }, next);
  });
  const byPath = (path: string) =>
    parts.find(({ definition }) =>
      path.startsWith('/internal/openapi/') || path.startsWith('/internal/ready/')
        ? path.endsWith(`/${definition.name}`)
        : definition.aggregates.some(({ routes }) =>
            Object.values(routes).some((route) => pathPattern(route.path).test(path)),
          ),
    );
  app.use((req, res, next) => {
    const part = byPath(req.path);
    if (part) part.app(req, res);
    else next();
  });
  app.use(notFound, errorHandler(log));
  return app;
}

function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`);
}

/** The public port: the front takes a request or leaves it to the service's own routes. */
function frontDoor({ definition, context, app }: Part): (req: IncomingMessage, res: ServerResponse) => void {
  const front: Front = definition.front!(context);
  return (req, res) => front(req, res, () => app(req, res));
}

function noDatabase(service: string): Kysely<unknown> {
  return new Proxy({} as Kysely<unknown>, {
    get() {
      throw new Error(`the service ${service} has no database`);
    },
  });
}

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/** What the public port answers while the services behind it are being started. */
const notReady: Handler = (_req, res) => {
  const error = errors.resource_unavailable({ headers: { 'retry-after': '1' } });
  res.writeHead(error.status, { 'content-type': 'application/json; charset=utf-8', ...error.headers });
  res.end(JSON.stringify(error.envelope()));
};

async function listen(
  handler: Handler,
  address: { host: string; port: number },
  isPublic: boolean,
): Promise<http.Server> {
  const options = { keepAliveTimeout: 65_000, maxHeaderSize: 16 * 1024, requireHostHeader: false };
  const serve: Handler = (req, res) => {
    // During a stop, a client that goes on asking is to go on elsewhere.
    if (!server.listening) res.setHeader('connection', 'close');
    handler(req, res);
  };
  const server = http.createServer(options, serve);
  // An expectation other than 100-continue may be overlooked (RFC 9110, 10.1.1).
  server.on('checkExpectation', serve);
  server.headersTimeout = 15_000;
  server.requestTimeout = 60_000;
  server.maxRequestsPerSocket = 0;
  if (isPublic) {
    server.on('clientError', answerClientError);
    server.on('connect', (_req, socket) => answerClientError(new Error('a tunnel is asked for'), socket));
  }
  server.listen(address.port, address.host);
  await onceEvent(server, 'listening').catch((error) => {
    throw listenError(error, address);
  });
  return server;
}

function listenError(error: NodeJS.ErrnoException, { host, port }: { host: string; port: number }): Error {
  if (error.code === 'EADDRINUSE')
    return new StartError(`Port ${port} on ${host} is in use by another program; set PORT to a free one.`);
  if (error.code === 'EACCES')
    return new StartError(
      `Port ${port} on ${host} needs more rights than this user has; set PORT to one above 1023.`,
    );
  return error;
}

/** Also what is not HTTP gets the API's form of an error. */
function answerClientError(error: NodeJS.ErrnoException, socket: import('node:stream').Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const [status, text] = tooLarge
    ? [431, 'The request headers are too large.']
    : [400, 'This is not a valid HTTP request.'];
  const body = JSON.stringify({ error: text, code: 'invalid_body' });
  socket.end(
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status as number]}\r\nConnection: close\r\n` +
      `X-Request-Id: ${newId('event').slice(4)}\r\nCache-Control: private, no-store\r\n` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function urlOf(server: http.Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

const drainMs = 8_000;
const sweepMs = 50;

/** Takes no new connections, lets requests in hand finish, and cuts off what is still there after a while. */
async function closeServer(server: http.Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // Those whose request was in hand at that moment are idle a little later.
  const sweep = setInterval(() => server.closeIdleConnections(), sweepMs);
  const timer = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(timer);
}

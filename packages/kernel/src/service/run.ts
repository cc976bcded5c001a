import { hkdfSync, type KeyObject } from 'node:crypto';
import type http from 'node:http';
import { errors } from '@waybill/contracts';
import type { Express } from 'express';
import type { Kysely } from 'kysely';
import type { Cache } from '../cache/cache.ts';
import { createQueue, type Queue } from '../concurrency/queue.ts';
import { auditPartitions } from '../db/audit.ts';
import { type BatchedStatement, createBatched, createShared, type SharedStatement } from '../db/batched.ts';
import {
  type DatabaseProbe,
  databaseUrl,
  ensureDatabase,
  openDatabase,
  openDatabaseProbe,
  sizeOf,
} from '../db/database.ts';
import { createGroupCommit, type GroupWrite } from '../db/group-commit.ts';
import { migrate, requireMigrated } from '../db/migrate.ts';
import { keepPartitions, type PartitionOptions, partitionTask } from '../db/partitions.ts';
import { createUnitsOfWork, type UnitsOfWork } from '../db/units.ts';
import type { Bus } from '../events/bus.ts';
import { handledEvents } from '../events/once.ts';
import { outboxPartitions } from '../events/outbox.ts';
import { type Relay, startRelay } from '../events/relay.ts';
import { measured } from '../http/edge-metrics.ts';
import { shedHeader } from '../http/forwarding.ts';
import { createIdempotency, forgetAnswers, type Idempotency } from '../http/idempotency.ts';
import { describeApi } from '../http/openapi.ts';
import { createPeers } from '../http/peers.ts';
import { createPrincipalVerifier } from '../http/principal.ts';
import type { Aggregate } from '../http/route.ts';
import { bareApp, createApp } from '../http/router.ts';
import { errorHandler, notFound, readyAnswer } from '../http/send.ts';
import { type Address, closeServer, type Handler, listen, notReady, pathOf, urlOf } from '../http/server.ts';
import { asSystem } from '../operations/acting.ts';
import type { Env } from '../operations/config.ts';
import type { Caller } from '../operations/keys.ts';
import type { Log } from '../operations/log.ts';
import { collectProcessMetrics, databaseBytes, metrics } from '../operations/metrics.ts';
import { exportSpans } from '../operations/spans.ts';
import { startTask, type Task, type TaskDefinition } from '../operations/tasks.ts';
import { auditAggregate } from './audit-routes.ts';
import type { Front, ServiceContext, ServiceDefinition } from './definition.ts';
import { limitsAggregate } from './limit-routes.ts';

/** What differs between the topologies. */
export interface Infra {
  env: Env;
  log: Log;
  bus: Bus;
  cache: Cache;
  /** The PostgreSQL server; each service has a database `<namespace>_<service>` on it. */
  databaseUrl: string;
  /** By service, where each connects as a role of its own to its own database. */
  ownDatabaseUrls?: Readonly<Record<string, string>>;
  namespace: string;
  /**
   * Whether it brings its databases up to date itself, or waits so many milliseconds for who does, and then gives up: in
   * production that is a step of its own, `decisions.md 18.3`.
   */
  migrations: 'run' | { waitMs: number };
  poolSize: number;
  /** Verify the principals that the gateway signs. */
  principalKeys: readonly KeyObject[];
  /** What this process names itself with to other services, the one to use first. */
  serviceTokens: readonly string[];
  /** Who may ask internal routes: services, and first-party applications. */
  callers: readonly Caller[];
  /** Where the services of other processes answer; several copies take turns. */
  peerUrls: Readonly<Record<string, readonly string[]>>;
  /** The public port's address; used when one with a `front` is among the services. */
  listen: Address;
  /** The address of internal routes, metrics and health; port 0: any free one. */
  internal: Address;
}

export interface Running {
  /** The address of the public port, null where no service has a `front`. */
  url: string | null;
  internalUrl: string;
  /** Refuses new work, finishes what is in flight, closes. */
  stop(): Promise<void>;
}

interface Part {
  definition: ServiceDefinition;
  /** Its own, and the kernel's. */
  aggregates: readonly Aggregate<ServiceContext>[];
  context: ServiceContext;
  app: Express;
  /** Null without a database. */
  units: UnitsOfWork<unknown> | null;
  /** Null without a database. */
  idempotency: Idempotency | null;
  /** Null without a database. */
  probe: DatabaseProbe | null;
  /** For connections to the database. */
  queue: Queue;
  relay: Relay | null;
  /** Null without a database. */
  partitions: PartitionOptions | null;
  tasks: Task[];
}

/** Turns service definitions into a running process: migrates or waits for it, mounts, subscribes, relays, listens. */
export async function run(services: readonly ServiceDefinition[], infra: Infra): Promise<Running> {
  const { log, bus, cache } = infra;
  const peers = createPeers({ urls: infra.peerUrls, serviceToken: infra.serviceTokens[0]!, log });
  const verifyPrincipal = createPrincipalVerifier(infra.principalKeys);
  collectProcessMetrics();

  const undo: (() => Promise<unknown> | void)[] = [
    await exportSpans(infra.env, log),
    () => cache.close(),
    () => bus.close(),
    () => peers.close(),
  ];
  const stopping = new AbortController();
  let handlePublic: Handler = notReady;
  let publicServer: http.Server | null = null;
  const servers: http.Server[] = [];
  // What came last is ended first, but before all of it no new work is taken: what a request that is still answered
  // changes has its relay and its bus.
  const stop = async () => {
    stopping.abort();
    bus.beginStop();
    await Promise.all(servers.map(closeServer));
    for (const step of undo.splice(0).reverse()) await step();
  };

  try {
    // The port first: that it is in use shows before anything else is begun.
    if (services.some(({ front }) => front)) {
      publicServer = await listen((req, res) => handlePublic(req, res), infra.listen, true);
      servers.push(publicServer);
    }
    const parts: Part[] = [];
    for (const definition of services) parts.push(await prepare(definition));
    // Before anything is written: what has no partition yet goes to a default one and stays there.
    await Promise.all(parts.map(({ partitions }) => partitions && keepPartitions(partitions)));
    const internal = await listen(internalHandler(parts, log), infra.internal, false);
    servers.push(internal);
    const internalUrl = urlOf(internal);
    for (const { definition, app, queue } of parts)
      peers.addLocal(definition.name, app, () => internalUrl, queue.isTooLong);

    undo.push(() => bus.stop());
    for (const { definition, context } of parts) {
      for (const { events, handle, ...rest } of definition.subscriptions?.(context) ?? []) {
        await bus.subscribe({
          ...rest,
          names: events.map(({ name }) => name),
          handle: (batch) => asSystem(() => handle(batch)),
        });
      }
      for (const worker of definition.workers?.(context) ?? []) await bus.work(worker);
    }
    // Only now: what the relays hand over must find its subscribers.
    for (const part of parts) undo.push(startOwnWork(part, bus));
    const front = parts.find(({ definition }) => definition.front);
    if (front) handlePublic = publicHandler(front);
    return { url: publicServer && urlOf(publicServer), internalUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }

  async function prepare(definition: ServiceDefinition): Promise<Part> {
    const { name } = definition;
    const config = definition.config.read(infra.env);
    const serviceLog = log.child({ service: name });
    const settings = definition.sqlSettings?.(config) ?? {};
    const url = definition.migrations
      ? await upToDateDatabase(definition, {
          ...infra,
          databaseUrl: infra.ownDatabaseUrls?.[name] ?? infra.databaseUrl,
          log: serviceLog,
        })
      : null;
    const { poolSize } = infra;
    const queue = createQueue();
    const db = url
      ? openDatabase<unknown>({ service: name, url, poolSize, settings, queue, log: serviceLog })
      : noDatabase(name);
    const probe = url ? openDatabaseProbe(name, url) : null;
    if (url) {
      undo.push(() => db.destroy());
      undo.push(() => probe?.close());
    }
    const tables = [
      outboxPartitions,
      handledEvents,
      auditPartitions,
      ...(definition.partitions?.(config) ?? []),
    ];
    const partitions = url ? { service: name, url, tables, log: serviceLog } : null;
    const aggregates = [
      ...definition.aggregates,
      ...(url ? [auditAggregate(name)] : []),
      ...(definition.limits ? [limitsAggregate(name, definition.limits)] : []),
    ];
    const part = {
      definition,
      aggregates,
      probe,
      queue,
      relay: null,
      partitions,
      tasks: [],
    } as unknown as Part;
    const units = createUnitsOfWork(db, () => part.relay?.wake());
    part.units = url ? units : null;
    const idempotency = createIdempotency(units, infra.serviceTokens);
    part.idempotency = url ? idempotency : null;
    const context = {
      config,
      db: units.db,
      transaction: units.transaction,
      groupCommit: <Item, Result>(group: GroupWrite<unknown, Item, Result>) =>
        createGroupCommit(units, group, idempotency),
      batched: <Item, Result>(ask: BatchedStatement<unknown, Item, Result>) =>
        createBatched(units, queue, ask),
      shared: <Item, Result>(ask: SharedStatement<unknown, Item, Result>) => createShared(units, queue, ask),
      deriveSecrets: (purpose: string, subject: string) =>
        infra.serviceTokens.map((token) => deriveSecret(token, purpose, subject)),
      bus,
      cache: heardAfterCommit(cache, units),
      peers,
      log: serviceLog,
      stopping: stopping.signal,
      wake: (task: string) =>
        void units.afterCommit(() => part.tasks.find((candidate) => candidate.name === task)?.wake()),
    };
    part.context = { ...context, state: definition.start?.(context) };
    part.app = serviceApp(part, serviceLog);
    undo.push(() => definition.close?.(part.context));
    return part;
  }

  function serviceApp(part: Part, serviceLog: Log): Express {
    const { definition, context } = part;
    return createApp({
      service: definition.name,
      context,
      units: part.units,
      idempotency: part.idempotency,
      authorizeKeyed: definition.authorizeKeyed?.(context) ?? null,
      aggregates: part.aggregates,
      errorTable: { ...errors, ...definition.errors },
      verifyPrincipal,
      callers: infra.callers,
      // Where the door is another process, it learns it by the answer.
      tellsRoute: publicServer === null,
      log: serviceLog,
    });
  }
}

/** Starts what a service does unasked: its relay, its tasks, and those that look after its database. Gives what ends it. */
function startOwnWork(part: Part, bus: Bus): () => Promise<unknown> {
  const { definition, context } = part;
  const { name } = definition;
  const { db, log } = context;
  const tasks = [...(definition.tasks?.(context) ?? []), ...upkeepOf(part)];
  const relay = definition.migrations ? startRelay({ db, bus, service: name, log }) : null;
  part.relay = relay;
  part.tasks = tasks.map((task) => startTask(name, task, log));
  return async () => {
    await Promise.all(part.tasks.map((task) => task.stop()));
    await relay?.stop();
  };
}

/** The tasks that every service with a database has. */
function upkeepOf({ definition: { name }, context: { db }, partitions }: Part): TaskDefinition[] {
  if (!partitions) return [];
  return [
    partitionTask(partitions),
    { name: 'forget-answers', everyMs: 600_000, run: () => forgetAnswers(db) },
    {
      name: 'measure-storage',
      everyMs: 300_000,
      run: async () => databaseBytes.set({ service: name }, await sizeOf(db)),
    },
  ];
}

/** Whoever reads anew because of a new epoch is to find what made it. */
function heardAfterCommit(cache: Cache, { afterCommit }: UnitsOfWork<unknown>): Cache {
  return {
    ...cache,
    bumpEpoch: async (subject) => void (await afterCommit(() => cache.bumpEpoch(subject))),
  };
}

function deriveSecret(token: string, purpose: string, subject: string): string {
  return Buffer.from(hkdfSync('sha256', token, subject, `waybill ${purpose}`, 16)).toString('base64url');
}

/** The URL of a service's database, which has all that this version wants. */
async function upToDateDatabase(
  definition: ServiceDefinition,
  { migrations, ...infra }: Pick<Infra, keyof MigrationInfra | 'migrations'>,
): Promise<string> {
  if (migrations === 'run') return migratedDatabase(definition, infra);
  const url = databaseUrl(infra.databaseUrl, databaseName(definition.name, infra.namespace));
  const say = (line: string) => infra.log.warn(`waiting: ${line}`);
  await requireMigrated(definition.name, url, definition.migrations!, { ...migrations, say });
  return url;
}

/** What a migration needs: the database and nothing else. */
export type MigrationInfra = Pick<Infra, 'databaseUrl' | 'namespace' | 'log'>;

const databaseName = (service: string, namespace: string) => `${namespace}_${service}`.replaceAll('-', '_');

/** The URL of a service's database, which is made if need be and brought up to date. */
async function migratedDatabase(
  { name, migrations }: ServiceDefinition,
  { databaseUrl, namespace, log }: MigrationInfra,
): Promise<string> {
  const url = await ensureDatabase(databaseUrl, databaseName(name, namespace));
  // An index over millions of rows takes the time that it takes, and so does another process that is making it.
  const patient = openDatabase<unknown>({ service: name, url, poolSize: 1, statementMs: 0, log });
  try {
    const ran = await migrate(patient, migrations!);
    log.info({ service: name, migrations: ran }, 'the database is up to date');
  } finally {
    await patient.destroy();
  }
  return url;
}

/**
 * Brings the database of a service up to date: the step before a deployment, which may run while other versions do, twice
 * at once, and again after it was killed.
 */
export async function migrateOnly(definition: ServiceDefinition, infra: MigrationInfra): Promise<void> {
  if (definition.migrations) await migratedDatabase(definition, infra);
}

/** Health: the database answers, and what else the service says of itself. */
async function isReady({ definition, context, probe }: Part): Promise<boolean> {
  try {
    await probe?.ping();
    return (await definition.ready?.(context)) ?? true;
  } catch {
    return false;
  }
}

/** The internal address: the routes of every service of this process, each its own application's; metrics and health. */
function internalHandler(parts: readonly Part[], log: Log): Handler {
  const owners = parts.flatMap((part) =>
    part.aggregates.flatMap(({ routes }) =>
      Object.values(routes).map(({ path }) => ({ pattern: pathPattern(path), part })),
    ),
  );
  const own = internalApp(parts, log);
  return (req, res) => {
    const path = pathOf(req.url!);
    const owner = owners.find(({ pattern }) => pattern.test(path))?.part;
    if (!owner) return void own(req, res);
    // Not what services ask of each other: that belongs to a request that somebody has begun.
    if (owner.queue.isTooLong() && !path.startsWith('/internal/')) shed(req, res, {});
    else owner.app(req, res);
  };
}

const shed = readyAnswer(
  errors.resource_unavailable({ headers: { 'retry-after': '1', [shedHeader]: 'yes' } }),
);

function internalApp(parts: readonly Part[], log: Log): Express {
  const app = bareApp();
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
  for (const part of parts) {
    const { name, aggregates, calls } = part.definition;
    const tables = aggregates.map(({ routes }) => routes);
    const description = { ...describeApi(tables), webhooks: calls };
    app.get(`/internal/openapi/${name}`, (_req, res) => void res.json(description));
    app.get(`/internal/ready/${name}`, (_req, res, next) => {
      isReady(part).then((ready) => void res.status(ready ? 200 : 503).json({ ready }), next);
    });
  }
  app.use(notFound, errorHandler(log));
  return app;
}

function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\*\}$/, '.+').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`);
}

/** The public port: the front takes a request or leaves it to the service's own routes. */
function publicHandler({ definition, context, app }: Part): Handler {
  const front: Front = definition.front!(context);
  return measured((req, res) => front(req, res, () => app(req, res)));
}

function noDatabase(service: string): Kysely<unknown> {
  return new Proxy({} as Kysely<unknown>, {
    get() {
      throw new Error(`the service ${service} has no database`);
    },
  });
}

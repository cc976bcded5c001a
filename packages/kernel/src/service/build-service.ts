import { hkdfSync } from 'node:crypto';
import { errors, type Principal } from '@waybill/contracts';
import type { Express } from 'express';
import { createQueue, type Queue } from '../concurrency/queue.ts';
import { auditPartitions } from '../db/audit.ts';
import { createBatchedQuery, createSharedQuery } from '../db/batched.ts';
import { type DatabaseProbe, openDatabase, openDatabaseProbe } from '../db/database.ts';
import { detectCitus } from '../db/distributed.ts';
import { createGroupCommit } from '../db/group-commit.ts';
import type { PartitionOptions } from '../db/partitions.ts';
import { createUnitsOfWork } from '../db/units.ts';
import { handledEvents } from '../events/handled-events.ts';
import { outboxPartitions } from '../events/outbox.ts';
import { createWriteContext } from '../events/write-context.ts';
import { createIdempotency } from '../http/idempotency.ts';
import type { Peers } from '../http/peers.ts';
import type { Aggregate } from '../http/route.ts';
import { createApp } from '../http/router.ts';
import { auditAggregate } from './audit-routes.ts';
import { BackgroundWork } from './background-work.ts';
import type { ServiceContext, ServiceDefinition } from './definition.ts';
import type { Infra } from './infra.ts';
import { limitsAggregate } from './limit-routes.ts';
import { ensureMigrated, noDatabase } from './service-database.ts';

/** A service with everything that it runs with; its subscriptions and its background work are not started yet. */
export interface BuiltService {
  definition: ServiceDefinition;
  /** The service's own aggregates and the kernel's. */
  aggregates: readonly Aggregate<ServiceContext>[];
  context: ServiceContext;
  app: Express;
  /** Null without a database. */
  probe: DatabaseProbe | null;
  /** The requests that wait for a connection to the database. */
  queue: Queue;
  /** Null without a database. */
  partitions: PartitionOptions | null;
  background: BackgroundWork;
}

/** The parts that the services of a process share. */
export interface ProcessParts {
  infra: Infra;
  peers: Peers;
  verifyPrincipal(token: string): Promise<Principal | null>;
  /** Aborts when the process begins to stop. */
  stopping: AbortSignal;
  /** Whether the gateway is another process, which learns the route of an answer from a header. */
  exposeRouteHeader: boolean;
  /** Registers a step of the stop; the last registered step runs first. */
  onStop(step: () => Promise<unknown> | void): void;
}

/** Builds a service: migrates its database or waits for that, opens it, and creates its application. */
export async function buildService(
  definition: ServiceDefinition,
  parts: ProcessParts,
): Promise<BuiltService> {
  const { infra, peers, stopping, onStop } = parts;
  const { name } = definition;
  const config = definition.config.read(infra.env);
  const log = infra.log.child({ service: name });
  const queue = createQueue();
  const { url, pool, probe } = await openServiceDatabase(definition, parts, config, queue, log);
  const background = new BackgroundWork(name, log);
  const units = createUnitsOfWork(pool, () => background.wakeRelay());
  const idempotency = createIdempotency(units, infra.serviceTokens);
  const withoutState: Omit<ServiceContext, 'state'> = {
    config,
    db: pool,
    transaction: units.transaction,
    write: (work) =>
      units.run('read committed', (trx, afterCommit) => work(createWriteContext(trx, afterCommit))),
    groupCommit: (group) => createGroupCommit(units, group, idempotency),
    batchQuery: (ask) => createBatchedQuery(pool, queue, ask),
    shareQuery: (ask) => createSharedQuery(pool, queue, ask),
    deriveSecrets: (purpose, subject) =>
      infra.serviceTokens.map((token) => deriveSecret(token, purpose, subject)),
    bus: infra.bus,
    cache: infra.cache,
    peers,
    log,
    stopping,
    wakeTask: (task) => background.wakeTask(task),
  };
  const context: ServiceContext = { ...withoutState, state: definition.start?.(withoutState) };
  const aggregates = [
    ...definition.aggregates,
    ...(url ? [auditAggregate(name)] : []),
    ...(definition.limits ? [limitsAggregate(name, definition.limits)] : []),
  ];
  const app = createApp({
    service: name,
    context,
    units: url ? units : null,
    idempotency: url ? idempotency : null,
    db: pool,
    requireConfigured: () => definition.requireConfigured?.(config),
    authorizeKeyed: definition.authorizeKeyed?.(context) ?? null,
    aggregates,
    errorTable: { ...errors, ...definition.errors },
    verifyPrincipal: parts.verifyPrincipal,
    callers: infra.callers,
    exposeRouteHeader: parts.exposeRouteHeader,
    log,
  });
  onStop(() => definition.close?.(context));
  const tables = [
    outboxPartitions,
    handledEvents,
    auditPartitions,
    ...(definition.partitions?.(config) ?? []),
  ];
  const partitions = url ? { service: name, url, tables, log } : null;
  return { definition, aggregates, context, app, probe, queue, partitions, background };
}

/** Migrates and opens the service's database, and closes it when the process stops. */
async function openServiceDatabase(
  definition: ServiceDefinition,
  { infra, onStop }: ProcessParts,
  config: object,
  queue: Queue,
  log: Infra['log'],
) {
  const { name } = definition;
  const url = await prepareDatabase(definition, infra, log);
  if (!url) return { url, pool: noDatabase(name), probe: null };
  const pool = openDatabase<unknown>({
    service: name,
    url,
    poolSize: infra.poolSize,
    settings: definition.sqlSettings?.(config) ?? {},
    queue,
    log,
  });
  const probe = openDatabaseProbe(name, url);
  onStop(() => pool.destroy());
  onStop(() => probe.close());
  await detectCitus(pool);
  return { url, pool, probe };
}

/** Returns the URL of the service's database, fully migrated; null if the service has none. */
async function prepareDatabase(
  definition: ServiceDefinition,
  infra: Infra,
  log: Infra['log'],
): Promise<string | null> {
  if (!definition.migrations) return null;
  const serverUrl = infra.ownDatabaseUrls?.[definition.name] ?? infra.databaseUrl;
  return ensureMigrated(definition, { ...infra, databaseUrl: serverUrl, log });
}

function deriveSecret(token: string, purpose: string, subject: string): string {
  return Buffer.from(hkdfSync('sha256', token, subject, `waybill ${purpose}`, 16)).toString('base64url');
}

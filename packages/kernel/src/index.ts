export { type Acting, acting, asSystem } from './audit/acting.ts';
export { type AuditedThing, audit } from './audit/entries.ts';
export * from './cache/cache.ts';
export * from './cache/in-process-cache.ts';
export { createRedisCache, type RedisCacheOptions } from './cache/redis-cache.ts';
export * from './config.ts';
export {
  changedAt,
  ensureDatabase,
  openDatabase,
  sqlState,
  violatedConstraint,
  withoutWaitingForDisk,
} from './db/database.ts';
export { type GroupWrite, WriteAlone, type WriteWithOthers } from './db/group-commit.ts';
export * from './db/json.ts';
export * from './db/lists.ts';
export { migrate, requireMigrated } from './db/migrate.ts';
export type { PartitionedTable } from './db/partitions.ts';
export { defineSearch, type SearchHits, searchRoute } from './db/search.ts';
export { type Columns, type Places, planned, prepare, type SqlText } from './db/statements.ts';
export { deleteStep } from './db/sweeps.ts';
export { trigramShares } from './db/trigrams.ts';
export * from './events/bus.ts';
export * from './events/in-process-bus.ts';
export { once } from './events/once.ts';
export { type Emission, emissionOf, emit, emitAll, insertEmissions } from './events/outbox.ts';
export { createRabbitmqBus, type RabbitmqBusOptions } from './events/rabbitmq/bus.ts';
export { type DeadQueues, openDeadQueues } from './events/rabbitmq/dead.ts';
export { brokersOf } from './events/rabbitmq/link.ts';
export * from './http/answer.ts';
export { escapePointer } from './http/body.ts';
export * from './http/cursor.ts';
export { keptAnswers, type Once } from './http/idempotency.ts';
export { parseInstant } from './http/instant.ts';
export { isKnown } from './http/items.ts';
export * from './http/list.ts';
export { networkOf } from './http/network.ts';
export { type ApiDescription, describeApi, mergeDescriptions } from './http/openapi.ts';
export {
  addressHeader,
  createPrincipalSigner,
  ed25519Key,
  ed25519PublicKey,
  hostHeader,
  principalHeader,
  publicKeyOf,
  publicKeyText,
  requestIdHeader,
} from './http/principal.ts';
export * from './http/rate-limit.ts';
export { readBody } from './http/read-body.ts';
export {
  aggregate,
  type DetailedHandler,
  defineRoutes,
  type Handlers,
  type RouteDefinition,
  type RouteRequest,
} from './http/route.ts';
export { answerError, isPassing, readyAnswer } from './http/send.ts';
export { pathOf, shownPath } from './http/server.ts';
export {
  isLoopback,
  maxLabelLength,
  ownOriginHeader,
  readSites,
  type Sites,
  siteSettings,
} from './http/sites.ts';
export {
  type Caller,
  callersText,
  hashToken,
  type KeyEnv,
  keySettings,
  keysFrom,
  type NamedKey,
  parseCallers,
  parseNamed,
  readKeys,
} from './keys.ts';
export * from './log.ts';
export { type SharedLookUps, shareLookUps } from './look-ups.ts';
export { Counter, Gauge, Histogram, metrics, refusedRequests } from './metrics.ts';
export { inTime, type Peers } from './peers.ts';
export {
  infraFromEnv,
  principalKeysOf,
  processSettings,
  readPrincipalKeys,
  runService,
  serviceTokensOf,
} from './process.ts';
export { fail, runProgram } from './program.ts';
export { type Infra, migrateOnly, type Running, run } from './run.ts';
export * from './service.ts';
export { SharedClock } from './shared-clock.ts';
export { createLine } from './shedding.ts';
export { type SpanStart, withServerSpan, withSpan } from './spans.ts';
export { continueTrace, currentTrace, traceHeader } from './trace.ts';

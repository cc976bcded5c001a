export * from './cache/cache.ts';
export * from './cache/in-process-cache.ts';
export { createRedisCache } from './cache/redis-cache.ts';
export { createAdmissionQueue } from './concurrency/admission-queue.ts';
export { createBatcher } from './concurrency/batcher.ts';
export { FairCapacity } from './concurrency/fair-capacity.ts';
export { FairSemaphore } from './concurrency/fair-semaphore.ts';
export { Pacer } from './concurrency/pacer.ts';
export { singleFlight } from './concurrency/single-flight.ts';
export { withTimeout } from './concurrency/with-timeout.ts';
export { audit } from './db/audit.ts';
export {
  addInterval,
  asyncCommit,
  asyncCommitOn,
  changedAt,
  ensureDatabase,
  openDatabase,
  sqlState,
  violatedConstraint,
} from './db/database.ts';
export {
  type ClaimByStore,
  claimByStore,
  detectCitus,
  eachStore,
  isDistributed,
  ofStore,
  withinStore,
} from './db/distributed.ts';
export { type FoldedTable, foldStep, foldTask } from './db/folding.ts';
export { type GroupedWrite, WriteAlone } from './db/group-commit.ts';
export { withItemCache } from './db/item-cache.ts';
export { defineParts, type ListItem, type ListPart } from './db/items.ts';
export * from './db/json.ts';
export { type ListRead, type ListStatement, readItems, readList, readMatches, readPage } from './db/lists.ts';
export { migrate, requireMigrated } from './db/migrate.ts';
export {
  byTime,
  mergedLimit,
  mergedRows,
  type Order,
  orderBy,
  type Page,
  type Position,
  rangesAfter,
  type SortKey,
  sortedBy,
} from './db/order.ts';
export type { PartitionedTable } from './db/partitions.ts';
export type { SealedDefinition } from './db/sealed.ts';
export { defineSearch, type SearchHits } from './db/search.ts';
export {
  type Columns,
  compileUnprepared,
  findExistingText,
  type OfStore,
  type Placeholders,
  prepare,
  prepareByTopology,
  preparedStatements,
  prepareFindExisting,
  rawSql,
  type SqlText,
} from './db/statements.ts';
export { deleteBatch } from './db/sweeps.ts';
export { trigramShares } from './db/trigrams.ts';
export {
  createStoreIndexCheck,
  indexedWords,
  prepareSearch,
  type SearchIndex,
  searchText,
  splitWords,
  toLikePattern,
} from './db/words.ts';
export * from './events/bus.ts';
export {
  createEmission,
  type Emission,
  emit,
  emitAll,
  insertEmissions,
  insertEmitted,
} from './events/emit.ts';
export { claimNewEvents } from './events/handled-events.ts';
export * from './events/in-process-bus.ts';
export { createRabbitmqBus, type RabbitmqBusOptions } from './events/rabbitmq/bus.ts';
export { type DeadQueues, openDeadQueues } from './events/rabbitmq/dead.ts';
export { parseBrokers } from './events/rabbitmq/link.ts';
export { createWriteContext, type WriteContext } from './events/write-context.ts';
export * from './http/answer.ts';
export { escapePointer } from './http/body.ts';
export * from './http/cursor.ts';
export { storedResponses } from './http/idempotency.ts';
export type { IdempotentWrite } from './http/idempotent-write.ts';
export { instantFilter, invalidInstantMessage, parseInstant } from './http/instant.ts';
export { matchesIfNoneMatch } from './http/items.ts';
export * from './http/list.ts';
export { getNetwork } from './http/network.ts';
export { type ApiDescription, describeApi, describeSchema, mergeDescriptions } from './http/openapi.ts';
export type { Peers } from './http/peers.ts';
export {
  addressHeader,
  createPrincipalSigner,
  derivePublicKey,
  ed25519Key,
  hostHeader,
  principalHeader,
  publicKeyText,
} from './http/principal.ts';
export * from './http/rate-limit.ts';
export { readBody } from './http/read-body.ts';
export {
  type AuthorizeKeyed,
  aggregate,
  type DetailedHandler,
  defineRoutes,
  type Handlers,
  type Lock,
  type RouteDefinition,
  type RouteRequest,
} from './http/route.ts';
export { searchRoute } from './http/search-route.ts';
export { answerError, isTemporary, prepareAnswer } from './http/send.ts';
export { parsePath, redactPath } from './http/server.ts';
export {
  isLoopback,
  maxLabelLength,
  ownOriginHeader,
  readSites,
  type Sites,
  siteSettings,
} from './http/sites.ts';
export { strictHeaders } from './http/strict.ts';
export { findUserNames } from './http/user-names.ts';
export { type Actor, currentActor, runAsSystem } from './operations/actor.ts';
export * from './operations/config.ts';
export {
  callersText,
  type KeyEnv,
  keySettings,
  keysFrom,
  type NamedKey,
  parseNamed,
  readKeys,
} from './operations/keys.ts';
export * from './operations/log.ts';
export { Counter, Gauge, Histogram, metrics, refusedRequests } from './operations/metrics.ts';
export { exitWithError, runProgram } from './operations/program.ts';
export { SharedClock } from './operations/shared-clock.ts';
export { type SpanStart, withServerSpan, withSpan } from './operations/spans.ts';
export type { TaskDefinition } from './operations/tasks.ts';
export { continueTrace, currentTrace, traceHeader } from './operations/trace.ts';
export * from './service/definition.ts';
export {
  collectPrincipalKeys,
  namespaceSetting,
  processSettings,
  readPrincipalKeys,
  readServiceTokens,
  runService,
} from './service/process.ts';
export { type Running, run } from './service/run.ts';
export { migrateOnly } from './service/service-database.ts';

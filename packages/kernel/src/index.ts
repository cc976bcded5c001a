export { type Acting, acting, asSystem } from './audit/acting.ts';
export { audit } from './audit/entries.ts';
export * from './cache/cache.ts';
export * from './cache/in-process-cache.ts';
export { createRedisCache } from './cache/redis-cache.ts';
export * from './config.ts';
export {
  changedAt,
  ensureDatabase,
  openDatabase,
  sqlState,
  violatedConstraint,
  withoutWaitingForDisk,
} from './db/database.ts';
export { type FoldedTable, foldStep, foldTask } from './db/folding.ts';
export { WriteAlone, type WriteWithOthers } from './db/group-commit.ts';
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
export { defineSearch, type SearchHits, searchRoute } from './db/search.ts';
export { type Columns, type OfStore, type Places, planned, prepare, type SqlText } from './db/statements.ts';
export { deleteStep } from './db/sweeps.ts';
export { trigramShares } from './db/trigrams.ts';
export {
  indexedWords,
  lookUp,
  patternOf,
  type SearchIndex,
  searchText,
  storeInIndex,
  wordsOf,
} from './db/words.ts';
export * from './events/bus.ts';
export { type Emission, emissionOf, emit, emitAll, insertEmissions } from './events/emit.ts';
export * from './events/in-process-bus.ts';
export { once } from './events/once.ts';
export { createRabbitmqBus, type RabbitmqBusOptions } from './events/rabbitmq/bus.ts';
export { type DeadQueues, openDeadQueues } from './events/rabbitmq/dead.ts';
export { brokersOf } from './events/rabbitmq/link.ts';
export { gatherItems } from './gather.ts';
export * from './http/answer.ts';
export { escapePointer } from './http/body.ts';
export * from './http/cursor.ts';
export { keptAnswers, type Once } from './http/idempotency.ts';
export { instantFilter, noInstant, parseInstant } from './http/instant.ts';
export { isKnown } from './http/items.ts';
export * from './http/list.ts';
export { networkOf } from './http/network.ts';
export { type ApiDescription, describeApi, describeSchema, mergeDescriptions } from './http/openapi.ts';
export {
  addressHeader,
  createPrincipalSigner,
  ed25519Key,
  hostHeader,
  principalHeader,
  publicKeyOf,
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
export { strictRefusal } from './http/strict.ts';
export {
  callersText,
  type KeyEnv,
  keySettings,
  keysFrom,
  type NamedKey,
  parseNamed,
  readKeys,
} from './keys.ts';
export * from './log.ts';
export { shareLookUps } from './look-ups.ts';
export { Counter, Gauge, Histogram, metrics, refusedRequests } from './metrics.ts';
export { inTime, type Peers } from './peers.ts';
export {
  principalKeysOf,
  processSettings,
  readPrincipalKeys,
  runService,
  serviceTokensOf,
} from './process.ts';
export { fail, runProgram } from './program.ts';
export { migrateOnly, type Running, run } from './run.ts';
export * from './service.ts';
export { SharedClock } from './shared-clock.ts';
export { createLine } from './shedding.ts';
export { createSlots, type Slots } from './slots.ts';
export { type SpanStart, withServerSpan, withSpan } from './spans.ts';
export { continueTrace, currentTrace, traceHeader } from './trace.ts';

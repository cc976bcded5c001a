import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiError, EventMessage, StoreLimit, Subscription } from '@waybill/contracts';
import type { Kysely, Transaction } from 'kysely';
import type { Cache } from '../cache/cache.ts';
import type { BatchedQuery, BatchQueryStatement, SharedQueryStatement } from '../db/batched.ts';
import type { GroupedWrite, GroupWrite } from '../db/group-commit.ts';
import type { PartitionedTable } from '../db/partitions.ts';
import type { SealedDefinition } from '../db/sealed.ts';
import type { Bus } from '../events/bus.ts';
import type { WriteContext } from '../events/write-context.ts';
import type { Peers } from '../http/peers.ts';
import type { Aggregate, AuthorizeKeyed } from '../http/route.ts';
import type { ConfigDefinition } from '../operations/config.ts';
import type { Log } from '../operations/log.ts';
import type { TaskDefinition } from '../operations/tasks.ts';

/** The environment in which a service's code runs. */
export interface ServiceContext<Config = unknown, Tables = unknown, State = unknown> {
  config: Config;
  /** The in-memory state of the service, as its `start` created it. */
  state: State;
  /** The service's own database, for reads outside of a write. */
  db: Kysely<Tables>;
  /**
   * Runs `work` in a transaction; its commit publishes the events that `work` emitted. May run `work` again after a
   * deadlock.
   */
  transaction<Result>(work: (trx: Transaction<Tables>) => Promise<Result>): Promise<Result>;
  /** Runs `work` as a write outside of a request: for tasks and subscriptions. May run it again as well. */
  write<Result>(work: (context: WriteContext<Tables>) => Promise<Result>): Promise<Result>;
  /**
   * `transaction` for items that are written together with others of their key, such as a store: `db/group-commit.ts`.
   */
  groupCommit<Item, Result>(group: GroupWrite<Tables, Item, Result>): GroupedWrite<Item, Result>;
  /** A statement that answers simultaneous queries of one key, such as a store, together: `db/batched.ts`. */
  batchQuery<Item, Result>(
    ask: BatchQueryStatement<Tables, Item, Result>,
  ): BatchedQuery<Tables, Item, Result>;
  /** A query whose result simultaneous callers share if they ask the same about one key: `db/batched.ts`. */
  shareQuery<Item, Result>(
    ask: SharedQueryStatement<Tables, Item, Result>,
  ): (key: string, item: Item) => Promise<Result>;
  /**
   * Derives secrets of 128 bits in base64url that only this service can derive again from a purpose and a subject: one
   * for each of its service tokens, the current one's first. Code that hands one out must store its hash, because
   * tokens are replaced.
   */
  deriveSecrets(purpose: string, subject: string): readonly string[];
  bus: Bus;
  cache: Cache;
  peers: Peers;
  log: Log;
  /** Aborts when the process begins to stop: handlers that hold back an answer must give it now. */
  stopping: AbortSignal;
  /** Runs a background task of this service now instead of at its next interval. */
  wakeTask(task: string): void;
}

/** A subscription of the contracts' table, and the service's handler of its events. */
export interface SubscriptionDefinition extends Subscription {
  /** Maximum number of events in one call. */
  batch: number;
  /** Minimum time from the start of one call to the next, `Subscription.intervalMs` of the bus. */
  intervalMs?: number;
  handle(events: EventMessage[]): Promise<void>;
}

/** A worker for the jobs of a queue. */
export interface WorkerDefinition {
  queue: string;
  concurrency: number;
  batch: number;
  /** Whether its jobs record work that others have done, `Worker.recordsOutcomes`. */
  recordsOutcomes?: boolean;
  /** How long the first job of a burst waits for the others, `Worker.batchDelayMs`. */
  batchDelayMs?: number;
  /** Whether it also accepts messages that contain many jobs, `Worker.acceptsBatches`. */
  acceptsBatches?: boolean;
  /** Only the two ends of the queue know the type of a job. */
  handle(jobs: never[]): Promise<void>;
}

/** Handles a request at the public port; it calls `next` for requests that belong to the routes. */
export type Front = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

// biome-ignore lint/suspicious/noExplicitAny: `run` takes services of every configuration, database and state
export interface ServiceDefinition<Config = any, Tables = any, State = any> {
  name: string;
  config: ConfigDefinition<Config>;
  /** The folder of its SQL migrations; without one the service has no database. */
  migrations?: URL;
  /** Its tables that are partitioned by time; the kernel maintains its own. */
  partitions?: (config: Config) => readonly PartitionedTable[];
  /**
   * Settings of its database connections: PostgreSQL's, and those with a dot that its SQL reads with `current_setting`.
   */
  sqlSettings?: (config: Config) => Readonly<Record<string, string>>;
  /** The data that it seals in its database; stored answers are the kernel's. */
  sealed?: SealedDefinition<Tables>;
  /** Creates the in-memory state of the service, for as long as it runs. */
  start?: (context: Omit<ServiceContext<Config, Tables>, 'state'>) => State;
  aggregates: readonly Aggregate<ServiceContext<Config, Tables, State>>[];
  /** Throws if the configuration lacks what its routes need. It is not called on routes for other services. */
  requireConfigured?: (config: Config) => void;
  /** Checks rights that no route's `access` covers, before a stored answer is given. */
  authorizeKeyed?: (context: ServiceContext<Config, Tables, State>) => AuthorizeKeyed;
  /** The calls that it makes to others, by name: path items of the API document's `webhooks`. */
  calls?: Readonly<Record<string, object>>;
  /** Every error that its code throws. */
  errors?: Readonly<Record<string, (extras?: object) => ApiError>>;
  subscriptions?: (context: ServiceContext<Config, Tables, State>) => readonly SubscriptionDefinition[];
  workers?: (context: ServiceContext<Config, Tables, State>) => readonly WorkerDefinition[];
  tasks?: (context: ServiceContext<Config, Tables, State>) => readonly TaskDefinition[];
  /** Returns the limits that it sets for a store, and how much of each is used: `decisions.md 19.13`. */
  limits?: (context: ServiceContext<Config, Tables, State>, storeId: string) => Promise<StoreLimit[]>;
  /** Whether it uses the cache that the services share. */
  usesCache?: boolean;
  /** The handler of the public port, which only the gateway has. */
  front?: (context: ServiceContext<Config, Tables, State>) => Front;
  /** Whether the service can do its work; for `/healthz`. The database is always checked. */
  ready?: (context: ServiceContext<Config, Tables, State>) => Promise<boolean>;
  /** The last step of a stop: closes resources that the service itself has opened. */
  close?: (context: ServiceContext<Config, Tables, State>) => Promise<void>;
}

/** Declares a service: all that `run` needs to turn it into a process, alone or with others. */
export function defineService<Config, Tables, State = unknown>(
  definition: ServiceDefinition<Config, Tables, State>,
): ServiceDefinition<Config, Tables, State> {
  return definition;
}

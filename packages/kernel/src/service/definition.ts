import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiError, EventMessage, StoreLimit, Subscription } from '@waybill/contracts';
import type { Kysely, Transaction } from 'kysely';
import type { Cache } from '../cache/cache.ts';
import type { Batched, BatchedStatement, SharedStatement } from '../db/batched.ts';
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

/** What a service's code runs with. */
export interface ServiceContext<Config = unknown, Tables = unknown, State = unknown> {
  config: Config;
  /** What the service keeps in memory, as its `start` made it. */
  state: State;
  /** The service's own database, for reads that are no part of a write. */
  db: Kysely<Tables>;
  /** Runs `work` in a transaction; its commit sends out the events that `work` emitted. May run `work` again after a deadlock. */
  transaction<Result>(work: (trx: Transaction<Tables>) => Promise<Result>): Promise<Result>;
  /** Runs `work` as a write of its own, outside of a request's: for tasks and subscriptions. May run it again as well. */
  write<Result>(work: (context: WriteContext<Tables>) => Promise<Result>): Promise<Result>;
  /** `transaction` for what is written with others of its key, a store say: `db/group-commit.ts`. */
  groupCommit<Item, Result>(group: GroupWrite<Tables, Item, Result>): GroupedWrite<Item, Result>;
  /** A statement that answers those who ask at once of one key, a store say, together: `db/batched.ts`. */
  batched<Item, Result>(ask: BatchedStatement<Tables, Item, Result>): Batched<Tables, Item, Result>;
  /** A question that those share who ask it at once of one key in the same words: `db/batched.ts`. */
  shared<Item, Result>(
    ask: SharedStatement<Tables, Item, Result>,
  ): (key: string, item: Item) => Promise<Result>;
  /**
   * 128 bits in base64url that only this service can make again, of a purpose and a subject: one for each of its service
   * tokens, the current one's first. Whoever hands one out keeps its hash, as tokens are replaced.
   */
  deriveSecrets(purpose: string, subject: string): readonly string[];
  bus: Bus;
  cache: Cache;
  peers: Peers;
  log: Log;
  /** Aborts when the process begins to stop: whoever holds an answer back is to give it now. */
  stopping: AbortSignal;
  /** Runs a background task of this service now instead of at its next turn. */
  wake(task: string): void;
}

/** A subscription of the contracts' table, and what the service does with its events. */
export interface SubscriptionDefinition extends Subscription {
  /** How many events at most one call gets. */
  batch: number;
  handle(events: EventMessage[]): Promise<void>;
}

/** Jobs that a service takes from a queue. */
export interface WorkerDefinition {
  queue: string;
  concurrency: number;
  batch: number;
  /** Whether its jobs tell what others have done, `Worker.isRecord`. */
  isRecord?: boolean;
  /** How long the first job of a crowd waits for the others, `Worker.gatherMs`. */
  gatherMs?: number;
  /** Whether it also takes jobs that were enqueued together, `Worker.takesTogether`. */
  takesTogether?: boolean;
  /** What a job of the queue is, its two ends know. */
  handle(jobs: never[]): Promise<void>;
}

/** What a front door does with a request; it calls `next` for what is the routes' business. */
export type Front = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

// biome-ignore lint/suspicious/noExplicitAny: `run` takes services of every configuration, database and state
export interface ServiceDefinition<Config = any, Tables = any, State = any> {
  name: string;
  config: ConfigDefinition<Config>;
  /** The folder of its SQL migrations; without one the service has no database. */
  migrations?: URL;
  /** Its tables that are partitioned by time; the kernel looks after its own. */
  partitions?: (config: Config) => readonly PartitionedTable[];
  /** Settings of its database connections: PostgreSQL's, and those with a dot that its SQL reads with `current_setting`. */
  sqlSettings?: (config: Config) => Readonly<Record<string, string>>;
  /** What it keeps sealed in its database; kept answers are the kernel's. */
  sealed?: SealedDefinition<Tables>;
  /** Makes what the service keeps in memory for as long as it runs. */
  start?: (context: Omit<ServiceContext<Config, Tables>, 'state'>) => State;
  aggregates: readonly Aggregate<ServiceContext<Config, Tables, State>>[];
  /** Checks rights that no row's `access` names before a stored answer is given. */
  authorizeKeyed?: (context: ServiceContext<Config, Tables, State>) => AuthorizeKeyed;
  /** The calls that it makes to others, by name: path items of the API document's `webhooks`. */
  calls?: Readonly<Record<string, object>>;
  /** Every error that its code throws. */
  errors?: Readonly<Record<string, (extras?: object) => ApiError>>;
  subscriptions?: (context: ServiceContext<Config, Tables, State>) => readonly SubscriptionDefinition[];
  workers?: (context: ServiceContext<Config, Tables, State>) => readonly WorkerDefinition[];
  tasks?: (context: ServiceContext<Config, Tables, State>) => readonly TaskDefinition[];
  /** What it bounds of what a store has, and how much of it is used: `decisions.md 19.13`. */
  limits?: (context: ServiceContext<Config, Tables, State>, storeId: string) => Promise<StoreLimit[]>;
  /** Whether it uses the cache that the services share. */
  usesCache?: boolean;
  /** Only the gateway has one: what answers at the public port. */
  front?: (context: ServiceContext<Config, Tables, State>) => Front;
  /** Whether the service can do its work; for `/healthz`. The database is always asked. */
  ready?: (context: ServiceContext<Config, Tables, State>) => Promise<boolean>;
  /** The last thing at a stop: closes what the service itself has opened. */
  close?: (context: ServiceContext<Config, Tables, State>) => Promise<void>;
}

/** Declares a service: all that `run` needs to make a process of it, alone or with others. */
export function defineService<Config, Tables, State = unknown>(
  definition: ServiceDefinition<Config, Tables, State>,
): ServiceDefinition<Config, Tables, State> {
  return definition;
}

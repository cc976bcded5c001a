import type { EventMessage } from '@waybill/contracts';

/**
 * What became of a published event.
 * - `accepted`: it is safe with the bus (or handled by every subscriber); its outbox row may go.
 * - `unreachable`: the bus is away. One probe now and then is enough until it is back.
 * - `refused`: the queue of somebody who wants it is full, others may have it; try it again when one of its name was
 *   accepted, or later and later.
 * - `unroutable`: the queue of somebody who wants it is not there; as `refused`.
 * - `rejected`: a subscriber failed on it; try again later and later, then put it aside.
 */
export type PublishResult = 'accepted' | 'unreachable' | 'refused' | 'unroutable' | 'rejected';

export interface Subscription {
  /** Unique in the system: `<service>.<purpose>`. Several processes on one queue share its events. */
  queue: string;
  /** The names of the events it takes. */
  names: readonly string[];
  /** How many events at most one call of `handle` gets; fewer where they are large (`batchBytes`). */
  batch: number;
  /** Resolves when all are dealt with. Rejects: none counts as handled, and all will come again. */
  handle(events: EventMessage[]): Promise<void>;
}

export interface Worker<Job> {
  queue: string;
  /** How many calls of `handle` run at once. */
  concurrency: number;
  /** How many jobs at most one call of `handle` gets; fewer where they are large. */
  batch: number;
  /**
   * Whether its jobs tell what others have done: they are handled until the last of those has ended, as what is not
   * recorded would be done once more.
   */
  isRecord?: boolean | undefined;
  /** How long the first job of a crowd waits for the others (`Gathering`); 0: not at all. */
  gatherMs?: number | undefined;
  /** Whether it also takes jobs that were enqueued together. */
  takesTogether?: boolean | undefined;
  handle(jobs: Job[]): Promise<void>;
}

export interface Backlog {
  /** Jobs that no worker has yet. */
  waiting: number;
  workers: number;
}

/**
 * How services hear of each other, on RabbitMQ or in process.
 *
 * Events are facts and must not be lost: they come at least once, in no particular order, to every subscription.
 * Jobs are work that some database remembers: a queue hands each to one worker, and may lose all it holds.
 */
export interface Bus {
  /** Whether no other process hands out work: leases found at a start are those of a process that was killed. */
  readonly soleProcess: boolean;
  publish(events: readonly EventMessage[]): Promise<PublishResult[]>;
  /**
   * Calls `listener`, the one of the process's outbox, when what was accepted may be gone (a wiped broker), again and
   * again until it resolves: then all that was accepted lately is sure to be published again.
   */
  onWiped(listener: () => Promise<void>): void;
  subscribe(subscription: Subscription): Promise<void>;
  /**
   * Resolves when the queue has them. Whoever gives them a time to live may still see one that is older. `together`: many go
   * in a message, to a queue of its own, as copies of versions before know messages of one job alone; while none of that
   * queue's workers is there, and where that queue does not take them, they go one by one. `mayRepeat`: jobs whose arrival
   * is uncertain are sent once more.
   */
  enqueue<Job>(
    queue: string,
    jobs: readonly Job[],
    liveMs?: number,
    options?: { together?: boolean; mayRepeat?: boolean },
  ): Promise<void>;
  work<Job>(worker: Worker<Job>): Promise<void>;
  /** How many jobs wait in a queue, together or one by one, for one of how many workers, other processes' included. Rejects: nobody can say. */
  backlog(queue: string): Promise<Backlog>;
  /** The process begins to stop: begins no job any more but those that are records. */
  beginStop(): void;
  /** Hands out nothing new and resolves when what is in flight is finished, and in this process recorded. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

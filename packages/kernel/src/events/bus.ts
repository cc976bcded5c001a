import type { EventMessage } from '@waybill/contracts';

/**
 * The outcome of a published event.
 * - `accepted`: it is safe with the bus, or every subscriber has handled it; its outbox row may be deleted.
 * - `unreachable`: the bus is unreachable. An occasional probe is enough until it is back.
 * - `refused`: the queue of a subscription is full; others may have the event. Try it again once an event of its name
 *   was accepted, or at growing intervals.
 * - `unroutable`: the queue of a subscription is missing; treat it like `refused`.
 * - `rejected`: a subscriber failed on it. Try it again at growing intervals, then put it aside.
 */
export type PublishResult = 'accepted' | 'unreachable' | 'refused' | 'unroutable' | 'rejected';

export interface Subscription {
  /** Unique in the system: `<service>.<purpose>`. Several processes on one queue share its events. */
  queue: string;
  /** The names of the events that the subscription receives. */
  names: readonly string[];
  /** Maximum number of events in one call of `handle`; fewer if they are large (`batchBytes`). */
  batch: number;
  /**
   * Minimum time from the start of one call of `handle` to the next: events of a busy moment share a call, and a single
   * one does not wait. 0 if absent. In process, the events of one look at the outbox share a call anyway.
   */
  intervalMs?: number | undefined;
  /** Whether it also accepts messages that contain many events. In process, there are no messages. */
  acceptsBatches?: boolean | undefined;
  /** Resolves once all events are handled. If it rejects, none counts as handled, and all are delivered again. */
  handle(events: EventMessage[]): Promise<void>;
}

export interface Worker<Job> {
  queue: string;
  /** Number of calls of `handle` that may run at once. */
  concurrency: number;
  /** Maximum number of jobs in one call of `handle`; fewer if they are large. */
  batch: number;
  /**
   * Whether its jobs record work that others have done. They are handled until the last of those others has ended,
   * because unrecorded work would be done again.
   */
  recordsOutcomes?: boolean | undefined;
  /** How long the first job of a burst waits for the others (`BatchDelay`); 0 means not at all. */
  batchDelayMs?: number | undefined;
  /** Whether the worker also accepts messages that contain many jobs. */
  acceptsBatches?: boolean | undefined;
  handle(jobs: Job[]): Promise<void>;
}

export interface Backlog {
  /** Number of jobs that no worker has yet. */
  waiting: number;
  workers: number;
}

/**
 * The channel between services, on RabbitMQ or in process.
 *
 * Events are facts and must not be lost: every subscription gets each of them at least once, in no particular order.
 * Jobs are work that some database remembers: a queue gives each job to one worker, and may lose all its jobs.
 */
export interface Bus {
  /** Whether this is the only process that hands out work. Leases found at a start then belong to a killed process. */
  readonly isSingleProcess: boolean;
  publish(events: readonly EventMessage[]): Promise<PublishResult[]>;
  /**
   * Registers the `listener` of the process's outbox. The bus calls it when accepted events may be lost (a wiped
   * broker), and repeats that until it resolves: by then, all recently accepted events are certain to be published
   * again.
   */
  onWiped(listener: () => Promise<void>): void;
  subscribe(subscription: Subscription): Promise<void>;
  /**
   * Resolves when the queue has the jobs. With `ttlMs`, a worker may still get a job that is older.
   *
   * `inBatches`: packs many jobs into a message, for a queue of its own, because replicas of earlier versions understand
   * only messages of one job. While that queue has no workers or does not take the messages, the jobs are sent one by
   * one.
   * `canRepeat`: sends jobs again if it is uncertain whether they arrived.
   */
  enqueue<Job>(
    queue: string,
    jobs: readonly Job[],
    ttlMs?: number,
    options?: { inBatches?: boolean; canRepeat?: boolean },
  ): Promise<void>;
  work<Job>(worker: Worker<Job>): Promise<void>;
  /**
   * Counts the jobs that wait in a queue, together or one by one, and its workers, including those of other processes.
   * Rejects if the numbers are unknown.
   */
  backlog(queue: string): Promise<Backlog>;
  /** Announces that the process stops: from now on it begins only jobs that are records. */
  beginStop(): void;
  /** Hands out nothing new. Resolves once everything in flight is finished and recorded in this process. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

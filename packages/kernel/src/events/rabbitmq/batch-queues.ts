import { getBatchQueue } from '@waybill/contracts';
import type { Backlog } from '../bus.ts';

/** How long the number of a queue's workers is trusted, in milliseconds. */
const maxAgeMs = 1_000;
/** Limits of one message. */
const maxSize = { jobs: 64, characters: 256 * 1024 };

/** A message and the jobs in it. */
interface BatchMessage<Job> {
  jobs: readonly Job[];
  body: string;
}

/** Divides items among messages of at most `limit` items. A message exceeds the limit of characters only with one item. */
export function packMessages<Item>(
  items: readonly Item[],
  countCharacters: (item: Item) => number,
  limit = maxSize.jobs,
): Item[][] {
  const messages: Item[][] = [];
  let remaining = 0;
  for (const item of items) {
    const characters = countCharacters(item);
    const last = messages.at(-1);
    if (last && last.length < limit && characters <= remaining) {
      last.push(item);
      remaining -= characters;
    } else {
      messages.push([item]);
      remaining = maxSize.characters - characters;
    }
  }
  return messages;
}

interface QueueState {
  workers: number;
  checkedAt: number;
  /** Number of jobs in recent messages, on average. */
  jobsOfMessage: number;
}

/**
 * The queues whose messages contain many jobs or events: whether they have workers, and about how many jobs wait there.
 * A replica of an earlier version consumes only the queue with one job per message.
 */
export class BatchQueues {
  readonly #inspect: (queue: string, batchQueue: string) => Promise<Backlog>;
  readonly #states = new Map<string, QueueState>();

  constructor(inspect: (queue: string, batchQueue: string) => Promise<Backlog>) {
    this.#inspect = inspect;
  }

  /** Returns the number of workers that take jobs of a queue together; 0 if the broker does not answer. */
  async countWorkers(queue: string): Promise<number> {
    // Only the first look is awaited.
    if (!this.#states.has(queue)) await this.backlog(queue).catch(() => this.#getState(queue));
    return this.getWorkers(queue);
  }

  /** Returns the number of workers as last seen, 0 before the first look. Looks again if that was too long ago. */
  getWorkers(queue: string): number {
    const state = this.#getState(queue);
    if (performance.now() - state.checkedAt >= maxAgeMs) {
      state.checkedAt = performance.now();
      this.backlog(queue).catch(() => {
        state.workers = 0;
      });
    }
    return state.workers;
  }

  /** Records that apparently no worker takes such jobs any more. */
  resetWorkers(queue: string): void {
    this.#getState(queue).workers = 0;
  }

  /** Whether jobs of this queue have been sent together. */
  hasState(queue: string): boolean {
    return this.#states.has(queue);
  }

  /** Returns about how many jobs wait together, and the number of workers. Rejects if the numbers are unknown. */
  async backlog(queue: string): Promise<Backlog> {
    const { waiting, workers } = await this.#inspect(queue, getBatchQueue(queue));
    const state = this.#getState(queue);
    state.workers = workers;
    state.checkedAt = performance.now();
    return { waiting: Math.ceil(waiting * state.jobsOfMessage), workers };
  }

  /** Packs jobs into messages, so that each worker may get some of them. */
  pack<Job>(queue: string, jobs: readonly Job[], workers: number): BatchMessage<Job>[] {
    const share = Math.min(maxSize.jobs, Math.ceil(jobs.length / workers));
    const items = jobs.map((job) => ({ job, text: JSON.stringify(job) }));
    const messages = packMessages(items, ({ text }) => text.length, share);
    const state = this.#getState(queue);
    state.jobsOfMessage += (jobs.length / messages.length - state.jobsOfMessage) / 8;
    return messages.map((message) => ({
      jobs: message.map(({ job }) => job),
      body: `[${message.map(({ text }) => text).join()}]`,
    }));
  }

  #getState(queue: string): QueueState {
    const state = this.#states.get(queue) ?? {
      workers: 0,
      checkedAt: Number.NEGATIVE_INFINITY,
      jobsOfMessage: 1,
    };
    this.#states.set(queue, state);
    return state;
  }
}

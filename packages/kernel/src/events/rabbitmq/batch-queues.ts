import { getBatchQueue } from '@waybill/contracts';
import type { Backlog } from '../bus.ts';

/** How long the number of a queue's workers is trusted, in milliseconds. */
const maxAgeMs = 1_000;
/** Limits of one message. */
const maxSize = { items: 64, characters: 256 * 1024 };

/** A message and the jobs or events in it. */
export interface BatchMessage<Item> {
  items: readonly Item[];
  /** A JSON array. */
  body: string;
}

/**
 * Packs jobs or events into messages, so that none has more than `limit` of them. A message exceeds the limit of
 * characters only with a single one.
 */
export function packMessages<Item>(
  items: readonly Item[],
  limit: number = maxSize.items,
): BatchMessage<Item>[] {
  const messages: { items: Item[]; texts: string[]; characters: number }[] = [];
  for (const item of items) {
    const text = JSON.stringify(item);
    const last = messages.at(-1);
    if (last && last.items.length < limit && last.characters + text.length <= maxSize.characters) {
      last.items.push(item);
      last.texts.push(text);
      last.characters += text.length;
    } else messages.push({ items: [item], texts: [text], characters: text.length });
  }
  return messages.map(({ items, texts }) => ({ items, body: `[${texts.join()}]` }));
}

interface QueueState {
  workers: number;
  checkedAt: number;
  /** Number of jobs in recent messages, on average. */
  jobsOfMessage: number;
}

/**
 * The queues whose messages contain many jobs: whether they have workers, and about how many jobs wait there. A replica
 * of an earlier version consumes only the queue with one job per message.
 */
export class BatchQueues {
  readonly #inspect: (queue: string) => Promise<Backlog>;
  readonly #states = new Map<string, QueueState>();

  constructor(inspect: (queue: string) => Promise<Backlog>) {
    this.#inspect = inspect;
  }

  /** Returns the number of workers that take jobs of a queue together; 0 if the broker does not answer. */
  async countWorkers(queue: string): Promise<number> {
    const state = this.#states.get(queue);
    // Only the first look is awaited.
    if (!state) await this.backlog(queue).catch(() => this.#getState(queue));
    else if (performance.now() - state.checkedAt >= maxAgeMs) {
      state.checkedAt = performance.now();
      this.backlog(queue).catch(() => {
        state.workers = 0;
      });
    }
    return this.#states.get(queue)?.workers ?? 0;
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
    const { waiting, workers } = await this.#inspect(getBatchQueue(queue));
    const state = this.#getState(queue);
    state.workers = workers;
    state.checkedAt = performance.now();
    return { waiting: Math.ceil(waiting * state.jobsOfMessage), workers };
  }

  /** Packs jobs into messages, so that each worker may get some of them. */
  pack<Job>(queue: string, jobs: readonly Job[], workers: number): BatchMessage<Job>[] {
    const messages = packMessages(jobs, Math.min(maxSize.items, Math.ceil(jobs.length / workers)));
    const state = this.#getState(queue);
    state.jobsOfMessage += (jobs.length / messages.length - state.jobsOfMessage) / 8;
    return messages;
  }

  #getState(queue: string): QueueState {
    const state = this.#states.get(queue) ?? {
      workers: 0,
      checkedAt: performance.now(),
      jobsOfMessage: 1,
    };
    this.#states.set(queue, state);
    return state;
  }
}

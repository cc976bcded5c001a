import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, ConsumeMessage } from 'amqplib';
import { batchBytes } from '../../concurrency/take-batch.ts';

const cancelMs = 1_000;
/** Maximum bytes that a consumer tries to hold: one batch in flight and one that gathers meanwhile. */
const maxHeldBytes = 2 * batchBytes;
/** Assumed size of a message before the first one has arrived: the largest that a request can make. */
const assumedBytes = 1024 * 1024;
const emptyContent = Buffer.alloc(0);

/** The header with the number of jobs or events in a message; a message without it is one job or event. */
export const jobsHeader = 'x-waybill-jobs';

/** The size of one or several messages. */
interface HeldMessages {
  bytes: number;
  jobs: number;
}

/** Returns the size of a message and the number of its jobs. */
export const measureMessage = ({ content, properties }: ConsumeMessage): HeldMessages => ({
  bytes: content.length,
  jobs: Number(properties.headers?.[jobsHeader] ?? 1),
});

/**
 * The typical size of a queue's messages, by the recent ones. The estimate of bytes grows at once to that of a large
 * message, then shrinks slowly. The estimate of jobs is an average, because a message of many jobs among many of one is
 * usual.
 */
export class MessageSizes {
  /** Number of jobs that a consumer holds if they are so small that bytes do not matter. */
  readonly maxJobs: number;
  #bytes: number | null = null;
  #jobs = 1;

  constructor(maxJobs: number) {
    this.maxJobs = maxJobs;
  }

  record({ bytes, jobs }: HeldMessages): void {
    const previous = this.#bytes ?? bytes;
    this.#bytes = Math.max(bytes, previous + (bytes - previous) / 64);
    this.#jobs += (jobs - this.#jobs) / 64;
  }

  /** Records that messages with this many jobs were more than fits. */
  recordOverflow(jobsOfMessage: number): void {
    this.#jobs = Math.max(this.#jobs, jobsOfMessage);
  }

  /** Number of messages that a consumer may be given. */
  get prefetch(): number {
    const [prefetchByJobs, prefetchByBytes] = [
      this.maxJobs / this.#jobs,
      maxHeldBytes / (this.#bytes ?? assumedBytes),
    ];
    return Math.max(1, Math.floor(Math.min(prefetchByJobs, prefetchByBytes)));
  }
}

/**
 * Consumes a queue on one channel, and holds no more of it than fits. AMQP 0.9.1 on RabbitMQ limits only the number of
 * messages, so that number follows their sizes. The limit of a consumer cannot change, so a new consumer replaces it.
 * Messages that were on their way when messages became larger go back to the queue if they exceed twice the room.
 */
export class Intake {
  readonly channel: Channel;
  /** Whether the channel is gone. */
  isClosed = false;
  readonly #queue: string;
  readonly #sizes: MessageSizes;
  readonly #onMessage: (message: ConsumeMessage) => void;
  readonly #onCancelled: () => void;
  #tag: string | null = null;
  #prefetch = 0;
  readonly #held: HeldMessages = { bytes: 0, jobs: 0 };
  #heldMessages = 0;
  #excess: ConsumeMessage[] = [];
  #pendingChange: Promise<void> | null = null;
  #isStopped = false;

  constructor(
    channel: Channel,
    options: {
      queue: string;
      sizes: MessageSizes;
      onMessage(message: ConsumeMessage): void;
      /** Called when the queue was deleted or its leader has moved. */
      onCancelled(): void;
    },
  ) {
    this.channel = channel;
    this.#queue = options.queue;
    this.#sizes = options.sizes;
    this.#onMessage = options.onMessage;
    this.#onCancelled = options.onCancelled;
  }

  /** Starts to consume. */
  async open(): Promise<void> {
    const consuming = this.#consume();
    // Messages arrive before the call returns: they must not make it consume a second time.
    this.#pendingChange = consuming.catch(() => {});
    await consuming;
    this.#pendingChange = null;
    this.#adjust();
  }

  async #consume(): Promise<void> {
    const prefetch = this.#sizes.prefetch;
    await this.channel.prefetch(prefetch);
    const { consumerTag } = await this.channel.consume(this.#queue, (message) =>
      message ? this.#receive(message) : this.#onCancelled(),
    );
    [this.#tag, this.#prefetch] = [consumerTag, prefetch];
  }

  /** Records that a message was acknowledged or rejected. */
  release(held: HeldMessages): void {
    this.#countHeld(held, -1);
    this.#adjust();
  }

  #countHeld({ bytes, jobs }: HeldMessages, sign: 1 | -1): void {
    this.#held.bytes += sign * bytes;
    this.#held.jobs += sign * jobs;
    this.#heldMessages += sign;
  }

  /** Stops consuming. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const stopped = (async () => {
      await this.#pendingChange;
      await this.#cancel(this.#tag);
    })();
    await Promise.race([stopped.catch(() => {}), sleep(cancelMs, undefined, { ref: false })]);
  }

  #receive(message: ConsumeMessage): void {
    const size = measureMessage(message);
    this.#sizes.record(size);
    const { bytes, jobs } = this.#held;
    const isTooMany = jobs > 2 * this.#sizes.maxJobs;
    if (isTooMany) this.#sizes.recordOverflow(jobs / this.#heldMessages);
    if (isTooMany || bytes > 2 * maxHeldBytes) {
      message.content = emptyContent;
      this.#excess.push(message);
    } else {
      this.#countHeld(size, 1);
      this.#onMessage(message);
    }
    this.#adjust();
  }

  #adjust(): void {
    if (this.#isStopped || this.#pendingChange) return;
    const targetPrefetch = this.#sizes.prefetch;
    if (this.#tag === null) {
      const { bytes, jobs } = this.#held;
      if (bytes < maxHeldBytes && jobs < this.#sizes.maxJobs) this.#change(() => this.#consume());
    } else if (this.#excess.length > 0 || 2 * targetPrefetch <= this.#prefetch) {
      const tag = this.#tag;
      this.#tag = null;
      this.#change(() => this.#cancel(tag));
    } else if (targetPrefetch >= 2 * this.#prefetch) {
      const tag = this.#tag;
      // The new consumer starts first, so that nothing stands still meanwhile.
      this.#change(() => this.#consume().then(() => this.#cancel(tag)));
    }
  }

  #change(step: () => Promise<void>): void {
    this.#pendingChange = step()
      // The channel is gone; a new one is on its way.
      .catch(() => {
        this.#isStopped = true;
      })
      .finally(() => {
        this.#pendingChange = null;
        this.#adjust();
      });
  }

  /** Cancels a consumer. Excess messages go back only now, because this consumer can no longer be given them again. */
  async #cancel(tag: string | null): Promise<void> {
    if (tag !== null) await this.channel.cancel(tag);
    for (const message of this.#excess.splice(0)) this.channel.nack(message, false, true);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, ConsumeMessage } from 'amqplib';
import { batchBytes } from '../../concurrency/take-batch.ts';

const cancelMs = 1_000;
/** Maximum bytes that a consumer tries to hold: one batch in flight and one that gathers meanwhile. */
const roomBytes = 2 * batchBytes;
/** Assumed size of a message before the first one has arrived: the largest that a request can make. */
const unknownBytes = 1024 * 1024;
const nothing = Buffer.alloc(0);

/** The header with the number of jobs in a message; a message without it is one job. */
export const jobsHeader = 'x-waybill-jobs';

/** The size of one or several messages. */
interface HeldMessages {
  bytes: number;
  jobs: number;
}

export const sizeOf = ({ content, properties }: ConsumeMessage): HeldMessages => ({
  bytes: content.length,
  jobs: Number(properties.headers?.[jobsHeader] ?? 1),
});

/**
 * The typical size of a queue's messages, by the recent ones. The estimate of bytes grows at once to that of a large
 * message, then shrinks slowly. The estimate of jobs is an average, because a message of many jobs among many of one is
 * usual.
 */
export class Sizes {
  /** Number of jobs that a consumer holds if they are so small that bytes do not matter. */
  readonly mostJobs: number;
  #bytes: number | null = null;
  #jobs = 1;

  constructor(mostJobs: number) {
    this.mostJobs = mostJobs;
  }

  saw({ bytes, jobs }: HeldMessages): void {
    const before = this.#bytes ?? bytes;
    this.#bytes = Math.max(bytes, before + (bytes - before) / 64);
    this.#jobs += (jobs - this.#jobs) / 64;
  }

  /** Records that messages with this many jobs were more than fits. */
  sawTooMany(jobsOfMessage: number): void {
    this.#jobs = Math.max(this.#jobs, jobsOfMessage);
  }

  /** Number of messages that a consumer may be given. */
  get prefetch(): number {
    const [byJobs, byBytes] = [this.mostJobs / this.#jobs, roomBytes / (this.#bytes ?? unknownBytes)];
    return Math.max(1, Math.floor(Math.min(byJobs, byBytes)));
  }
}

/**
 * Consumes a queue on one channel, and holds no more of it than fits. AMQP 0.9.1 on RabbitMQ limits only the number of
 * messages, so that number follows their sizes. The limit of a consumer cannot change, so a new consumer replaces it.
 * Messages that were on their way when messages became larger go back to the queue if they exceed twice the room.
 */
export class Intake {
  readonly channel: Channel;
  readonly #queue: string;
  readonly #sizes: Sizes;
  readonly #onMessage: (message: ConsumeMessage) => void;
  readonly #onGone: () => void;
  #tag: string | null = null;
  #prefetch = 0;
  readonly #held: HeldMessages = { bytes: 0, jobs: 0 };
  #heldMessages = 0;
  #excess: ConsumeMessage[] = [];
  #changing: Promise<void> | null = null;
  #isOver = false;

  constructor(
    channel: Channel,
    options: {
      queue: string;
      sizes: Sizes;
      onMessage(message: ConsumeMessage): void;
      /** Called when the queue was deleted or its leader has moved. */
      onGone(): void;
    },
  ) {
    this.channel = channel;
    this.#queue = options.queue;
    this.#sizes = options.sizes;
    this.#onMessage = options.onMessage;
    this.#onGone = options.onGone;
  }

  /** Starts to consume. */
  async open(): Promise<void> {
    const consuming = this.#consume();
    // Messages arrive before the call returns: they must not make it consume a second time.
    this.#changing = consuming.catch(() => {});
    await consuming;
    this.#changing = null;
    this.#adjust();
  }

  async #consume(): Promise<void> {
    const prefetch = this.#sizes.prefetch;
    await this.channel.prefetch(prefetch);
    const { consumerTag } = await this.channel.consume(this.#queue, (message) =>
      message ? this.#take(message) : this.#onGone(),
    );
    [this.#tag, this.#prefetch] = [consumerTag, prefetch];
  }

  /** Records that a message was acknowledged or rejected. */
  release(held: HeldMessages): void {
    this.#hold(held, -1);
    this.#adjust();
  }

  #hold({ bytes, jobs }: HeldMessages, sign: 1 | -1): void {
    this.#held.bytes += sign * bytes;
    this.#held.jobs += sign * jobs;
    this.#heldMessages += sign;
  }

  /** Stops consuming. */
  async stop(): Promise<void> {
    this.#isOver = true;
    const stopped = (async () => {
      await this.#changing;
      await this.#cancel(this.#tag);
    })();
    await Promise.race([stopped.catch(() => {}), sleep(cancelMs, undefined, { ref: false })]);
  }

  #take(message: ConsumeMessage): void {
    const size = sizeOf(message);
    this.#sizes.saw(size);
    const { bytes, jobs } = this.#held;
    const isTooMany = jobs > 2 * this.#sizes.mostJobs;
    if (isTooMany) this.#sizes.sawTooMany(jobs / this.#heldMessages);
    if (isTooMany || bytes > 2 * roomBytes) {
      message.content = nothing;
      this.#excess.push(message);
    } else {
      this.#hold(size, 1);
      this.#onMessage(message);
    }
    this.#adjust();
  }

  #adjust(): void {
    if (this.#isOver || this.#changing) return;
    const wanted = this.#sizes.prefetch;
    if (this.#tag === null) {
      const { bytes, jobs } = this.#held;
      if (bytes < roomBytes && jobs < this.#sizes.mostJobs) this.#change(() => this.#consume());
    } else if (this.#excess.length > 0 || 2 * wanted <= this.#prefetch) {
      const tag = this.#tag;
      this.#tag = null;
      this.#change(() => this.#cancel(tag));
    } else if (wanted >= 2 * this.#prefetch) {
      const tag = this.#tag;
      // The new consumer starts first, so that nothing stands still meanwhile.
      this.#change(() => this.#consume().then(() => this.#cancel(tag)));
    }
  }

  #change(step: () => Promise<void>): void {
    this.#changing = step()
      // The channel is gone; a new one is on its way.
      .catch(() => {
        this.#isOver = true;
      })
      .finally(() => {
        this.#changing = null;
        this.#adjust();
      });
  }

  /** Cancels a consumer. Excess messages go back only now, because this consumer can no longer be given them again. */
  async #cancel(tag: string | null): Promise<void> {
    if (tag !== null) await this.channel.cancel(tag);
    for (const message of this.#excess.splice(0)) this.channel.nack(message, false, true);
  }
}

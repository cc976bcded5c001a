import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, ConsumeMessage } from 'amqplib';
import { batchBytes } from '../../concurrency/take-batch.ts';

const cancelMs = 1_000;
/** What a consumer holds, as far as it can choose: one batch in flight, and one that gathers meanwhile. */
const roomBytes = 2 * batchBytes;
/** What messages are taken for before one has come: as large as a request can make them. */
const unknownBytes = 1024 * 1024;
const nothing = Buffer.alloc(0);

/** How large the messages of a queue are, by those that came lately: at once as large as one, then slowly less. */
export class Sizes {
  readonly #most: number;
  #expected: number | null = null;

  /** `most`: the prefetch of messages so small that bytes do not matter. */
  constructor(most: number) {
    this.#most = most;
  }

  saw(bytes: number): void {
    const before = this.#expected ?? bytes;
    this.#expected = Math.max(bytes, before + (bytes - before) / 64);
  }

  get prefetch(): number {
    return Math.max(1, Math.min(this.#most, Math.floor(roomBytes / (this.#expected ?? unknownBytes))));
  }
}

/**
 * Consumes a queue on one channel, and holds no more of it than fits. AMQP 0.9.1 on RabbitMQ limits by count alone, so
 * the count follows the sizes; as a consumer cannot be given another one, another consumer takes its place. What was
 * on its way when messages became larger goes back to the queue where it is beyond twice the room.
 */
export class Intake {
  readonly channel: Channel;
  readonly #queue: string;
  readonly #sizes: Sizes;
  readonly #onMessage: (message: ConsumeMessage) => void;
  readonly #onGone: () => void;
  #tag: string | null = null;
  #prefetch = 0;
  #heldBytes = 0;
  #excess: ConsumeMessage[] = [];
  #changing: Promise<void> | null = null;
  #isOver = false;

  constructor(
    channel: Channel,
    options: {
      queue: string;
      sizes: Sizes;
      onMessage(message: ConsumeMessage): void;
      /** The queue was deleted, or its leader has moved. */
      onGone(): void;
    },
  ) {
    this.channel = channel;
    this.#queue = options.queue;
    this.#sizes = options.sizes;
    this.#onMessage = options.onMessage;
    this.#onGone = options.onGone;
  }

  /** Begins to consume. */
  async open(): Promise<void> {
    const consuming = this.#consume();
    // Messages come before it is known that they may: they are not to make it consume once more.
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

  /** A message that was handed on is acknowledged or rejected. */
  release(bytes: number): void {
    this.#heldBytes -= bytes;
    this.#adjust();
  }

  /** Nothing more comes. */
  async stop(): Promise<void> {
    this.#isOver = true;
    const stopped = (async () => {
      await this.#changing;
      await this.#cancel(this.#tag);
    })();
    await Promise.race([stopped.catch(() => {}), sleep(cancelMs, undefined, { ref: false })]);
  }

  #take(message: ConsumeMessage): void {
    const bytes = message.content.length;
    this.#sizes.saw(bytes);
    if (this.#heldBytes > 2 * roomBytes) {
      message.content = nothing;
      this.#excess.push(message);
    } else {
      this.#heldBytes += bytes;
      this.#onMessage(message);
    }
    this.#adjust();
  }

  #adjust(): void {
    if (this.#isOver || this.#changing) return;
    const wanted = this.#sizes.prefetch;
    if (this.#tag === null) {
      if (this.#heldBytes < roomBytes) this.#change(() => this.#consume());
    } else if (this.#excess.length > 0 || 2 * wanted <= this.#prefetch) {
      const tag = this.#tag;
      this.#tag = null;
      this.#change(() => this.#cancel(tag));
    } else if (wanted >= 2 * this.#prefetch) {
      const tag = this.#tag;
      // The new one first: nothing stands still meanwhile.
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

  /** What was too much goes back only when this consumer can no longer be given it again. */
  async #cancel(tag: string | null): Promise<void> {
    if (tag !== null) await this.channel.cancel(tag);
    for (const message of this.#excess.splice(0)) this.channel.nack(message, false, true);
  }
}

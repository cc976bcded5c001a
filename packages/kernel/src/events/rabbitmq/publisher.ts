import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, ChannelModel, ConfirmChannel, Options } from 'amqplib';
import type { Log } from '../../log.ts';
import type { LinkUser } from './link.ts';

const flushMs = 1_000;

export interface Outgoing {
  exchange: string;
  routingKey: string;
  body: Buffer;
  properties: Options.Publish & { messageId: string };
}

/** `confirmed`: a queue has it; `returned`: no queue wants it; `failed`: whether one has it is not known. */
export type SendResult = 'confirmed' | 'returned' | 'failed';

/** Sends messages on one channel with confirms. Every call is answered within its deadline. */
export class Publisher implements LinkUser {
  readonly #log: Log;
  readonly #deadlineMs: number;
  readonly #declare: (channel: Channel) => Promise<void>;
  readonly #mark: string | undefined;
  readonly #onMarkGone: () => Promise<void>;
  #channel: ConfirmChannel | null = null;
  #declaring: { model: ChannelModel; queues: Map<string, Promise<void>> } | null = null;
  #isBlocked = false;
  #isFull = false;
  /** Ids of messages that no queue wanted; the broker says so before it confirms them. */
  readonly #returned = new Set<string>();
  #changed = Promise.withResolvers<void>();

  constructor(options: {
    deadlineMs: number;
    declare(channel: Channel): Promise<void>;
    /** The queue that shows the broker is the one it was; none: not looked for. */
    mark?: string | undefined;
    onMarkGone(): Promise<void>;
    log: Log;
  }) {
    this.#deadlineMs = options.deadlineMs;
    this.#declare = options.declare;
    this.#mark = options.mark;
    this.#onMarkGone = options.onMarkGone;
    this.#log = options.log;
  }

  get isUp(): boolean {
    return this.#channel !== null;
  }

  async setUp(model: ChannelModel): Promise<void> {
    const markIsGone = this.#mark !== undefined && !(await hasQueue(model, this.#mark));
    await declareOn(model, this.#declare, this.#log);
    const channel = await model.createConfirmChannel();
    channel.on('error', (err) => this.#log.warn({ err }, 'a RabbitMQ channel broke'));
    channel.on('close', () => void model.close().catch(() => {}));
    channel.on('return', ({ properties }) => this.#returned.add(properties.messageId));
    channel.on('drain', () => this.#become({ isFull: false }));
    model.on('blocked', (reason) => {
      this.#log.warn({ reason }, 'RabbitMQ blocks its publishers');
      this.#become({ isBlocked: true });
    });
    model.on('unblocked', () => this.#become({ isBlocked: false }));
    this.#channel = channel;
    this.#declaring = { model, queues: new Map() };
    this.#become({ isBlocked: false, isFull: false });
    if (markIsGone) {
      // Heard first, marked then: who dies in between, or has no database now, is told again.
      await this.#onMarkGone();
      const leaveMark = (on: Channel) =>
        on
          .assertQueue(this.#mark!, { durable: true, arguments: { 'x-queue-type': 'quorum' } })
          .then(() => {});
      await declareOn(model, leaveMark, this.#log);
    }
  }

  down(): void {
    this.#channel = null;
    this.#declaring = null;
    this.#returned.clear();
    this.#become({ isBlocked: false, isFull: false });
  }

  /** Sees to it, once a connection, that `queue` is there. */
  async ensure(queue: string, declare: (channel: Channel) => Promise<void>): Promise<void> {
    const deadline = Date.now() + this.#deadlineMs;
    if (!(await this.#isWritable(deadline))) throw new Error('RabbitMQ is not reachable');
    const { model, queues } = this.#declaring!;
    let declared = queues.get(queue);
    if (!declared) {
      declared = declareOn(model, declare, this.#log);
      queues.set(queue, declared);
      declared.catch(() => queues.delete(queue));
    }
    const late = sleep(deadline - Date.now(), 'late', { ref: false });
    if ((await Promise.race([declared, late])) === 'late') throw new Error('RabbitMQ does not answer');
  }

  /** Forgets that a queue is there. */
  forget(queue: string): void {
    this.#declaring?.queues.delete(queue);
  }

  async send(messages: readonly Outgoing[]): Promise<SendResult[]> {
    const deadline = Date.now() + this.#deadlineMs;
    const outcomes: Promise<SendResult>[] = [];
    const late = Promise.withResolvers<SendResult>();
    const timer = setTimeout(() => late.resolve('failed'), this.#deadlineMs);
    for (const message of messages) {
      // Only where there is something to wait for: a whole batch goes out in one turn.
      const writable = this.#isReady() || (await this.#isWritable(deadline));
      outcomes.push(
        writable ? Promise.race([this.#sendOne(message), late.promise]) : Promise.resolve('failed'),
      );
    }
    const results = await Promise.all(outcomes);
    clearTimeout(timer);
    return results;
  }

  /** Waits, for a while, until the broker has confirmed what is on its way. */
  async flush(): Promise<void> {
    const confirmed = this.#channel?.waitForConfirms().catch(() => {});
    await Promise.race([confirmed, sleep(flushMs, undefined, { ref: false })]);
  }

  #sendOne({ exchange, routingKey, body, properties }: Outgoing): Promise<SendResult> {
    return new Promise((resolve) => {
      const options = { ...properties, persistent: true, mandatory: true };
      const confirmed = (error: unknown) => {
        const isReturned = this.#returned.delete(properties.messageId);
        resolve(error ? 'failed' : isReturned ? 'returned' : 'confirmed');
      };
      try {
        this.#isFull = !this.#channel!.publish(exchange, routingKey, body, options, confirmed);
      } catch {
        // The channel has just closed.
        resolve('failed');
      }
    });
  }

  #isReady(): boolean {
    return this.#channel !== null && !this.#isBlocked && !this.#isFull;
  }

  /** Whether the broker takes messages, before `deadline`. */
  async #isWritable(deadline: number): Promise<boolean> {
    while (!this.#isReady()) {
      const leftMs = deadline - Date.now();
      if (leftMs <= 0) return false;
      await Promise.race([this.#changed.promise, sleep(leftMs, undefined, { ref: false })]);
    }
    return true;
  }

  #become(state: { isBlocked?: boolean; isFull?: boolean }): void {
    this.#isBlocked = state.isBlocked ?? this.#isBlocked;
    this.#isFull = state.isFull ?? this.#isFull;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** On a channel of its own: a refusal closes it. */
async function declareOn(
  model: ChannelModel,
  declare: (channel: Channel) => Promise<void>,
  log: Log,
): Promise<void> {
  const channel = await model.createChannel();
  channel.on('error', (err) => log.debug({ err }, 'a RabbitMQ channel broke'));
  await declare(channel);
  await channel.close();
}

/** Whether a queue is there; asked on a channel of its own, which a "no" closes. */
async function hasQueue(model: ChannelModel, queue: string): Promise<boolean> {
  const channel = await model.createChannel();
  channel.on('error', () => {});
  try {
    await channel.checkQueue(queue);
    await channel.close();
    return true;
  } catch (error) {
    if ((error as { code?: number }).code === 404) return false;
    throw error;
  }
}

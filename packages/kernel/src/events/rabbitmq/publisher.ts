import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, ChannelModel, ConfirmChannel, Options, Replies } from 'amqplib';
import { type Log, rateLimited } from '../../operations/log.ts';
import type { Backlog } from '../bus.ts';
import { onChannel, readErrorCode } from './channels.ts';
import type { ConnectionUser } from './link.ts';

const flushMs = 1_000;

export interface Outgoing {
  exchange: string;
  routingKey: string;
  body: Buffer;
  properties: Options.Publish & { messageId: string };
}

/**
 * `confirmed`: every queue that wants the message has it; `returned`: no queue wants it; `refused`: a queue is full;
 * `failed`: it is unknown whether a queue has it.
 */
export type SendResult = 'confirmed' | 'returned' | 'refused' | 'failed';

/**
 * The error of amqplib for a message that the broker refuses; a message that is lost with its channel has another one.
 */
const refusal = 'message nacked';

/** Sends messages on one channel with confirms. Every call returns within its deadline. */
export class Publisher implements ConnectionUser {
  readonly #log: Log;
  readonly #reportRefusal: ReturnType<typeof rateLimited>;
  readonly #deadlineMs: number;
  readonly #declare: (model: ChannelModel) => Promise<void>;
  readonly #mark: string | undefined;
  readonly #onMarkMissing: () => Promise<void>;
  #channel: ConfirmChannel | null = null;
  #declaring: { model: ChannelModel; queues: Map<string, Promise<void>> } | null = null;
  /** A channel to inspect queues; it closes if a queue is missing. */
  #inspection: { model: ChannelModel; channel: Promise<Channel> } | null = null;
  #isBlocked = false;
  #isFull = false;
  /** Ids of messages that no queue wanted; the broker returns a message before it confirms it. */
  readonly #returned = new Set<string>();
  #changed = Promise.withResolvers<void>();

  constructor(options: {
    deadlineMs: number;
    declare(model: ChannelModel): Promise<void>;
    /** The queue that marks the broker as the same one as before; undefined skips the check. */
    mark?: string | undefined;
    onMarkMissing(): Promise<void>;
    log: Log;
  }) {
    this.#deadlineMs = options.deadlineMs;
    this.#declare = options.declare;
    this.#mark = options.mark;
    this.#onMarkMissing = options.onMarkMissing;
    this.#log = options.log;
    this.#reportRefusal = rateLimited(options.log);
  }

  get isUp(): boolean {
    return this.#channel !== null;
  }

  async setUp(model: ChannelModel): Promise<void> {
    const isMarkMissing = this.#mark !== undefined && !(await hasQueue(model, this.#mark));
    await this.#declare(model);
    const channel = await model.createConfirmChannel();
    channel.on('error', (err) => this.#log.warn({ err }, 'a RabbitMQ channel broke'));
    channel.on('close', () => void model.close().catch(() => {}));
    channel.on('return', ({ properties }) => this.#returned.add(properties.messageId));
    channel.on('nack', () => this.#reportRefusal({}, 'RabbitMQ refuses messages: a queue is full'));
    channel.on('drain', () => this.#setState({ isFull: false }));
    model.on('blocked', (reason) => {
      this.#log.warn({ reason }, 'RabbitMQ blocks its publishers');
      this.#setState({ isBlocked: true });
    });
    model.on('unblocked', () => this.#setState({ isBlocked: false }));
    this.#channel = channel;
    this.#declaring = { model, queues: new Map() };
    this.#setState({ isBlocked: false, isFull: false });
    if (isMarkMissing) {
      // The mark is written last: a process that dies before that, or has no database now, finds it missing again.
      await this.#onMarkMissing();
      const quorum = { durable: true, arguments: { 'x-queue-type': 'quorum' } };
      await onChannel(model, (on) => on.assertQueue(this.#mark!, quorum));
    }
  }

  onDisconnect(): void {
    this.#channel = null;
    this.#declaring = null;
    this.#inspection = null;
    this.#returned.clear();
    this.#setState({ isBlocked: false, isFull: false });
  }

  /** Returns the number of messages and consumers of `queue`, which is created if it is missing. */
  async inspect(queue: string, declare: (model: ChannelModel) => Promise<void>): Promise<Backlog> {
    const timeout = sleep(this.#deadlineMs, null, { ref: false });
    await this.ensure(queue, declare);
    const model = this.#declaring?.model;
    const found = model && (await Promise.race([this.#checkQueue(model, queue), timeout]));
    if (!found) throw new Error('RabbitMQ does not answer');
    return { waiting: found.messageCount, workers: found.consumerCount };
  }

  async #checkQueue(model: ChannelModel, queue: string): Promise<Replies.AssertQueue> {
    if (this.#inspection?.model !== model) {
      const channel = model.createChannel();
      const inspection = { model, channel };
      this.#inspection = inspection;
      const endInspection = () => {
        if (this.#inspection === inspection) this.#inspection = null;
      };
      // The caller of `checkQueue` gets the reason for the close.
      channel.then((open) => open.on('error', () => {}).on('close', endInspection), endInspection);
    }
    return (await this.#inspection.channel).checkQueue(queue);
  }

  /** Ensures, once per connection, that `queue` exists. */
  async ensure(queue: string, declare: (model: ChannelModel) => Promise<void>): Promise<void> {
    const deadline = performance.now() + this.#deadlineMs;
    if (!(await this.#isWritable(deadline))) throw new Error('RabbitMQ is not reachable');
    const { model, queues } = this.#declaring!;
    let declared = queues.get(queue);
    if (!declared) {
      declared = declare(model);
      queues.set(queue, declared);
      declared.catch(() => queues.delete(queue));
    }
    const timeout = sleep(deadline - performance.now(), 'timeout', { ref: false });
    if ((await Promise.race([declared, timeout])) === 'timeout') throw new Error('RabbitMQ does not answer');
  }

  /** Forgets that a queue exists. */
  forgetQueue(queue: string): void {
    this.#declaring?.queues.delete(queue);
  }

  /** Sends items. Each becomes a message only when it is its turn, so that a large batch is in memory once. */
  async send<Item>(items: readonly Item[], toMessage: (item: Item) => Outgoing): Promise<SendResult[]> {
    const deadline = performance.now() + this.#deadlineMs;
    const outcomes: Promise<SendResult>[] = [];
    const timeout = Promise.withResolvers<SendResult>();
    const timer = setTimeout(() => timeout.resolve('failed'), this.#deadlineMs);
    for (const item of items) {
      // Waits only if necessary, so that a whole batch is sent in one turn.
      const writable = this.#isReady() || (await this.#isWritable(deadline));
      outcomes.push(
        writable
          ? Promise.race([this.#sendOne(toMessage(item)), timeout.promise])
          : Promise.resolve('failed'),
      );
    }
    const results = await Promise.all(outcomes);
    clearTimeout(timer);
    return results;
  }

  /** Waits briefly until the broker has confirmed the messages on their way. */
  async flush(): Promise<void> {
    const confirmed = this.#channel?.waitForConfirms().catch(() => {});
    await Promise.race([confirmed, sleep(flushMs, undefined, { ref: false })]);
  }

  #sendOne({ exchange, routingKey, body, properties }: Outgoing): Promise<SendResult> {
    return new Promise((resolve) => {
      const options = { persistent: true, ...properties, mandatory: true };
      const confirmed = (error: Error | null) => {
        const isReturned = this.#returned.delete(properties.messageId);
        if (error) resolve(error.message === refusal ? 'refused' : 'failed');
        else resolve(isReturned ? 'returned' : 'confirmed');
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

  /** Whether the broker takes messages before `deadline`. */
  async #isWritable(deadline: number): Promise<boolean> {
    while (!this.#isReady()) {
      const remainingMs = deadline - performance.now();
      if (remainingMs <= 0) return false;
      await Promise.race([this.#changed.promise, sleep(remainingMs, undefined, { ref: false })]);
    }
    return true;
  }

  #setState(state: { isBlocked?: boolean; isFull?: boolean }): void {
    this.#isBlocked = state.isBlocked ?? this.#isBlocked;
    this.#isFull = state.isFull ?? this.#isFull;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

async function hasQueue(model: ChannelModel, queue: string): Promise<boolean> {
  try {
    await onChannel(model, (channel) => channel.checkQueue(queue));
    return true;
  } catch (error) {
    if (readErrorCode(error) === 404) return false;
    throw error;
  }
}

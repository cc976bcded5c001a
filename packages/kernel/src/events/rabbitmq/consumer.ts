import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import { StartError } from '../../config.ts';
import type { Log } from '../../log.ts';

const cancelMs = 1_000;
/** How often a queue that is there with other settings is looked at again. */
const conflictMs = 30_000;

/** A message in hand. What is said about it once its channel is gone is not heard: it comes again anyway. */
export class Delivery<Body> {
  readonly body: Body;
  /** How often the broker has got it back unhandled. */
  readonly returns: number;
  readonly #channel: Channel;
  readonly #message: ConsumeMessage;

  constructor(channel: Channel, message: ConsumeMessage) {
    this.body = JSON.parse(message.content.toString());
    this.returns = message.properties.headers?.['x-delivery-count'] ?? 0;
    this.#channel = channel;
    this.#message = message;
  }

  isOf(channel: Channel): boolean {
    return this.#channel === channel;
  }

  ack(): void {
    ignoreClosed(() => this.#channel.ack(this.#message));
  }

  /** Back to the queue. */
  giveBack(): void {
    ignoreClosed(() => this.#channel.nack(this.#message, false, true));
  }

  /** Out of the queue, to the dead ones if it has such. */
  reject(): void {
    ignoreClosed(() => this.#channel.nack(this.#message, false, false));
  }
}

/** What consumers of events and of jobs have in common: a channel on every new connection, and an orderly end. */
export abstract class Consumer<Body> {
  protected readonly queue: string;
  protected readonly log: Log;
  /** Arrived and not yet given to the handler. */
  protected waiting: Delivery<Body>[] = [];
  protected isStopped = false;
  readonly #prefetch: number;
  readonly #declare: (channel: Channel) => Promise<void>;
  #model: ChannelModel | null = null;
  #channel: Channel | null = null;
  #opening: Promise<void> = Promise.resolve();
  #tag: string | null = null;
  #isDue = false;

  constructor(options: {
    queue: string;
    prefetch: number;
    declare(channel: Channel): Promise<void>;
    log: Log;
  }) {
    this.queue = options.queue;
    this.#prefetch = options.prefetch;
    this.#declare = options.declare;
    this.log = options.log;
  }

  /** Something is waiting. */
  protected abstract fill(): void;
  /** Resolves when no handler runs. */
  protected abstract idle(): Promise<void>;
  /** The channel is gone, and with it what was in hand. */
  protected abstract forget(channel: Channel): void;
  /** Something came that is not JSON, and was rejected. */
  protected abstract unreadable(): void;

  /** Declares the queue and consumes it; a StartError when the queue is another one. Once a connection. */
  open(model: ChannelModel): Promise<void> {
    if (this.isStopped || this.#model === model) return this.#opening;
    this.#model = model;
    this.#opening = this.#open(model);
    return this.#opening;
  }

  /** As `open`, for a process that runs already: a queue that is another one must not cost it all the others. */
  async reopen(model: ChannelModel): Promise<void> {
    await this.open(model).catch((error) => {
      if (!(error instanceof StartError)) throw error;
      this.log.error({ queue: this.queue }, error.message);
      setTimeout(() => {
        if (this.#model !== model) return;
        this.#model = null;
        this.reopen(model).catch(() => {});
      }, conflictMs).unref();
    });
  }

  /** Gives back what no handler has begun, and resolves when the handlers are finished. */
  async stop(): Promise<void> {
    this.isStopped = true;
    const channel = this.#channel;
    if (channel && this.#tag) {
      const cancelled = channel.cancel(this.#tag).catch(() => {});
      await Promise.race([cancelled, sleep(cancelMs, undefined, { ref: false })]);
    }
    for (const delivery of this.waiting.splice(0)) delivery.giveBack();
    await this.idle();
  }

  async #open(model: ChannelModel): Promise<void> {
    const channel = await model.createChannel();
    channel.on('error', (err) => this.log.debug({ err, queue: this.queue }, 'a RabbitMQ channel broke'));
    channel.on('close', () => {
      this.waiting = this.waiting.filter((delivery) => !delivery.isOf(channel));
      this.forget(channel);
    });
    await this.#declare(channel);
    // There is one way to recover, a new connection with all that is on it; only a conflict is not worth one.
    const renew = () => void model.close().catch(() => {});
    channel.on('close', renew);
    await channel.prefetch(this.#prefetch);
    const onMessage = (message: ConsumeMessage | null) => {
      // Without a message: the queue was deleted, or its leader has moved.
      if (message) this.#arrive(channel, message);
      else renew();
    };
    const { consumerTag } = await channel.consume(this.queue, onMessage);
    this.#channel = channel;
    this.#tag = consumerTag;
  }

  #arrive(channel: Channel, message: ConsumeMessage): void {
    try {
      this.waiting.push(new Delivery<Body>(channel, message));
    } catch (err) {
      this.log.error({ err, queue: this.queue }, 'a message is not JSON');
      this.unreadable();
      ignoreClosed(() => channel.nack(message, false, false));
      return;
    }
    if (this.#isDue) return;
    this.#isDue = true;
    // Lets all that came in one read of the socket join in before the first call.
    setImmediate(() => {
      this.#isDue = false;
      this.fill();
    });
  }
}

function ignoreClosed(action: () => void): void {
  try {
    action();
  } catch {
    // The channel is closed: the broker has taken back what was in hand.
  }
}

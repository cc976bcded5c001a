import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import { StartError } from '../../operations/config.ts';
import type { Log } from '../../operations/log.ts';
import { Intake, MessageSizes, measureMessage } from './intake.ts';

/** How often to retry a queue that could not be declared. */
const retryDeclareMs = 30_000;

const emptyContent = Buffer.alloc(0);

/** A message in flight. */
export interface Delivery<Body> {
  readonly body: Body;
  /** How often the message was returned to the broker unhandled. */
  readonly redeliveries: number;
  /** Size of the message as it arrived. */
  readonly bytes: number;
  /** Whether its channel is gone: it is delivered again anyway, and settling it has no effect. */
  readonly isLost: boolean;
  ack(): void;
  /** Returns the message to the queue. */
  requeue(): void;
  /** Removes the message from the queue, and moves it to the queue of dead ones if there is one. */
  reject(): void;
}

class MessageDelivery<Body> implements Delivery<Body> {
  readonly body: Body;
  readonly redeliveries: number;
  readonly bytes: number;
  readonly #intake: Intake;
  readonly #message: ConsumeMessage;
  readonly #size: ReturnType<typeof measureMessage>;

  constructor(intake: Intake, message: ConsumeMessage) {
    this.body = JSON.parse(message.content.toString());
    this.redeliveries = message.properties.headers?.['x-delivery-count'] ?? 0;
    this.#size = measureMessage(message);
    this.bytes = this.#size.bytes;
    this.#intake = intake;
    // The content is dropped here, so that it is in memory only once.
    this.#message = { ...message, content: emptyContent };
  }

  get isLost(): boolean {
    return this.#intake.isClosed;
  }

  ack(): void {
    this.#settle((channel) => channel.ack(this.#message));
  }

  requeue(): void {
    this.#settle((channel) => channel.nack(this.#message, false, true));
  }

  reject(): void {
    this.#settle((channel) => channel.nack(this.#message, false, false));
  }

  #settle(answer: (channel: Channel) => void): void {
    ignoreClosed(() => answer(this.#intake.channel));
    this.#intake.release(this.#size);
  }
}

/** The common part of consumers of events and of jobs: a channel on every new connection, and an orderly end. */
export abstract class Consumer<Body> {
  protected readonly queue: string;
  protected readonly log: Log;
  /** Messages that have arrived and that no handler has yet. */
  protected waiting: Delivery<Body>[] = [];
  protected isStopped = false;
  readonly #sizes: MessageSizes;
  readonly #declare: (model: ChannelModel) => Promise<void>;
  #model: ChannelModel | null = null;
  #intake: Intake | null = null;
  #opening: Promise<void> = Promise.resolve();
  #isFillDue = false;
  #stopped: Promise<void> | null = null;

  constructor(options: {
    queue: string;
    /** Number of small jobs or events that it may hold. */
    prefetch: number;
    declare(model: ChannelModel): Promise<void>;
    log: Log;
  }) {
    this.queue = options.queue;
    this.#sizes = new MessageSizes(options.prefetch);
    this.#declare = options.declare;
    this.log = options.log;
  }

  /** Called when messages are waiting. */
  protected abstract fill(): void;
  /** Resolves when no handler runs. */
  protected abstract idle(): Promise<void>;
  /** Called when a channel is gone, and its messages in flight are lost with it. */
  protected abstract onDeliveriesLost(): void;
  /** Called when a message was not JSON and was rejected. */
  protected abstract onUnreadable(): void;

  /** Declares the queue and consumes it, once per connection. Throws a StartError if the broker refuses. */
  open(model: ChannelModel): Promise<void> {
    if (this.isStopped || this.#model === model) return this.#opening;
    this.#model = model;
    this.#opening = this.#open(model);
    return this.#opening;
  }

  /** Opens the consumer in a process that already runs: one refused queue must not cost it all the others. */
  async reopen(model: ChannelModel): Promise<void> {
    await this.open(model).catch((error) => {
      if (!(error instanceof StartError)) throw error;
      this.log.error({ queue: this.queue }, error.message);
      setTimeout(() => {
        if (this.#model !== model) return;
        this.#model = null;
        this.reopen(model).catch(() => {});
      }, retryDeclareMs).unref();
    });
  }

  /** Returns the messages that no handler has begun, and resolves when the handlers are finished. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** Forgets the messages of channels that are gone. */
  forgetLost(): void {
    this.waiting = this.waiting.filter(({ isLost }) => !isLost);
    this.onDeliveriesLost();
  }

  async #stop(): Promise<void> {
    this.isStopped = true;
    await this.#intake?.stop();
    for (const delivery of this.waiting.splice(0)) delivery.requeue();
    await this.idle();
  }

  async #open(model: ChannelModel): Promise<void> {
    await this.#declare(model);
    const channel = await model.createChannel();
    // There is one way to recover: a new connection with everything on it.
    const reconnect = () => void model.close().catch(() => {});
    const intake: Intake = new Intake(channel, {
      queue: this.queue,
      sizes: this.#sizes,
      onMessage: (message) => this.#onMessage(intake, message),
      onCancelled: reconnect,
    });
    channel.on('error', (err) => this.log.debug({ err, queue: this.queue }, 'a RabbitMQ channel broke'));
    channel.on('close', () => {
      intake.isClosed = true;
      this.forgetLost();
      reconnect();
    });
    await intake.open();
    this.#intake = intake;
  }

  #onMessage(intake: Intake, message: ConsumeMessage): void {
    try {
      this.waiting.push(new MessageDelivery<Body>(intake, message));
    } catch (err) {
      this.log.error({ err, queue: this.queue }, 'a message is not JSON');
      this.onUnreadable();
      ignoreClosed(() => intake.channel.nack(message, false, false));
      intake.release(measureMessage(message));
      return;
    }
    if (this.#isFillDue) return;
    this.#isFillDue = true;
    // Lets all messages from one read of the socket join before the first call.
    setImmediate(() => {
      this.#isFillDue = false;
      this.fill();
    });
  }
}

function ignoreClosed(action: () => void): void {
  try {
    action();
  } catch {
    // The channel is closed: the broker has taken back the messages in flight.
  }
}

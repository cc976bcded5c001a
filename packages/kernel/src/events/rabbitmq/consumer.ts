import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import { StartError } from '../../operations/config.ts';
import type { Log } from '../../operations/log.ts';
import { Intake, Sizes, sizeOf } from './intake.ts';

/** How often a queue that may not be declared is tried again. */
const refusedMs = 30_000;

const nothing = Buffer.alloc(0);

/** A message in flight. What is said about it once its channel is gone is not heard: it comes again anyway. */
export class Delivery<Body> {
  readonly body: Body;
  /** How often the broker has got it back unhandled. */
  readonly returns: number;
  /** Its size as it came. */
  readonly bytes: number;
  readonly #intake: Intake;
  readonly #message: ConsumeMessage;
  readonly #size: ReturnType<typeof sizeOf>;

  constructor(intake: Intake, message: ConsumeMessage) {
    this.body = JSON.parse(message.content.toString());
    this.returns = message.properties.headers?.['x-delivery-count'] ?? 0;
    this.#size = sizeOf(message);
    this.bytes = this.#size.bytes;
    this.#intake = intake;
    // What it says stands once in memory.
    this.#message = { ...message, content: nothing };
  }

  isOf(channel: Channel): boolean {
    return this.#intake.channel === channel;
  }

  ack(): void {
    this.#settle((channel) => channel.ack(this.#message));
  }

  /** Back to the queue. */
  giveBack(): void {
    this.#settle((channel) => channel.nack(this.#message, false, true));
  }

  /** Out of the queue, to the dead ones if it has such. */
  reject(): void {
    this.#settle((channel) => channel.nack(this.#message, false, false));
  }

  #settle(answer: (channel: Channel) => void): void {
    ignoreClosed(() => answer(this.#intake.channel));
    this.#intake.release(this.#size);
  }
}

/** What consumers of events and of jobs have in common: a channel on every new connection, and an orderly end. */
export abstract class Consumer<Body> {
  protected readonly queue: string;
  protected readonly log: Log;
  /** Arrived and not yet given to the handler. */
  protected waiting: Delivery<Body>[] = [];
  protected isStopped = false;
  readonly #sizes: Sizes;
  readonly #declare: (model: ChannelModel) => Promise<void>;
  #model: ChannelModel | null = null;
  #intake: Intake | null = null;
  #opening: Promise<void> = Promise.resolve();
  #isDue = false;
  #stopped: Promise<void> | null = null;

  constructor(options: {
    queue: string;
    /** How many jobs, or events, it may hold where they are small. */
    prefetch: number;
    declare(model: ChannelModel): Promise<void>;
    log: Log;
  }) {
    this.queue = options.queue;
    this.#sizes = new Sizes(options.prefetch);
    this.#declare = options.declare;
    this.log = options.log;
  }

  /** Something is waiting. */
  protected abstract fill(): void;
  /** Resolves when no handler runs. */
  protected abstract idle(): Promise<void>;
  /** The channel is gone, and with it what was in flight. */
  protected abstract forget(channel: Channel): void;
  /** Something came that is not JSON, and was rejected. */
  protected abstract unreadable(): void;

  /** Declares the queue and consumes it; a StartError when the broker does not let us. Once a connection. */
  open(model: ChannelModel): Promise<void> {
    if (this.isStopped || this.#model === model) return this.#opening;
    this.#model = model;
    this.#opening = this.#open(model);
    return this.#opening;
  }

  /** As `open`, for a process that runs already: one queue that is refused must not cost it all the others. */
  async reopen(model: ChannelModel): Promise<void> {
    await this.open(model).catch((error) => {
      if (!(error instanceof StartError)) throw error;
      this.log.error({ queue: this.queue }, error.message);
      setTimeout(() => {
        if (this.#model !== model) return;
        this.#model = null;
        this.reopen(model).catch(() => {});
      }, refusedMs).unref();
    });
  }

  /** Gives back what no handler has begun, and resolves when the handlers are finished. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.isStopped = true;
    await this.#intake?.stop();
    for (const delivery of this.waiting.splice(0)) delivery.giveBack();
    await this.idle();
  }

  async #open(model: ChannelModel): Promise<void> {
    await this.#declare(model);
    const channel = await model.createChannel();
    // There is one way to recover, a new connection with all that is on it.
    const renew = () => void model.close().catch(() => {});
    channel.on('error', (err) => this.log.debug({ err, queue: this.queue }, 'a RabbitMQ channel broke'));
    channel.on('close', () => {
      this.waiting = this.waiting.filter((delivery) => !delivery.isOf(channel));
      this.forget(channel);
      renew();
    });
    const intake: Intake = new Intake(channel, {
      queue: this.queue,
      sizes: this.#sizes,
      onMessage: (message) => this.#arrive(intake, message),
      onGone: renew,
    });
    await intake.open();
    this.#intake = intake;
  }

  #arrive(intake: Intake, message: ConsumeMessage): void {
    try {
      this.waiting.push(new Delivery<Body>(intake, message));
    } catch (err) {
      this.log.error({ err, queue: this.queue }, 'a message is not JSON');
      this.unreadable();
      ignoreClosed(() => intake.channel.nack(message, false, false));
      intake.release(sizeOf(message));
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
    // The channel is closed: the broker has taken back what was in flight.
  }
}

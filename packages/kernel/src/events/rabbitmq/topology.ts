import { getBatchQueue } from '@waybill/contracts';
import type { ChannelModel } from 'amqplib';
import { StartError } from '../../operations/config.ts';
import type { Log } from '../../operations/log.ts';
import type { Subscription } from '../bus.ts';
import { onChannel, readErrorCode } from './channels.ts';

/** The parts of a subscription that the broker has to know. */
export type SubscriptionTopology = Pick<Subscription, 'queue' | 'names' | 'acceptsBatches'>;

/**
 * Limits of the size of a queue. Events and jobs that it refuses beyond them stay in the outbox, or in the schedule of
 * due jobs.
 */
export interface Bounds {
  /** Limit of a subscription's queue, and of its queue of dead events. */
  eventBytes: number;
  jobBytes: number;
  jobs: number;
}

const defaultBounds: Bounds = { eventBytes: 1024 ** 3, jobBytes: 256 * 1024 ** 2, jobs: 50_000 };

/**
 * The exchanges and queues of a namespace on the broker. Every process declares those that it uses, so missing ones are
 * created (a first start, a wiped broker, a deleted queue). An existing queue with other settings, made by another
 * version, is used unchanged.
 */
export class Topology {
  readonly #namespace: string;
  readonly #deliveryLimit: number;
  readonly #bounds: Bounds;
  readonly #log: Log;
  /** Queues whose different settings have been logged. */
  readonly #reported = new Set<string>();

  constructor(options: {
    namespace: string;
    deliveryLimit: number;
    bounds?: Partial<Bounds> | undefined;
    log: Log;
  }) {
    this.#namespace = options.namespace;
    this.#deliveryLimit = options.deliveryLimit;
    this.#bounds = { ...defaultBounds, ...options.bounds };
    this.#log = options.log;
  }

  /** The topic exchange that takes every event; its routing keys are the events' names. */
  get events(): string {
    return `${this.#namespace}.events`;
  }

  /** The topic exchange for messages with many events of one name, which is their routing key. */
  get eventBatches(): string {
    return `${this.#namespace}.event-batches`;
  }

  queue(name: string): string {
    return `${this.#namespace}.${name}`;
  }

  async declareEvents(model: ChannelModel): Promise<void> {
    const declared = onChannel(model, async (channel) => {
      for (const exchange of [this.events, this.eventBatches])
        await channel.assertExchange(exchange, 'topic', { durable: true });
    });
    await declared.catch((error) => {
      if (readErrorCode(error) !== 406) throw describeRefusal(this.events, error);
      throw new StartError(
        `RabbitMQ has ${this.events} with other settings than this version's (${readReason(error)}). ` +
          'Delete it, or set WAYBILL_NAMESPACE to another name.',
      );
    });
  }

  /** Declares a subscription's queue, the one for messages with many events, and the one for its dead events. */
  async declareSubscription(
    model: ChannelModel,
    { queue, names, acceptsBatches }: SubscriptionTopology,
  ): Promise<void> {
    const dead = `${this.queue(queue)}.dead`;
    const bound = { 'x-max-length-bytes': this.#bounds.eventBytes };
    await this.#declareQueue(model, dead, bound);
    const sources = [
      { name: this.queue(queue), exchange: this.events },
      ...(acceptsBatches ? [{ name: this.queue(getBatchQueue(queue)), exchange: this.eventBatches }] : []),
    ];
    for (const { name, exchange } of sources) {
      await this.#declareQueue(model, name, {
        ...bound,
        'x-delivery-limit': this.#deliveryLimit,
        'x-dead-letter-exchange': '',
        'x-dead-letter-routing-key': dead,
        // An event leaves its queue only when the queue of dead events has it.
        'x-dead-letter-strategy': 'at-least-once',
      });
      await onChannel(model, async (channel) => {
        for (const event of names) await channel.bindQueue(name, exchange, event);
      });
    }
  }

  /**
   * Declares a queue of jobs, without one for dead jobs: the database that remembers a job hands it out again, and
   * counts the attempts.
   */
  async declareJobs(model: ChannelModel, queue: string): Promise<void> {
    await this.#declareQueue(model, this.queue(queue), {
      'x-delivery-limit': this.#deliveryLimit,
      'x-max-length': this.#bounds.jobs,
      'x-max-length-bytes': this.#bounds.jobBytes,
    });
  }

  /**
   * Declares a queue of messages with many jobs each. Its content is in memory and not on the disks of a majority of
   * nodes, which would be most of a message's cost. While its node is away, jobs are sent one by one.
   */
  async declareBatchQueue(model: ChannelModel, queue: string): Promise<void> {
    await this.#declareQueue(model, this.queue(queue), {
      'x-queue-type': 'classic',
      'x-max-length': this.#bounds.jobs,
      'x-max-length-bytes': this.#bounds.jobBytes,
    });
  }

  /**
   * Declares a queue. The settings of an existing queue cannot be changed, and RabbitMQ does not delete a quorum queue
   * on the condition that it is empty: recreating it would lose messages that arrive meanwhile, and lock out a version
   * that declares it with the old settings.
   */
  async #declareQueue(model: ChannelModel, name: string, settings: Record<string, unknown>): Promise<void> {
    const quorum = { 'x-queue-type': 'quorum', 'x-overflow': 'reject-publish', ...settings };
    try {
      await onChannel(model, (channel) => channel.assertQueue(name, { durable: true, arguments: quorum }));
    } catch (error) {
      if (readErrorCode(error) !== 406) throw describeRefusal(name, error);
      if (this.#reported.has(name)) return;
      // After an upgrade all queues differ, so one warning is enough.
      this.#log[this.#reported.size === 0 ? 'warn' : 'debug'](
        { queue: name, reason: readReason(error) },
        "RabbitMQ has queues with other settings than this version's; they serve as they are",
      );
      this.#reported.add(name);
    }
  }
}

/** Turns a refusal that no retry will change into an error of one line. */
function describeRefusal(name: string, error: unknown): unknown {
  return readErrorCode(error) === 403
    ? new StartError(`RabbitMQ does not let this user declare ${name}.`)
    : error;
}

function readReason(error: unknown): string {
  const { message } = error as Error;
  const at = message.indexOf("inequivalent arg '");
  return at < 0 ? 'precondition failed' : message.slice(at).split('"', 1)[0]!;
}

import type { ChannelModel } from 'amqplib';
import { StartError } from '../../operations/config.ts';
import type { Log } from '../../operations/log.ts';
import type { Subscription } from '../bus.ts';
import { codeOf, onChannel } from './channels.ts';

/** A subscription as far as the broker has to know it. */
export type SubscriptionTopology = Pick<Subscription, 'queue' | 'names'>;

/** How much a queue holds. What it refuses beyond that stays in the outbox, or in the schedule of what is due. */
export interface Bounds {
  /** Of a subscription's queue, and of its dead one. */
  eventBytes: number;
  jobBytes: number;
  jobs: number;
}

const usualBounds: Bounds = { eventBytes: 1024 ** 3, jobBytes: 256 * 1024 ** 2, jobs: 50_000 };

/**
 * What a namespace has on the broker. Every process declares what it uses: what is missing (a first start, a wiped
 * broker, a deleted queue) is made. A queue that is there with other settings, another version's, serves as it is.
 */
export class Topology {
  readonly #namespace: string;
  readonly #deliveryLimit: number;
  readonly #bounds: Bounds;
  readonly #log: Log;
  /** Queues of which it has been said that they are other than they should be. */
  readonly #reported = new Set<string>();

  constructor(options: {
    namespace: string;
    deliveryLimit: number;
    bounds?: Partial<Bounds> | undefined;
    log: Log;
  }) {
    this.#namespace = options.namespace;
    this.#deliveryLimit = options.deliveryLimit;
    this.#bounds = { ...usualBounds, ...options.bounds };
    this.#log = options.log;
  }

  /** The topic exchange that takes every event; its routing keys are the events' names. */
  get events(): string {
    return `${this.#namespace}.events`;
  }

  queue(name: string): string {
    return `${this.#namespace}.${name}`;
  }

  async declareEvents(model: ChannelModel): Promise<void> {
    const declared = onChannel(model, (channel) =>
      channel.assertExchange(this.events, 'topic', { durable: true }),
    );
    await declared.catch((error) => {
      if (codeOf(error) !== 406) throw refusalOf(this.events, error);
      throw new StartError(
        `RabbitMQ has ${this.events} with other settings than this version's (${reasonIn(error)}). ` +
          'Delete it, or set WAYBILL_NAMESPACE to another name.',
      );
    });
  }

  /** A subscription's queue, and the one that its hopeless events end in. */
  async declareSubscription(model: ChannelModel, { queue, names }: SubscriptionTopology): Promise<void> {
    const [name, dead] = [this.queue(queue), `${this.queue(queue)}.dead`];
    const bound = { 'x-max-length-bytes': this.#bounds.eventBytes };
    await this.#declareQueue(model, dead, bound);
    await this.#declareQueue(model, name, {
      ...bound,
      'x-delivery-limit': this.#deliveryLimit,
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': dead,
      // An event leaves its queue only when the dead one has it.
      'x-dead-letter-strategy': 'at-least-once',
    });
    await onChannel(model, async (channel) => {
      for (const event of names) await channel.bindQueue(name, this.events, event);
    });
  }

  /**
   * A queue of jobs, without one for dead ones: the database that remembers a job hands it out again, and counts how
   * often.
   */
  async declareJobs(model: ChannelModel, queue: string): Promise<void> {
    await this.#declareQueue(model, this.queue(queue), {
      'x-delivery-limit': this.#deliveryLimit,
      'x-max-length': this.#bounds.jobs,
      'x-max-length-bytes': this.#bounds.jobBytes,
    });
  }

  /**
   * A queue of messages with many jobs each. What it holds is in memory, and not on the disks of a majority of nodes: that is
   * most of what a message costs. While its node is away jobs go one by one.
   */
  async declareTogether(model: ChannelModel, queue: string): Promise<void> {
    await this.#declareQueue(model, this.queue(queue), {
      'x-queue-type': 'classic',
      'x-max-length': this.#bounds.jobs,
      'x-max-length-bytes': this.#bounds.jobBytes,
    });
  }

  /**
   * A queue's settings cannot be changed, and RabbitMQ deletes no quorum queue on the condition that it is empty: to
   * make it anew would lose what comes in between, and keep out a version that declares it as it was.
   */
  async #declareQueue(model: ChannelModel, name: string, settings: Record<string, unknown>): Promise<void> {
    const quorum = { 'x-queue-type': 'quorum', 'x-overflow': 'reject-publish', ...settings };
    try {
      await onChannel(model, (channel) => channel.assertQueue(name, { durable: true, arguments: quorum }));
    } catch (error) {
      if (codeOf(error) !== 406) throw refusalOf(name, error);
      if (this.#reported.has(name)) return;
      // After an upgrade they all are: one line says it.
      this.#log[this.#reported.size === 0 ? 'warn' : 'debug'](
        { queue: name, reason: reasonIn(error) },
        "RabbitMQ has queues with other settings than this version's; they serve as they are",
      );
      this.#reported.add(name);
    }
  }
}

/** What no retry will change is said in one line. */
function refusalOf(name: string, error: unknown): unknown {
  return codeOf(error) === 403 ? new StartError(`RabbitMQ does not let this user declare ${name}.`) : error;
}

function reasonIn(error: unknown): string {
  const { message } = error as Error;
  const at = message.indexOf("inequivalent arg '");
  return at < 0 ? 'precondition failed' : message.slice(at).split('"', 1)[0]!;
}

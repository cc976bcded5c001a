import type { Channel } from 'amqplib';
import { StartError } from '../../config.ts';
import type { Subscription } from '../bus.ts';

/** A subscription as far as the broker has to know it. */
export type SubscriptionTopology = Pick<Subscription, 'queue' | 'names'>;

/**
 * What a namespace has on the broker. Every process declares what it uses: what is there already is checked
 * against this, what is missing (a first start, a wiped broker, a deleted queue) is made.
 */
export class Topology {
  readonly #namespace: string;
  readonly #deliveryLimit: number;
  readonly #maxJobs: number;

  constructor(options: { namespace: string; deliveryLimit: number; maxJobs: number }) {
    this.#namespace = options.namespace;
    this.#deliveryLimit = options.deliveryLimit;
    this.#maxJobs = options.maxJobs;
  }

  /** The topic exchange that takes every event; its routing keys are the events' names. */
  get events(): string {
    return `${this.#namespace}.events`;
  }

  queue(name: string): string {
    return `${this.#namespace}.${name}`;
  }

  async declareEvents(channel: Channel): Promise<void> {
    await declare(this.events, () => channel.assertExchange(this.events, 'topic', { durable: true }));
  }

  /**
   * A subscription's queue, and the one that its hopeless events end in. Neither has a bound: events are facts, and
   * a broker that runs full blocks its publishers, whose outboxes keep them.
   */
  async declareSubscription(channel: Channel, { queue, names }: SubscriptionTopology): Promise<void> {
    const [name, dead] = [this.queue(queue), `${this.queue(queue)}.dead`];
    await declare(dead, () => channel.assertQueue(dead, quorum({})));
    await declare(name, () =>
      channel.assertQueue(
        name,
        quorum({
          'x-delivery-limit': this.#deliveryLimit,
          'x-dead-letter-exchange': '',
          'x-dead-letter-routing-key': dead,
          // An event leaves its queue only when the dead one has it; RabbitMQ asks for the overflow rule with it.
          'x-dead-letter-strategy': 'at-least-once',
          'x-overflow': 'reject-publish',
        }),
      ),
    );
    for (const event of names) await channel.bindQueue(name, this.events, event);
  }

  /**
   * A queue of jobs. Bounded, so that absent workers cannot fill the broker, and without a queue for dead ones:
   * the database that remembers a job hands it out again, and counts how often.
   */
  async declareJobs(channel: Channel, queue: string): Promise<void> {
    const name = this.queue(queue);
    await declare(name, () =>
      channel.assertQueue(
        name,
        quorum({
          'x-delivery-limit': this.#deliveryLimit,
          'x-max-length': this.#maxJobs,
          'x-overflow': 'reject-publish',
        }),
      ),
    );
  }
}

function quorum(rest: Record<string, unknown>) {
  return { durable: true, arguments: { 'x-queue-type': 'quorum', ...rest } };
}

/** What no retry will change is said in one line. */
async function declare(name: string, assert: () => Promise<unknown>): Promise<void> {
  try {
    await assert();
  } catch (error) {
    const { code, message } = error as Error & { code?: number };
    if (code === 406)
      throw new StartError(
        `RabbitMQ has ${name} with other settings than this version's (${reasonIn(message)}). ` +
          'Delete it once it is empty, or set WAYBILL_NAMESPACE to another name.',
      );
    if (code === 403) throw new StartError(`RabbitMQ does not let this user declare ${name}.`);
    throw error;
  }
}

function reasonIn(message: string): string {
  return /inequivalent arg '[^']+'[^:]*: (received [^"]+)/.exec(message)?.[0] ?? 'precondition failed';
}

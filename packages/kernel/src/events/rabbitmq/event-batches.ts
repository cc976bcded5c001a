import type { EventMessage } from '@waybill/contracts';
import { BatchQueues, packMessages } from './batch-queues.ts';
import type { Publisher } from './publisher.ts';
import type { SubscriptionTopology, Topology } from './topology.ts';

/**
 * Packs events into messages. Events of a name share messages while each subscription for it has a consumer for
 * messages with many events: a replica of an earlier version consumes only those with one.
 */
export class EventBatches {
  /** The subscriptions that want an event; null if one of them accepts only single events. */
  readonly #queuesByName = new Map<string, string[] | null>();
  readonly #batchQueues: BatchQueues;

  constructor(subscriptions: readonly SubscriptionTopology[], publisher: Publisher, topology: Topology) {
    for (const { queue, names, acceptsBatches } of subscriptions)
      for (const name of names) {
        const queues = this.#queuesByName.get(name);
        this.#queuesByName.set(name, acceptsBatches && queues !== null ? [...(queues ?? []), queue] : null);
      }
    const topologies = new Map(subscriptions.map((each) => [each.queue, each]));
    this.#batchQueues = new BatchQueues((queue, batchQueue) =>
      publisher.inspect(topology.queue(batchQueue), (model) =>
        topology.declareSubscription(model, topologies.get(queue)!),
      ),
    );
  }

  /** Returns the events of each message. Those of a message with several have the same name. */
  pack(events: readonly EventMessage[]): (readonly EventMessage[])[] {
    if (events.length === 1) return [events];
    const messages: (readonly EventMessage[])[] = [];
    for (const [name, named] of Map.groupBy(events, (event) => event.name)) {
      if (named.length > 1 && this.#isAccepted(name))
        messages.push(...packMessages(named, ({ data }) => data.length));
      else messages.push(...named.map((event) => [event]));
    }
    return messages;
  }

  /** Records that apparently nobody takes messages with many events of a name any more. */
  onReturned(name: string): void {
    for (const queue of this.#queuesByName.get(name) ?? []) this.#batchQueues.resetWorkers(queue);
  }

  #isAccepted(name: string): boolean {
    const queues = this.#queuesByName.get(name);
    return queues?.every((queue) => this.#batchQueues.getWorkers(queue) > 0) ?? false;
  }
}

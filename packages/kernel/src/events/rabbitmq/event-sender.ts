import type { EventMessage } from '@waybill/contracts';
import type { Log } from '../../operations/log.ts';
import { Counter, metrics } from '../../operations/metrics.ts';
import type { PublishResult } from '../bus.ts';
import { type BatchMessage, packMessages } from './batch-queues.ts';
import { jobsHeader } from './intake.ts';
import type { Outgoing, Publisher, SendResult } from './publisher.ts';
import type { SubscriptionTopology, Topology } from './topology.ts';

const unroutableEvents = new Counter({
  name: 'waybill_bus_unroutable_total',
  help: 'Events that were let go because no subscription wants them.',
  labelNames: ['name'],
  registers: [metrics],
});

/** How long an event that once had a subscriber waits for it when its queue is gone. */
const subscriberMemoryMs = 3_600_000;

/** Publishes events, and decides about those that no queue wants. */
export class EventSender {
  readonly #publisher: Publisher;
  readonly #topology: Topology;
  /** The names of events that may share a message. */
  readonly #sharingNames: ReadonlySet<string>;
  readonly #startupMs: number;
  readonly #log: Log;
  /** When a queue last took an event, by the event's name. */
  readonly #lastRouted = new Map<string, number>();
  #connectedAt = 0;

  /**
   * `subscriptions`: all that are known. `startupMs`: how long after connecting an event is kept that no queue wants.
   */
  constructor(
    publisher: Publisher,
    topology: Topology,
    options: { subscriptions: readonly SubscriptionTopology[]; startupMs: number; log: Log },
  ) {
    this.#publisher = publisher;
    this.#topology = topology;
    this.#sharingNames = listSharingNames(options.subscriptions);
    this.#startupMs = options.startupMs;
    this.#log = options.log;
  }

  onConnect(): void {
    this.#connectedAt = performance.now();
  }

  async publish(events: readonly EventMessage[]): Promise<PublishResult[]> {
    if (!this.#publisher.isUp) return events.map(() => 'unreachable');
    const messages = this.#pack(events);
    const sent = await this.#publisher.send(messages, ({ toOutgoing }) => toOutgoing());
    const results = new Map(messages.flatMap(({ items }, i) => items.map((event) => [event, sent[i]!])));
    return events.map((event) => this.#toPublishResult(event.name, results.get(event)!));
  }

  /** Sends events to one subscription, each in a message of its own. Returns whether its queue has them all. */
  async sendTo(queue: string, events: readonly EventMessage[]): Promise<boolean> {
    const routingKey = this.#topology.queue(queue);
    const results = await this.#publisher.send(events, (event) => ({ ...toMessage('', event), routingKey }));
    return results.every((result) => result === 'confirmed');
  }

  /** Only neighbours share a message: the events of one object, whatever their names, stay in their order. */
  #pack(events: readonly EventMessage[]): { items: readonly EventMessage[]; toOutgoing(): Outgoing }[] {
    const { events: exchange, eventBatches } = this.#topology;
    return splitByName(events).flatMap((neighbours) =>
      this.#sharingNames.has(neighbours[0]!.name)
        ? packMessages(neighbours).map((batch) => ({
            items: batch.items,
            toOutgoing: () => toBatchMessage(eventBatches, batch),
          }))
        : neighbours.map((event) => ({ items: [event], toOutgoing: () => toMessage(exchange, event) })),
    );
  }

  #toPublishResult(name: string, result: SendResult): PublishResult {
    if (result === 'returned') return this.#decideUnroutable(name);
    if (result === 'refused') return 'refused';
    if (result !== 'confirmed') return 'unreachable';
    this.#lastRouted.set(name, performance.now());
    return 'accepted';
  }

  /**
   * Decides about an event that no queue wants: it has no subscriber, or its subscriber has not yet declared its queue
   * again.
   */
  #decideUnroutable(name: string): PublishResult {
    const now = performance.now();
    const isStarting = now - this.#connectedAt < this.#startupMs;
    const hadSubscriber = now - (this.#lastRouted.get(name) ?? Number.NEGATIVE_INFINITY) < subscriberMemoryMs;
    if (isStarting || hadSubscriber) return 'unroutable';
    unroutableEvents.inc({ name });
    this.#log.debug({ name }, 'an event without a subscriber');
    return 'accepted';
  }
}

function toMessage(exchange: string, event: EventMessage): Outgoing {
  const { id, name, storeId, createdAt, data, trace } = event;
  return {
    exchange,
    routingKey: name,
    body: Buffer.from(JSON.stringify({ id, name, storeId, createdAt, data, trace })),
    properties: {
      messageId: id,
      type: name,
      timestamp: Math.floor(Date.parse(createdAt) / 1000) || undefined,
      contentType: 'application/json',
      headers: { 'x-waybill-store': storeId },
    },
  };
}

/** The message is sent in this form even with one event, so that all events of a name go through the same queue. */
function toBatchMessage(exchange: string, { items, body }: BatchMessage<EventMessage>): Outgoing {
  const { id, name } = items[0]!;
  return {
    exchange,
    routingKey: name,
    body: Buffer.from(body),
    properties: {
      messageId: id,
      type: name,
      contentType: 'application/json',
      headers: { [jobsHeader]: items.length },
    },
  };
}

/** Splits events where the name changes. */
function splitByName(events: readonly EventMessage[]): EventMessage[][] {
  const runs: EventMessage[][] = [];
  for (const event of events) {
    const last = runs.at(-1);
    if (last?.[0]?.name === event.name) last.push(event);
    else runs.push([event]);
  }
  return runs;
}

/** Returns the names of events whose subscriptions all accept messages with many events. */
function listSharingNames(subscriptions: readonly SubscriptionTopology[]): ReadonlySet<string> {
  const single = new Set(subscriptions.flatMap(({ names, acceptsBatches }) => (acceptsBatches ? [] : names)));
  return new Set(subscriptions.flatMap(({ names }) => names.filter((name) => !single.has(name))));
}

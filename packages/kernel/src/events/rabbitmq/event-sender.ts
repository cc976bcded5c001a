import type { EventMessage } from '@waybill/contracts';
import type { Log } from '../../operations/log.ts';
import { Counter, metrics } from '../../operations/metrics.ts';
import type { PublishResult } from '../bus.ts';
import type { Outgoing, Publisher } from './publisher.ts';

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
  readonly #exchange: string;
  readonly #startupMs: number;
  readonly #log: Log;
  /** When a queue last took an event, by the event's name. */
  readonly #lastRouted = new Map<string, number>();
  #connectedAt = 0;

  /** `startupMs`: how long after connecting an event is kept that no queue wants. */
  constructor(publisher: Publisher, exchange: string, startupMs: number, log: Log) {
    this.#publisher = publisher;
    this.#exchange = exchange;
    this.#startupMs = startupMs;
    this.#log = log;
  }

  onConnect(): void {
    this.#connectedAt = performance.now();
  }

  async publish(events: readonly EventMessage[]): Promise<PublishResult[]> {
    if (!this.#publisher.isUp) return events.map(() => 'unreachable');
    const results = await this.#publisher.send(events, (event) => toMessage(this.#exchange, event));
    return results.map((result, i): PublishResult => {
      const { name } = events[i]!;
      if (result === 'returned') return this.#decideUnroutable(name);
      if (result === 'refused') return 'refused';
      if (result !== 'confirmed') return 'unreachable';
      this.#lastRouted.set(name, performance.now());
      return 'accepted';
    });
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

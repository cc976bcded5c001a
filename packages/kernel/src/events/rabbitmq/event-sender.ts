import type { EventMessage } from '@waybill/contracts';
import type { Log } from '../../operations/log.ts';
import { Counter, metrics } from '../../operations/metrics.ts';
import type { PublishResult } from '../bus.ts';
import type { EventBatches } from './event-batches.ts';
import { jobsHeader } from './intake.ts';
import type { Outgoing, Publisher, SendResult } from './publisher.ts';
import type { Topology } from './topology.ts';

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
  readonly #batches: EventBatches;
  readonly #startupMs: number;
  readonly #log: Log;
  /** When a queue last took an event, by the event's name. */
  readonly #lastRouted = new Map<string, number>();
  #connectedAt = 0;

  /** `startupMs`: how long after connecting an event is kept that no queue wants. */
  constructor(
    publisher: Publisher,
    topology: Topology,
    options: { batches: EventBatches; startupMs: number; log: Log },
  ) {
    this.#publisher = publisher;
    this.#topology = topology;
    this.#batches = options.batches;
    this.#startupMs = options.startupMs;
    this.#log = options.log;
  }

  onConnect(): void {
    this.#connectedAt = performance.now();
  }

  async publish(events: readonly EventMessage[]): Promise<PublishResult[]> {
    if (!this.#publisher.isUp) return events.map(() => 'unreachable');
    const results = await this.#send(this.#batches.pack(events));
    return events.map((event) => this.#judge(event.name, results.get(event)!));
  }

  /** Sends events to one subscription, each in a message of its own. Returns whether its queue has them all. */
  async sendTo(queue: string, events: readonly EventMessage[]): Promise<boolean> {
    const routingKey = this.#topology.queue(queue);
    const results = await this.#publisher.send(events, (event) => ({
      ...toMessage('', event),
      routingKey,
    }));
    return results.every((result) => result === 'confirmed');
  }

  async #send(messages: readonly (readonly EventMessage[])[]): Promise<Map<EventMessage, SendResult>> {
    const { events: exchange, eventBatches } = this.#topology;
    const sent = await this.#publisher.send(messages, (events) =>
      events.length === 1 ? toMessage(exchange, events[0]!) : toBatchMessage(eventBatches, events),
    );
    const results = new Map<EventMessage, SendResult>();
    const unwanted: EventMessage[] = [];
    for (const [i, events] of messages.entries()) {
      if (events.length > 1 && sent[i] === 'returned') unwanted.push(...events);
      else for (const event of events) results.set(event, sent[i]!);
    }
    if (unwanted.length === 0) return results;
    for (const { name } of unwanted) this.#batches.onReturned(name);
    return new Map([...results, ...(await this.#send(unwanted.map((event) => [event])))]);
  }

  #judge(name: string, result: SendResult): PublishResult {
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

const toContent = ({ id, name, storeId, createdAt, data, trace }: EventMessage) => ({
  id,
  name,
  storeId,
  createdAt,
  data,
  trace,
});

function toMessage(exchange: string, event: EventMessage): Outgoing {
  const { id, name, storeId, createdAt } = event;
  return {
    exchange,
    routingKey: name,
    body: Buffer.from(JSON.stringify(toContent(event))),
    properties: {
      messageId: id,
      type: name,
      timestamp: Math.floor(Date.parse(createdAt) / 1000) || undefined,
      contentType: 'application/json',
      headers: { 'x-waybill-store': storeId },
    },
  };
}

function toBatchMessage(exchange: string, events: readonly EventMessage[]): Outgoing {
  const { id, name } = events[0]!;
  return {
    exchange,
    routingKey: name,
    body: Buffer.from(JSON.stringify(events.map(toContent))),
    properties: {
      messageId: id,
      type: name,
      contentType: 'application/json',
      headers: { [jobsHeader]: events.length },
    },
  };
}

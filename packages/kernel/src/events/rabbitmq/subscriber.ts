import { setTimeout as sleep } from 'node:timers/promises';
import type { EventMessage } from '@waybill/contracts';
import type { ChannelModel } from 'amqplib';
import { takeBatch } from '../../concurrency/take-batch.ts';
import { type Log, rateLimited } from '../../operations/log.ts';
import { Counter, metrics } from '../../operations/metrics.ts';
import { withBatchSpan } from '../../operations/spans.ts';
import { bisectFailures } from '../bisect-failures.ts';
import type { Subscription } from '../bus.ts';
import { Consumer, type Delivery } from './consumer.ts';

const deadEvents = new Counter({
  name: 'waybill_bus_dead_total',
  help: 'Events that a subscription gave up; they wait in its dead queue for somebody to look.',
  labelNames: ['queue'],
  registers: [metrics],
});

/** A failed event, and how many calls had succeeded by then. */
interface FailedEvent {
  delivery: Delivery<EventMessage>;
  failures: number;
  successesBefore: number;
  since: number;
  timer?: NodeJS.Timeout;
}

export interface RedeliveryPolicy {
  /** How often an event is returned to the broker before it is dead. */
  deliveryLimit: number;
  /** How long a failed event is held before the next attempt: from this, doubling … */
  firstHoldMs: number;
  /** … up to this. */
  maxHoldMs: number;
  /** How long a subscription without any success retries its events itself, before it requeues them. */
  localRetryMs: number;
}

/**
 * The queue of one subscription: the handler gets all waiting events together, one call at a time.
 *
 * An event that fails while others succeed is at fault itself. It is held briefly and goes back to the queue, where
 * another process may get it, until the delivery limit sends it to the dead events. If nothing succeeds, the subscriber
 * is more likely at fault, for example because its database is unreachable. Then events are retried here without
 * counting against them, or an outage of an hour would send healthy events to the dead ones.
 */
export class Subscriber extends Consumer<EventMessage> {
  readonly #subscription: Subscription;
  readonly #redelivery: RedeliveryPolicy;
  readonly #held = new Set<FailedEvent>();
  #retries: FailedEvent[] = [];
  #successes = 0;
  #nextCallAt = 0;
  readonly #reportFailure: ReturnType<typeof rateLimited>;
  #running: Promise<void> | null = null;

  constructor(
    subscription: Subscription,
    options: {
      queue: string;
      declare(model: ChannelModel): Promise<void>;
      redelivery: RedeliveryPolicy;
      log: Log;
    },
  ) {
    // While one batch is in flight, the next one gathers.
    super({ ...options, prefetch: 2 * subscription.batch });
    this.#subscription = subscription;
    this.#redelivery = options.redelivery;
    this.#reportFailure = rateLimited(options.log);
    // Prometheus sees an increase only if the counter existed before.
    deadEvents.inc({ queue: subscription.queue }, 0);
  }

  /** Takes events that shared a message with others. */
  accept(deliveries: readonly Delivery<EventMessage>[]): void {
    this.waiting.push(...deliveries);
    if (this.isStopped) for (const delivery of this.waiting.splice(0)) delivery.requeue();
    else this.fill();
  }

  /** Counts a message that nobody can handle. */
  countDead(): void {
    deadEvents.inc({ queue: this.#subscription.queue });
  }

  protected fill(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  protected async idle(): Promise<void> {
    await this.#running;
    for (const failed of this.#held) {
      clearTimeout(failed.timer);
      failed.delivery.requeue();
    }
    for (const { delivery } of this.#retries) delivery.requeue();
  }

  protected onDeliveriesLost(): void {
    for (const failed of this.#held) {
      if (!failed.delivery.isLost) continue;
      clearTimeout(failed.timer);
      this.#held.delete(failed);
    }
    this.#retries = this.#retries.filter(({ delivery }) => !delivery.isLost);
  }

  protected onUnreadable(): void {
    this.countDead();
  }

  async #run(): Promise<void> {
    while (!this.isStopped && this.#hasWork) {
      await this.#waitForInterval();
      const retry = this.#retries.shift();
      const batch = retry
        ? [retry.delivery]
        : takeBatch(this.waiting, this.#subscription.batch, ({ bytes }) => bytes);
      // The channel may have closed meanwhile.
      if (batch.length === 0) return;
      const successesBefore = retry?.successesBefore ?? this.#successes;
      const failed = await bisectFailures(
        batch,
        (part) => this.#call(part),
        (err, part) => {
          const events = part.slice(0, 5).map(({ body }) => body.id);
          this.#reportFailure({ err, queue: this.#subscription.queue, events }, 'a subscriber failed');
        },
        () => this.isStopped,
      );
      for (const delivery of failed) {
        if (this.isStopped) delivery.requeue();
        else
          this.#hold(
            retry ?? { delivery, failures: delivery.redeliveries, successesBefore, since: performance.now() },
          );
      }
    }
  }

  get #hasWork(): boolean {
    return this.#retries.length > 0 || this.waiting.length > 0;
  }

  /** Lets the events of a busy moment gather. */
  async #waitForInterval(): Promise<void> {
    const waitMs = this.#nextCallAt - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    this.#nextCallAt = performance.now() + (this.#subscription.intervalMs ?? 0);
  }

  async #call(deliveries: readonly Delivery<EventMessage>[]): Promise<void> {
    const events = deliveries.map(({ body }) => body);
    await withBatchSpan(this.#subscription.queue, events, () => this.#subscription.handle(events));
    this.#successes++;
    for (const delivery of deliveries) delivery.ack();
  }

  #hold(failed: FailedEvent): void {
    if (failed.delivery.isLost) return;
    const { firstHoldMs, maxHoldMs } = this.#redelivery;
    const holdMs = Math.min(firstHoldMs * 2 ** failed.failures++, maxHoldMs);
    failed.timer = setTimeout(() => this.#release(failed), holdMs);
    this.#held.add(failed);
  }

  #release(failed: FailedEvent): void {
    this.#held.delete(failed);
    const { delivery, successesBefore, since } = failed;
    const isFailing =
      this.#successes === successesBefore && performance.now() - since < this.#redelivery.localRetryMs;
    if (isFailing) {
      this.#retries.push(failed);
      this.fill();
    } else if (delivery.redeliveries < this.#redelivery.deliveryLimit) {
      delivery.requeue();
    } else {
      this.log.error({ queue: this.#subscription.queue, event: delivery.body.id }, 'an event is dead');
      this.countDead();
      delivery.reject();
    }
  }
}

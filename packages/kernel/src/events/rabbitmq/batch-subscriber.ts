import { setTimeout as sleep } from 'node:timers/promises';
import type { EventMessage } from '@waybill/contracts';
import type { ChannelModel } from 'amqplib';
import type { Log } from '../../operations/log.ts';
import { Consumer, type Delivery } from './consumer.ts';
import type { Subscriber } from './subscriber.ts';

/**
 * Takes messages with many events from the second queue of a subscription, and gives the events to its subscriber, as
 * if each had come alone. A message leaves the queue when all of its events are handled. Those that the subscriber
 * returns get messages of their own in the subscription's first queue, which counts how often each event fails.
 */
export class BatchSubscriber extends Consumer<EventMessage[]> {
  readonly #subscriber: Subscriber;
  readonly #sendSingly: (events: readonly EventMessage[]) => Promise<boolean>;
  readonly #retryMs: number;

  constructor(
    subscriber: Subscriber,
    options: {
      queue: string;
      /** Number of events that it may hold. */
      prefetch: number;
      declare(model: ChannelModel): Promise<void>;
      /** Sends events to the first queue; returns whether it has them all. */
      sendSingly(events: readonly EventMessage[]): Promise<boolean>;
      /** Pause before the events are sent again if the queue does not take them. */
      retryMs: number;
      log: Log;
    },
  ) {
    super(options);
    this.#subscriber = subscriber;
    this.#sendSingly = options.sendSingly;
    this.#retryMs = options.retryMs;
  }

  protected fill(): void {
    for (const delivery of this.waiting.splice(0)) {
      if (Array.isArray(delivery.body) && delivery.body.length > 0)
        this.#subscriber.accept(this.#split(delivery));
      else {
        this.log.error({ queue: this.queue }, 'a message contains no list of events');
        this.onUnreadable();
        delivery.reject();
      }
    }
  }

  protected async idle(): Promise<void> {
    // The subscriber waits for the events in flight.
  }

  protected onDeliveriesLost(): void {
    this.#subscriber.forgetLost();
  }

  protected onUnreadable(): void {
    this.#subscriber.countDead();
  }

  /** Returns a delivery for each event of a message. */
  #split(message: Delivery<EventMessage[]>): Delivery<EventMessage>[] {
    const events = message.body;
    const returned: EventMessage[] = [];
    let remaining = events.length;
    const onEventHandled = () => {
      if (--remaining === 0) void this.#settle(message, returned);
    };
    return events.map((event) => {
      const onEventReturned = () => {
        returned.push(event);
        onEventHandled();
      };
      return {
        body: event,
        redeliveries: 0,
        bytes: Math.ceil(message.bytes / events.length),
        get isLost() {
          return message.isLost;
        },
        ack: onEventHandled,
        requeue: onEventReturned,
        reject: onEventReturned,
      };
    });
  }

  /** Removes a message from its queue, once the first queue has its returned events. */
  async #settle(message: Delivery<EventMessage[]>, returned: readonly EventMessage[]): Promise<void> {
    if (returned.length === 0) return message.ack();
    while (!this.isStopped && !message.isLost) {
      if (await this.#sendSingly(returned)) return message.ack();
      await sleep(this.#retryMs, undefined, { ref: false });
    }
    // Another process gets all of its events; handlers know those that they have handled.
    message.requeue();
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { EventMessage } from '@waybill/contracts';
import type { Channel, ChannelModel } from 'amqplib';
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
    for (const message of this.waiting.splice(0)) this.#subscriber.accept(this.#open(message));
  }

  protected async idle(): Promise<void> {
    // The subscriber waits for the events in flight.
  }

  protected onChannelClosed(channel: Channel): void {
    this.#subscriber.forgetChannel(channel);
  }

  protected onUnreadable(): void {
    this.#subscriber.countDead();
  }

  #open(message: Delivery<EventMessage[]>): Delivery<EventMessage>[] {
    const events = message.body;
    const returned: EventMessage[] = [];
    let remaining = events.length;
    const settle = () => {
      if (--remaining === 0) void this.#close(message, returned);
    };
    return events.map((event) => {
      const giveBack = () => {
        returned.push(event);
        settle();
      };
      return {
        body: event,
        redeliveries: 0,
        bytes: Math.ceil(message.bytes / events.length),
        isOfChannel: (channel) => message.isOfChannel(channel),
        ack: settle,
        requeue: giveBack,
        reject: giveBack,
      };
    });
  }

  async #close(message: Delivery<EventMessage[]>, returned: readonly EventMessage[]): Promise<void> {
    if (returned.length === 0) return message.ack();
    while (!this.isStopped) {
      if (await this.#sendSingly(returned)) return message.ack();
      await sleep(this.#retryMs, undefined, { ref: false });
    }
    // Another process gets all of its events; handlers know those that they have handled.
    message.requeue();
  }
}

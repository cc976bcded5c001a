import type { ChannelModel, Options } from 'amqplib';
import type { Log } from '../../operations/log.ts';
import type { Consumer } from './consumer.ts';
import { type ConnectionUser, Link } from './link.ts';

/** The connection that all consumers of a process share. Each new one opens all of them again. */
export class ConsumerConnection implements ConnectionUser {
  readonly #consumers: Consumer<unknown>[] = [];
  readonly #link: Link;
  /** Null while the broker is unreachable. */
  #model: ChannelModel | null = null;

  constructor(nodes: readonly Options.Connect[], log: Log) {
    this.#link = new Link(nodes, 'consumer', this, log);
  }

  get consumers(): readonly Consumer<unknown>[] {
    return this.#consumers;
  }

  async setUp(model: ChannelModel): Promise<void> {
    this.#model = model;
    await Promise.all(this.#consumers.map((consumer) => consumer.reopen(model)));
  }

  onDisconnect(): void {
    this.#model = null;
  }

  /**
   * Opens a consumer, and waits for the broker as long as a start may take. A later connection opens it as well.
   * Rejects if the broker refuses it.
   */
  async start(consumer: Consumer<unknown>): Promise<void> {
    this.#consumers.push(consumer);
    await this.#link.settled;
    const model = this.#model;
    await (model && consumer.open(model))?.catch((error) => {
      // A broken connection reopens all its consumers anyway, and no other error is worth a second try.
      if (this.#model === model) throw error;
    });
  }

  /** Opens a consumer whose queue may be away; the consumer tries again by itself. */
  async startWhenPossible(consumer: Consumer<unknown>): Promise<void> {
    this.#consumers.push(consumer);
    await this.#link.settled;
    if (this.#model) await consumer.reopen(this.#model).catch(() => {});
  }

  close(): Promise<void> {
    return this.#link.close();
  }
}

import { connect } from 'amqplib';
import { StartError } from '../../operations/config.ts';
import { onChannel, readErrorCode } from './channels.ts';
import { jobsHeader } from './intake.ts';

/** The queues of events that a subscription gave up, by the subscription's queue. */
export interface DeadQueues {
  /** Returns the number of messages in it, nearly all with one event; null if the broker has no such queue. */
  count(queue: string): Promise<number | null>;
  /**
   * Moves the events back to their subscription, one by one, each deleted here only once it is there. Returns the number
   * of messages.
   */
  retry(queue: string): Promise<number>;
  /** Deletes the events. Returns how many. */
  drop(queue: string): Promise<number>;
  close(): Promise<void>;
}

/** Opens the dead queues for an operator. Throws a StartError if RabbitMQ does not answer. */
export async function openDeadQueues(url: string, namespace: string): Promise<DeadQueues> {
  const connection = await connect(url.split(',')[0]!, { timeout: 5_000 }).catch((error) => {
    throw new StartError(`RabbitMQ (AMQP_URL) cannot be reached: ${error.code ?? 'refused'}`);
  });
  // A connection that breaks fails the waiting call.
  connection.on('error', () => {});
  const qualifyName = (queue: string) => `${namespace}.${queue}`;

  async function count(queue: string): Promise<number | null> {
    try {
      const dead = `${qualifyName(queue)}.dead`;
      return (await onChannel(connection, (channel) => channel.checkQueue(dead))).messageCount;
    } catch (error) {
      if (readErrorCode(error) === 404) return null;
      throw error;
    }
  }

  return {
    count,
    async retry(queue) {
      const channel = await connection.createConfirmChannel();
      // Events that arrive meanwhile are those that fail again.
      const limit = (await count(queue)) ?? 0;
      let moved = 0;
      for (; moved < limit; moved++) {
        const message = await channel.get(`${qualifyName(queue)}.dead`);
        if (!message) break;
        const { contentType, messageId, headers = {} } = message.properties;
        const keptHeaders = Object.entries(headers).filter(
          ([name]) => name !== jobsHeader && !/^x-(death|first-death|last-death|delivery)/.test(name),
        );
        const options = {
          persistent: true,
          contentType,
          messageId,
          headers: Object.fromEntries(keptHeaders),
        };
        const contents = jobsHeader in headers ? splitContent(message.content) : [message.content];
        for (const content of contents)
          await new Promise<void>((resolve, reject) => {
            channel.sendToQueue(qualifyName(queue), content, options, (error) =>
              error
                ? reject(new StartError(`RabbitMQ does not take events for ${qualifyName(queue)}.`))
                : resolve(),
            );
          });
        channel.ack(message);
      }
      await channel.close();
      return moved;
    },
    async drop(queue) {
      const dead = `${qualifyName(queue)}.dead`;
      return (await onChannel(connection, (channel) => channel.purgeQueue(dead))).messageCount;
    },
    close: () => connection.close(),
  };
}

/** Returns the content of a message for each event of a message with many. */
const splitContent = (content: Buffer): Buffer[] =>
  (JSON.parse(content.toString()) as unknown[]).map((event) => Buffer.from(JSON.stringify(event)));

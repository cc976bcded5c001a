import type { LookupFunction, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChannelModel, ConfirmChannel } from 'amqplib';
import {
  type Call,
  createNotStartedOutcome,
  createOutcome,
  type Destination,
  type Outcome,
  type QueueTarget,
  toAttributes,
} from '../destination.ts';
import { Refusal } from '../sending/failure.ts';
import { type VettingOptions, vetAddresses } from './vetted-lookup.ts';

/** How long to wait for a broker to confirm the close before the connection is cut. */
const closeTimeoutMs = 2_000;

interface Connection {
  model: ChannelModel;
  channel: ConfirmChannel;
  /** Ids of messages that no queue accepted. The broker returns them before it confirms them. */
  returnedMessages: Set<string>;
  /** Resolves with the reason when the broker closes the channel. */
  closed: Promise<Error>;
  calls: number;
  idleTimer: NodeJS.Timeout | undefined;
  /** Gives up the connection; the next call opens a new one. */
  discard(): void;
}

export interface RabbitMqOptions extends VettingOptions {
  timeoutMs?: number;
  /** How long a connection may stay unused before it is closed. */
  idleMs?: number;
}

/**
 * Publishes to RabbitMQ exchanges with publisher confirms (`decisions.md 24.2`). Loads amqplib when the first message
 * is sent.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one closure
export function createRabbitMqDestination(options: RabbitMqOptions): Destination {
  const { timeoutMs = 10_000, idleMs = 30_000 } = options;
  const connections = new Map<string, Promise<Connection>>();
  const inFlight = new Set<Promise<unknown>>();

  async function connect({ address, secret }: QueueTarget): Promise<Connection> {
    if (address.kind !== 'rabbitmq') throw new TypeError('not a RabbitMQ');
    const { connect: open } = await import('amqplib');
    const url = new URL(address.url);
    // Parse the address as a web URL, because the address rule reads hosts and ports from one.
    const web = new URL(address.url.replace(/^amqp/, 'http'));
    const addresses = await vetAddresses(web, options);
    const lookup: LookupFunction = (_name, { all }, callback) =>
      all ? callback(null, addresses) : callback(null, addresses[0]!.address, addresses[0]!.family);
    const model = await open(
      {
        protocol: url.protocol.slice(0, -1),
        hostname: web.hostname.replace(/^\[(.*)\]$/, '$1'),
        port: Number(url.port),
        username: decodeURIComponent(url.username),
        password: secret,
        vhost: url.pathname.slice(1) || '/',
        heartbeat: 20,
      },
      { timeout: timeoutMs, lookup, noDelay: true },
    );
    model.on('error', () => {});
    const channel = await model.createConfirmChannel();
    const { promise: closed, resolve } = Promise.withResolvers<Error>();
    const connection: Connection = {
      model,
      channel,
      returnedMessages: new Set(),
      closed,
      calls: 0,
      idleTimer: undefined,
      discard() {},
    };
    channel.on('return', ({ properties }) => connection.returnedMessages.add(properties.correlationId));
    channel.on('error', resolve);
    channel.on('close', () => resolve(new Error('the connection was closed')));
    model.on('close', () => resolve(new Error('the connection was closed')));
    return connection;
  }

  /**
   * Returns the connection for an address, password and exchange, opening a new one if the last has closed. Exchanges
   * do not share a connection because a wrong exchange closes the channel.
   */
  function getConnection(target: QueueTarget): Promise<Connection> {
    const { url, exchange } = target.address as { url: string; exchange: string };
    const key = JSON.stringify([url, exchange, target.secret]);
    let opening = connections.get(key);
    if (!opening) {
      opening = connect(target);
      connections.set(key, opening);
      const removeFromPool = () => {
        if (connections.get(key) === opening) connections.delete(key);
      };
      opening.then((connection) => {
        // The caller that opened the connection may have given up by now, so nothing else would close it.
        connection.discard = () => {
          removeFromPool();
          void endConnection(connection);
        };
        startIdleTimer(connection);
        void connection.closed.then(connection.discard);
      }, removeFromPool);
    }
    return opening;
  }

  /** Closes the connection after it has been idle for a while. From the moment it is given up, no call gets it. */
  function startIdleTimer(connection: Connection): void {
    connection.idleTimer = setTimeout(() => connection.discard(), idleMs).unref();
  }

  async function publish(connection: Connection, call: Call, target: QueueTarget): Promise<void> {
    const { exchange, routingKey } = target.address as { exchange: string; routingKey: string };
    const confirmed = new Promise<void>((resolve, reject) => {
      connection.channel.publish(
        exchange,
        routingKey,
        Buffer.from(call.body),
        {
          mandatory: true,
          persistent: true,
          contentType: call.headers['Content-Type'],
          messageId: target.eventId,
          correlationId: target.messageId,
          timestamp: Math.floor(Date.now() / 1000),
          headers: toAttributes(call.headers),
        },
        (error) => (error ? reject(new Refusal('the broker refused the message')) : resolve()),
      );
    });
    confirmed.catch(() => {});
    const channelClosed = connection.closed.then((error) => {
      throw error;
    });
    channelClosed.catch(() => {});
    await Promise.race([channelClosed, confirmed]).catch(async (error) => {
      // A channel that closes rejects its unconfirmed messages before it reports the reason, so wait for the reason
      // briefly.
      const reason = await Promise.race([connection.closed, delay(100)]);
      throw reason ?? error;
    });
    if (connection.returnedMessages.delete(target.messageId))
      throw new Refusal('no queue is bound to that routing key');
  }

  async function attempt(call: Call): Promise<Outcome> {
    const started = performance.now();
    const target = call.queue!;
    let startedAt: number | null = null;
    try {
      await withTimeout(timeoutMs, async () => {
        const connection = await getConnection(target);
        connection.calls++;
        clearTimeout(connection.idleTimer);
        try {
          startedAt = performance.now();
          if (startedAt >= (call.startBefore ?? Infinity)) throw tooLate;
          await publish(connection, call, target);
        } finally {
          if (--connection.calls === 0) startIdleTimer(connection);
        }
      });
      return { ...createOutcome(started, ''), startedAt };
    } catch (error) {
      if (error === tooLate) return createNotStartedOutcome(started);
      return {
        ...createOutcome(started, describeError(error, call)),
        startedAt,
        isFinal: isTooLarge(error, call),
      };
    }
  }

  return {
    send(call) {
      const attempted = attempt(call);
      inFlight.add(attempted);
      return attempted.finally(() => inFlight.delete(attempted));
    },
    async check(call) {
      try {
        await withTimeout(timeoutMs, async () => {
          const connection = await connect(call.queue!);
          await endConnection(connection);
        });
        return '';
      } catch (error) {
        return describeError(error, call);
      }
    },
    async close() {
      await Promise.allSettled(inFlight);
      // A connection that is still opening will serve no call any more.
      const open = await Promise.race([
        Promise.allSettled(connections.values()),
        delay(closeTimeoutMs).then(() => []),
      ]);
      await Promise.all(
        open.map(async (each) => {
          if (each.status === 'rejected') return;
          clearTimeout(each.value.idleTimer);
          await endConnection(each.value);
        }),
      );
    },
  };
}

/** Closes the connection to the broker, and cuts it off if the broker does not answer. */
async function endConnection({ model }: Pick<Connection, 'model'>): Promise<void> {
  const { stream } = model.connection as unknown as { stream: Socket };
  const hasClosed = await Promise.race([
    model.close().then(
      () => true,
      () => true,
    ),
    delay(closeTimeoutMs),
  ]);
  if (!hasClosed) stream.destroy();
}

const tooLate = new Refusal('the call could not start in time');

const delay = (ms: number) => sleep(ms, undefined, { ref: false });

async function withTimeout(ms: number, work: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Refusal('the broker did not confirm in time')), ms);
  });
  try {
    await Promise.race([work(), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Whether the broker rejected this call's own message as too large. The broker closes the channel for every message on
 * it.
 */
function isTooLarge(error: unknown, { body }: Pick<Call, 'body'>): boolean {
  const [, maxBytes] = /max size (\d{1,15})/i.exec(String((error as Error).message)) ?? [];
  return maxBytes !== undefined && Buffer.byteLength(body) > Number(maxBytes);
}

/** Describes a failure without addresses, user names or other details of the broker. */
function describeError(error: unknown, call: Pick<Call, 'body'>): string {
  if (error instanceof Refusal) return error.message;
  const { code, message = '' } = error as { code?: unknown; message?: string };
  if (isTooLarge(error, call)) return 'the message is too large for the broker';
  if (/ACCESS[_-]REFUSED|403/.test(message)) return 'the broker refused the user, or access to the exchange';
  if (/NOT[_-]FOUND|404/.test(message)) return 'the exchange does not exist';
  if (/NOT[_-]ALLOWED|vhost/i.test(message)) return 'the broker refused the virtual host';
  if (code === 'ECONNREFUSED') return 'the connection was refused';
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(String(code))) return 'the TLS certificate is not trusted';
  if (/timed? ?out/i.test(message)) return 'the connection took too long';
  return 'the connection failed';
}

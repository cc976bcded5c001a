import type { LookupFunction, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { withTimeout } from '@waybill/kernel';
import type { ChannelModel, ConfirmChannel } from 'amqplib';
import {
  type Call,
  CallsInFlight,
  createNotStartedOutcome,
  createOutcome,
  type Destination,
  type Outcome,
  type QueueTarget,
  toAttributes,
} from '../destination.ts';
import { describeFailure, describeHandshake, Refusal } from '../sending/failure.ts';
import { type VettingOptions, vetAddresses } from './vetted-lookup.ts';

/** How long a broker may take to confirm the close before the connection is cut. */
const closeTimeoutMs = 2_000;

export interface RabbitMqOptions extends VettingOptions {
  /** Time limit of a call; 10 seconds by default. */
  timeoutMs?: number;
  /** How long a connection may stay unused before it is closed; 30 seconds by default. */
  idleMs?: number;
  /** Certificates to trust instead of the system's. */
  ca?: string | undefined;
}

/**
 * Publishes to RabbitMQ exchanges with publisher confirms (`decisions.md 24.2`). Loads amqplib when the first message
 * is sent.
 */
export class RabbitMqDestination implements Destination {
  readonly #options: RabbitMqOptions;
  readonly #timeoutMs: number;
  readonly #connections = new Map<string, Promise<BrokerConnection>>();
  readonly #inFlight = new CallsInFlight();

  constructor(options: RabbitMqOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? 10_000;
  }

  send(call: Call): Promise<Outcome> {
    return this.#inFlight.add(this.#attempt(call));
  }

  async check(call: Call): Promise<string> {
    try {
      await finishWithin(this.#timeoutMs, async () => {
        const connection = await this.#connect(call);
        await connection.end();
      });
      return '';
    } catch (error) {
      return describeError(error, call);
    }
  }

  async close(): Promise<void> {
    await this.#inFlight.end();
    // A connection that is still opening will serve no call any more.
    const open = await Promise.race([
      Promise.allSettled(this.#connections.values()),
      delay(closeTimeoutMs).then(() => []),
    ]);
    await Promise.all(open.map((each) => (each.status === 'fulfilled' ? each.value.end() : undefined)));
  }

  async #attempt(call: Call): Promise<Outcome> {
    const started = performance.now();
    const target = call.queue!;
    let startedAt: number | null = null;
    try {
      await finishWithin(this.#timeoutMs, async () => {
        const connection = await this.#getConnection(call);
        await connection.use(async () => {
          startedAt = performance.now();
          if (startedAt >= (call.startBefore ?? Infinity)) throw tooLate;
          await connection.publish(call, target);
        });
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

  /**
   * Returns the connection for an address, password, client certificate and exchange, opening a new one if the last has
   * closed. Exchanges do not share a connection because a wrong exchange closes the channel.
   */
  #getConnection(call: Call): Promise<BrokerConnection> {
    const { address, secret } = call.queue!;
    const { url, exchange } = address as { url: string; exchange: string };
    const key = JSON.stringify([url, exchange, secret, call.identity]);
    const known = this.#connections.get(key);
    if (known) return known;
    const opening = this.#connect(call);
    this.#connections.set(key, opening);
    const removeFromPool = () => {
      if (this.#connections.get(key) === opening) this.#connections.delete(key);
    };
    opening.then((connection) => {
      // From the moment that a connection is given up, no call gets it.
      const discard = () => {
        removeFromPool();
        void connection.end();
      };
      // The caller that opened the connection may have given up by now, so nothing else would close it.
      connection.discardWhenIdle(this.#options.idleMs ?? 30_000, discard);
      void connection.closed.then(discard);
    }, removeFromPool);
    return opening;
  }

  async #connect({ queue, identity }: Call): Promise<BrokerConnection> {
    const { address, secret } = queue!;
    if (address.kind !== 'rabbitmq') throw new TypeError('the target is not an exchange of RabbitMQ');
    const { connect } = await import('amqplib');
    const url = new URL(address.url);
    // The address rule reads hosts and ports from web URLs.
    const web = new URL(address.url.replace(/^amqp/, 'http'));
    const addresses = await vetAddresses(web, this.#options);
    const lookup: LookupFunction = (_name, { all }, callback) =>
      all ? callback(null, addresses) : callback(null, addresses[0]!.address, addresses[0]!.family);
    let isInHandshake = url.protocol === 'amqps:';
    const tlsOptions = {
      ca: this.#options.ca,
      ...(identity && { cert: identity.certificate, key: identity.key }),
      // Node.js calls this when the handshake is over and the chain is trusted.
      checkServerIdentity(host: string, certificate: PeerCertificate) {
        const problem = checkServerIdentity(host, certificate);
        isInHandshake = problem !== undefined;
        return problem;
      },
    };
    const model = await connect(
      {
        protocol: url.protocol.slice(0, -1),
        hostname: web.hostname.replace(/^\[(.*)\]$/, '$1'),
        port: Number(url.port),
        username: decodeURIComponent(url.username),
        password: secret,
        vhost: url.pathname.slice(1) || '/',
        heartbeat: 20,
      },
      { timeout: this.#timeoutMs, lookup, noDelay: true, ...(isInHandshake && tlsOptions) },
    ).catch((error: unknown) => {
      throw toOpeningError(error, isInHandshake);
    });
    // Without a listener, an error would end the process. `closed` reports its reason.
    model.on('error', () => {});
    return new BrokerConnection(model, await model.createConfirmChannel());
  }
}

/** Names the failure of a connection that is being opened, if only this stage tells it. */
function toOpeningError(error: unknown, isInHandshake: boolean): unknown {
  const { code, syscall, errors: attempts, message = '' } = error as NodeJS.ErrnoException & AggregateError;
  // One address that cannot be reached is an error of `connect`; several are a list of such errors.
  const isConnected = syscall !== 'connect' && attempts === undefined;
  if (code !== undefined) return isInHandshake && isConnected ? new Refusal(describeHandshake(error)) : error;
  if (/SASL|go through secure/.test(message))
    return new Refusal('the broker takes no user name and password');
  // amqplib's own errors have no codes. These mean that something came that is no frame, or not the expected one.
  return /^Expected |frame/i.test(message) ? new Refusal(notAmqp) : error;
}

/** A connection to a broker with one channel. */
class BrokerConnection {
  /** Resolves with the reason when the channel is closed or the connection fails. */
  readonly closed: Promise<Error>;
  readonly #model: ChannelModel;
  readonly #channel: ConfirmChannel;
  /** Ids of messages that no queue accepted. The broker returns them before it confirms them. */
  readonly #returnedMessages = new Set<string>();
  #calls = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  #startIdleTimer: () => void = () => {};

  constructor(model: ChannelModel, channel: ConfirmChannel) {
    this.#model = model;
    this.#channel = channel;
    const { promise, resolve } = Promise.withResolvers<Error>();
    this.closed = promise;
    channel.on('return', ({ properties }) => this.#returnedMessages.add(properties.correlationId));
    channel.on('error', resolve);
    model.on('error', resolve);
    channel.on('close', () => resolve(new Refusal(closedEarly)));
    model.on('close', () => resolve(new Refusal(closedEarly)));
  }

  /** Runs `discard` whenever the connection has had no call for a while. */
  discardWhenIdle(idleMs: number, discard: () => void): void {
    this.#startIdleTimer = () => {
      this.#idleTimer = setTimeout(discard, idleMs).unref();
    };
    this.#startIdleTimer();
  }

  /** Runs a call, during which the connection is not idle. */
  async use(call: () => Promise<void>): Promise<void> {
    this.#calls++;
    clearTimeout(this.#idleTimer);
    try {
      await call();
    } finally {
      if (--this.#calls === 0) this.#startIdleTimer();
    }
  }

  /** Publishes a message, and resolves once the broker has confirmed it. @throws the reason why it has not */
  async publish(call: Call, target: QueueTarget): Promise<void> {
    const { exchange, routingKey } = target.address as { exchange: string; routingKey: string };
    const confirmed = new Promise<void>((resolve, reject) => {
      this.#channel.publish(
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
    // A channel that closes rejects its unconfirmed messages before it reports the reason, so this waits briefly for it.
    await confirmed.catch(async (error) => {
      const reason = await Promise.race([this.closed, delay(100)]);
      throw reason ?? error;
    });
    if (this.#returnedMessages.delete(target.messageId))
      throw new Refusal('no queue is bound to that routing key');
  }

  /** Closes the connection, and cuts it off if the broker does not answer. */
  async end(): Promise<void> {
    clearTimeout(this.#idleTimer);
    // The types of amqplib do not declare the stream.
    const { stream } = this.#model.connection as ChannelModel['connection'] & { stream: Socket };
    const hasClosed = await Promise.race([
      this.#model.close().then(
        () => true,
        () => true,
      ),
      delay(closeTimeoutMs),
    ]);
    if (!hasClosed) stream.destroy();
  }
}

const tooLate = new Refusal('the call could not start in time');
const notAmqp = 'the answer is not one of AMQP';
const closedEarly = 'the connection was closed before a complete reply';

const delay = (ms: number) => sleep(ms, undefined, { ref: false });

/** Waits for a call's work. @throws Refusal if it takes longer than `ms` */
async function finishWithin(ms: number, work: () => Promise<void>): Promise<void> {
  const isDone = await withTimeout(
    work().then(() => true),
    ms,
  );
  if (!isDone) throw new Refusal('the broker did not confirm in time');
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
  // Messages of the network contain ports, which look like the broker's codes.
  if (typeof code === 'string') return describeFailure(error);
  if (isTooLarge(error, call)) return 'the message is too large for the broker';
  if (/ACCESS[_-]REFUSED|403/.test(message)) return 'the broker refused the user, or access to the exchange';
  if (/NOT[_-]FOUND|404/.test(message)) return 'the exchange does not exist';
  if (/NOT[_-]ALLOWED|vhost/i.test(message)) return 'the broker refused the virtual host';
  if (/timed? ?out/i.test(message)) return 'the connection took too long';
  if (/closed abruptly|unexpected close/i.test(message)) return closedEarly;
  return 'the connection failed';
}

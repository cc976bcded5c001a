import { setTimeout as sleep } from 'node:timers/promises';
import { type ChannelModel, connect, type Options } from 'amqplib';
import { StartError } from '../../operations/config.ts';
import type { Log } from '../../operations/log.ts';
import { Gauge, metrics } from '../../operations/metrics.ts';

const isReachable = new Gauge({
  name: 'waybill_bus_reachable',
  help: '1 while a connection to RabbitMQ is up; 0: events wait in the outbox, and nothing is consumed.',
  labelNames: ['purpose'],
  registers: [metrics],
});

const connectMs = 5_000;
const closeMs = 1_000;
const firstPauseMs = 100;
const maxPauseMs = 5_000;
/** Interval of heartbeats. A broker that stops without closing its connections is given up after two of them. */
const heartbeatSeconds = 10;

/**
 * Returns how to reach the nodes of a broker, given `amqp:` or `amqps:` URLs separated by commas. Its errors contain no
 * passwords.
 */
export function parseBrokers(urls: string): Options.Connect[] {
  // A password may contain a comma, but not one followed by another URL.
  return urls.split(/,\s*(?=amqps?:\/\/)/).map(parseBroker);
}

function parseBroker(url: string): Options.Connect {
  const parsed = URL.parse(url);
  if (!parsed?.hostname || parsed.hostname.includes(',') || !['amqp:', 'amqps:'].includes(parsed.protocol)) {
    throw new StartError(
      'AMQP_URL: must be like amqp://user:password@host:5672, for several nodes such URLs separated by commas',
    );
  }
  const { protocol, hostname, port, username, password, pathname } = parsed;
  return {
    protocol: protocol.slice(0, -1),
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port ? Number(port) : undefined,
    username: username ? decodeURIComponent(username) : 'guest',
    password: username ? decodeURIComponent(password) : 'guest',
    vhost: pathname.slice(1) || '/',
    heartbeat: heartbeatSeconds,
  };
}

export interface ConnectionUser {
  /**
   * Declares and opens everything on a connection; called again for each connection. If it rejects, the connection is
   * closed.
   */
  setUp(model: ChannelModel): Promise<void>;
  /** Called when the connection is gone. */
  onDisconnect(): void;
}

/** One connection to a node of the broker. Whenever it breaks, the link connects to the next node; it never gives up. */
export class Link {
  /** Resolves when the first connection is set up, or after some failed attempts. */
  readonly settled: Promise<void>;
  readonly #nodes: readonly Options.Connect[];
  /** Starts at a random node, so that the processes spread over all nodes. */
  #node: number;
  readonly #purpose: string;
  readonly #user: ConnectionUser;
  readonly #log: Log;
  readonly #closing = Promise.withResolvers<void>();
  readonly #ended: Promise<void>;
  #isClosing = false;
  #settle = () => {};

  constructor(nodes: readonly Options.Connect[], purpose: string, user: ConnectionUser, log: Log) {
    this.#nodes = nodes;
    this.#node = Math.floor(Math.random() * nodes.length);
    this.#purpose = purpose;
    this.#user = user;
    this.#log = log;
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
    setTimeout(this.#settle, connectMs).unref();
    isReachable.set({ purpose }, 0);
    this.#ended = this.#stayConnected();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#closing.resolve();
    await this.#ended;
  }

  async #stayConnected(): Promise<void> {
    for (let attempt = 1; !this.#isClosing; attempt++) {
      try {
        const link = await Promise.race([this.#open(), this.#closing.promise]);
        if (!link) break;
        this.#settle();
        isReachable.set({ purpose: this.#purpose }, 1);
        this.#log.info({ purpose: this.#purpose }, 'connected to RabbitMQ');
        attempt = 0;
        await Promise.race([link.whenClosed, this.#closing.promise]);
        if (this.#isClosing) await closeModel(link.model);
        else throw new Error('the connection was lost');
      } catch (err) {
        // The first failures show the cause; later ones are logged ever more rarely.
        if ((attempt & (attempt - 1)) === 0) {
          this.#log.warn({ err, purpose: this.#purpose, attempt }, 'RabbitMQ is unreachable; retrying');
        }
      }
      isReachable.set({ purpose: this.#purpose }, 0);
      this.#user.onDisconnect();
      this.#node = (this.#node + 1) % this.#nodes.length;
      // After a loss, the link tries the next node almost at once, then each of the others. It pauses after each round.
      const round = Math.ceil(attempt / this.#nodes.length);
      if (attempt === 0 || (attempt + 1) % this.#nodes.length === 0) await this.#pause(round);
    }
    this.#settle();
  }

  async #open(): Promise<{ model: ChannelModel; whenClosed: Promise<void> }> {
    const clientProperties = { connection_name: `waybill ${this.#purpose} ${process.pid}` };
    const options = { timeout: connectMs, noDelay: true, keepAlive: true, clientProperties };
    const model = await connect(this.#nodes[this.#node]!, options);
    // An error is followed by 'close', which is handled.
    model.on('error', (err) => this.#log.debug({ err, purpose: this.#purpose }, 'RabbitMQ'));
    const whenClosed = new Promise<void>((resolve) => model.on('close', () => resolve()));
    try {
      // A connection that breaks meanwhile rejects the pending call.
      if (!this.#isClosing) await this.#user.setUp(model);
      if (this.#isClosing) throw new Error('closed');
      return { model, whenClosed };
    } catch (error) {
      await closeModel(model);
      throw error;
    }
  }

  /** Pauses longer each time, and randomly, because many processes lose the broker at the same moment. */
  async #pause(attempt: number): Promise<void> {
    const pauseMs = Math.min(firstPauseMs * 2 ** attempt, maxPauseMs) * (0.5 + Math.random() / 2);
    await Promise.race([sleep(pauseMs, undefined, { ref: false }), this.#closing.promise]);
  }
}

/**
 * Closes a connection, but waits only briefly: a broker that no longer answers must not hold up the end of the process.
 */
async function closeModel(model: ChannelModel): Promise<void> {
  const closed = model.close().catch(() => {});
  await Promise.race([closed, sleep(closeMs, undefined, { ref: false })]);
}

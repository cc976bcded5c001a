import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../testing/client.ts';
import type { Cluster } from './cluster.ts';
import type { Journal, Kind } from './journal.ts';
import { signal, waitUntil } from './processes.ts';
import type { Endpoint } from './receivers.ts';
import type { Sales } from './sales.ts';
import type { Blow, ServerName } from './schedule.ts';
import { type ChaosServer, killServer, type PostgresPair } from './servers.ts';

const writersPerStore = 2;
const shoppersPerShop = 2;
/** Longer than any outage of the schedule, on a busy machine. */
const standstillMs = 180_000;

export interface Subscription {
  id: string;
  name: string;
  endpoint: Endpoint;
  wanted: readonly Kind[];
}

export interface Store {
  name: string;
  call: Caller;
  journal: Journal;
  subscriptions: Subscription[];
}

/** A store where orders are placed. */
export interface Shop {
  name: string;
  storeId: string;
  /** Callers with the merchant's key, and without a key. */
  call: Caller;
  anybody: Caller;
  sales: Sales;
  subscription: Omit<Subscription, 'wanted'>;
}

/**
 * Returns a caller that repeats requests where a client safely may: those refused with a time to retry, those that were
 * not sent, and reads.
 */
export function repeatOnce(call: Caller, note: () => void): Caller {
  return async (...request) => {
    const reply = await call(...request).catch((error) => {
      if (error.code !== 'ECONNREFUSED' && request[0] !== 'GET') throw error;
      return null;
    });
    const after = reply ? reply.status === 503 && reply.headers['retry-after'] : '1';
    if (reply && !after) return reply;
    note();
    await sleep(Number(after) * 1000);
    return call(...request);
  };
}

const started = Date.now();
/** Prints a line with the time since the start. */
export const say = (line: string) =>
  process.stdout.write(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);

/** The load of writes, and the blows that strike under it. */
export class Run {
  readonly unexpected: string[] = [];
  readonly blows = new Map<string, number>();
  /** The errors of writes whose outcome is unknown, with their numbers. */
  readonly unanswered = new Map<string, number>();
  longestGapMs = 0;
  longestReturnMs = 0;
  seconds = 0;
  outageFigures = '';
  failOverFigures = '';
  readonly #cluster: Cluster;
  readonly #servers: Record<ServerName, readonly ChaosServer[]>;
  readonly #stores: readonly Store[];
  readonly #shops: readonly Shop[];
  readonly #busy = new Map<string, Promise<void>>();
  #isStruck = false;

  constructor(
    cluster: Cluster,
    servers: Record<ServerName, readonly ChaosServer[]>,
    stores: readonly Store[],
    shops: readonly Shop[],
  ) {
    this.#cluster = cluster;
    this.#shops = shops;
    this.#servers = servers;
    this.#stores = stores;
  }

  get answered(): number {
    return this.#stores.reduce((sum, { journal }) => sum + journal.answered, 0);
  }

  /**
   * Runs the writers at an even pace until the time is over, the events are there, and all blows have struck. The
   * duration depends on the machine, but minutes without an answer are a violation.
   */
  async write(seconds: number, events: number): Promise<void> {
    const begun = Date.now();
    const writers = this.#stores.length * writersPerStore;
    // One in five is refused, and some are not answered.
    const everyMs = (seconds * 1000 * writers) / (events * 1.4);
    const isOver = () =>
      this.longestGapMs > standstillMs ||
      (this.#isStruck && this.answered >= events && Date.now() - begun > seconds * 1000);
    const watch = this.#watchGaps();
    await Promise.all([
      ...this.#stores.flatMap((store) =>
        Array.from({ length: writersPerStore }, () => this.#writer(store, everyMs, isOver)),
      ),
      ...this.#shops.flatMap((shop) =>
        Array.from({ length: shoppersPerShop }, () => this.#shopper(shop, everyMs, isOver)),
      ),
    ]);
    clearInterval(watch);
    this.seconds = (Date.now() - begun) / 1000;
    if (this.longestGapMs > standstillMs)
      this.unexpected.push(`no write was answered for ${standstillMs / 1000} s, after ${this.answered}`);
  }

  async #writer({ call, journal }: Store, everyMs: number, isOver: () => boolean): Promise<void> {
    const paced = this.#paced(call, everyMs);
    while (!isOver()) {
      // It returns if it does not know how a write ended; that product is left alone from then on.
      await journal.write(paced, isOver).catch((error) => this.unexpected.push(error.message));
      await sleep(100);
    }
  }

  async #shopper({ call, anybody, sales }: Shop, everyMs: number, isOver: () => boolean): Promise<void> {
    const shopper = this.#paced(anybody, everyMs);
    while (!isOver()) {
      await sales
        .trade(shopper, this.#noting(call), isOver)
        .catch((error) => this.unexpected.push(error.message));
    }
  }

  #paced(call: Caller, everyMs: number): Caller {
    const noting = this.#noting(call);
    let next = Date.now();
    return async (...request) => {
      // It catches up after an outage, by up to five seconds.
      next = Math.max(next + everyMs, Date.now() - 5000);
      await sleep(Math.max(0, next - Date.now()));
      return noting(...request);
    };
  }

  /** Returns a caller that gives up at a time limit, and notes requests without an answer. */
  #noting(call: Caller): Caller {
    return async (...request) => {
      const late = sleep(30_000, undefined, { ref: false }).then(() => {
        throw new Error('no answer within 30 s');
      });
      const reply = await Promise.race([call(...request), late]).catch((error) => {
        this.#noteUnanswered(error.code ?? error.message);
        throw error;
      });
      if (reply.status >= 500) this.#noteUnanswered(String(reply.status));
      return reply;
    };
  }

  #noteUnanswered(how: string): void {
    this.unanswered.set(how, (this.unanswered.get(how) ?? 0) + 1);
  }

  #watchGaps(): NodeJS.Timeout {
    let last = this.answered;
    let at = Date.now();
    return setInterval(() => {
      this.longestGapMs = Math.max(this.longestGapMs, Date.now() - at);
      if (this.answered === last) return;
      last = this.answered;
      at = Date.now();
    }, 50);
  }

  async strike(schedule: readonly Blow[]): Promise<void> {
    const begun = Date.now();
    for (const blow of schedule) {
      await sleep(Math.max(0, begun + blow.atMs - Date.now()));
      // A target that is still down cannot be hit, so the other failures continue without it.
      const before = this.#busy.get(blow.target) ?? Promise.resolve();
      const strike = before.then(() => this.#strike(blow));
      this.#busy.set(
        blow.target,
        strike.catch((error) => void this.unexpected.push(`${blow.action} ${blow.target}: ${error.message}`)),
      );
    }
    await Promise.all(this.#busy.values());
    this.#isStruck = true;
  }

  /** Takes RabbitMQ away for a while and brings it back with its data; the backlog has to drain under the load. */
  async outage(seconds: number, waiting: (olderThanSeconds?: number) => Promise<number>): Promise<void> {
    const { rabbitmq } = this.#servers;
    await sleep(5_000);
    say(`RabbitMQ is away for ${seconds} s`);
    await Promise.all(rabbitmq.map(killServer));
    const before = this.answered;
    await sleep(seconds * 1000);
    const answered = this.answered - before;
    await Promise.all(rabbitmq.map((node) => node.start(false)));
    const back = Date.now();
    const backlog = await waiting();
    say(`RabbitMQ is back; ${answered} writes were answered without it, ${backlog} events wait`);
    // Events that are being committed wait a moment; only older ones are a backlog.
    await waitUntil('the end of the backlog', 120_000, async () => (await waiting(3)) === 0);
    this.outageFigures = `${answered} writes answered, ${backlog} events waiting, published ${(
      (Date.now() - back) / 1000
    ).toFixed(1)} s after its return`;
    say(this.outageFigures);
  }

  /** Kills the primary of PostgreSQL and promotes its standby. */
  async failOver(postgres: PostgresPair): Promise<void> {
    await sleep(5_000);
    say('PostgreSQL: the primary is killed, the standby promoted');
    const promotedMs = await postgres.failOver();
    await this.#firstWrite();
    this.failOverFigures = `promoted after ${promotedMs.toFixed(0)} ms, first answered write ${this.longestReturnMs} ms later`;
    say(this.failOverFigures);
  }

  async #strike(blow: Blow): Promise<void> {
    const { target, action, holdMs, copy } = blow;
    const nodes = (this.#servers as Partial<Record<string, readonly ChaosServer[]>>)[target];
    const node = nodes ? Math.floor(copy * nodes.length) : 0;
    const server = nodes?.[node];
    const name = nodes && nodes.length > 1 ? `${target} ${node + 1}` : target;
    this.blows.set(action, (this.blows.get(action) ?? 0) + 1);
    if (action === 'cut') {
      say(`cut  ${name}`);
      server!.proxy.cut();
    } else if (action === 'stop') {
      const pids = server ? await server.pids() : [await this.#processOf(blow)];
      say(`stop ${name} for ${holdMs} ms`);
      signal(pids, 'SIGSTOP');
      await sleep(holdMs);
      signal(pids, 'SIGCONT');
    } else if (server) {
      say(`${action} ${name}, back after ${holdMs} ms`);
      await killServer(server);
      await sleep(holdMs);
      const begun = Date.now();
      await server.start(action === 'wipe');
      if (nodes!.length > 1) say(`${name} is back and has caught up after ${Date.now() - begun} ms`);
      if (target === 'postgres') await this.#firstWrite();
    } else {
      say(`kill ${target}`);
      signal([await this.#processOf(blow)], 'SIGKILL');
    }
  }

  /** Returns one of a service's processes; if all are down, waits until the supervisor starts one. */
  async #processOf({ target: service, copy }: Blow): Promise<number> {
    const pids = await waitUntil(`a process of ${service}`, 15_000, () => {
      const found = this.#cluster.pids(service);
      return found.length > 0 ? found : null;
    });
    return pids[Math.floor(copy * pids.length)]!;
  }

  async #firstWrite(): Promise<void> {
    const back = Date.now();
    const answered = this.answered;
    await waitUntil('a write after PostgreSQL was back', 30_000, () => this.answered > answered);
    this.longestReturnMs = Math.max(this.longestReturnMs, Date.now() - back);
  }
}

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { permissions } from '@waybill/contracts';
import { expectStatus, newKey, newPerson, newStore } from '../test/e2e/accounts.ts';
import { type Caller, callerOf } from '../test/e2e/client.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { Journal, kinds, readProducts } from './journal.ts';
import {
  type Duplicates,
  judgeCalls,
  judgeDeliveries,
  judgeLines,
  readDeliveries,
  unsettled,
} from './judge.ts';
import { plants } from './plants.ts';
import { signal, until } from './processes.ts';
import { type Endpoint, type Manner, type Receivers, startReceivers } from './receivers.ts';
import { type Blow, type ServerName, scheduleOf } from './schedule.ts';
import { type ChaosServer, killServer, postgresServer, rabbitmqServer, redisServer } from './servers.ts';

export interface ChaosOptions {
  kills: number;
  events: number;
  seconds: number;
  seed: number;
  plant?: string | undefined;
}

const namespace = 'chaos';
const writersPerStore = 2;
const drainSeconds = 180;
/** Long enough for every call to be taken in the end. */
const retryDelays = ['0.5', '1', '1', ...Array<string>(40).fill('2')].join(',');

/** The stores, and who listens to which of their events. */
const plan: { manner: Manner; wanted: readonly (typeof kinds)[number][] }[][] = [
  [
    { manner: 'good', wanted: kinds },
    { manner: 'fails', wanted: kinds },
  ],
  [
    { manner: 'resets', wanted: kinds },
    { manner: 'good', wanted: ['created'] },
  ],
  [
    { manner: 'hangs', wanted: kinds },
    { manner: 'good', wanted: ['updated', 'deleted'] },
  ],
];

interface Subscription {
  id: string;
  name: string;
  endpoint: Endpoint;
  wanted: readonly (typeof kinds)[number][];
}

interface Store {
  name: string;
  call: Caller;
  journal: Journal;
  subscriptions: Subscription[];
}

const started = Date.now();
const say = (line: string) =>
  process.stdout.write(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);

/** One run, from the start of the servers to the judgement; gives the number of violations. */
export async function chaos(options: ChaosOptions): Promise<number> {
  const { seed, kills, seconds, events, plant } = options;
  say(`seed ${seed}: ${kills} kills and ${events} events in ${seconds} s`);
  const home = await mkdtemp(join(tmpdir(), 'waybill-chaos-'));
  const undo: (() => unknown)[] = [() => rm(home, { recursive: true, force: true, maxRetries: 5 })];
  const end = async () => {
    for (const step of undo.splice(0).reverse()) await Promise.resolve(step()).catch(() => {});
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => void end().then(() => process.exit(130)));
  try {
    const servers = {
      postgres: await postgresServer(home),
      redis: await redisServer(),
      rabbitmq: await rabbitmqServer(join(home, 'rabbitmq')),
    };
    for (const server of Object.values(servers)) {
      undo.push(() => killServer(server));
      undo.push(() => server.proxy.close());
    }
    const receivers = await startReceivers(seed);
    undo.push(() => receivers.close());
    const dataDir = join(home, 'data');
    const cluster = await startCluster({
      DATABASE_URL: servers.postgres.url,
      REDIS_URL: servers.redis.url,
      AMQP_URL: servers.rabbitmq.url,
      WAYBILL_NAMESPACE: namespace,
      WAYBILL_DATA_DIR: dataDir,
      WEBHOOK_TRUSTED_TARGETS: receivers.trusted,
      WEBHOOK_RETRY_DELAYS_SECONDS: retryDelays,
      RATE_LIMIT_PER_MINUTE: '100000000',
      RATE_LIMIT_BURST: '1000000',
    });
    undo.push(() => cluster.stop());
    say('the servers and the cluster are up');

    const secrets = [new URL(servers.postgres.url).password];
    const stores: Store[] = [];
    for (const [i, endpoints] of plan.entries())
      stores.push(await newStoreOf(`store-${i + 1}`, endpoints, cluster.baseUrl, receivers, secrets));
    const installed: Record<string, string> = JSON.parse(
      await readFile(join(dataDir, 'secrets.json'), 'utf8'),
    );
    secrets.push(...Object.values(installed));

    const places = {
      databaseUrl(service: string) {
        const url = new URL(servers.postgres.directUrl());
        url.pathname = `/${namespace}_${service}`;
        return url.href;
      },
      amqpUrl: servers.rabbitmq.directUrl,
      namespace,
    };
    const run = new Run(cluster, servers, stores);
    const writing = run.write(seconds, events);
    const planting = plant
      ? sleep(seconds * 500).then(() => {
          say(`planting ${plant}`);
          return plants[plant]!({ ...places, pids: cluster.pids, say });
        })
      : null;
    await run.strike(scheduleOf(seed, kills, seconds));
    await planting;
    await writing;
    const loadSeconds = run.seconds;
    say(`the load is over: ${run.answered} answered writes; draining…`);

    const draining = Date.now();
    const violations = [...run.unexpected, ...(await drain(places, stores))];
    const drainMs = Date.now() - draining;
    const deliveries = await readDeliveries(places);
    violations.push(...judgeDeliveries(deliveries));
    const duplicates: Duplicates = { repeated: 0, afterReset: 0, afterTaken: 0, neverArrived: 0 };
    for (const { journal, call, subscriptions } of stores) {
      const stored = await readProducts(call);
      violations.push(...journal.lostWrites(stored));
      for (const { id, name, endpoint, wanted } of subscriptions) {
        const taken = endpoint.calls.filter(({ answer }) => answer === 'taken');
        const found = [
          ...journal.lostEvents(endpoint.calls, stored, wanted),
          ...journal.lostEvents(taken, stored, wanted),
        ];
        violations.push(...new Set(found.map((problem) => `${name}: ${problem}`)));
        violations.push(...judgeCalls(id, name, endpoint, deliveries, duplicates));
        violations.push(
          ...judgeLines(
            `the bodies at ${name}`,
            endpoint.calls.map(({ body }) => body),
            secrets,
          ),
        );
      }
    }
    const exitCode = await cluster.stop();
    if (exitCode !== 0) violations.push(`the cluster's stop ended with ${exitCode}`);
    violations.push(...judgeLines('the log', cluster.lines, secrets));
    violations.push(...(await judgeServerLogs(home, secrets)));

    const all = stores.flatMap(({ subscriptions }) => subscriptions);
    const sum = (outcome: 'answered' | 'refused' | 'unknown') =>
      stores.reduce((total, { journal }) => total + journal.count(outcome), 0);
    const calls = all.reduce((total, { endpoint }) => total + endpoint.calls.length, 0);
    const rows: [string, string | number][] = [
      ['seed', seed],
      ['blows', [...run.blows].map(([action, n]) => `${n} ${action}`).join(', ') || 'none'],
      ['writes answered / refused / unknown', `${sum('answered')} / ${sum('refused')} / ${sum('unknown')}`],
      ['load', `${loadSeconds.toFixed(1)} s`],
      ['deliveries', deliveries.size],
      ['calls', calls],
      ['the same attempt again, as its outcome was lost', duplicates.repeated],
      ['the same attempt at once on a new connection, as the receiver reset it', duplicates.afterReset],
      ['another attempt after one that was taken', duplicates.afterTaken],
      ['attempts that never arrived (logged without reply)', duplicates.neverArrived],
      ['longest time without an answered write', `${(run.longestGapMs / 1000).toFixed(1)} s`],
      [
        'after PostgreSQL was back: first answered write',
        `at most ${(run.longestReturnMs / 1000).toFixed(1)} s`,
      ],
      ['drain', `${(drainMs / 1000).toFixed(1)} s`],
      ['log lines looked through', cluster.lines.length],
      ['violations', violations.length],
    ];
    const width = Math.max(...rows.map(([title]) => title.length));
    process.stdout.write(
      `\n${rows.map(([title, value]) => `  ${title.padEnd(width)}  ${value}`).join('\n')}\n\n`,
    );
    for (const line of violations.slice(0, 20)) process.stdout.write(`  VIOLATION ${line}\n`);
    if (violations.length > 20) process.stdout.write(`  … and ${violations.length - 20} more\n`);
    return violations.length;
  } finally {
    await end();
  }
}

async function newStoreOf(
  name: string,
  endpoints: (typeof plan)[number],
  baseUrl: string,
  receivers: Receivers,
  secrets: string[],
): Promise<Store> {
  const owner = await newPerson(baseUrl);
  const storeId = await newStore(owner, name);
  const key = await newKey(owner, storeId, permissions);
  secrets.push(owner.password, owner.accessToken, owner.refreshToken, key.secret);
  const call = callerOf(baseUrl, key.secret);
  const subscriptions: Subscription[] = [];
  for (const [i, { manner, wanted }] of endpoints.entries()) {
    const path = `${name}-${manner}-${i + 1}`;
    const endpoint = receivers.add(path, manner);
    const events = wanted.map((kind) => `product.${kind}`);
    const reply = await call('POST', '/api/v1/webhooks', { url: receivers.url(path), events });
    const { webhook, secret } = expectStatus(reply, 201).body;
    endpoint.secret = secret;
    secrets.push(secret);
    subscriptions.push({ id: webhook.id, name: path, endpoint, wanted });
  }
  return { name, call, journal: new Journal(name), subscriptions };
}

async function judgeServerLogs(home: string, secrets: readonly string[]): Promise<string[]> {
  const folder = join(home, 'rabbitmq/log');
  const names = (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
  const found: string[] = [];
  for (const path of [join(home, 'postgres.log'), ...names]) {
    const text = await readFile(path, 'utf8').catch(() => '');
    found.push(...judgeLines(path, text.split('\n'), secrets));
  }
  return found;
}

/** Waits until nothing is under way any more, three times in a row; what is left at the deadline is violations. */
async function drain(places: Parameters<typeof unsettled>[0], stores: readonly Store[]): Promise<string[]> {
  const deadline = Date.now() + drainSeconds * 1000;
  const countCalls = () =>
    stores
      .flatMap(({ subscriptions }) => subscriptions)
      .reduce((n, { endpoint }) => n + endpoint.calls.length, 0);
  let quiet = 0;
  let calls = -1;
  for (;;) {
    const left = await unsettled(places).catch((error) => [`what is left cannot be read: ${error.message}`]);
    quiet = left.length === 0 && countCalls() === calls ? quiet + 1 : 0;
    calls = countCalls();
    if (quiet === 3) return [];
    if (Date.now() > deadline) return [...left, `not settled ${drainSeconds} s after the load`];
    await sleep(500);
  }
}

class Run {
  readonly unexpected: string[] = [];
  readonly blows = new Map<string, number>();
  longestGapMs = 0;
  longestReturnMs = 0;
  seconds = 0;
  readonly #cluster: Cluster;
  readonly #servers: Record<ServerName, ChaosServer>;
  readonly #stores: readonly Store[];
  readonly #busy = new Map<string, Promise<void>>();
  #isStruck = false;

  constructor(cluster: Cluster, servers: Record<ServerName, ChaosServer>, stores: readonly Store[]) {
    this.#cluster = cluster;
    this.#servers = servers;
    this.#stores = stores;
  }

  get answered(): number {
    return this.#stores.reduce((sum, { journal }) => sum + journal.answered, 0);
  }

  /** Lets the writers write at an even pace until the time is over, the events are there, and all blows are struck. */
  async write(seconds: number, events: number): Promise<void> {
    const begun = Date.now();
    const writers = this.#stores.length * writersPerStore;
    // One in five is refused, some are not answered.
    const everyMs = (seconds * 1000 * writers) / (events * 1.4);
    const deadline = begun + seconds * 3000;
    const isOver = () =>
      Date.now() > deadline ||
      (this.#isStruck && this.answered >= events && Date.now() - begun > seconds * 1000);
    const watch = this.#watchGaps();
    await Promise.all(
      this.#stores.flatMap((store) =>
        Array.from({ length: writersPerStore }, () => this.#writer(store, everyMs, isOver)),
      ),
    );
    clearInterval(watch);
    this.seconds = (Date.now() - begun) / 1000;
    if (this.answered < events)
      this.unexpected.push(`only ${this.answered} of ${events} writes were answered in ${this.seconds} s`);
  }

  async #writer({ call, journal }: Store, everyMs: number, isOver: () => boolean): Promise<void> {
    let next = Date.now();
    const paced: Caller = async (...request) => {
      // What an outage has cost is made up for, as far as five seconds.
      next = Math.max(next + everyMs, Date.now() - 5000);
      await sleep(Math.max(0, next - Date.now()));
      const late = sleep(30_000, undefined, { ref: false }).then(() => {
        throw new Error('no answer within 30 s');
      });
      return Promise.race([call(...request), late]);
    };
    while (!isOver()) {
      // It returns when it does not know how a write ended; what that was about is left alone from then on.
      await journal.write(paced, isOver).catch((error) => this.unexpected.push(error.message));
      await sleep(100);
    }
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
      // One that is still down cannot be hit: others go on meanwhile.
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

  async #strike(blow: Blow): Promise<void> {
    const { target, action, holdMs } = blow;
    const server = (this.#servers as Partial<Record<string, ChaosServer>>)[target];
    this.blows.set(action, (this.blows.get(action) ?? 0) + 1);
    if (action === 'cut') {
      say(`cut  ${target}`);
      server!.proxy.cut();
    } else if (action === 'stop') {
      const pids = server ? await server.pids() : [await this.#processOf(blow)];
      say(`stop ${target} for ${holdMs} ms`);
      signal(pids, 'SIGSTOP');
      await sleep(holdMs);
      signal(pids, 'SIGCONT');
    } else if (server) {
      say(`${action} ${target}, back after ${holdMs} ms`);
      await killServer(server);
      await sleep(holdMs);
      await server.start(action === 'wipe');
      if (target === 'postgres') await this.#firstWrite();
    } else {
      say(`kill ${target}`);
      signal([await this.#processOf(blow)], 'SIGKILL');
    }
  }

  /** One of a service's processes; waits for the supervisor to start it when it is down. */
  async #processOf({ target: service, copy }: Blow): Promise<number> {
    const pids = await until(`a process of ${service}`, 15_000, () => {
      const found = this.#cluster.pids(service);
      return found.length > 0 ? found : null;
    });
    return pids[Math.floor(copy * pids.length)]!;
  }

  async #firstWrite(): Promise<void> {
    const back = Date.now();
    const answered = this.answered;
    await until('a write after PostgreSQL was back', 30_000, () => this.answered > answered);
    this.longestReturnMs = Math.max(this.longestReturnMs, Date.now() - back);
  }
}

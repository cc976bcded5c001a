import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { permissions } from '@waybill/contracts';
import { rabbitmqCluster } from '../servers/rabbitmq.ts';
import { redisServer } from '../servers/redis.ts';
import { services } from '../services.ts';
import { expectStatus, newKey, newPerson, newStore } from '../testing/accounts.ts';
import { createCaller } from '../testing/client.ts';
import { startCluster } from './cluster.ts';
import { Journal, type Kind, kinds, readProducts } from './journal.ts';
import {
  countWaitingEvents,
  type Duplicates,
  judgeCalls,
  judgeDeliveries,
  judgeLines,
  listUnsettled,
  measureLongestWait,
  readDeliveries,
} from './judge.ts';
import { Run, repeatOnce, type Shop, type Store, type Subscription, say } from './load.ts';
import { citusServer, dropCitusDatabases, Moves } from './moves.ts';
import { plants } from './plants.ts';
import { type Manner, type Receivers, startReceivers } from './receivers.ts';
import { Sales } from './sales.ts';
import { createSchedule } from './schedule.ts';
import { behindProxy, type ChaosServer, killServer, postgresPair, postgresServer } from './servers.ts';

export interface ChaosOptions {
  kills: number;
  events: number;
  seconds: number;
  seed: number;
  /** The targets of the blows; all if it is missing. */
  only?: readonly string[] | undefined;
  /** How long RabbitMQ is away, once. */
  outageSeconds: number;
  /** Number of nodes of RabbitMQ; with several, one of them at a time is struck. */
  rabbitNodes: number;
  /** How often every process is restarted in turn, with two copies of each service. */
  rounds: number;
  /** Whether PostgreSQL has a standby that takes the place of the primary. */
  isFailingOver: boolean;
  /** How often the rows of the shop move to another worker of a Citus cluster. */
  moves: number;
  plant?: string | undefined;
}

const namespace = 'chaos';
const twoOfEach = Object.fromEntries(services.map(({ name }) => [name, 2]));
const drainSeconds = 180;
/** How long publishing may pause when one of several nodes of RabbitMQ is struck. */
const longestPauseSeconds = 5;
/** Long enough for every call to be taken in the end. */
const retryDelays = ['0.5', '1', '1', ...Array<string>(40).fill('2')].join(',');

/** The endpoints of each store, and the kinds of events that each receives. */
const plan: { manner: Manner; wanted: readonly Kind[] }[][] = [
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

/** Prints the first violations, and saves all of them with the log of the cluster. */
async function printViolations(
  seed: ChaosOptions['seed'],
  violations: readonly string[],
  lines: readonly string[],
): Promise<void> {
  const logFile = join(tmpdir(), `waybill-chaos-${seed}.log`);
  await writeFile(logFile, [...violations, ...lines].join('\n'));
  for (const line of violations.slice(0, 20)) process.stdout.write(`  VIOLATION ${line}\n`);
  if (violations.length > 20) process.stdout.write(`  … and ${violations.length - 20} more\n`);
  process.stdout.write(`  All of them, and the cluster's log: ${logFile}\n`);
}

/** Does one run, from the start of the servers to the judgement. Returns the number of violations. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: each step needs what the last ones started
export async function chaos(options: ChaosOptions): Promise<number> {
  const {
    seed,
    kills,
    seconds,
    events,
    only,
    outageSeconds,
    rabbitNodes,
    rounds,
    isFailingOver,
    moves,
    plant,
  } = options;
  const outage = outageSeconds > 0 ? `, RabbitMQ away for ${outageSeconds} s` : '';
  say(`seed ${seed}: ${kills} kills and ${events} events in ${seconds} s${outage}`);
  const home = await mkdtemp(join(tmpdir(), 'waybill-chaos-'));
  const undo: (() => unknown)[] = [() => rm(home, { recursive: true, force: true, maxRetries: 5 })];
  const end = async () => {
    for (const step of undo.splice(0).reverse()) await Promise.resolve(step()).catch(() => {});
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => void end().then(() => process.exit(130)));
  try {
    const own = async <Server extends ChaosServer>(starting: Promise<Server>): Promise<Server> => {
      const server = await starting;
      undo.push(() => killServer(server));
      undo.push(() => server.proxy.close());
      return server;
    };
    const pair = isFailingOver ? await own(postgresPair(home)) : null;
    const citus = moves > 0 ? await own(citusServer()) : null;
    if (citus) {
      undo.push(() => dropCitusDatabases(namespace));
      // Drops the databases of a run that was killed.
      await dropCitusDatabases(namespace);
    }
    const postgres = pair ?? citus ?? (await own(postgresServer(home)));
    const redis = await own(behindProxy(await redisServer()));
    const rabbitmq: ChaosServer[] = [];
    // One after the other, because each node joins the existing ones.
    for (const node of await rabbitmqCluster(join(home, 'rabbitmq'), rabbitNodes))
      rabbitmq.push(await own(behindProxy(node)));
    const receivers = await startReceivers(seed);
    undo.push(() => receivers.close());
    const dataDir = join(home, 'data');
    const settings = {
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      AMQP_URL: rabbitmq.map(({ url }) => url).join(),
      WAYBILL_NAMESPACE: namespace,
      WAYBILL_DATA_DIR: dataDir,
      WEBHOOK_TRUSTED_TARGETS: receivers.trusted,
      WEBHOOK_RETRY_DELAYS_SECONDS: retryDelays,
      RATE_LIMIT_PER_MINUTE: '100000000',
      RATE_LIMIT_BURST: '1000000',
      STOREFRONT_ORDERS_PER_MINUTE: '1000000',
      CHECKOUT_HOLD_SECONDS: '5',
      ...(rounds > 0 && { DATABASE_POOL_SIZE: '3' }),
      ...(citus && { WAYBILL_CITUS_WORKERS: citus.workers, DATABASE_POOL_SIZE: '4' }),
    };
    const cluster = await startCluster(settings, rounds > 0 ? twoOfEach : undefined);
    undo.push(() => cluster.stop());
    say('the servers and the cluster are up');

    const secrets = [new URL(postgres.url).password];
    const stores: Store[] = [];
    for (const [i, endpoints] of plan.entries())
      stores.push(await createStore(`store-${i + 1}`, endpoints, cluster.baseUrl, receivers, secrets));
    const shop = await createShop('shop', Math.ceil(events / 5), cluster.baseUrl, receivers, secrets);
    const installed: Record<string, string> = JSON.parse(
      await readFile(join(dataDir, 'secrets.json'), 'utf8'),
    );
    secrets.push(...Object.values(installed));

    const servers = {
      databaseUrl(service: string) {
        const url = new URL(postgres.directUrl());
        url.pathname = `/${namespace}_${service}`.replaceAll('-', '_');
        return url.href;
      },
      amqpUrl: rabbitmq[0]!.directUrl,
      namespace,
    };
    const run = new Run(cluster, { postgres: [postgres], redis: [redis], rabbitmq }, stores, [shop]);
    let repetitions = 0;
    if (rounds > 0) for (const one of [...stores, shop]) one.call = repeatOnce(one.call, () => repetitions++);
    const waits = rabbitNodes > 1 ? watchWaits(() => measureLongestWait(servers)) : null;
    undo.push(() => waits?.stop());
    const writing = run.write(seconds, events);
    const planting = plant
      ? sleep(seconds * 500).then(() => {
          say(`planting ${plant}`);
          return plants[plant]!({ ...servers, pids: cluster.pids, say });
        })
      : null;
    for (let round = 1; round <= rounds; round++) {
      await cluster.roll();
      say(`round ${round} of ${rounds}: every process was restarted; ${run.answered} answered writes so far`);
    }
    if (pair) await run.failOver(pair);
    const moved = citus ? new Moves(servers.databaseUrl, shop) : null;
    for (let i = 0; i < moves; i++) await moved!.move(i % 2 ? 'block_writes' : 'force_logical');
    if (outageSeconds > 0) await run.outage(outageSeconds, (older) => countWaitingEvents(servers, older));
    await run.strike(createSchedule(seed, kills, seconds, only, rabbitNodes));
    await planting;
    await writing;
    say(`the load is over: ${run.answered} answered writes; draining…`);

    const subscriptions = [...stores.flatMap((store) => store.subscriptions), shop.subscription];
    const draining = Date.now();
    const violations = [...run.unexpected, ...(await drain(servers, subscriptions))];
    const drainMs = Date.now() - draining;
    waits?.stop();
    const deliveries = await readDeliveries(servers);
    violations.push(...judgeDeliveries(deliveries));
    const duplicates: Duplicates = { repeated: 0, afterTaken: 0, neverArrived: 0 };
    for (const store of stores)
      violations.push(...(await judgeStore(store, deliveries, duplicates, secrets)));
    violations.push(...(await judgeShop(shop, deliveries, duplicates, secrets)));
    // A write needs neither the broker nor the cache.
    if (only?.every((name) => name === 'rabbitmq' || name === 'redis') && run.unanswered.size > 0)
      violations.push('writes failed though only RabbitMQ or Redis were struck');
    if (rounds > 0 && run.unanswered.size > 0)
      violations.push('something failed that a client may not repeat, or failed again when it was repeated');
    if (waits && only?.every((name) => name === 'rabbitmq') && waits.longest > longestPauseSeconds)
      violations.push(`an event waited ${waits.longest.toFixed(1)} s though a majority of nodes was there`);
    const exitCode = await cluster.stop();
    if (exitCode !== 0) violations.push(`the cluster's stop ended with ${exitCode}`);
    violations.push(...judgeLines('the log', cluster.lines, secrets));
    violations.push(...(await judgeServerLogs(home, secrets)));

    const sum = (outcome: 'answered' | 'refused' | 'unknown') =>
      stores.reduce((total, { journal }) => total + journal.count(outcome), 0);
    const inSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
    printTable({
      seed,
      blows: [...run.blows].map(([action, n]) => `${n} ${action}`).join(', ') || 'none',
      'writes answered / refused / unknown': `${sum('answered')} / ${sum('refused')} / ${sum('unknown')}`,
      'checkouts placed / refused / unknown': (['placed', 'refused', 'unknown'] as const)
        .map((outcome) => shop.sales.count(outcome))
        .join(' / '),
      'of the unknown': [...run.unanswered].map(([how, n]) => `${n} ${how}`).join(', ') || 'none',
      load: inSeconds(run.seconds * 1000),
      deliveries: deliveries.size,
      calls: countCalls(subscriptions),
      'the same attempt again, as its outcome was lost': duplicates.repeated,
      'another attempt after one that was taken': duplicates.afterTaken,
      'attempts that never arrived (logged without reply)': duplicates.neverArrived,
      'longest time without an answered write': inSeconds(run.longestGapMs),
      'PostgreSQL back to first answered write, at most': inSeconds(run.longestReturnMs),
      ...(run.outageFigures && { 'RabbitMQ away': run.outageFigures }),
      ...(waits && { 'longest that an event waited in an outbox': inSeconds(waits.longest * 1000) }),
      ...(rounds > 0 && { 'repeated once, as an answer said': repetitions }),
      ...moved?.figures(),
      ...(run.failOverFigures && { 'PostgreSQL lost': run.failOverFigures }),
      drain: inSeconds(drainMs),
      'log lines looked through': cluster.lines.length,
      violations: violations.length,
    });
    if (violations.length > 0) await printViolations(seed, violations, cluster.lines);
    return violations.length;
  } finally {
    await end();
  }
}

async function createStore(
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
  const call = createCaller(baseUrl, key.secret);
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

async function createShop(
  name: string,
  stockOfEach: number,
  baseUrl: string,
  receivers: Receivers,
  secrets: string[],
): Promise<Shop> {
  const owner = await newPerson(baseUrl);
  const storeId = await newStore(owner, name);
  const key = await newKey(owner, storeId, permissions);
  secrets.push(owner.password, owner.accessToken, owner.refreshToken, key.secret);
  const call = createCaller(baseUrl, key.secret);
  const sales = await Sales.open(storeId, name, stockOfEach, call);
  const endpoint = receivers.add(name, 'fails');
  const events = ['order.created', 'order.updated', 'customer.created', 'customer.updated'];
  const reply = await call('POST', '/api/v1/webhooks', { url: receivers.url(name), events });
  const { webhook, secret } = expectStatus(reply, 201).body;
  endpoint.secret = secret;
  secrets.push(secret);
  const subscription = { id: webhook.id, name, endpoint };
  return { name, storeId, call, anybody: createCaller(baseUrl, undefined), sales, subscription };
}

async function judgeShop(
  { call, sales, subscription: { id, name, endpoint } }: Shop,
  deliveries: Awaited<ReturnType<typeof readDeliveries>>,
  duplicates: Duplicates,
  secrets: readonly string[],
): Promise<string[]> {
  const { calls } = endpoint;
  const taken = calls.filter(({ answer }) => answer === 'taken');
  const found = [...(await sales.lostEvents(calls, call)), ...(await sales.lostEvents(taken, call))];
  const bodies = calls.map(({ body }) => body);
  return [
    ...(await sales.judge(call)),
    ...new Set(found.map((problem) => `${name}: ${problem}`)),
    ...judgeCalls(id, name, endpoint, deliveries, duplicates),
    ...judgeLines(`the bodies at ${name}`, bodies, secrets),
  ];
}

async function judgeStore(
  { journal, call, subscriptions }: Store,
  deliveries: Awaited<ReturnType<typeof readDeliveries>>,
  duplicates: Duplicates,
  secrets: readonly string[],
): Promise<string[]> {
  const stored = await readProducts(call);
  const violations = journal.lostWrites(stored);
  for (const { id, name, endpoint, wanted } of subscriptions) {
    const { calls } = endpoint;
    const taken = calls.filter(({ answer }) => answer === 'taken');
    // Among all calls: events that should not have come. Among the taken ones: events that are missing.
    const found = [
      ...journal.lostEvents(calls, stored, wanted),
      ...journal.lostEvents(taken, stored, wanted),
    ];
    violations.push(...new Set(found.map((problem) => `${name}: ${problem}`)));
    violations.push(...judgeCalls(id, name, endpoint, deliveries, duplicates));
    const bodies = calls.map(({ body }) => body);
    violations.push(...judgeLines(`the bodies at ${name}`, bodies, secrets));
  }
  return violations;
}

type Called = readonly Pick<Subscription, 'endpoint'>[];

function countCalls(all: Called): number {
  return all.reduce((sum, { endpoint }) => sum + endpoint.calls.length, 0);
}

function printTable(rows: Record<string, string | number>): void {
  const width = Math.max(...Object.keys(rows).map((title) => title.length));
  const lines = Object.entries(rows).map(([title, value]) => `  ${title.padEnd(width)}  ${value}\n`);
  process.stdout.write(`\n${lines.join('')}\n`);
}

/** Checks every half second for the longest wait; a failed check (PostgreSQL being struck) counts for nothing. */
function watchWaits(ask: () => Promise<number>): { longest: number; stop(): void } {
  let isAsking = false;
  const timer = setInterval(async () => {
    if (isAsking) return;
    isAsking = true;
    watched.longest = Math.max(watched.longest, await ask().catch(() => 0));
    isAsking = false;
  }, 500);
  const watched = { longest: 0, stop: () => clearInterval(timer) };
  return watched;
}

async function judgeServerLogs(home: string, secrets: readonly string[]): Promise<string[]> {
  const folder = join(home, 'rabbitmq');
  const names = (await readdir(folder, { recursive: true }).catch(() => []))
    .filter((name) => /(^|\/)log\//.test(name))
    .map((name) => join(folder, name));
  const found: string[] = [];
  for (const path of [join(home, 'postgres.log'), ...names]) {
    const text = await readFile(path, 'utf8').catch(() => '');
    found.push(...judgeLines(path, text.split('\n'), secrets));
  }
  return found;
}

/** Waits until nothing is in progress, three times in a row; remaining work at the deadline is a violation. */
async function drain(servers: Parameters<typeof listUnsettled>[0], subscriptions: Called): Promise<string[]> {
  const deadline = Date.now() + drainSeconds * 1000;
  let quiet = 0;
  let calls = -1;
  for (;;) {
    const left = await listUnsettled(servers).catch((error) => [
      `what is left cannot be read: ${error.message}`,
    ]);
    quiet = left.length === 0 && countCalls(subscriptions) === calls ? quiet + 1 : 0;
    calls = countCalls(subscriptions);
    if (quiet === 3) return [];
    if (Date.now() > deadline) return [...left, `not settled ${drainSeconds} s after the load`];
    await sleep(500);
  }
}

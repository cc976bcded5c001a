import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { permissions } from '@waybill/contracts';
import { type StripeEmulator, startStripeEmulator } from '@waybill/testing';
import { rabbitmqServer } from '../servers/rabbitmq.ts';
import { redisServer } from '../servers/redis.ts';
import { expectStatus, newKey, newPerson, newStore } from '../testing/accounts.ts';
import { createCaller } from '../testing/client.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { type DatabaseUrl, LedgerWatch, query } from './ledger-watch.ts';
import { say } from './load.ts';
import { lookUpEverySeconds, type PayingShop, Payments, type Recorded, sumTaken } from './payments.ts';
import { signal, waitUntil } from './processes.ts';
import { type Blow, createSchedule } from './schedule.ts';
import { barePostgresServer, type ChaosServer, killServer } from './servers.ts';

export interface PaymentChaosOptions {
  payments: number;
  kills: number;
  seconds: number;
  seed: number;
  /** The load ends after this time even if fewer payments have begun; null if it does not. */
  withinSeconds: number | null;
}

const namespace = 'chaos';
const shoppers = 64;
const settleSeconds = 240;
const struck = ['payments', 'orders', 'gateway', 'postgres'];
const secretKey = 'sk_test_51ChaosSecret';

/**
 * Runs payments at the emulator of Stripe while payments, orders, the gateway and PostgreSQL are killed. After that,
 * the sums that the emulator took and refunded must equal the ledger to the cent. Returns the number of violations.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: each step needs what the last ones started
export async function runPaymentChaos({
  payments,
  kills,
  seconds,
  seed,
  withinSeconds,
}: PaymentChaosOptions): Promise<number> {
  say(`seed ${seed}: ${payments} payments and ${kills} kills in at least ${seconds} s`);
  const home = await mkdtemp(join(tmpdir(), 'waybill-chaos-'));
  const undo: (() => unknown)[] = [() => rm(home, { recursive: true, force: true, maxRetries: 5 })];
  const end = async () => {
    for (const step of undo.splice(0).reverse()) await Promise.resolve(step()).catch(() => {});
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => void end().then(() => process.exit(130)));
  try {
    const postgres = await barePostgresServer(home);
    undo.push(() => killServer(postgres));
    const redis = await redisServer();
    const rabbitmq = await rabbitmqServer(join(home, 'rabbitmq'));
    for (const server of [redis, rabbitmq]) {
      undo.push(() => signal([server.pid()!], 'SIGKILL'));
      await server.start(true);
    }
    const stripe = await startStripeEmulator();
    undo.push(() => stripe.close());
    const settings = {
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      AMQP_URL: rabbitmq.url,
      WAYBILL_NAMESPACE: namespace,
      WAYBILL_DATA_DIR: join(home, 'data'),
      STRIPE_API_URL: stripe.url,
      PAYMENT_LOOKUP_DELAYS_SECONDS: Array.from(
        { length: 120 },
        (_, i) => (i + 1) * lookUpEverySeconds,
      ).join(),
      RATE_LIMIT_PER_MINUTE: '100000000',
      RATE_LIMIT_BURST: '1000000',
      STOREFRONT_ORDERS_PER_MINUTE: '1000000',
      CHECKOUT_HOLD_SECONDS: '5',
    };
    const cluster = await startCluster(settings, { gateway: 2, orders: 2, payments: 2 });
    undo.push(() => cluster.stop());
    const databaseUrl = (service: string) => {
      const url = new URL(postgres.directUrl());
      url.pathname = `/${namespace}_${service}`;
      return url.href;
    };
    const shop = await openShop(cluster.baseUrl, stripe, databaseUrl);
    undo.push(() => shop.ledger.close());
    say('the servers and the cluster are up');

    const all = new Payments(shop, seed);
    const violations: string[] = [];
    const blows = new Map<string, number>();
    let calls = 0;
    const startedAt = Date.now();
    const passed = () => (Date.now() - startedAt) / 1000;
    const isTimeUp = () => withinSeconds !== null && passed() >= withinSeconds;
    /** Returns the share of the load that is done, from 0 to 1. */
    const progress = () =>
      Math.max(all.begun / payments, withinSeconds === null ? 0 : passed() / withinSeconds);
    let isStruck = false;
    const telling = setInterval(() => {
      // The requests are counted, not kept.
      calls += stripe.requests.splice(0).length;
      say(`${all.begun} payments begun, ${all.waiting} wait for a look-up`);
    }, 10_000);
    undo.push(() => clearInterval(telling));
    const work = Promise.all(
      Array.from({ length: shoppers }, async () => {
        while ((all.begun < payments && !isTimeUp()) || !isStruck)
          await all.live().catch((error) => all.unexpected.push(`unexpected: ${error.stack}`));
      }),
    );
    await strike(createSchedule(seed, kills, seconds, struck), {
      cluster,
      postgres,
      blows,
      seconds,
      progress,
    });
    isStruck = true;
    await work;
    await all.ended();
    clearInterval(telling);
    const loadMs = Date.now() - startedAt;
    say('the load is over; settling…');

    const settlingAt = Date.now();
    violations.push(...(await settle(databaseUrl, stripe)));
    const settleMs = Date.now() - settlingAt;
    const recorded = await readLedger(databaseUrl);
    violations.push(...all.judge(recorded));
    violations.push(...(await judgeOrders(databaseUrl)));
    const exitCode = await cluster.stop();
    if (exitCode !== 0) violations.push(`the cluster's stop ended with ${exitCode}`);

    const sums = (rows: Iterable<{ takenCents: number; refundedCents: number }>) =>
      [...rows].reduce((sum, row) => [sum[0]! + row.takenCents, sum[1]! + row.refundedCents], [0, 0]);
    const [thereTaken, thereBack] = sums(sumTaken(stripe).values());
    const [hereTaken, hereBack] = sums(recorded);
    const recoveries = all.recoveries.sort((a, b) => a - b);
    print({
      seed,
      blows: [...blows].map(([what, n]) => `${n} ${what}`).join(', ') || 'none',
      'orders placed': all.purchases.length,
      load: `${(loadMs / 1000).toFixed(0)} s`,
      'settled after': `${(settleMs / 1000).toFixed(1)} s`,
      'the provider took / gave back, in cents': `${thereTaken} / ${thereBack}`,
      'the ledger took / gave back': `${hereTaken} / ${hereBack}`,
      'sessions, refunds at the provider': `${stripe.sessions.size}, ${stripe.refunds.size}`,
      'calls at the provider': calls + stripe.requests.length,
      ...Object.fromEntries(all.counts),
      'lost events recovered': recoveries.length,
      'known after the look-up, median / 99 % / slowest':
        recoveries.length > 0
          ? [0.5, 0.99, 1]
              .map(
                (share) => `${(recoveries[Math.ceil(recoveries.length * share) - 1]! / 1000).toFixed(1)} s`,
              )
              .join(' / ')
          : 'none',
      'orders whose end their client does not know': all.purchases.filter((each) => each.isUncertain).length,
      violations: violations.length,
    });
    if (violations.length > 0) {
      const logFile = join(tmpdir(), `waybill-chaos-payments-${seed}.log`);
      await writeFile(logFile, [...violations, ...cluster.lines].join('\n'));
      for (const line of violations.slice(0, 20)) process.stdout.write(`  VIOLATION ${line}\n`);
      process.stdout.write(`  All of them, and the cluster's log: ${logFile}\n`);
    }
    return violations.length;
  } finally {
    await end();
  }
}

async function openShop(
  baseUrl: string,
  stripe: StripeEmulator,
  databaseUrl: DatabaseUrl,
): Promise<PayingShop> {
  const owner = await newPerson(baseUrl);
  const storeId = await newStore(owner, 'payers');
  const key = await newKey(owner, storeId, permissions);
  const merchant = createCaller(baseUrl, key.secret);
  const product = {
    name: 'Tea',
    status: 'active',
    variants: [{ priceCents: 137, stock: 100_000_000 }],
  };
  const created = expectStatus(await merchant('POST', '/api/v1/products', product), 201).body.product;
  // Several mails for each order would take much of the machine.
  for (const kind of ['orderPlaced', 'paymentReceived', 'refunded', 'orderCancelled']) {
    const path = `/api/stores/${storeId}/mail-templates/${kind}`;
    expectStatus(await owner.call('PUT', path, { isEnabled: false }), 200);
  }
  const createMethod = async (name: string, capture: 'automatic' | 'manual') =>
    expectStatus(
      await owner.call('POST', `/api/stores/${storeId}/payment-methods`, {
        provider: 'stripe',
        name,
        secretKey,
        capture,
        isEnabled: true,
      }),
      201,
    ).body.paymentMethod.id;
  return {
    storeId,
    baseUrl,
    merchant,
    shopper: createCaller(baseUrl, undefined),
    stripe,
    methods: {
      automatic: await createMethod('Card', 'automatic'),
      manual: await createMethod('Card, captured by hand', 'manual'),
    },
    variantId: created.variants[0].id,
    ledger: new LedgerWatch(databaseUrl, storeId),
    async startOf(paymentId) {
      const find = () =>
        query<{ startedAt: Date }>(
          databaseUrl('payments'),
          'select started_at as "startedAt" from payment_session where store_id = $1 and payment_id = $2',
          [storeId, paymentId],
        );
      const [row] = await waitUntil('the start of a session', 60_000, find);
      return row!.startedAt;
    },
  };
}

interface Striking {
  cluster: Cluster;
  postgres: ChaosServer;
  blows: Map<string, number>;
  seconds: number;
  progress(): number;
}

/** Strikes when the time of a blow has come and the same share of the load is done, so that blows are spread over it. */
async function strike(
  schedule: readonly Blow[],
  { cluster, postgres, blows, seconds, progress }: Striking,
): Promise<void> {
  const begun = Date.now();
  for (const { atMs, target, action, holdMs, copy } of schedule) {
    while (Date.now() < begun + atMs || progress() < atMs / 1000 / seconds) await sleep(100);
    const what = `${action} ${target}`;
    blows.set(what, (blows.get(what) ?? 0) + 1);
    say(`${what}${target === 'postgres' || copy < 0.5 ? '' : ', both copies'}`);
    if (action === 'cut') {
      postgres.proxy.cut();
      continue;
    }
    const pids = async () =>
      target === 'postgres'
        ? postgres.pids()
        : waitUntil(`a process of ${target}`, 30_000, () => {
            const found = cluster.pids(target);
            // Half of the blows strike one of the two copies, half of them both.
            const victims = found.length > 1 && copy < 0.5 ? found.slice(0, 1) : found;
            return victims.length > 0 ? victims : null;
          });
    if (action === 'stop') {
      const stopped = await pids();
      signal(stopped, 'SIGSTOP');
      await sleep(holdMs);
      signal(stopped, 'SIGCONT');
    } else if (target === 'postgres') {
      await killServer(postgres);
      await sleep(holdMs);
      await postgres.start(false);
    } else signal(await pids(), 'SIGKILL');
  }
}

/**
 * Waits until no step is pending, no event waits, and the sums agree; remaining differences at the deadline are
 * violations.
 */
async function settle(databaseUrl: DatabaseUrl, stripe: StripeEmulator): Promise<string[]> {
  const deadline = Date.now() + settleSeconds * 1000;
  let quiet = 0;
  for (;;) {
    const left = await listUnsettled(databaseUrl, stripe).catch((error) => [
      `it cannot be read: ${error.message}`,
    ]);
    quiet = left.length === 0 ? quiet + 1 : 0;
    if (quiet === 3) return [];
    if (Date.now() > deadline) return [...left, `not settled after ${settleSeconds} s`];
    await sleep(500);
  }
}

async function listUnsettled(databaseUrl: DatabaseUrl, stripe: StripeEmulator): Promise<string[]> {
  const found: string[] = [];
  const note = (n: unknown, what: string) => Number(n) > 0 && found.push(`${n} ${what}`);
  const [steps] = await query<{ n: string }>(
    databaseUrl('orders'),
    `select count(*) as n from payment_step where state = 'pending'`,
  );
  note(steps!.n, 'steps have no answer');
  for (const service of ['orders', 'payments']) {
    const [waiting] = await query<{ n: string }>(
      databaseUrl(service),
      'select count(*) as n from outbox where published_at is null',
    );
    note(waiting!.n, `events wait in the outbox of ${service}`);
  }
  const recorded = new Map((await readLedger(databaseUrl)).map((each) => [each.paymentId, each]));
  const differing = [...sumTaken(stripe)].filter(([paymentId, there]) => {
    const here = recorded.get(paymentId);
    return here?.takenCents !== there.takenCents || here.refundedCents !== there.refundedCents;
  });
  note(differing.length, 'payments are not in the ledger as they are at the provider');
  return found;
}

/** Returns the sums of the entries of each payment. */
async function readLedger(databaseUrl: DatabaseUrl): Promise<Recorded[]> {
  const rows = await query<Record<keyof Recorded, string>>(
    databaseUrl('orders'),
    `select p.id as "paymentId", p.order_id as "orderId",
       coalesce(sum(e.amount_cents) filter (where e.kind = 'captured'), 0) as "takenCents",
       coalesce(sum(e.amount_cents) filter (where e.kind = 'refunded'), 0) as "refundedCents",
       count(*) filter (where e.kind = 'captured') as captures
     from payment p left join payment_entry e on e.store_id = p.store_id and e.payment_id = p.id
     group by p.store_id, p.id, p.order_id`,
  );
  return rows.map(({ paymentId, orderId, ...sums }) => ({
    paymentId,
    orderId,
    takenCents: Number(sums.takenCents),
    refundedCents: Number(sums.refundedCents),
    captures: Number(sums.captures),
  }));
}

/** Returns the orders and payments whose stored sums differ from those of their entries. */
async function judgeOrders(databaseUrl: DatabaseUrl): Promise<string[]> {
  const rows = await query<{ id: string }>(
    databaseUrl('orders'),
    `with sums as (
       select p.order_id, sum(e.amount_cents) filter (where e.kind = 'captured') as taken,
         sum(e.amount_cents) filter (where e.kind = 'refunded') as back,
         sum(e.amount_cents) filter (where e.is_excess) as excess
       from payment p join payment_entry e on e.store_id = p.store_id and e.payment_id = p.id group by p.order_id
     )
     select o.id from "order" o left join sums s on s.order_id = o.id
     where coalesce(o.paid_cents, 0) <> coalesce(s.taken, 0) - coalesce(s.excess, 0)
       or coalesce(o.refunded_cents, 0) <> coalesce(s.back, 0) - coalesce(s.excess, 0)
     union all
     select p.id from payment p where (p.captured_cents, p.refunded_cents) <> (
       select coalesce(sum(e.amount_cents) filter (where e.kind = 'captured'), 0),
         coalesce(sum(e.amount_cents) filter (where e.kind = 'refunded'), 0)
       from payment_entry e where e.store_id = p.store_id and e.payment_id = p.id
     )`,
  );
  return rows.map(({ id }) => `${id}: its sums are not what its entries come to`);
}

function print(rows: Record<string, string | number>): void {
  const width = Math.max(...Object.keys(rows).map((title) => title.length));
  const lines = Object.entries(rows).map(([title, value]) => `  ${title.padEnd(width)}  ${value}\n`);
  process.stdout.write(`\n${lines.join('')}\n`);
}

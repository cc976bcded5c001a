import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { permissions } from '@waybill/contracts';
import { type StripeEmulator, startStripeEmulator } from '@waybill/testing';
import pg from 'pg';
import { rabbitmqServer } from '../servers/rabbitmq.ts';
import { redisServer } from '../servers/redis.ts';
import { expectStatus, newKey, newPerson, newStore } from '../test/e2e/accounts.ts';
import { callerOf } from '../test/e2e/client.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { say } from './load.ts';
import { type PayingShop, Payments, type Recorded, takenOf } from './payments.ts';
import { signal, until } from './processes.ts';
import { type Blow, scheduleOf } from './schedule.ts';
import { behindProxy, type ChaosServer, killServer, postgresServer } from './servers.ts';

export interface PaymentChaosOptions {
  payments: number;
  kills: number;
  seconds: number;
  seed: number;
}

const namespace = 'chaos';
const shoppers = 48;
const settleSeconds = 240;
const struck = ['payments', 'orders', 'gateway', 'postgres'];
const secretKey = 'sk_test_51ChaosSecret';

/**
 * Runs payments at the emulator of Stripe while payments, orders, the gateway and PostgreSQL are killed. After that,
 * the sums that the emulator took and refunded must equal the ledger to the cent. Returns the number of violations.
 */
export async function chaosOfPayments({
  payments,
  kills,
  seconds,
  seed,
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
    const own = async (starting: Promise<ChaosServer>): Promise<ChaosServer> => {
      const server = await starting;
      undo.push(() => killServer(server));
      undo.push(() => server.proxy.close());
      return server;
    };
    const postgres = await own(postgresServer(home));
    const redis = await own(behindProxy(await redisServer()));
    const rabbitmq = await own(behindProxy(await rabbitmqServer(join(home, 'rabbitmq'))));
    const stripe = await startStripeEmulator();
    undo.push(() => stripe.close());
    const cluster = await startCluster({
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      AMQP_URL: rabbitmq.url,
      WAYBILL_NAMESPACE: namespace,
      WAYBILL_DATA_DIR: join(home, 'data'),
      STRIPE_API_URL: stripe.url,
      PAYMENT_LOOKUP_DELAYS_SECONDS: Array.from({ length: 120 }, (_, i) => (i + 1) * 10).join(),
      RATE_LIMIT_PER_MINUTE: '100000000',
      RATE_LIMIT_BURST: '1000000',
      STOREFRONT_ORDERS_PER_MINUTE: '1000000',
      CHECKOUT_HOLD_SECONDS: '5',
    });
    undo.push(() => cluster.stop());
    const shop = await openShop(cluster.baseUrl, stripe);
    say('the servers and the cluster are up');

    const all = new Payments(shop, seed);
    const violations: string[] = [];
    const blows = new Map<string, number>();
    let isStruck = false;
    let begun = 0;
    const startedAt = Date.now();
    const work = Promise.all(
      Array.from({ length: shoppers }, async () => {
        while (begun < payments || !isStruck) {
          begun++;
          if (begun % 250 === 0) say(`${begun} payments begun`);
          await all.live().catch((error) => violations.push(`unexpected: ${error.stack}`));
        }
      }),
    );
    await strike(scheduleOf(seed, kills, seconds, struck), cluster, postgres, blows);
    isStruck = true;
    await work;
    const loadMs = Date.now() - startedAt;
    say('the load is over; settling…');

    const databaseUrl = (service: string) => {
      const url = new URL(postgres.directUrl());
      url.pathname = `/${namespace}_${service}`;
      return url.href;
    };
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
    const [thereTaken, thereBack] = sums(takenOf(stripe).values());
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
      'calls at the provider': stripe.requests.length,
      ...Object.fromEntries(all.counts),
      'lost events recovered': recoveries.length,
      'recovered within, median / slowest':
        recoveries.length > 0
          ? `${(recoveries[Math.floor(recoveries.length / 2)]! / 1000).toFixed(1)} s / ${(recoveries.at(-1)! / 1000).toFixed(1)} s`
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

async function openShop(baseUrl: string, stripe: StripeEmulator): Promise<PayingShop> {
  const owner = await newPerson(baseUrl);
  const storeId = await newStore(owner, 'payers');
  const key = await newKey(owner, storeId, permissions);
  const merchant = callerOf(baseUrl, key.secret);
  const product = {
    name: 'Tea',
    status: 'active',
    variants: [{ priceCents: 137, stock: 1_000_000 }],
  };
  const made = expectStatus(await merchant('POST', '/api/v1/products', product), 201).body.product;
  const methodOf = async (name: string, capture: 'automatic' | 'manual') =>
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
    shopper: callerOf(baseUrl, undefined),
    stripe,
    methods: {
      automatic: await methodOf('Card', 'automatic'),
      manual: await methodOf('Card, captured by hand', 'manual'),
    },
    variantId: made.variants[0].id,
  };
}

async function strike(
  schedule: readonly Blow[],
  cluster: Cluster,
  postgres: ChaosServer,
  blows: Map<string, number>,
): Promise<void> {
  const begun = Date.now();
  for (const { atMs, target, action, holdMs } of schedule) {
    await sleep(Math.max(0, begun + atMs - Date.now()));
    const what = `${action} ${target}`;
    blows.set(what, (blows.get(what) ?? 0) + 1);
    say(what);
    if (action === 'cut') {
      postgres.proxy.cut();
      continue;
    }
    const pids = async () =>
      target === 'postgres'
        ? postgres.pids()
        : until(`a process of ${target}`, 30_000, () => {
            const found = cluster.pids(target);
            return found.length > 0 ? found : null;
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

async function query<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return (await client.query(text).finally(() => client.end())).rows as Row[];
}

type DatabaseUrl = (service: string) => string;

/**
 * Waits until no step is pending, no event waits, and the sums agree; remaining differences at the deadline are
 * violations.
 */
async function settle(databaseUrl: DatabaseUrl, stripe: StripeEmulator): Promise<string[]> {
  const deadline = Date.now() + settleSeconds * 1000;
  let quiet = 0;
  for (;;) {
    const left = await unsettled(databaseUrl, stripe).catch((error) => [
      `it cannot be read: ${error.message}`,
    ]);
    quiet = left.length === 0 ? quiet + 1 : 0;
    if (quiet === 3) return [];
    if (Date.now() > deadline) return [...left, `not settled after ${settleSeconds} s`];
    await sleep(500);
  }
}

async function unsettled(databaseUrl: DatabaseUrl, stripe: StripeEmulator): Promise<string[]> {
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
  const differing = [...takenOf(stripe)].filter(([paymentId, there]) => {
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

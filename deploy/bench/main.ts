/**
 * Runs benchmarks. Absolute figures are noise; only the ratios of targets measured side by side in one run count.
 *
 * `npm run bench [<name>]`, where the name is one of: api, webhooks, drain, checkout, apps, approval, console,
 * documents, lighthouse, media, memory, pages, shop, start, large, large-orders, catalogue, lists, backlog, fairness,
 * overload, strangers, capacity, cluster, citus. Without a name it runs `start`, `api`, `webhooks`, `checkout`, `apps`,
 * `media` and `pages`.
 *
 * - `large` and `large-orders` create a million products or orders, `approval` a thousand stores, `lists` products,
 *   orders and deliveries, `catalogue` a shop of 100,000 products with their facets, `backlog` waiting endpoints and
 *   deliveries.
 * - `shop` creates a shop of ten thousand products, `memory` takes ten minutes (`BENCH_MINUTES`), `lighthouse` looks at
 *   the demo shop and fetches Lighthouse, `documents` issues thousands of invoices while visitors look at a page.
 * - `webhooks`, `fairness`, `cluster`, `capacity`, `overload` and `strangers` measure a cluster. They use the servers that
 *   `npm run cluster` would use, and start those that do not answer (`start.ts`).
 * - `webhooks` measures events from HTTP to arrival in both topologies (`BENCH_TOPOLOGY` selects one) next to a bare
 *   process; `webhooks --peer <url>` measures another system with the API of Svix or Outpost (`PEER_TOKEN`;
 *   `PEER_PORTS` are the ports of its processes and servers, whose CPU time is measured). `drain` measures only a
 *   backlog.
 * - `citus` also needs a Citus cluster, which `WAYBILL_TEST_CITUS` and `WAYBILL_TEST_CITUS_WORKERS` name as for the
 *   tests: it runs on one, two and four of its workers.
 *
 * `BENCH_CORES=apart` gives the load of `overload` and `strangers` one core, and the system the other.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { serverUrl, startStripeEmulator } from '@waybill/testing';
import { clusterServersAnswer } from '../testing/cluster-servers.ts';
import { benchApi } from './api.ts';
import { benchApproval } from './approval.ts';
import { benchApps } from './apps.ts';
import { benchBacklog } from './backlog.ts';
import { benchCapacity } from './capacity.ts';
import { benchCatalogue } from './catalogue.ts';
import { benchCheckout } from './checkout.ts';
import { benchCitus, citusWorkers } from './citus.ts';
import { benchConsole } from './console.ts';
import { benchDocuments } from './documents.ts';
import { benchFairness } from './fairness.ts';
import { benchLarge, benchLargeOrders } from './large.ts';
import { benchLighthouse } from './lighthouse.ts';
import { benchLists } from './lists.ts';
import { benchMedia } from './media.ts';
import { benchMemory } from './memory.ts';
import { listenerAt } from './meter.ts';
import { benchOverload } from './overload.ts';
import { benchPages } from './pages.ts';
import { benchPaidCheckout } from './paid-checkout.ts';
import {
  newDataDir,
  residentMiB,
  type System,
  startCluster,
  startProgram,
  startWaybill,
} from './processes.ts';
import { benchShop } from './shop.ts';
import { benchStrangers } from './strangers.ts';
import { benchEventFloor, benchPeer, benchWebhookSpeed } from './webhook-speed.ts';
import { benchCopies, benchWebhooks } from './webhooks.ts';

const peerAt = process.argv.indexOf('--peer');
const peerUrl = peerAt < 0 ? undefined : process.argv[peerAt + 1];
const named = process.argv.slice(2, peerAt < 0 ? undefined : peerAt);
const wanted = named.length > 0 ? named : ['start', 'api', 'webhooks', 'checkout', 'apps', 'media', 'pages'];
const receiver = await startProgram('receiver.ts', {});
const receiverUrl = `http://127.0.0.1:${receiver.line}`;
const serviceToken = randomBytes(24).toString('base64url');
const env = {
  WEBHOOK_TRUSTED_TARGETS: `127.0.0.1/32:${receiver.line}`,
  WAYBILL_SERVICE_TOKEN: serviceToken,
  MEDIA_QUOTA_BYTES: '10000000000',
};

/** Runs `measure` on a system of its own, which is removed afterwards with all its data. */
async function on(
  start: (dataDir: string) => Promise<System>,
  measure: (system: System) => Promise<void>,
): Promise<void> {
  const dataDir = await newDataDir();
  try {
    const system = await start(dataDir.path);
    try {
      await measure(system);
    } finally {
      await system.stop();
    }
  } finally {
    await dataDir.remove();
  }
}

async function benchStart(): Promise<void> {
  const dataDir = await newDataDir();
  await (await startWaybill(dataDir.path, env)).stop();
  const system = await startWaybill(dataDir.path, env);
  await setTimeout(5000);
  const memory = await residentMiB(system.pid);
  console.log(
    `second start ready in ${system.readyMs.toFixed(0)} ms (aim 2000), idle at ${memory.toFixed(0)} MiB (aim 250)`,
  );
  await system.stop();
  await dataDir.remove();
}

const standalone = (dataDir: string) => startWaybill(dataDir, env);

/** Measures checkouts that are paid at an emulator of Stripe in this process. */
async function benchPaid(): Promise<void> {
  const stripe = await startStripeEmulator();
  try {
    const start = (dataDir: string) => startWaybill(dataDir, { ...env, STRIPE_API_URL: stripe.url });
    await on(start, benchPaidCheckout);
  } finally {
    await stripe.close();
  }
}
async function shopToLookAt(dataDir: string): Promise<System> {
  const system = await startWaybill(dataDir, { ...env, WAYBILL_DEMO: 'full' });
  // The system already answers while it is being furnished; the file exists until that is done.
  while (existsSync(join(dataDir, 'demo-shop.json'))) await setTimeout(50);
  return system;
}
const cluster = (copies: number) => (dataDir: string) => startCluster(dataDir, env, copies);

/**
 * Measures the floor and the system side by side, as one process and, if its servers answer, as a cluster; or a peer
 * alone.
 */
async function benchSpeed(): Promise<void> {
  if (peerUrl) {
    const ports = (process.env.PEER_PORTS ?? String(new URL(peerUrl).port)).split(',');
    const processes = Object.fromEntries(ports.map((port) => [port, listenerAt(Number(port))]));
    return benchPeer(peerUrl, { receiverUrl, token: process.env.PEER_TOKEN ?? '', processes });
  }
  const topologies = [
    ['standalone', standalone],
    ['cluster', cluster(1)],
  ] as const;
  for (const [label, start] of topologies) {
    if (label === 'cluster' && !(await clusterServersAnswer())) continue;
    if ((process.env.BENCH_TOPOLOGY ?? label) !== label) continue;
    await on(start, async (system) => {
      if (process.env.BENCH_FLOOR !== 'off') await benchEventFloor(system, receiverUrl, label);
      await benchWebhookSpeed(system, { receiverUrl, token: serviceToken, label });
    });
  }
}

try {
  if (wanted.includes('start')) await benchStart();
  if (
    ['api', 'drain', 'checkout', 'apps', 'pages', 'large', 'large-orders'].some((name) =>
      wanted.includes(name),
    )
  ) {
    await on(standalone, async (system) => {
      if (wanted.includes('api')) await benchApi(system);
      if (wanted.includes('drain')) await benchWebhooks(system, receiverUrl);
      if (wanted.includes('checkout')) await benchCheckout(system);
      if (wanted.includes('apps')) await benchApps(system);
      if (wanted.includes('pages')) await benchPages(system);
      if (wanted.includes('large')) await benchLarge(system);
      if (wanted.includes('large-orders')) await benchLargeOrders(system);
    });
  }
  if (wanted.includes('checkout')) await benchPaid();
  if (wanted.includes('catalogue')) await on(standalone, benchCatalogue);
  if (wanted.includes('webhooks')) await benchSpeed();
  if (wanted.includes('approval')) await on(standalone, (system) => benchApproval(system, receiverUrl));
  if (wanted.includes('backlog')) await on(standalone, (system) => benchBacklog(system, receiverUrl));
  if (wanted.includes('lists')) await on(standalone, (system) => benchLists(system, receiverUrl));
  if (wanted.includes('memory')) await on(standalone, (system) => benchMemory(system, receiverUrl));
  if (wanted.includes('media')) await on(standalone, benchMedia);
  if (wanted.includes('console')) await on(standalone, benchConsole);
  if (wanted.includes('documents')) await on(standalone, benchDocuments);
  if (wanted.includes('shop')) await on(standalone, benchShop);
  if (wanted.includes('lighthouse')) await on(shopToLookAt, benchLighthouse);
  if (wanted.includes('cluster')) {
    await on(cluster(1), async (system) => {
      await benchApi(system);
      await benchWebhooks(system, receiverUrl);
    });
    for (const copies of [1, 2]) {
      await on(cluster(copies), (system) => benchCopies(system, receiverUrl, copies));
    }
  }
  if (wanted.includes('citus')) {
    for (const workers of [1, 2, 4].map((count) => citusWorkers.slice(0, count))) {
      const onCitus = { ...env, DATABASE_URL: serverUrl, WAYBILL_CITUS_WORKERS: workers.join() };
      await on(
        (dataDir) => startCluster(dataDir, onCitus),
        (system) => benchCitus(system, receiverUrl, workers),
      );
    }
  }
  if (wanted.includes('capacity')) await on(cluster(1), (system) => benchCapacity(system, receiverUrl));
  if (wanted.includes('fairness')) await on(cluster(1), (system) => benchFairness(system, receiverUrl));
  for (const [name, bench] of [
    ['overload', benchOverload],
    ['strangers', benchStrangers],
  ] as const) {
    if (!wanted.includes(name)) continue;
    const only = process.env.BENCH_TOPOLOGY;
    const proxied = { ...env, TRUSTED_PROXY_HOPS: '1' };
    if (only !== 'cluster')
      await on(
        (dataDir) => startWaybill(dataDir, proxied),
        (system) => bench(system, 'standalone'),
      );
    if (only !== 'standalone')
      await on(
        (dataDir) => startCluster(dataDir, proxied),
        (system) => bench(system, 'cluster'),
      );
  }
} finally {
  await receiver.stop();
}

import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@waybill/contracts';
import pg from 'pg';
import type { Outcome } from './load.ts';
import { createDocument } from './pages.ts';
import { captureOutput, type System } from './processes.ts';
import { sendJson } from './send-json.ts';

/** The number of documents of a burst. */
const documents = Number(process.env.BENCH_DOCUMENTS ?? 1000);
const warmUpDocuments = Math.min(documents, 100);
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const visits = { perSecond: 100, connections: 32 };
const windowSeconds = 10;
const writers = 8;

interface Shop {
  makeOrders(count: number): Promise<void>;
  /** Requests invoices for orders without one, as happens when many orders are paid at once. */
  beginBurst(count: number): Promise<void>;
  /** Counts the documents that are not issued yet, and those without files. */
  left(): Promise<{ unissued: number; unmade: number }>;
  visit(): Promise<Outcome>;
  close(): Promise<void>;
}

/**
 * Measures how long visitors wait for a shop's page while a store's documents are made, a thousand at a time. Bursts and
 * quiet alternate, and each burst is compared with the quiet before and after it, because other processes disturb both.
 */
export async function benchDocuments(system: System): Promise<void> {
  const shop = await openShop(system);
  await shop.makeOrders(warmUpDocuments + documents * rounds);
  await runBurst(shop, warmUpDocuments);
  console.log(`visits, ${visits.perSecond} a second     p50 ms   p99 ms   late   failed`);
  const ratios: { p50: number; p99: number }[] = [];
  let before = await show('quiet', shop);
  for (let round = 0; round < rounds; round++) {
    const windows = await runBurst(shop, documents);
    const after = await show('quiet', shop);
    for (const window of windows)
      ratios.push({
        p50: (2 * window.p50) / (before.p50 + after.p50),
        p99: (2 * window.p99) / (before.p99 + after.p99),
      });
    before = after;
  }
  const of = (key: 'p50' | 'p99') => ratios.map((ratio) => ratio[key]).sort((a, b) => a - b);
  for (const key of ['p50', 'p99'] as const)
    console.log(
      `${key}, burst : quiet, median ${median(of(key)).toFixed(2)} of ${of(key)
        .map((ratio) => ratio.toFixed(2))
        .join(' ')}`,
    );
  await shop.close();
}

const median = (sorted: readonly number[]): number =>
  (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;

/** Runs a burst of documents and returns the latencies of visitors in each window of it. */
async function runBurst(shop: Shop, count: number): Promise<Outcome[]> {
  const started = performance.now();
  await shop.beginBurst(count);
  const found: Outcome[] = [];
  for (;;) {
    const { unissued, unmade } = await shop.left();
    // A window that would be quiet for the most part does not count.
    if (unissued + unmade < count / 5 && found.length > 0) break;
    found.push(await show(unissued > 0 ? 'issued and rendered' : 'rendered', shop));
  }
  for (let left = await shop.left(); left.unissued + left.unmade > 0; left = await shop.left())
    await sleep(200);
  console.log(`  ${count} made after ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return found;
}

async function show(label: string, shop: Shop): Promise<Outcome> {
  const outcome = await shop.visit();
  const { p50, p99, late, failed } = outcome;
  console.log(
    `${label.padEnd(26)}${[p50.toFixed(1), p99.toFixed(1), String(late), String(failed)]
      .map((text) => text.padStart(9))
      .join('')}`,
  );
  return outcome;
}

/** Sets up a store with a product, a page and automatic invoices. */
async function openShop(system: System): Promise<Shop> {
  const { baseUrl, merchant, storeId, storeSlug } = system.demo;
  const { accessToken } = await sendJson(baseUrl, '', 'POST', '/api/auth/login', merchant);
  const send = (method: string, path: string, body?: object) =>
    sendJson(baseUrl, accessToken, method, `/api/stores/${storeId}/${path}`, body);
  const { page } = await send('POST', 'pages', { name: 'Home' });
  await send('PUT', `pages/${page.id}/draft`, { document: createDocument(100) });
  await send('POST', `pages/${page.id}/publish`);
  await send('PUT', 'documents/settings', {
    seller: { name: 'Ada', line1: 'Street 1', city: 'Berlin', country: 'DE', vatId: 'DE123456788' },
    invoices: 'automatic',
  });
  const variants = Array.from({ length: 5 }, (_, i) => ({
    name: `Size ${i}`,
    priceCents: 1250,
    stock: 1_000_000,
  }));
  const { product } = await send('POST', 'products', { name: 'Tea', status: 'active', variants });
  const items = product.variants.map(({ id }: { id: string }) => ({ variantId: id, quantity: 1 }));
  const customer = { name: 'Ann', email: 'ann@example.com' };
  const pool = new pg.Pool({ connectionString: await system.databaseUrl('orders'), max: 1 });
  const load = { url: baseUrl, paths: [`/s/${storeSlug}/`], bearer: newId('event'), seconds: windowSeconds };
  return {
    async makeOrders(count) {
      let createdCount = 0;
      await Promise.all(
        Array.from({ length: writers }, async () => {
          while (createdCount++ < count) await send('POST', 'orders', { items, customer });
        }),
      );
    },
    async beginBurst(count) {
      await pool.query(
        `insert into document_request (store_id, order_id, refund_id, due_at)
         select store_id, id, '', now() from "order" o where store_id = $1 and not exists (
           select from document d where d.store_id = o.store_id and d.order_id = o.id
         ) limit $2`,
        [storeId, count],
      );
    },
    async left() {
      const { rows } = await pool.query(
        `select (select count(*)::int from document_request where store_id = $1) as unissued,
           (select count(*)::int from document_file where store_id = $1 and pdf is null) as unmade`,
        [storeId],
      );
      return rows[0];
    },
    visit: async () =>
      JSON.parse(await captureOutput('arrivals.ts', { ARRIVALS: JSON.stringify({ ...load, ...visits }) })),
    close: () => pool.end(),
  };
}

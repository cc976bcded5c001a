import { createHash } from 'node:crypto';
import { request } from 'undici';
import { seed } from './api.ts';
import { createCustomerId, createMailbox, seedOrders } from './large-orders.ts';
import { percentile } from './load.ts';
import type { System } from './processes.ts';

/** Returns a part of the name that `seed` gives a product. */
const createWord = (n: number) => createHash('md5').update(String(n)).digest('hex').slice(0, 12);
const statusOf777 = ['draft', 'active', 'active', 'active', 'archived'][777 % 5];

const sorts = ['number', 'name', 'price', 'stock', 'created', 'updated'];
const queries = [
  ...sorts.flatMap((sort) => ['asc', 'desc'].map((dir) => `sort=${sort}&dir=${dir}`)),
  ...sorts.map((sort) => `sort=${sort}&status=draft`),
  // Each finds the same few products in both: a word of a name, a SKU, two words, nothing.
  `q=${createWord(777)}`,
  'q=sku-777-0',
  `q=seeded%20${createWord(777)}`,
  `q=${createWord(777)}&sort=price&status=${statusOf777}`,
  'q=nothing-like-it',
];

const orderSorts = ['number', 'created', 'updated', 'total'];
const orderQueries = [
  ...orderSorts.flatMap((sort) => ['asc', 'desc'].map((dir) => `orders?sort=${sort}&dir=${dir}`)),
  ...orderSorts.map((sort) => `orders?sort=${sort}&status=cancelled`),
  'orders?payment=paid&fulfillment=unfulfilled',
  `orders?customerId=${createCustomerId(777)}`,
  `orders?q=${createMailbox(777)}%40example.com`,
  `orders?q=shopper%20${createMailbox(777).slice(0, 6)}&payment=paid&sort=total`,
  'orders?q=nothing-like-it',
  ...['created', 'name', 'email'].map((sort) => `customers?sort=${sort}`),
  `customers?q=${createMailbox(777)}%40`,
  `customers/${createCustomerId(777)}`,
];

/**
 * Measures first pages and selective searches with a million products in one store against the same with a thousand.
 */
export async function benchLarge(system: System): Promise<void> {
  await compare(
    system,
    'catalog',
    seed,
    queries.map((query) => `products?${query}`),
  );
}

/** Measures the same for orders, with a thousand customers and with a hundred thousand. */
export async function benchLargeOrders(system: System): Promise<void> {
  await compare(system, 'orders', seedOrders, orderQueries);
}

async function compare(
  system: System,
  service: string,
  fill: typeof seed,
  paths: readonly string[],
): Promise<void> {
  const { demo } = system;
  const databaseUrl = await system.databaseUrl(service);
  const small = await measure(system, paths, () => fill(databaseUrl, demo.storeId, 1, 1000));
  const large = await measure(system, paths, async () => {
    for (let from = 1001; from < 1_000_000; from += 100_000) {
      await fill(databaseUrl, demo.storeId, from, Math.min(from + 99_999, 1_000_000));
    }
  });
  console.log(
    'query                                                            1,000 ms   1,000,000 ms   times (aim 3)',
  );
  for (const path of paths) {
    const [a, b] = [small.get(path)!, large.get(path)!];
    console.log(
      path.padEnd(64) +
        a.toFixed(2).padStart(9) +
        b.toFixed(2).padStart(15) +
        (b / a).toFixed(2).padStart(12),
    );
  }
}

/** Returns the median time of each query in milliseconds. */
async function measure(
  { demo }: System,
  paths: readonly string[],
  prepare: () => Promise<void>,
): Promise<Map<string, number>> {
  await prepare();
  const medians = new Map<string, number>();
  for (const path of paths) {
    const times: number[] = [];
    for (let i = 0; i < 60; i++) {
      const started = performance.now();
      const reply = await request(`${demo.baseUrl}/api/v1/${path}`, {
        headers: { authorization: `Bearer ${demo.apiKey}` },
      });
      await reply.body.text();
      if (reply.statusCode !== 200) throw new Error(`${path}: ${reply.statusCode}`);
      if (i >= 10) times.push(performance.now() - started);
    }
    medians.set(path, percentile(times, 0.5));
  }
  return medians;
}

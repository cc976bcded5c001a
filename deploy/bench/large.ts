import { createHash } from 'node:crypto';
import { request } from 'undici';
import { seed } from './api.ts';
import { percentile } from './load.ts';
import type { System } from './processes.ts';

/** Part of the name that `seed` gives a product. */
const wordOf = (n: number) => createHash('md5').update(String(n)).digest('hex').slice(0, 12);
const statusOf777 = ['draft', 'active', 'active', 'active', 'archived'][777 % 5];

const sorts = ['number', 'name', 'price', 'stock', 'created', 'updated'];
const queries = [
  ...sorts.flatMap((sort) => ['asc', 'desc'].map((dir) => `sort=${sort}&dir=${dir}`)),
  ...sorts.map((sort) => `sort=${sort}&status=draft`),
  // Each finds the same few products in both: a word of a name, a SKU, two words, nothing.
  `q=${wordOf(777)}`,
  'q=sku-777-0',
  `q=seeded%20${wordOf(777)}`,
  `q=${wordOf(777)}&sort=price&status=${statusOf777}`,
  'q=nothing-like-it',
];

/** First pages and selective searches at a million products in one store, beside the same at a thousand. */
export async function benchLarge(system: System): Promise<void> {
  const { demo } = system;
  const databaseUrl = await system.databaseUrl('catalog');
  const small = await measure(system, () => seed(databaseUrl, demo.storeId, 1, 1000));
  const large = await measure(system, async () => {
    for (let from = 1001; from < 1_000_000; from += 100_000) {
      await seed(databaseUrl, demo.storeId, from, Math.min(from + 99_999, 1_000_000));
    }
  });
  console.log('query                                    1,000 ms   1,000,000 ms   times (aim 3)');
  for (const query of queries) {
    const [a, b] = [small.get(query)!, large.get(query)!];
    console.log(
      query.padEnd(40) +
        a.toFixed(2).padStart(9) +
        b.toFixed(2).padStart(15) +
        (b / a).toFixed(2).padStart(12),
    );
  }
}

/** The median time of each query in milliseconds. */
async function measure({ demo }: System, prepare: () => Promise<void>): Promise<Map<string, number>> {
  await prepare();
  const medians = new Map<string, number>();
  for (const query of queries) {
    const times: number[] = [];
    for (let i = 0; i < 60; i++) {
      const started = performance.now();
      const reply = await request(`${demo.baseUrl}/api/v1/products?${query}`, {
        headers: { authorization: `Bearer ${demo.apiKey}` },
      });
      await reply.body.text();
      if (reply.statusCode !== 200) throw new Error(`${query}: ${reply.statusCode}`);
      if (i >= 10) times.push(performance.now() - started);
    }
    medians.set(query, percentile(times, 0.5));
  }
  return medians;
}

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type Load, load, type Request } from './load.ts';
import { type System, startProgram } from './processes.ts';

let createdCount = 0;
const newProduct = () =>
  JSON.stringify({
    name: `Benchmark ${++createdCount}`,
    slug: `benchmark-${process.pid}-${createdCount}`,
    variants: [{ sku: `benchmark-${process.pid}-${createdCount}`, priceCents: 1250, stock: 5 }],
  });

export const seededProducts = 1000;

/** Fills a store with products through SQL: names of two words, three variants each. */
export async function seed(databaseUrl: string, storeId: string, from: number, to: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `with n as (select g, 'prd_' || lpad(to_hex(g), 26, '0') as id, 'Article ' || md5(g::text) as name,
        (array['draft', 'active', 'active', 'active', 'archived'])[g % 5 + 1] as status
      from generate_series($2::int, $3::int) g)
    insert into product (store_id, id, number, name, name_key, slug, status, description, tags, media_ids, price_cents,
      total_stock, search, created_at, updated_at)
    select $1, id, g, name, lower(name), 'article-' || g, status, '<p>One of many.</p>', array['seeded', 'tag ' || g % 7], '{}',
      g % 9973, g % 89 * 3, lower(name) || E'\\narticle-' || g || E'\\nsku-' || g || E'-0\\nseeded\\ntag ' || g % 7,
      now() - g * interval '1 second', now() - g % 1000 * interval '1 minute'
    from n`,
    [storeId, from, to],
  );
  await client.query(
    `insert into variant (store_id, id, product_id, position, sku, name, price_cents, stock)
    select $1, 'var_' || lpad(to_hex(g * 4 + v), 26, '0'), 'prd_' || lpad(to_hex(g), 26, '0'), v, 'sku-' || g || '-' || v,
      'Size ' || v, g % 9973 + v, g % 89
    from generate_series($2::int, $3::int) g, generate_series(0, 2) v`,
    [storeId, from, to],
  );
  await client.query(
    `insert into product_total (store_id, last_number, draft, active, archived)
    select store_id, max(number), count(*) filter (where status = 'draft'), count(*) filter (where status = 'active'),
      count(*) filter (where status = 'archived') from product where store_id = $1 group by store_id
    on conflict (store_id) do update set last_number = excluded.last_number, draft = excluded.draft,
      active = excluded.active, archived = excluded.archived`,
    [storeId],
  );
  await client.query('vacuum analyze product, variant');
  await client.end();
}

/**
 * Measures product read, list, search and create through the gateway, next to the floor and the floor behind a proxy.
 */
export async function benchApi(system: System): Promise<void> {
  const { demo } = system;
  const databaseUrl = await system.databaseUrl('catalog');
  await seed(databaseUrl, demo.storeId, 1, seededProducts);
  const floor = await startProgram('floor.ts', {
    FLOOR_DATABASE_URL: databaseUrl,
    FLOOR_STORE_ID: demo.storeId,
  });
  const proxy = await startProgram('proxy.ts', { PROXY_TARGET_PORT: floor.line });
  const targets = {
    waybill: demo.baseUrl,
    floor: `http://127.0.0.1:${floor.line}`,
    proxied: `http://127.0.0.1:${proxy.line}`,
  };
  let turn = 0;
  const someId = () => `prd_${((turn++ % seededProducts) + 1).toString(16).padStart(26, '0')}`;
  const operations: [name: string, aim: number, next: () => Request][] = [
    ['product read', 0.5, () => ({ method: 'GET', path: `/api/v1/products/${someId()}` })],
    ['list of 50', 0.9, () => ({ method: 'GET', path: '/api/v1/products?limit=50' })],
    ['search', 0.8, () => ({ method: 'GET', path: `/api/v1/products?q=article-${(turn++ % 90) + 10}` })],
    ['create', 0.35, () => ({ method: 'POST', path: '/api/v1/products', body: newProduct() })],
    [
      'create by key',
      0.3,
      () => ({
        method: 'POST',
        path: '/api/v1/products',
        headers: { 'idempotency-key': randomUUID() },
        body: newProduct(),
      }),
    ],
  ];
  const headers = { authorization: `Bearer ${demo.apiKey}`, 'content-type': 'application/json' };
  console.log('operation      target      req/s    p50 ms    p99 ms   of proxied floor (aim)');
  for (const [name, aim, next] of operations) {
    const results: Record<string, Load> = {};
    // Two rounds, target by target, so that other work on the machine affects all alike. The first round warms up:
    // Waybill has more code to compile, in more processes.
    for (const seconds of [4, 4]) {
      for (const [target, url] of Object.entries(targets))
        results[target] = await load(url, headers, next, { seconds });
    }
    for (const [target, { perSecond, p50, p99 }] of Object.entries(results)) {
      const ratio =
        target === 'waybill' ? `${(perSecond / results.proxied!.perSecond).toFixed(2)} (${aim})` : '';
      console.log(
        name.padEnd(15) +
          target.padEnd(10) +
          [perSecond.toFixed(0), p50.toFixed(2), p99.toFixed(2)].map((t) => t.padStart(9)).join(' ') +
          `   ${ratio}`,
      );
    }
  }
  await proxy.stop();
  await floor.stop();
}

import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { request } from 'undici';
import { percentile } from './load.ts';
import type { System } from './processes.ts';

const products = Number(process.env.BENCH_PRODUCTS ?? 100_000);
const stepSize = 20_000;
const aimMs = 100;
const sizes = ['S0', 'S1', 'S2', 'S3', 'S4'];
const words = [
  'linen',
  'breeze',
  'kettle',
  'lantern',
  'harbour',
  'meadow',
  'copper',
  'walnut',
  'velvet',
  'orchard',
];

/**
 * Measures a shop of 100,000 active products with five variants each: creating, reading and listing products,
 * searching, facets, categories and their pages, both idle and while products change, and how soon the members of a
 * rule are correct. `BENCH_PRODUCTS` makes it smaller. `decisions.md 20.3, 20.5`
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a measurement reads as one sequence of steps
export async function benchCatalogue(system: System): Promise<void> {
  const { demo } = system;
  await seed(await system.databaseUrl('catalog'), demo.storeId);
  const rule = (value: string) => ({ match: 'all', conditions: [{ field: 'tag', op: 'is', value }] });
  const madeAt = performance.now();
  const { category } = await ask(system, 'POST', 'categories', {
    name: 'By rule',
    kind: 'rule',
    rule: rule('tag 1'),
  });
  const countMembers = async () =>
    (await ask(system, 'GET', `categories/${category.id}`)).category.productsCount;
  await until(async () => (await countMembers()) === products / 10);
  say('a new rule over all products is right after', performance.now() - madeAt, 30_000);
  const changedAt = performance.now();
  await ask(system, 'PATCH', `categories/${category.id}`, { rule: rule('tag 2') });
  const first = createProductId(12);
  await until(async () => (await ask(system, 'GET', `products/${first}`)).product.categoryIds.length === 1);
  await until(
    async () =>
      (await ask(system, 'GET', `products/${createProductId(products - 8)}`)).product.categoryIds.length ===
      1,
  );
  say('a changed rule', performance.now() - changedAt, 30_000);
  const times: number[] = [];
  for (let i = 0; i < 20; i++) {
    const id = createProductId(13 + i * 10);
    const patchedAt = performance.now();
    await ask(system, 'PATCH', `products/${id}`, { tags: ['tag 2'] });
    await until(async () => (await ask(system, 'GET', `products/${id}`)).product.categoryIds.length === 1);
    times.push(performance.now() - patchedAt);
  }
  say('a changed product is in the category after (p95)', percentile(times, 0.95), 1_000);

  const builtAt = performance.now();
  await shop(system, 'q=linen');
  say('the first search, which makes the index', performance.now() - builtAt, Number.NaN);
  const word = (i: number) => words[i % words.length]!;
  const queries: [string, (i: number) => string][] = [
    ['facets of all', (i) => `facets=true&limit=${1 + (i % 50)}`],
    ['an option and facets', (i) => `facets=true&filter[option.Size]=S${i % 5}&limit=24`],
    [
      'four filters and facets',
      (i) =>
        `facets=true&filter[option.Size]=S1&filter[option.Colour]=C${i % 20}&filter[vendor]=Vendor ${i % 50}&filter[price]=..${5_000 + i}`,
    ],
    ['two words', (i) => `q=${word(i)} ${word(i + 3)}`],
    ['a word with a mistake', (i) => `q=${word(i).slice(0, 2)}${word(i).slice(3)} ${i}`],
    ['a beginning and facets', (i) => `q=${word(i).slice(0, 3)}&facets=true&limit=${1 + (i % 50)}`],
    ['a category', (i) => `category=${category.id}&limit=${1 + (i % 50)}`],
    ['a category with facets', (i) => `category=${category.id}&facets=true&limit=${1 + (i % 50)}`],
    [
      'a category, an option and facets',
      (i) => `category=${category.id}&filter[option.Colour]=C${i % 20}&facets=true`,
    ],
  ];
  const each = async (name: string, work: (i: number) => Promise<unknown>, count = 60) => {
    const times: number[] = [];
    for (let i = 0; i < count; i++) {
      const startedAt = performance.now();
      await work(i);
      if (i >= count / 6) times.push(performance.now() - startedAt);
    }
    const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)];
    console.log(`  ${name.padEnd(48)}${p50.toFixed(1).padStart(8)}${p95.toFixed(1).padStart(9)}`);
  };
  console.log(`${'products and pages'.padEnd(52)}p50 ms   p95 ms`);
  await each('create one of five variants', (i) =>
    ask(system, 'POST', 'products', {
      name: `New ${word(i)} ${i}`,
      status: 'active',
      options: [{ name: 'Size', values: sizes }],
      variants: sizes.map((Size) => ({ options: { Size }, priceCents: 900 + i, stock: i })),
    }),
  );
  await each('read one', (i) => ask(system, 'GET', `products/${createProductId(1 + i * 7)}`));
  await each('list 50', (i) => ask(system, 'GET', `products?limit=50&sort=${i % 2 ? 'name' : 'number'}`));
  const page = async () => {
    const url = `${system.demo.baseUrl}/s/${system.demo.storeSlug}/categories/${category.slug}`;
    const reply = await request(url);
    const body = await reply.body.text();
    if (reply.statusCode !== 200) throw new Error(`${url}: ${reply.statusCode} ${body.slice(0, 200)}`);
  };
  await each('a category page, warm', page);
  const changed = (i: number) =>
    ask(system, 'PATCH', `categories/${category.id}`, { description: `<p>The ${i}.</p>` });
  await each(
    'a category is changed and its page made anew',
    async (i) => {
      await changed(i + 10);
      await page();
    },
    24,
  );
  const measureAll = async (label: string) => {
    console.log(`${label.padEnd(52)}p50 ms   p95 ms   (aim ${aimMs})`);
    for (const [name, queryOf] of queries) await each(name, (i) => shop(system, queryOf(i)));
  };
  await measureAll('while nothing changes');
  const stop = new AbortController();
  const writes = (async () => {
    for (let i = 0; !stop.signal.aborted; i++) {
      await ask(system, 'PATCH', `products/${createProductId(1 + ((i * 7) % products))}`, {
        vendor: `Vendor ${i % 50}`,
      });
      await setTimeout(50);
    }
  })();
  await measureAll('while twenty products change a second');
  stop.abort();
  await writes;
}

const say = (what: string, ms: number, aim: number) =>
  console.log(`${what.padEnd(52)}${ms.toFixed(0).padStart(6)} ms${Number.isNaN(aim) ? '' : ` (aim ${aim})`}`);

const createProductId = (i: number) => `prd_${i.toString(16).padStart(26, '0')}`;

async function seed(databaseUrl: string, storeId: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const options = JSON.stringify([
    { name: 'Size', values: sizes },
    { name: 'Colour', values: Array.from({ length: 20 }, (_, i) => `C${i}`) },
  ]);
  for (let from = 1; from < products; from += stepSize) {
    const range = [storeId, from, from + stepSize - 1];
    await client.query(
      `with n as (select g, 'prd_' || lpad(to_hex(g), 26, '0') as id,
          initcap(($4::text[])[g % 10 + 1]) || ' ' || ($4::text[])[g / 10 % 10 + 1] || ' ' || md5(g::text) as name
        from generate_series($2::int, $3::int) g)
      insert into product (store_id, id, number, name, name_key, slug, status, description, tags, media_ids, price_cents,
        total_stock, search, options, vendor, created_at, updated_at)
      select $1, id, g, name, lower(name), 'article-' || g, 'active', '<p>One of many, of ' || ($4::text[])[g / 7 % 10 + 1] || '.</p>',
        array['seeded', 'tag ' || g % 10], '{}', g % 9973, g % 89 * 3, lower(name), $5::json, 'Vendor ' || g % 50,
        now() - g * interval '1 second', now() - interval '1 hour' - g % 1000 * interval '1 minute'
      from n`,
      [...range, words, options],
    );
    await client.query(
      `insert into variant (store_id, id, product_id, position, sku, name, price_cents, stock, options)
      select $1, 'var_' || lpad(to_hex(g * 8 + v), 26, '0'), 'prd_' || lpad(to_hex(g), 26, '0'), v, 'sku-' || g || '-' || v,
        '', g % 9973 + v, g % 89, json_build_object('Size', 'S' || v, 'Colour', 'C' || (g + v) % 20)
      from generate_series($2::int, $3::int) g, generate_series(0, 4) v`,
      range,
    );
  }
  await client.query(
    `insert into product_total (store_id, last_number, active)
    select store_id, max(number), count(*) from product where store_id = $1 and status = 'active' group by store_id
    on conflict (store_id) do update set last_number = excluded.last_number, active = excluded.active`,
    [storeId],
  );
  await client.query('vacuum analyze product, variant');
  await client.end();
}

async function until(isRight: () => Promise<boolean>): Promise<void> {
  for (const startedAt = performance.now(); !(await isRight()); await setTimeout(20))
    if (performance.now() - startedAt > 120_000) throw new Error('it does not become right');
}

// biome-ignore lint/suspicious/noExplicitAny: a benchmark knows its answers
type Answered = any;

async function ask(
  { demo }: System,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  json?: object,
): Promise<Answered> {
  const reply = await request(`${demo.baseUrl}/api/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${demo.apiKey}`, 'content-type': 'application/json' },
    ...(json && { body: JSON.stringify(json) }),
  });
  const body = await reply.body.json();
  if (reply.statusCode >= 300) throw new Error(`${path}: ${reply.statusCode} ${JSON.stringify(body)}`);
  return body;
}

async function shop({ demo }: System, query: string): Promise<void> {
  const url = `${demo.baseUrl}/storefront/${demo.storeId}/products?${query.replaceAll(' ', '%20')}`;
  const reply = await request(url);
  const body = await reply.body.text();
  if (reply.statusCode !== 200) throw new Error(`${query}: ${reply.statusCode} ${body}`);
}

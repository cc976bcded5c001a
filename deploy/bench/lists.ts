import pg from 'pg';
import { request } from 'undici';
import { seed } from './api.ts';
import { seedOrders } from './large-orders.ts';
import { percentile } from './load.ts';
import type { System } from './processes.ts';

const rows = 1_000_000;

const inEvery = (list: string, sorts: readonly string[], filters: readonly string[] = ['']) =>
  sorts.flatMap((sort) =>
    ['asc', 'desc'].flatMap((dir) => filters.map((filter) => `${list}?sort=${sort}&dir=${dir}${filter}`)),
  );
const productLists = inEvery(
  'products',
  ['number', 'name', 'price', 'stock', 'created', 'updated'],
  ['', '&status=active'],
);
const orderLists = [
  ...inEvery('orders', ['number', 'created', 'updated', 'total'], ['', '&status=completed']),
  ...inEvery('customers', ['created', 'name', 'email']),
];

/** Measures the deepest page by cursor of lists of a million rows against the first page, in every sort. */
export async function benchLists(system: System, receiverUrl: string): Promise<void> {
  const { demo } = system;
  console.log(
    'list                                                    first ms   deepest ms   times (aim 1.5)',
  );
  const products = await system.databaseUrl('catalog');
  await inSteps((from, to) => seed(products, demo.storeId, from, to));
  // An eighth has no price.
  await run(products, 'update product set price_cents = null where number % 8 = 0', 'vacuum analyze product');
  await compare(system, productLists);
  const orders = await system.databaseUrl('orders');
  await inSteps((from, to) => seedOrders(orders, demo.storeId, from, to));
  await compare(system, orderLists);
  const { webhook } = await ask(system, 'POST', 'webhooks', { url: receiverUrl, events: ['order.created'] });
  await run(
    await system.databaseUrl('webhooks'),
    `with d as (
       insert into webhook_delivery (store_id, endpoint_id, id, event_id, event_type, status, attempts)
       select '${demo.storeId}', '${webhook.id}', 'whd_' || lpad(to_hex(g), 26, '0'), 'evt_' || lpad(to_hex(g), 26, '0'),
         'order.created', (array['delivered', 'dead'])[g % 2 + 1], 1
       from generate_series(1, ${rows}) g
       returning store_id, endpoint_id, status, id, created_at, tableoid::regclass::text as partition
     ), unsuccessful as (
       insert into webhook_unsuccessful (store_id, endpoint_id, status, delivery_id, created_at)
       select store_id, endpoint_id, status, id, created_at from d where status = 'dead'
     )
     insert into webhook_delivery_count (store_id, endpoint_id, partition, deliveries)
     select store_id, endpoint_id, partition, count(*) from d group by store_id, endpoint_id, partition`,
    'vacuum analyze webhook_delivery',
  );
  await compare(system, [`webhooks/${webhook.id}/deliveries?`]);
}

async function inSteps(fill: (from: number, to: number) => Promise<void>): Promise<void> {
  for (let from = 1; from < rows; from += 100_000) await fill(from, from + 99_999);
}

async function run(databaseUrl: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

// biome-ignore lint/suspicious/noExplicitAny: a benchmark knows its answers
async function ask({ demo }: System, method: 'GET' | 'POST', path: string, json?: object): Promise<any> {
  const reply = await request(`${demo.baseUrl}/api/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${demo.apiKey}`, 'content-type': 'application/json' },
    ...(json && { body: JSON.stringify(json) }),
  });
  const body = await reply.body.json();
  if (reply.statusCode >= 300) throw new Error(`${path}: ${reply.statusCode} ${JSON.stringify(body)}`);
  return body;
}

async function compare(system: System, lists: readonly string[]): Promise<void> {
  for (const list of lists) {
    const deepest = `${list}&after=${await cursorBeforeTheEnd(system, list)}`;
    const times: Record<string, number[]> = { [list]: [], [deepest]: [] };
    // In turn, so that other work on the machine affects both alike. The first requests warm up.
    for (let i = 0; i < 60; i++) {
      for (const path of [list, deepest]) {
        const started = performance.now();
        await ask(system, 'GET', path);
        if (i >= 10) times[path]!.push(performance.now() - started);
      }
    }
    const [first, last] = [list, deepest].map((path) => percentile(times[path]!, 0.5));
    console.log(
      list.slice(0, 54).padEnd(54) +
        first!.toFixed(2).padStart(10) +
        last!.toFixed(2).padStart(13) +
        (last! / first!).toFixed(2).padStart(10),
    );
  }
}

/** Returns the cursor of a list's last rows. Deliveries have no offset, so it pages through them. */
async function cursorBeforeTheEnd(system: System, list: string): Promise<string> {
  const { total } = await ask(system, 'GET', `${list}&limit=1`);
  if (!list.startsWith('webhooks')) {
    return (await ask(system, 'GET', `${list}&limit=1&offset=${total - 51}`)).nextCursor;
  }
  let cursor = '';
  for (let seen = 200; ; seen += 200) {
    const { nextCursor } = await ask(system, 'GET', `${list}&limit=200${cursor && `&after=${cursor}`}`);
    if (nextCursor === null) throw new Error(`${seen} rows, and none before the last`);
    cursor = nextCursor;
    if (seen + 200 >= total) return cursor;
  }
}

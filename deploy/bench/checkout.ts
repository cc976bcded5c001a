import { randomBytes } from 'node:crypto';
import { newId, noTaxes } from '@waybill/contracts';
import pg from 'pg';
import { request } from 'undici';
import { type Load, load, together } from './load.ts';
import type { System } from './processes.ts';

const products = 50;
const connections = 16;

interface Variant {
  id: string;
  productId: string;
}

/** Measures checkouts at the storefront against the same rows written to the same databases by plain statements. */
export async function benchCheckout(system: System): Promise<void> {
  const { demo } = system;
  const variants = await stock(system);
  const bare = await bareCheckouts(system, variants);
  let turn = 0;
  const next = () => {
    const { id } = variants[turn++ % variants.length]!;
    return {
      method: 'POST' as const,
      path: `/storefront/${demo.storeId}/orders`,
      headers: { 'idempotency-key': randomBytes(12).toString('hex') },
      body: JSON.stringify({
        items: [{ variantId: id, quantity: 1 }],
        customer: {
          name: 'Ann',
          email: `ann-${turn % 500}@example.com`,
          shippingAddress: { country: 'DE' },
        },
      }),
    };
  };
  const headers = { 'content-type': 'application/json' };
  const results: Record<string, Load> = {};
  const rules = await openRules(system);
  try {
    // Target by target, so that other work on the machine affects all alike. The first round warms up.
    for (const seconds of [8, 5]) {
      results.waybill = await load(demo.baseUrl, headers, next, { connections, seconds });
      await rules.set();
      results['with rules'] = await load(demo.baseUrl, headers, next, { connections, seconds });
      await rules.clear();
      results['bare SQL'] = await bare.load(seconds);
    }
  } finally {
    await Promise.all([bare.close(), rules.close()]);
  }
  console.log('checkout       req/s    p50 ms    p99 ms   of bare SQL');
  for (const [target, { perSecond, p50, p99 }] of Object.entries(results)) {
    const figures = [perSecond.toFixed(0), p50.toFixed(2), p99.toFixed(2)].map((text) => text.padStart(9));
    const ratio = target !== 'bare SQL' ? (perSecond / results['bare SQL']!.perSecond).toFixed(2) : '';
    console.log(`${target.padEnd(11)}${figures.join(' ')}   ${ratio}`);
  }
}

/** Sets ten tax rates, three zones and five automatic discounts for the store of the orders. */
async function openRules(system: System) {
  const pool = new pg.Pool({ connectionString: await system.databaseUrl('orders'), max: 1 });
  const { storeId } = system.demo;
  const rate = { country: 'DE', region: null, name: 'VAT', percent: '19' };
  const taxes = {
    ...noTaxes,
    homeCountry: 'DE',
    rates: Array.from({ length: 10 }, (_, i) => ({ ...rate, category: i === 0 ? 'standard' : `other-${i}` })),
  };
  const zones = [['DE'], ['AT', 'CH'], ['*']].map((countries) => ({
    id: newId('shippingZone'),
    name: 'Zone',
    countries,
    regions: null,
    postalCodes: null,
    rates: [
      {
        id: newId('shippingRate'),
        name: 'Parcel',
        kind: 'flat',
        priceCents: 490,
        steps: null,
        freeFromCents: 5000,
        minDays: null,
        maxDays: null,
        isEnabled: true,
      },
    ],
  }));
  const terms = {
    percent: '5',
    amountCents: null,
    appliesTo: { kind: 'order' },
    minimum: { subtotalCents: null, quantity: null },
    buy: null,
    get: null,
  };
  return {
    async set() {
      await pool.query(
        `insert into pricing_rule (store_id, taxes, zones, updated_at) values ($1, $2, $3, now())
         on conflict (store_id) do update set taxes = excluded.taxes, zones = excluded.zones`,
        [storeId, JSON.stringify(taxes), JSON.stringify(zones)],
      );
      await pool.query(
        `insert into discount (store_id, id, title, status, kind, terms, is_combinable, search, created_at, updated_at)
         select $1, id, 'Sale', 'active', 'percentage', $3, true, 'sale', now(), now() from unnest($2::text[]) id`,
        [storeId, Array.from({ length: 5 }, () => newId('discount')), JSON.stringify(terms)],
      );
    },
    async clear() {
      await pool.query('delete from pricing_rule where store_id = $1', [storeId]);
      await pool.query('delete from discount where store_id = $1', [storeId]);
    },
    close: () => pool.end(),
  };
}

async function stock({ demo }: System): Promise<Variant[]> {
  const variants: Variant[] = [];
  for (let i = 0; i < products; i++) {
    const reply = await request(`${demo.baseUrl}/api/v1/products`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: `On sale ${i}`,
        status: 'active',
        variants: [{ priceCents: 1250, stock: 1_000_000_000 }],
      }),
    });
    const { product } = (await reply.body.json()) as { product: { id: string; variants: { id: string }[] } };
    variants.push({ id: product.variants[0]!.id, productId: product.id });
  }
  return variants;
}

/** The writes of a checkout, as one statement in each database. */
const statements = {
  catalog: `with v as (update variant set stock = stock - 1 where store_id = $1 and id = $2),
    p as (update product set total_stock = total_stock - 1, updated_at = now() where store_id = $1 and id = $3),
    r as (insert into reservation (store_id, order_id, lines, expires_at) values ($1, $4, $5, now() + interval '1 minute'))
    insert into outbox (event_id, name, store_id, data, published_at) values ($6, 'bench', $1, $5, now())`,
  orders: `with k as (insert into checkout (store_id, idempotency_key, request_hash, order_id, is_placed, expires_at)
      values ($1, $2, '\\x00', $2, true, now())),
    c as (insert into customer as c (store_id, id, email, name, name_key, tags, addresses, search, orders_count, created_at,
        updated_at)
      values ($1, $3, $4, 'Ann', 'ann', '{}', '[]', $4, 1, now(), now())
      on conflict (store_id, email) do update set orders_count = c.orders_count + 1 returning id),
    t as (insert into store_total as t (store_id, last_order_number) values ($1, 1)
      on conflict (store_id) do update set last_order_number = t.last_order_number + 1 returning last_order_number),
    n as (insert into order_count as n (store_id, status, payment, fulfillment, orders)
      values ($1, 'open', 'pending', 'unfulfilled', 1)
      on conflict (store_id, status, payment, fulfillment) do update set orders = n.orders + 1),
    o as (insert into "order" (store_id, id, number, status, payment, fulfillment, currency, line_items, subtotal_cents,
        shipping_cents, tax_cents, total_cents, customer_id, customer_name, customer_email, search, created_at, updated_at)
      select $1, $2, last_order_number, 'open', 'pending', 'unfulfilled', 'EUR', $5, 1250, 0, 0, 1250, c.id, 'Ann', $4,
        last_order_number || $4, now(), now() from t, c)
    insert into outbox (event_id, name, store_id, data, published_at) values ($6, 'bench', $1, $5, now())`,
};

async function bareCheckouts(system: System, variants: readonly Variant[]) {
  // Each checkout uses one of the two pools at a time, and the system itself needs most of the hundred connections.
  const open = async (service: 'catalog' | 'orders') =>
    new pg.Pool({ connectionString: await system.databaseUrl(service), max: connections / 2 });
  const pools = { catalog: await open('catalog'), orders: await open('orders') };
  // The orders belong to another store, so that the numbers of the demo store's orders stay intact.
  const storeId = newId('store');
  let turn = 0;
  const run = async () => {
    const { id, productId } = variants[turn++ % variants.length]!;
    const order = newId('order');
    const lines = JSON.stringify([{ productId, quantity: 1, totalCents: 1250, name: 'x'.repeat(100) }]);
    const event = newId('event');
    await pools.catalog.query({
      name: 'catalog',
      text: statements.catalog,
      values: [system.demo.storeId, id, productId, order, lines, event],
    });
    const email = `ann-${turn % 500}@example.com`;
    await pools.orders.query({
      name: 'orders',
      text: statements.orders,
      values: [storeId, order, newId('customer'), email, lines, event],
    });
  };
  return {
    load: (seconds: number) => together(run, { connections, seconds }),
    close: () => Promise.all([pools.catalog.end(), pools.orders.end()]),
  };
}

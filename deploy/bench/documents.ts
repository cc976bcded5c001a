import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@waybill/contracts';
import pg from 'pg';
import type { Outcome } from './load.ts';
import { documentOf } from './pages.ts';
import { outputOf, type System } from './processes.ts';
import { sendJson } from './send-json.ts';

const documents = 1000;
const rounds = 3;
const visits = { perSecond: 100, connections: 32 };
const writers = 8;

/**
 * Measures how long visitors wait for a shop's page while a store issues a thousand invoices at once, compared with an
 * idle system.
 */
export async function benchDocuments(system: System): Promise<void> {
  const { baseUrl, merchant, storeId, storeSlug } = system.demo;
  const { accessToken } = await sendJson(baseUrl, '', 'POST', '/api/auth/login', merchant);
  const send = (method: string, path: string, body?: object) =>
    sendJson(baseUrl, accessToken, method, path, body);
  const store = `/api/stores/${storeId}`;
  const { page } = await send('POST', `${store}/pages`, { name: 'Home' });
  await send('PUT', `${store}/pages/${page.id}/draft`, { document: documentOf(100) });
  await send('POST', `${store}/pages/${page.id}/publish`);
  await send('PUT', `${store}/documents/settings`, {
    seller: { name: 'Ada', line1: 'Street 1', city: 'Berlin', country: 'DE', vatId: 'DE123456788' },
  });
  const { product } = await send('POST', `${store}/products`, {
    name: 'Tea',
    status: 'active',
    variants: Array.from({ length: 5 }, (_, i) => ({
      name: `Size ${i}`,
      priceCents: 1250,
      stock: 1_000_000,
    })),
  });
  const items = product.variants.map(({ id }: { id: string }) => ({ variantId: id, quantity: 1 }));
  const customer = { name: 'Ann', email: 'ann@example.com' };
  const pool = new pg.Pool({ connectionString: await system.databaseUrl('orders'), max: 1 });
  const unmade = async (): Promise<number> =>
    (
      await pool.query('select count(*)::int as n from document_file where store_id = $1 and pdf is null', [
        storeId,
      ])
    ).rows[0].n;
  const visitFor = async (seconds: number): Promise<Outcome> =>
    JSON.parse(
      await outputOf('arrivals.ts', {
        ARRIVALS: JSON.stringify({
          url: baseUrl,
          paths: [`/s/${storeSlug}/`],
          bearer: newId('event'),
          seconds,
          ...visits,
        }),
      }),
    );

  console.log(`visits, ${visits.perSecond} a second     p50 ms   p99 ms   late   failed`);
  const show = (label: string, { p50, p99, late, failed }: Outcome) =>
    console.log(
      `${label.padEnd(26)}${[p50.toFixed(1), p99.toFixed(1), String(late), String(failed)]
        .map((text) => text.padStart(9))
        .join('')}`,
    );
  await visitFor(5);
  const orders: string[] = [];
  await everyOne(documents, async (n) => {
    orders[n] = (await send('POST', `${store}/orders`, { items, customer })).order.id;
  });
  await sleep(3_000);
  for (let round = 0; round < rounds; round++) show('quiet', await visitFor(10));
  const started = performance.now();
  const issued = everyOne(documents, (n) =>
    send('POST', `${store}/orders/${orders[n]}/documents`, { kind: 'invoice' }),
  );
  const secondsSince = () => ((performance.now() - started) / 1000).toFixed(1);
  show('while they are issued', await visitFor(10));
  await issued;
  console.log(`  ${documents} issued after ${secondsSince()} s`);
  while ((await unmade()) > 100) show('while they are rendered', await visitFor(10));
  while ((await unmade()) > 0) await sleep(200);
  console.log(`  all rendered after ${secondsSince()} s`);
  for (let round = 0; round < rounds; round++) show('quiet again', await visitFor(10));
  await pool.end();
}

async function everyOne(count: number, run: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: writers }, async () => {
      while (next < count) await run(next++);
    }),
  );
}

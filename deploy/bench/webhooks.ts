import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Agent, request } from 'undici';
import { percentile } from './load.ts';
import type { System } from './processes.ts';

const events = 10_000;
const body = (n: number) =>
  JSON.stringify({
    id: `evt_bare${n}`,
    type: 'product.created',
    createdAt: new Date().toISOString(),
    data: {
      product: {
        id: 'prd_00000000000000000000000000',
        name: `Product ${n}`,
        slug: `product-${n}`,
        variants: [],
      },
    },
  });

/** Measures delivery against a bare loop that signs and POSTs, and the time from commit to arrival at a steady rate. */
export async function benchWebhooks(system: System, receiverUrl: string): Promise<void> {
  const { demo } = system;
  const headers = { authorization: `Bearer ${demo.apiKey}`, 'content-type': 'application/json' };
  const { statusCode } = await request(`${demo.baseUrl}/api/v1/webhooks`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ url: `${receiverUrl}/hook`, events: ['product.created'] }),
  });
  if (statusCode !== 201) throw new Error(`the webhook could not be made: ${statusCode}`);
  const ask = async (path: string) => (await request(`${receiverUrl}${path}`)).body.text();
  await ask('/stats');

  const rates = { bare: 0, waybill: 0 };
  for (const round of ['warm-up', 'measured']) {
    rates.bare = await bareLoop(receiverUrl);
    await ask('/stats');
    rates.waybill = await drain(await system.databaseUrl('catalog'), demo.storeId, async () =>
      Number(await ask('/count')),
    );
    await ask('/stats');
    if (round === 'measured') {
      console.log(
        `events to delivered calls: ${rates.waybill.toFixed(0)}/s, bare loop ${rates.bare.toFixed(0)}/s, ` +
          `ratio ${(rates.waybill / rates.bare).toFixed(2)} (aim 0.4)`,
      );
    }
  }

  let turn = 0;
  const perSecond = 200;
  const until = Date.now() + 6000;
  const sending: Promise<unknown>[] = [];
  while (Date.now() < until) {
    const name = `Paced ${++turn} ${Math.random()}`;
    sending.push(
      request(`${demo.baseUrl}/api/v1/products`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ name, variants: [] }),
      }).then((reply) => reply.body.dump()),
    );
    await sleep(1000 / perSecond - 1);
  }
  await Promise.all(sending);
  while (Number(await ask('/count')) < turn) await sleep(50);
  const latencies = JSON.parse(await ask('/stats')) as number[];
  console.log(
    `commit to arrival at ${(turn / 6).toFixed(0)} events/s: p50 ${percentile(latencies, 0.5)} ms, ` +
      `p95 ${percentile(latencies, 0.95)} ms (aim under 50), p99 ${percentile(latencies, 0.99)} ms`,
  );
}

async function bareLoop(receiverUrl: string): Promise<number> {
  const agent = new Agent({ connections: 64 });
  let n = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (n < events) {
        const text = body(n++);
        const signature = createHmac('sha256', 'whsec_secret').update(`1.${text}`).digest('hex');
        const reply = await request(`${receiverUrl}/bare`, {
          dispatcher: agent,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-wb-signature': `sha256=${signature}` },
          body: text,
        });
        await reply.body.dump();
      }
    }),
  );
  const rate = events / ((performance.now() - started) / 1000);
  await agent.close();
  return rate;
}

/** Measures the rate of a drain alone, for a system with this number of copies of delivery. */
export async function benchCopies(system: System, receiverUrl: string, copies: number): Promise<void> {
  const { demo } = system;
  await request(`${demo.baseUrl}/api/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demo.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: `${receiverUrl}/hook`, events: ['product.created'] }),
  });
  const ask = async (path: string) => (await request(`${receiverUrl}${path}`)).body.text();
  const rates: number[] = [];
  for (let round = 0; round < 3; round++) {
    await ask('/stats');
    rates.push(
      await drain(await system.databaseUrl('catalog'), demo.storeId, async () => Number(await ask('/count'))),
    );
  }
  await ask('/stats');
  console.log(
    `events to delivered calls with ${copies} ${copies > 1 ? 'copies' : 'copy'} of delivery: ` +
      `${rates.map((rate) => rate.toFixed(0)).join(', ')}/s`,
  );
}

/** Commits events to the outbox at once and waits until the last has arrived. */
async function drain(databaseUrl: string, storeId: string, arrived: () => Promise<number>): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const started = performance.now();
  await client.query(
    `insert into outbox (event_id, name, store_id, data)
     select 'evt_' || md5(random()::text || g), 'catalog.product.created', $1,
       '{"product":{"id":"prd_00000000000000000000000000","name":"Product ' || g || '","slug":"product-' || g || '","variants":[]}}'
     from generate_series(1, $2::int) g`,
    [storeId, events],
  );
  await client.end();
  while ((await arrived()) < events) await sleep(20);
  return events / ((performance.now() - started) / 1000);
}

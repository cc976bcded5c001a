import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { Pool, request } from 'undici';
import { seed, seededProducts } from './api.ts';
import { type Request, together } from './load.ts';
import { createDocument } from './pages.ts';
import { residentMiB, type System } from './processes.ts';

const minutes = Number(process.env.BENCH_MINUTES ?? 10);
const pages = 200;
const connections = 8;

/**
 * Measures resident memory of the standalone process by the minute, separate from PostgreSQL's, under a mixed load:
 * reads, lists, searches, creates, checkouts, visits of rendered pages and of new addresses, events and their calls to
 * a receiver. It must level off.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a measurement reads as one sequence of steps
export async function benchMemory(system: System, receiverUrl: string): Promise<void> {
  const { demo } = system;
  const api = { authorization: `Bearer ${demo.apiKey}`, 'content-type': 'application/json' };
  // biome-ignore lint/suspicious/noExplicitAny: a benchmark knows its answers
  const send = async (path: string, body: object, token = demo.apiKey): Promise<any> => {
    const reply = await request(`${demo.baseUrl}/api/${path}`, {
      method: path.endsWith('/draft') ? 'PUT' : 'POST',
      headers: { ...api, authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    const answer = await reply.body.json();
    if (reply.statusCode >= 300) throw new Error(`${path}: ${reply.statusCode} ${JSON.stringify(answer)}`);
    return answer;
  };
  await seed(await system.databaseUrl('catalog'), demo.storeId, 1, seededProducts);
  await send('v1/webhooks', {
    url: `${receiverUrl}/flood`,
    events: ['product.created', 'order.created'],
  });
  const { accessToken } = await send('auth/login', demo.merchant);
  const slugs: string[] = [];
  for (let i = 0; i < pages; i++) {
    const { page } = await send('v1/pages', { name: `Memory ${i}` });
    const document = createDocument(50 + (i % 10));
    await send(`stores/${demo.storeId}/pages/${page.id}/draft`, { document }, accessToken);
    await send(`v1/pages/${page.id}/publish`, {});
    slugs.push(page.slug);
  }
  const { product } = await send('v1/products', {
    name: 'On sale',
    status: 'active',
    variants: [{ priceCents: 1250, stock: 1_000_000_000 }],
  });
  let turn = 0;
  const numbered = () => (turn % seededProducts) + 1;
  const mix: (() => Request)[] = [
    () => ({ method: 'GET', path: `/api/v1/products/prd_${numbered().toString(16).padStart(26, '0')}` }),
    () => ({ method: 'GET', path: '/api/v1/products?limit=50' }),
    () => ({ method: 'GET', path: `/api/v1/products?q=article-${turn}` }),
    () => ({
      method: 'POST',
      path: '/api/v1/products',
      headers: api,
      body: JSON.stringify({ name: `Memory ${turn}`, slug: `memory-${turn}` }),
    }),
    () => ({
      method: 'POST',
      path: `/storefront/${demo.storeId}/orders`,
      headers: { 'idempotency-key': randomBytes(12).toString('hex') },
      body: JSON.stringify({
        items: [{ variantId: product.variants[0].id, quantity: 1 }],
        customer: { name: 'Ann', email: `ann-${turn}@example.com` },
      }),
    }),
    () => ({ method: 'GET', path: `/s/${demo.storeSlug}/${slugs[turn % pages]}` }),
    () => ({ method: 'GET', path: `/s/${demo.storeSlug}/?page=${turn}` }),
    () => ({ method: 'GET', path: '/api/v1/orders?sort=total' }),
  ];
  const next = () => mix[turn++ % mix.length]!();
  const pool = new Pool(demo.baseUrl, { connections, pipelining: 1 });
  const run = async () => {
    const { headers, ...call } = next();
    const reply = await pool.request({ ...call, headers: { ...api, ...headers } });
    const text = await reply.body.text();
    // Work that takes too long on a busy machine is refused, and still counts as load.
    if (reply.statusCode >= 300 && reply.statusCode !== 503) throw new Error(`${call.path}: ${text}`);
  };
  console.log('minute    req/s   p99 ms   node MiB   PostgreSQL MiB   (aim: levels off at 450 or less)');
  for (let minute = 1; minute <= minutes; minute++) {
    const { perSecond, p99 } = await together(run, { connections, seconds: 60 });
    const [node, postgres] = [await residentMiB(system.pid), await postgresMiB(system.pid)];
    const figures = [perSecond.toFixed(0), p99.toFixed(0), node.toFixed(0), postgres.toFixed(0)];
    console.log(
      `${String(minute).padStart(6)}${figures.map((text, i) => text.padStart([9, 9, 11, 17][i]!)).join('')}`,
    );
  }
  await pool.close();
}

/** Returns the memory of the processes of the system's PostgreSQL in MiB, with shared memory counted once. */
async function postgresMiB(pid: number): Promise<number> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    const parent = /^\d+ \(.*\) \S (\d+)/.exec(stat)?.[1];
    if (parent) parents.set(Number(name), Number(parent));
  }
  const isBelow = (each: number | undefined): boolean =>
    each !== undefined && (each === pid || isBelow(parents.get(each)));
  let kilobytes = 0;
  for (const each of parents.keys()) {
    if (each === pid || !isBelow(each)) continue;
    const rollup = await readFile(`/proc/${each}/smaps_rollup`, 'utf8').catch(() => '');
    kilobytes += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
  }
  return kilobytes / 1024;
}

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Pool } from 'undici';
import { load, percentile } from './load.ts';
import { type System, startProgram } from './processes.ts';

const products = 10_000;
const looks = 300;
const rounds = 5;
const connections = 8;

/** Sends requests as the demo store's owner. */
interface Owner {
  // biome-ignore lint/suspicious/noExplicitAny: a benchmark knows its answers
  send(method: string, path: string, body?: object): Promise<any>;
  stop(): Promise<void>;
}

/**
 * Measures a shop of ten thousand active products: the cost of its pages cold and warm, compared with a file server,
 * and in another language, and the effects of a new theme and of a price change of all products on it and on another
 * store. Costs are CPU time of all processes of the system, including PostgreSQL's, which other work on the machine
 * affects little.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a measurement reads as one sequence of steps
export async function benchShop(system: System): Promise<void> {
  const { baseUrl, storeSlug } = system.demo;
  const content = new pg.Client({ connectionString: await system.databaseUrl('content') });
  await content.connect();
  const owner = await signIn(system);
  const site = `/s/${storeSlug}/`;
  const read = async (path: string): Promise<string> => {
    const reply = await fetch(baseUrl + path);
    if (!reply.ok) throw new Error(`${path}: ${reply.status}`);
    return reply.text();
  };
  const quiet = () => untilQuiet(system, content);
  const measureCost = (run: () => Promise<unknown>, times: number) => measureCpuMs(system.pid, run, times);

  const { storeId } = system.demo;
  const store = `/api/stores/${storeId}`;
  await owner.send('PATCH', store, { locales: ['en', 'de'] });
  const created: { id: string; variants: { id: string }[] }[] = [];
  const started = performance.now();
  await everyOne(products, async (n) => {
    const variants = ['Small', 'Large'].map((name, i) => ({
      name,
      priceCents: 900 + n + i,
      stock: 5,
      sku: `s-${n}-${i}`,
    }));
    const product = {
      name: `Tea number ${n}`,
      slug: `tea-${n}`,
      status: 'active',
      tags: [`tag ${n % 50}`],
      variants,
    };
    created[n] = (
      await owner.send('POST', `${store}/products`, { ...product, description: '<p>One of many.</p>' })
    ).product;
  });
  console.log(`${products} products made in ${secondsSince(started)} s`);
  const list = { source: { kind: 'all' }, limit: 24, paged: true };
  await publishPage(owner, store, 'Shop', 'shop', [
    { id: 'root', type: 'section', children: ['list'] },
    { id: 'list', type: 'productList', children: ['card'], props: { specials: list } },
    { id: 'card', type: 'product', children: ['title', 'price'] },
    { id: 'title', type: 'productTitle' },
    { id: 'price', type: 'price' },
  ]);
  await publishPage(owner, store, 'Home', 'home', [{ id: 'root', type: 'section' }]);
  await quiet();

  const getPath = (n: number, locale = '') => `${site}${locale}products/tea-${n}`;
  const some = (from: number, locale?: string) => async () => {
    for (let n = from; n < from + looks; n++) await read(getPath(n, locale));
  };
  await some(9_000)();
  const [cold, coldGerman] = [
    await measureCost(some(0), looks),
    await measureCost(some(looks, 'de/'), looks),
  ];
  const [warm, warmGerman] = [
    await measureCost(some(0), looks),
    await measureCost(some(looks, 'de/'), looks),
  ];
  console.log(
    `product page: ${cold.toFixed(1)} ms of CPU from cold (aim 50), ${warm.toFixed(2)} warm, one by one`,
  );
  console.log(
    `  in another language: ${(coldGerman / cold).toFixed(2)} from cold, ${(warmGerman / warm).toFixed(2)} warm (aim 1.2)`,
  );
  await besideFiles(baseUrl, getPath(0), getPath(looks, 'de/'));

  const pagesCost = await measureCost(async () => {
    for (let page = 21; page <= 401; page += 20) await read(`${site}shop?page=${page}`);
  }, 20);
  const searchCost = await measureCost(async () => {
    for (let word = 1; word <= 20; word++) await read(`${site}search?q=tea%20${word}`);
  }, 20);
  const last = await measureCost(() => read(`${site}shop?page=${Math.ceil(products / 24)}`), 1);
  console.log(
    `from cold: a page of the list ${pagesCost.toFixed(1)} ms of CPU (the last ${last.toFixed(0)}), a search ${searchCost.toFixed(1)}`,
  );

  const rowsBefore = await rowsWritten(content);
  const colors = { primary: '#2f5d50', onPrimary: '#ffffff', background: '#fffdf9', surface: '#f5eee2' };
  const more = { text: '#26302b', muted: '#59635c', border: '#ddd3c2', accent: '#8f3f24' };
  const fonts = { heading: { stack: 'serif' }, body: { stack: 'system' } };
  await owner.send('PUT', `${store}/theme`, {
    theme: { colors: { ...colors, ...more }, fonts, scale: 1, radius: 8, spacing: 24 },
  });
  await owner.send('POST', `${store}/theme/publish`, {});
  await quiet();
  const written = (await rowsWritten(content)) - rowsBefore;
  const afterTheme = await measureCost(some(0), looks);
  console.log(
    `a new theme wrote ${written} rows; a visit afterwards takes ${afterTheme.toFixed(1)} ms of CPU once, then ${(await measureCost(some(0), looks)).toFixed(2)}`,
  );

  await changeAll(system, owner, created, read, getPath(0), site);
  await quiet();
  await manyAddresses(system, content, read, site, measureCost);
  await owner.stop();
  await content.end();
}

/** Changes every price, as an import does, and measures what customers of another store notice meanwhile. */
async function changeAll(
  { demo: { baseUrl, storeId } }: System,
  owner: Owner,
  created: readonly { id: string; variants: { id: string }[] }[],
  read: (path: string) => Promise<string>,
  product: string,
  site: string,
): Promise<void> {
  const slug = `other-${process.pid}`;
  const { store: other } = await owner.send('POST', '/api/stores', { name: 'Another', slug });
  const own = `/api/stores/${other.id}`;
  const mine = (await owner.send('POST', `${own}/products`, tea(1))).product;
  const { page } = await owner.send('POST', `${own}/pages`, { name: 'Home' });
  const measureVisitors = async (ms: number | Promise<unknown>) => {
    let isOver = false;
    const over = typeof ms === 'number' ? sleep(ms) : ms;
    over.then(() => (isOver = true));
    const times: Record<string, number[]> = { visit: [], publish: [], price: [] };
    const timed = async (what: string, run: () => Promise<unknown>) => {
      const began = performance.now();
      await run();
      times[what]!.push(performance.now() - began);
    };
    for (let n = 0; !isOver; n++) {
      const document = {
        rootId: 'root',
        nodes: [{ id: 'root', type: 'section', children: ['t'] }, textNode(`${n}`)],
      };
      await owner.send('PUT', `${own}/pages/${page.id}/draft`, { document });
      await timed('publish', () => owner.send('POST', `${own}/pages/${page.id}/publish`, {}));
      await timed('price', () => owner.send('PATCH', `${own}/products/${mine.id}`, priced(mine, 1000 + n)));
      await timed('visit', () => fetch(`${baseUrl}/s/${slug}/`).then((reply) => reply.text()));
      await timed('visit', () => fetch(`${baseUrl}/s/${slug}/products/tea-1`).then((reply) => reply.text()));
    }
    return times;
  };
  const before = await measureVisitors(5_000);
  const started = performance.now();
  const all = everyOne(products, (n) =>
    owner.send('PATCH', `/api/stores/${storeId}/products/${created[n]!.id}`, priced(created[n]!, 77_700)),
  );
  const meanwhile = await measureVisitors(all);
  await all;
  const took = secondsSince(started);
  const answered = performance.now();
  while (!(await read(product)).includes('777.00')) await sleep(20);
  const shownAfter = performance.now() - answered;
  while (!(await read(`${site}shop`)).includes('777.00')) await sleep(20);
  console.log(
    `${products} prices changed in ${took} s; after the last answer a product's page shows its own after ${shownAfter.toFixed(0)} ms, ` +
      `a live page with a list after ${(performance.now() - answered).toFixed(0)} ms; another store meanwhile:`,
  );
  for (const [what, times] of Object.entries(meanwhile)) {
    const at = (of: readonly number[], share: number) => percentile(of, share).toFixed(0);
    console.log(
      `  ${what}: p50 ${at(times, 0.5)} ms, p99 ${at(times, 0.99)} (before: ${at(before[what]!, 0.5)}, ${at(before[what]!, 0.99)})`,
    );
  }
}

/** Measures sitemap and feed of 60,000 products that events reported. */
async function manyAddresses(
  { demo: { storeId } }: System,
  content: pg.Client,
  read: (path: string) => Promise<string>,
  site: string,
  measureCost: (run: () => Promise<unknown>, times: number) => Promise<number>,
): Promise<void> {
  await content.query(
    `insert into known_product (store_id, id, updated_at, is_deleted, slug, status)
     select $1, 'prd_9' || lpad(g::text, 25, '0'), now(), false, 'more-' || g, 'active' from generate_series(1, 50000) g`,
    [storeId],
  );
  await content.query('update page_list set products_revision = products_revision + 1 where store_id = $1', [
    storeId,
  ]);
  let [index, part] = ['', ''];
  const indexCost = await measureCost(async () => (index = await read(`${site}sitemap.xml`)), 1);
  const partCost = await measureCost(async () => (part = await read(`${site}sitemap.xml?part=2`)), 1);
  const again = await measureCost(() => read(`${site}sitemap.xml?part=2`), 1);
  const feed = await measureCost(() => read(`${site}feed.xml`), 1);
  console.log(
    `60,000 products in two languages: ${index.split('<loc>').length - 1} sitemaps; the index ${indexCost.toFixed(0)} ms of CPU, ` +
      `one of ${part.split('<loc>').length - 1} addresses ${partCost.toFixed(0)}, again ${again.toFixed(0)}; the feed ${feed.toFixed(0)}`,
  );
}

/** Serves the same bytes from Waybill and from a file server, in turns. */
async function besideFiles(baseUrl: string, path: string, german: string): Promise<void> {
  const file = join(tmpdir(), `waybill-bench-${process.pid}.html`);
  await writeFile(file, await (await fetch(baseUrl + path)).text());
  await (await fetch(baseUrl + german)).text();
  const floor = await startProgram('files.ts', { FLOOR_FILE: file });
  const rate = async (base: string, at: string) =>
    (await load(base, {}, () => ({ method: 'GET', path: at }), { seconds: 2 })).perSecond;
  const ratios: number[] = [];
  const germans: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const own = await rate(baseUrl, path);
    const files = await rate(`http://127.0.0.1:${floor.line}`, '/');
    const translated = await rate(baseUrl, german);
    // The first round warms up.
    if (round === 0) continue;
    ratios.push(own / files);
    germans.push(own / translated);
  }
  const [least, median, most] = [0, 0.5, 1].map((share) => percentile(ratios, share).toFixed(2));
  console.log(
    `  warm, beside a server of files: ${median} (${least} to ${most}; aim 0.8); in another language ${percentile(germans, 0.5).toFixed(2)} of the time`,
  );
  await floor.stop();
}

async function signIn({ demo: { baseUrl, merchant } }: System): Promise<Owner> {
  const pool = new Pool(baseUrl, { connections: connections + 2 });
  const call = async (token: string, method: string, path: string, body?: object) => {
    const reply = await pool.request({
      method: method as 'GET',
      path,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await reply.body.text();
    if (reply.statusCode >= 300) throw new Error(`${method} ${path}: ${reply.statusCode} ${text}`);
    return text && JSON.parse(text);
  };
  const { accessToken } = await call('', 'POST', '/api/auth/login', merchant);
  return { send: (method, path, body) => call(accessToken, method, path, body), stop: () => pool.close() };
}

/** Runs work for each number below `count`, several at a time. */
async function everyOne(count: number, run: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < count) await run(next++);
    }),
  );
}

async function publishPage(
  owner: Owner,
  store: string,
  name: string,
  slug: string,
  nodes: object[],
): Promise<void> {
  const { page } = await owner.send('POST', `${store}/pages`, { name, slug });
  await owner.send('PUT', `${store}/pages/${page.id}/draft`, { document: { rootId: 'root', nodes } });
  await owner.send('POST', `${store}/pages/${page.id}/publish`, {});
}

const tea = (n: number) => ({
  name: `Tea ${n}`,
  slug: `tea-${n}`,
  status: 'active',
  variants: [{ sku: `o-${n}`, priceCents: 500, stock: 3 }],
});
const textNode = (text: string) => ({ id: 't', type: 'text', props: { specials: { text } } });
const priced = ({ variants }: { variants: { id: string }[] }, priceCents: number) => ({
  variants: variants.map((variant) => ({ ...variant, priceCents })),
});

/** Waits until events are delivered and no live page is queued. */
async function untilQuiet(system: System, content: pg.Client): Promise<void> {
  const catalog = new pg.Client({ connectionString: await system.databaseUrl('catalog') });
  await catalog.connect();
  for (let calm = 0; calm < 3; await sleep(200)) {
    const left = await catalog.query('select 1 from outbox limit 1');
    const stale = await content.query('select 1 from stale_page limit 1');
    calm = left.rowCount === 0 && stale.rowCount === 0 ? calm + 1 : 0;
  }
  await catalog.end();
}

/** Returns the milliseconds of CPU of a process and all its descendants, minus what they use when idle. */
async function measureCpuMs(pid: number, run: () => Promise<unknown>, times: number): Promise<number> {
  const idleMs = 1_000;
  const first = await cpuMs(pid);
  await sleep(idleMs);
  const before = await cpuMs(pid);
  const started = performance.now();
  await run();
  const took = performance.now() - started;
  return Math.max(0, (await cpuMs(pid)) - before - ((before - first) * took) / idleMs) / times;
}

async function cpuMs(root: number): Promise<number> {
  const all = new Map<number, { parent: number; ticks: number }>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [own, ended] = [11, 13].map((at) => Number(fields[at]) + Number(fields[at + 1]));
    if (stat) all.set(Number(name), { parent: Number(fields[1]), ticks: own! + ended! });
  }
  const isBelow = (pid: number): boolean => pid === root || (all.has(pid) && isBelow(all.get(pid)!.parent));
  let ticks = 0;
  for (const [pid, each] of all) if (isBelow(pid)) ticks += each.ticks;
  return ticks * 10;
}

async function rowsWritten(client: pg.Client): Promise<number> {
  // PostgreSQL updates its statistics with a delay.
  await sleep(1_500);
  const { rows } = await client.query(
    `select sum(n_tup_ins + n_tup_upd + n_tup_del)::int as rows from pg_stat_user_tables
     where relname not in ('outbox', 'handled_event')`,
  );
  return rows[0].rows;
}

const secondsSince = (started: number) => ((performance.now() - started) / 1000).toFixed(1);

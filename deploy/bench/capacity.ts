import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { amqpUrl, redisUrl } from '@waybill/testing';
import { Redis } from 'ioredis';
import pg from 'pg';
import { request } from 'undici';
import { listChildren } from '../chaos/processes.ts';
import { services } from '../services.ts';
import { formOf, noisyPng } from '../testing/uploads.ts';
import { listenerAt, readStat } from './meter.ts';
import type { System } from './processes.ts';

const lanes = 8;
const eventsAtOnce = 5000;

/** Milliseconds of CPU by process, and the other costs of a unit. */
type Spent = Record<string, number>;

/** A row of the page: a unit that is run several times, and the service `keeps` whose database grows with it. */
interface Unit {
  name: string;
  times: number;
  /** Number of units in one run; 1 by default. */
  makes?: number;
  run(turn: number): Promise<unknown>;
  keeps?: string;
}

/**
 * Measures the cost of one unit of each kind for the cluster: milliseconds of a core by service and server, commits,
 * log, stored bytes. It subtracts what the idle system uses. `deploy/CAPACITY.md` calculates with the results.
 */
export async function benchCapacity(system: System, receiverUrl: string): Promise<void> {
  const meter = await openMeter(system);
  try {
    const units = await createUnits(system, receiverUrl);
    await meter.untilQuiet();
    const idle = await meter.measureRest(8000);
    console.log(`at rest, ms of a core a second: ${formatSpent(idle)}`);
    for (const { name, times, run, keeps, makes = 1 } of units) {
      // Warms up caches, prepared statements and compiled code, as in a system that has been running for a while.
      await inLanes(Math.ceil(times / 10), (turn) => run(-1 - turn));
      await meter.untilQuiet();
      const bytes = keeps ? await meter.bytesIn(keeps) : 0;
      const began = performance.now();
      const before = await meter.spent();
      await inLanes(times, run);
      await meter.untilQuiet();
      const after = await meter.spent();
      const seconds = (performance.now() - began) / 1000;
      const each = Object.fromEntries(
        Object.keys(after).map((who) => [
          who,
          Math.max(0, after[who]! - before[who]! - (idle[who] ?? 0) * seconds) / (times * makes),
        ]),
      );
      const retained = keeps
        ? `; ${(((await meter.bytesIn(keeps)) - bytes) / (times * makes)).toFixed(0)} bytes in ${keeps}`
        : '';
      console.log(`${name}: ${formatSpent(each)}${retained}`);
    }
  } finally {
    await meter.close();
  }
}

const formatSpent = (spent: Spent): string =>
  Object.entries(spent)
    .filter(([, value]) => value >= 0.005)
    .map(([who, value]) => `${who} ${value.toFixed(2)}`)
    .join(', ');

async function inLanes(times: number, run: (turn: number) => Promise<unknown>): Promise<void> {
  let turn = 0;
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (turn < times) await run(turn++);
    }),
  );
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions measure the same system
async function createUnits({ demo, databaseUrl }: System, receiverUrl: string): Promise<Unit[]> {
  const { baseUrl, apiKey, merchant, storeId, storeSlug } = demo;
  const send = async (
    token: string,
    method: string,
    path: string,
    body?: object,
    more = {},
    // biome-ignore lint/suspicious/noExplicitAny: a benchmark knows its answers
  ): Promise<any> => {
    const reply = await request(`${baseUrl}${path}`, {
      method: method as 'GET',
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
        ...more,
      },
      body: body ? JSON.stringify(body) : null,
    });
    const text = await reply.body.text();
    if (reply.statusCode >= 400) throw new Error(`${method} ${path}: ${reply.statusCode} ${text}`);
    return { etag: reply.headers.etag, ...(text.startsWith('{') && JSON.parse(text)) };
  };
  const key = (method: string, path: string, body?: object) => send(apiKey, method, `/api/v1${path}`, body);
  const createProduct = (turn: number) => ({
    name: `Product ${turn} ${randomBytes(4).toString('hex')}`,
    description: 'A sentence of some length, as descriptions have them. '.repeat(6),
    status: 'active',
    tags: ['tea', 'green'],
    variants: ['Small', 'Middle', 'Large'].map((name, i) => ({
      name,
      priceCents: 900 + i,
      stock: 1_000_000,
    })),
  });
  const products: { id: string; variants: { id: string }[] }[] = [];
  for (let i = 0; i < 100; i++) products.push((await key('POST', '/products', createProduct(i))).product);
  const { accessToken } = await send('', 'POST', '/api/auth/login', merchant);
  const edit = (method: string, path: string, body: object) =>
    send(accessToken, method, `/api/stores/${storeId}${path}`, body);
  const pages: { id: string; slug: string }[] = [];
  const createDocument = (turn: number) => {
    const nodes = Array.from({ length: 60 }, (_, i) => ({
      id: `n${i}`,
      type: 'text',
      props: { specials: { text: `Paragraph ${i} of turn ${turn}: a sentence of some length.` } },
    }));
    const root = { id: 'root', type: 'section', children: nodes.map(({ id }) => id) };
    return { rootId: 'root', nodes: [root, ...nodes] };
  };
  const publish = async (id: string, turn: number) => {
    await edit('PUT', `/pages/${id}/draft`, { document: createDocument(turn) });
    await key('POST', `/pages/${id}/publish`);
  };
  for (let i = 0; i < 40; i++) {
    const { page } = await key('POST', '/pages', { name: `Capacity ${i}` });
    pages.push(page);
    await publish(page.id, i);
  }
  const at = <Item>(list: readonly Item[], turn: number): Item => list[Math.abs(turn) % list.length]!;
  const visit = (turn: number, more = {}) =>
    send('', 'GET', `/s/${storeSlug}/${at(pages, turn).slug}`, undefined, {
      'accept-encoding': 'br',
      ...more,
    });
  const etags = await Promise.all(pages.map(async (_, i) => (await visit(i)).etag as string));
  const uploads: string[] = [];
  const form = 'multipart/form-data; boundary=waybill-e2e';
  const photo = async () => {
    const reply = await request(`${baseUrl}/api/v1/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': form },
      body: Buffer.concat([...formOf([noisyPng(1200, 800)], 'photo.png')]),
    });
    // biome-ignore lint/suspicious/noExplicitAny: see above
    const { media } = (await reply.body.json()) as any;
    uploads.push(media.url);
  };
  const events = await openEvents(await databaseUrl('catalog'), storeId);
  let endpoints = 0;
  const listen = async () => {
    if (endpoints++ > 0) return;
    await key('POST', '/webhooks', { url: `${receiverUrl}/flood`, events: ['product.created'] });
  };
  return [
    { name: 'API read', times: 4000, run: (turn) => key('GET', `/products/${at(products, turn).id}`) },
    { name: 'API list of 50', times: 800, run: () => key('GET', '/products?limit=50') },
    {
      name: 'product created (3 variants)',
      times: 1500,
      keeps: 'catalog',
      run: (turn) => key('POST', '/products', createProduct(turn)),
    },
    {
      name: 'checkout',
      times: 1000,
      keeps: 'orders',
      run: (turn) =>
        send(
          '',
          'POST',
          `/storefront/${storeId}/orders`,
          {
            items: [{ variantId: at(at(products, turn).variants, turn).id, quantity: 1 }],
            customer: { name: 'Ann', email: `ann-${turn}@example.com` },
          },
          { 'idempotency-key': randomBytes(12).toString('hex') },
        ),
    },
    { name: 'visit, page anew', times: 2000, run: (turn) => visit(turn) },
    {
      name: 'visit, page known (304)',
      times: 3000,
      run: (turn) => visit(turn, { 'if-none-match': at(etags, turn) }),
    },
    {
      name: 'page saved and published (60 nodes)',
      times: 200,
      keeps: 'content',
      run: (turn) => publish(at(pages, turn).id, turn + 100),
    },
    { name: 'sign-in', times: 30, run: () => send('', 'POST', '/api/auth/login', merchant) },
    { name: 'photo uploaded (1200 × 800, noise)', times: 30, keeps: 'media', run: photo },
    {
      name: 'variant made',
      times: 30,
      // Each photo once, at one width.
      run: (turn) =>
        request(`${at(uploads, turn)}?w=${turn < 0 ? 320 : 640}`, {
          headers: { accept: 'image/webp' },
        }).then((reply) => reply.body.dump()),
    },
    {
      name: 'event, nobody listens',
      makes: eventsAtOnce,
      times: 3,
      keeps: 'webhooks',
      run: () => events.commit(),
    },
    {
      name: 'event, delivered to one endpoint',
      makes: eventsAtOnce,
      times: 3,
      keeps: 'webhooks',
      run: async () => {
        await listen();
        await events.commit();
      },
    },
  ];
}

/** Commits events of a store at once, and waits until the bus has them; their subscribers handle them later. */
async function openEvents(connectionString: string, storeId: string) {
  return {
    async commit(): Promise<void> {
      const client = new pg.Client({ connectionString });
      await client.connect();
      await client.query(
        `insert into outbox (event_id, name, store_id, data)
         select 'evt_' || md5(random()::text || g), 'catalog.product.created', $1,
           '{"product":{"id":"prd_00000000000000000000000000","name":"Product ' || g || '","slug":"product-' || g || '","variants":[]}}'
         from generate_series(1, $2::int) g`,
        [storeId, eventsAtOnce],
      );
      while ((await client.query('select 1 from outbox where published_at is null limit 1')).rowCount)
        await sleep(100);
      await client.end();
    },
  };
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions measure the same system
async function openMeter(system: System) {
  const url = new URL(await system.databaseUrl('catalog'));
  const prefix = url.pathname.slice(1).replace(/catalog$/, '');
  const client = new pg.Client(url.href);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = (await readStat(rows[0]!.pid)).parent;
  const redis = new Redis(redisUrl);
  const broker = listenerAt(Number(new URL(amqpUrl.split(',')[0]!).port || 5672));
  const processes = listChildren(system.pid).flatMap(({ pid, command }) => {
    const service = services.find(({ name }) => command.includes(`services/${name}/src/main.ts`));
    return service ? [{ pid, name: service.name }] : [];
  });

  async function spent(): Promise<Spent> {
    const spent: Spent = {};
    for (const { pid, name } of processes) spent[name] = (await readStat(pid)).ownMs;
    const backends = listChildren(postmaster).map(({ pid }) => readStat(pid).catch(() => ({ ownMs: 0 })));
    const main = await readStat(postmaster);
    spent.postgres = main.ownMs + main.childrenMs;
    for (const { ownMs } of await Promise.all(backends)) spent.postgres += ownMs;
    if (broker) spent.rabbitmq = (await readStat(broker)).ownMs;
    const info = await redis.info('cpu');
    const seconds = [...info.matchAll(/used_cpu_(?:sys|user):([\d.]+)/g)].map(([, text]) => Number(text));
    spent.redis = seconds.reduce((sum, each) => sum + each, 0) * 1000;
    const { rows } = await client.query<{ commits: number; wal: number }>(
      `select (select sum(xact_commit) from pg_stat_database where starts_with(datname, $1))::float8 as commits,
         pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 / 1024 as wal`,
      [prefix],
    );
    spent.commits = rows[0]!.commits;
    spent['KiB of WAL'] = rows[0]!.wal;
    return spent;
  }

  const busyMs = (spent: Spent) =>
    Object.entries(spent).reduce((sum, [who, ms]) => sum + (/commits|WAL/.test(who) ? 0 : ms), 0);

  async function measureRest(ms: number): Promise<Spent> {
    const began = performance.now();
    const before = await spent();
    await sleep(ms);
    const after = await spent();
    const seconds = (performance.now() - began) / 1000;
    return Object.fromEntries(
      Object.entries(after).map(([who, value]) => [who, (value - before[who]!) / seconds]),
    );
  }

  let rest: number | undefined;
  return {
    spent,
    measureRest,
    /** Waits until all work is done, including events and calls, so that the system uses no more than when idle. */
    async untilQuiet(): Promise<void> {
      if (rest === undefined) {
        await sleep(10_000);
        rest = busyMs(await measureRest(5000));
      }
      let quiet = 0;
      for (let turns = 0; turns < 240; turns++) {
        quiet = busyMs(await measureRest(500)) < rest * 1.3 + 30 ? quiet + 1 : 0;
        if (quiet === 3) return;
      }
      throw new Error('the system does not come to rest');
    },
    /** Returns the size of a service's rows with their indexes, without rows that are only in transit. */
    async bytesIn(service: string): Promise<number> {
      const own = new pg.Client(await system.databaseUrl(service));
      await own.connect();
      const { rows } = await own.query<{ bytes: number }>(
        `select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
         where relkind = 'r' and relnamespace = 'public'::regnamespace and relname !~ '^(outbox|handled_event)'`,
      );
      await own.end();
      return rows[0]!.bytes;
    },
    async close(): Promise<void> {
      redis.disconnect();
      await client.end();
    },
  };
}

import { execFileSync } from 'node:child_process';
import { permissions } from '@waybill/contracts';
import { serverUrl } from '@waybill/testing';
import pg from 'pg';
import { request } from 'undici';
import { newKey, newPerson, newStore } from '../testing/accounts.ts';
import { createCaller } from '../testing/client.ts';
import { type Load, load, type Request } from './load.ts';
import { listenerAt, type Measured, type ProcessorTime, readStat, spentBetween, sumSpent } from './meter.ts';
import type { System } from './processes.ts';

const storeCount = 16;
const productsOfEach = 12;
const seconds = Number(process.env.BENCH_SECONDS ?? 5);

interface BenchStore {
  id: string;
  headers: Record<string, string>;
  products: { id: string; variants: { id: string }[] }[];
}

/** The workers that `WAYBILL_TEST_CITUS_WORKERS` names; the benchmark uses one, two and four of them. */
export const citusWorkers: readonly string[] = (process.env.WAYBILL_TEST_CITUS_WORKERS ?? '')
  .split(',')
  .filter(Boolean);

/** The work of a node so far, in the databases of the system. */
interface NodeCounts {
  statements: number;
  /** Statements that name a shard. */
  ofShards: number;
  /** First phases of commits that span nodes. */
  prepared: number;
  /** On the coordinator: statements that Citus has sent to one shard, and to several. */
  oneShard: number;
  severalShards: number;
}

/**
 * Measures the cluster topology on a Citus cluster with this number of workers: requests per second of many stores, and
 * for each request the statements, the shards, the two-phase commits and the milliseconds of a core, by node. Every
 * node needs `pg_stat_statements` (`pg_stat_statements.max = 100000`), and the coordinator
 * `citus.enable_stat_counters`.
 */
export async function benchCitus(
  system: System,
  receiverUrl: string,
  workers: readonly string[],
): Promise<void> {
  const catalog = new URL(await system.databaseUrl('catalog'));
  const prefix = catalog.pathname.slice(1).replace(/catalog$/, '');
  const coordinator = new URL(serverUrl).host;
  const nodes = [coordinator, ...workers].map((host) => Object.assign(new URL(serverUrl), { host }).href);
  const counters = await Promise.all(nodes.map((url, i) => openCounter(url, prefix, i === 0)));
  const parsePort = (host: string) => Number(host.split(':')[1] ?? 5432);
  const measured: Measured = {
    waybill: system.pid,
    coordinator: listenerAt(parsePort(coordinator)),
    ...Object.fromEntries(workers.map((host, i) => [`worker ${i + 1}`, listenerAt(parsePort(host))])),
  };
  try {
    const stores = await openStores(system.demo.baseUrl);
    console.log(
      `\n${workers.length} worker${workers.length > 1 ? 's' : ''}, ${storeCount} stores: for each request the statements of ` +
        'the coordinator, those of workers, those of more than one shard, commits of two phases, ms of a core',
    );
    const read = async () => ({
      spent: await readSpent(measured),
      counts: await Promise.all(counters.map((counter) => counter.read())),
    });
    const measure = async (name: string, run: () => Promise<Load>) => {
      await run();
      const before = await read();
      const began = performance.now();
      const result = await run();
      const requests = (result.perSecond * (performance.now() - began)) / 1000;
      const after = await read();
      console.log(
        formatLine(
          name,
          result,
          requests,
          spentBetween(before.spent, after.spent),
          before.counts,
          after.counts,
        ),
      );
    };
    const { baseUrl } = system.demo;
    for (const [name, next] of createOperations(stores))
      await measure(name, () => load(baseUrl, {}, next, { seconds }));
    await listen(baseUrl, stores, receiverUrl);
    await measure('create, with a call', () => loadWithCalls(baseUrl, stores, receiverUrl));
  } finally {
    await Promise.all(counters.map((counter) => counter.close()));
  }
}

/** Reads CPU time as `createMeter` does, but with a single look at all processes: nodes have hundreds of backends. */
async function readSpent(measured: Measured): Promise<ProcessorTime> {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
  const childrenByParent = Map.groupBy(pairs, ([, parent]) => parent);
  const treeMs = async (pid: number): Promise<number> => {
    const own = await readStat(pid).catch(() => ({ ownMs: 0, childrenMs: 0 }));
    const children = await Promise.all((childrenByParent.get(pid) ?? []).map(([child]) => treeMs(child)));
    return own.ownMs + own.childrenMs + children.reduce((sum, ms) => sum + ms, 0);
  };
  const entries = Object.entries(measured).map(
    async ([who, pid]) => [who, pid ? await treeMs(pid) : 0] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

async function openStores(baseUrl: string): Promise<BenchStore[]> {
  const owner = await newPerson(baseUrl);
  const ids: string[] = [];
  for (let i = 0; i < storeCount; i++) ids.push(await newStore(owner, `Tea House ${i}`));
  return Promise.all(
    ids.map(async (id) => {
      const { secret } = await newKey(owner, id, permissions);
      const call = createCaller(baseUrl, secret);
      const products: BenchStore['products'] = [];
      for (let n = 0; n < productsOfEach; n++)
        products.push((await call('POST', '/api/v1/products', createProduct(n))).body.product);
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
      return { id, headers, products };
    }),
  );
}

const createProduct = (n: number) => ({
  name: `Tea ${n} ${Math.random().toString(36).slice(2)}`,
  status: 'active',
  variants: [{ priceCents: 900, stock: 1_000_000 }],
});

function createOperations(stores: readonly BenchStore[]): [name: string, next: () => Request][] {
  let turn = 0;
  const next = () => {
    turn++;
    const store = stores[turn % storeCount]!;
    return { ...store, product: store.products[turn % productsOfEach]! };
  };
  return [
    [
      'product read',
      () => {
        const { headers, product } = next();
        return { method: 'GET', path: `/api/v1/products/${product.id}`, headers };
      },
    ],
    ['list', () => ({ method: 'GET', path: '/api/v1/products?limit=50', headers: next().headers })],
    ['create', () => createIn(next())],
    [
      'order',
      () => {
        const { id, product } = next();
        return {
          method: 'POST',
          path: `/storefront/${id}/orders`,
          headers: {
            'content-type': 'application/json',
            'idempotency-key': `order-${turn}-${Math.random()}`,
          },
          body: JSON.stringify({
            items: [{ variantId: product.variants[0]!.id, quantity: 1 }],
            customer: { name: 'Ann', email: `ann-${turn}@example.com` },
          }),
        };
      },
    ],
  ];
}

let created = 0;
const createIn = ({ headers }: Pick<BenchStore, 'headers'>): Request => ({
  method: 'POST',
  path: '/api/v1/products',
  headers,
  body: JSON.stringify(createProduct(++created)),
});

async function listen(baseUrl: string, stores: readonly BenchStore[], receiverUrl: string): Promise<void> {
  for (const { headers } of stores) {
    const body = JSON.stringify({ url: `${receiverUrl}/hook`, events: ['product.created'] });
    const reply = await request(`${baseUrl}/api/v1/webhooks`, { method: 'POST', headers, body });
    if (reply.statusCode !== 201)
      throw new Error(`no webhook: ${reply.statusCode} ${await reply.body.text()}`);
    await reply.body.dump();
  }
}

/**
 * Creates products for a while, and waits until each was called about. Returns the rate per second, from the first to
 * the last.
 */
async function loadWithCalls(
  baseUrl: string,
  stores: readonly BenchStore[],
  receiverUrl: string,
): Promise<Load> {
  const ask = async (path: string) => (await request(`${receiverUrl}${path}`)).body.text();
  await ask('/stats');
  const from = created;
  let turn = 0;
  const began = performance.now();
  const result = await load(baseUrl, {}, () => createIn(stores[turn++ % storeCount]!), { seconds });
  const deadline = performance.now() + 120_000;
  while (Number(await ask('/count')) < created - from) {
    if (performance.now() > deadline)
      throw new Error(`${await ask('/count')} of ${created - from} calls came`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { ...result, perSecond: ((created - from) * 1000) / (performance.now() - began) };
}

async function openCounter(url: string, prefix: string, isCoordinator: boolean) {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('create extension if not exists pg_stat_statements');
  // Any database with Citus shows the counts of all.
  const ofCitus = isCoordinator
    ? new pg.Client(Object.assign(new URL(url), { pathname: `/${prefix}catalog` }).href)
    : null;
  await ofCitus?.connect();
  return {
    async read(): Promise<NodeCounts> {
      const { rows } = await client.query<Omit<NodeCounts, 'oneShard' | 'severalShards'>>(
        `select coalesce(sum(calls) filter (where query !~* '^\\s*(begin|start|commit|rollback|prepare tr|set |savepoint|release)'), 0)::float8 as statements,
           coalesce(sum(calls) filter (where query ~ '_\\d{6}\\M'), 0)::float8 as "ofShards",
           coalesce(sum(calls) filter (where query ~* '^\\s*prepare transaction'), 0)::float8 as prepared
         from pg_stat_statements s join pg_database d on d.oid = s.dbid where starts_with(d.datname, $1) and toplevel`,
        [prefix],
      );
      const counts = await ofCitus?.query<{ one: number; several: number }>(
        `select sum(query_execution_single_shard)::float8 as one, sum(query_execution_multi_shard)::float8 as several
         from citus_stat_counters where starts_with(name, $1)`,
        [prefix],
      );
      const { one = 0, several = 0 } = counts?.rows[0] ?? {};
      return { ...rows[0]!, oneShard: one, severalShards: several };
    },
    async close(): Promise<void> {
      await Promise.all([client.end(), ofCitus?.end()]);
    },
  };
}

function formatLine(
  name: string,
  { perSecond, p50, p99 }: Load,
  requests: number,
  spent: ProcessorTime,
  before: readonly NodeCounts[],
  after: readonly NodeCounts[],
): string {
  const rose = (part: (counts: NodeCounts) => number, from: number, to?: number) =>
    after.slice(from, to).reduce((sum, counts, i) => sum + part(counts) - part(before[from + i]!), 0);
  const each = (count: number) => (count / requests).toFixed(2);
  const cpu = Object.entries(spent)
    .map(([who, ms]) => `${who} ${each(ms)}`)
    .join(', ');
  return (
    `${name.padEnd(20)}${perSecond.toFixed(0).padStart(6)}/s  p50 ${p50.toFixed(1)}  p99 ${p99.toFixed(1)} ms  ` +
    `coordinator ${each(rose(({ statements }) => statements, 0, 1))}, ` +
    `workers ${each(rose(({ ofShards }) => ofShards, 1))} ` +
    `(one shard ${each(rose(({ oneShard }) => oneShard, 0, 1))}, several ${each(rose(({ severalShards }) => severalShards, 0, 1))}), ` +
    `two phases ${each(rose(({ prepared }) => prepared, 1))}, ` +
    `ms ${each(sumSpent(spent))}: ${cpu}`
  );
}

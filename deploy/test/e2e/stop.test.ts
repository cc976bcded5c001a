import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type Receiver, startReceiver } from '@waybill/testing';
import { listChildren } from '../../chaos/processes.ts';
import { services } from '../../services.ts';
import { expectStatus } from '../../testing/accounts.ts';
import { type Caller, createCaller, type Reply } from '../../testing/client.ts';
import { isRunning, type StartedSystem, topologies, unlimited } from './topologies.ts';

const readers = 2;
const writers = 2;
const stopWithinMs = 10_000;

/** The results of requests while one service was stopped and started. */
interface Tally {
  reads: number;
  writes: number;
  /** Reads without an answer, and writes that were not sent, or were answered 503 with Retry-After. */
  repeatable: number;
  /** All other failures. */
  failed: string[];
  slowestMs: number;
}

const lists = ['products', 'webhooks', 'orders', 'customers', 'pages', 'articles', 'media'];

const cluster = topologies.find(({ name }) => name === 'cluster');

(cluster ? describe : describe.skip)('cluster', () => {
  let receiver: Receiver;
  let system: StartedSystem;
  let demo: Caller;
  const created = new Set<string>();
  let turn = 0;
  let readable: string[] = [];
  beforeAll(async () => {
    receiver = await startReceiver();
    const env = { WEBHOOK_TRUSTED_TARGETS: receiver.trusted, ...unlimited, LOG_LEVEL: 'info' };
    system = await cluster!.start(env, ['--catalog', '2']);
    demo = createCaller(system.baseUrl, system.demo.apiKey);
    expectStatus(
      await demo('POST', '/api/v1/webhooks', { url: receiver.url, events: ['product.created'] }),
      201,
    );
    const paths = lists.map((name) => `/api/v1/${name}?limit=5`);
    const replies = await Promise.all(paths.map((path) => demo('GET', path)));
    readable = paths.filter((_, i) => replies[i]!.status === 200);
  });
  afterAll(async () => {
    await system?.stop();
    await receiver.close();
  });

  const pidsOf = (service: string) =>
    listChildren(system.pids()[0]!)
      .filter(({ command }) => command.includes(`services/${service}/src/main.ts`))
      .map(({ pid }) => pid);
  const pidOf = (service: string) => pidsOf(service)[0];

  /** Reads and writes with hardly a pause until `isOver`. */
  async function load(isOver: () => boolean, tally: Tally): Promise<void> {
    const one = async (isWrite: boolean, ask: () => Promise<Reply>): Promise<Reply | null> => {
      tally[isWrite ? 'writes' : 'reads']++;
      const sent = performance.now();
      const reply = await ask().catch((error: NodeJS.ErrnoException) => {
        // A refused connection has sent nothing.
        if (!isWrite || error.code === 'ECONNREFUSED') tally.repeatable++;
        else tally.failed.push(`${error.code}: ${error.message}`);
        return null;
      });
      tally.slowestMs = Math.max(tally.slowestMs, performance.now() - sent);
      if (!reply || reply.status < 300) return reply;
      if (reply.status === 503 && reply.headers['retry-after']) tally.repeatable++;
      else tally.failed.push(`${reply.status} ${reply.text}`);
      return null;
    };
    const repeat = async (act: () => Promise<unknown>) => {
      // Far shorter than the farewell of a stopping gateway, which closes a connection that is idle for that long.
      while (!isOver()) {
        await act();
        await sleep(20);
      }
    };
    await Promise.all([
      ...Array.from({ length: readers }, () =>
        repeat(() => one(false, () => demo('GET', readable[++turn % readable.length]!))),
      ),
      ...Array.from({ length: writers }, () =>
        repeat(async () => {
          const product = { name: `Stop ${++turn}`, variants: [] };
          const reply = await one(true, () => demo('POST', '/api/v1/products', product));
          if (reply) created.add(reply.body.product.id);
          return reply;
        }),
      ),
    ]);
  }

  test.each(services.map(({ name }) => name))(
    'SIGTERM of %s under load: it ends within 10 s and fails nothing that a client cannot safely repeat',
    async (service) => {
      const tally: Tally = { reads: 0, writes: 0, repeatable: 0, failed: [], slowestMs: 0 };
      // Before the load: the search for processes blocks this process, and a client that pauses for as long as the
      // farewell of a stopping gateway finds its connections closed.
      const pid = (await eventually(() => pidOf(service), { what: `a process of ${service}` }))!;
      let isOver = false;
      const loading = load(() => isOver, tally);
      const past = tally.writes + 20;
      await eventually(() => tally.writes > past, { what: 'some writes' });
      process.kill(pid, 'SIGTERM');
      const signalled = Date.now();
      await eventually(() => !isRunning(pid), { what: `the end of ${service}` });
      const endedMs = Date.now() - signalled;
      await eventually(async () => pidOf(service) && (await fetch(`${system.baseUrl}/healthz`)).ok, {
        what: `${service} and the system back`,
      });
      const [writes, reads] = [tally.writes, tally.reads];
      await eventually(() => tally.writes > writes + 20 && tally.reads > reads + 20, {
        what: 'more of both',
      });
      isOver = true;
      await loading;
      if (process.env.WAYBILL_TEST_FIGURES)
        process.stdout.write(`${service}: ${JSON.stringify({ endedMs, ...tally })}\n`);
      expect(tally.failed).toEqual([]);
      expect(endedMs).toBeLessThan(stopWithinMs);
    },
  );

  test('two copies of catalog, one restarted after the other under load: no read fails, and no write but safely', async () => {
    const tally: Tally = { reads: 0, writes: 0, repeatable: 0, failed: [], slowestMs: 0 };
    const starts = () => system.output().match(/catalog-\d +\| .*"msg":"ready"/g)?.length ?? 0;
    const pids = await eventually(() => pidsOf('catalog').length === 2 && pidsOf('catalog'), {
      what: 'both copies of catalog',
    });
    let isOver = false;
    const loading = load(() => isOver, tally);
    await eventually(() => tally.writes > 20, { what: 'some writes' });
    for (const pid of pids as number[]) {
      const before = starts();
      process.kill(pid, 'SIGTERM');
      await eventually(() => !isRunning(pid) && starts() > before, { what: 'a copy of catalog back' });
    }
    isOver = true;
    await loading;
    if (process.env.WAYBILL_TEST_FIGURES) process.stdout.write(`catalog, twice: ${JSON.stringify(tally)}\n`);
    expect(tally.failed).toEqual([]);
    // A connection may end just as a write is sent over it.
    expect(tally.repeatable).toBeLessThan(5);
  });

  test('no answered write and none of its events is lost', async () => {
    const stored = new Set<string>();
    for (let offset = 0; ; offset += 200) {
      const { body } = expectStatus(await demo('GET', `/api/v1/products?limit=200&offset=${offset}`), 200);
      for (const { id } of body.products) stored.add(id);
      if (body.products.length < 200) break;
    }
    expect([...created].filter((id) => !stored.has(id))).toEqual([]);
    const missing = () => {
      const called = new Set(receiver.calls.map(({ body }) => JSON.parse(String(body)).data?.product?.id));
      return [...created].filter((id) => !called.has(id));
    };
    // 30 s: the lease of a call in flight when a process ended may have to expire.
    await eventually(() => missing().length === 0, { withinMs: 45_000 }).catch(() => undefined);
    expect(missing()).toEqual([]);
  });
});

import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { seed, seededProducts } from './api.ts';
import { type Arrivals, type Outcome, percentile } from './load.ts';
import { captureOutput, type System } from './processes.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const peakConnections = 32;
const times = 2;
const overloadSeconds = 8;
/** Number of concurrent clients, each of which waits as long as `Retry-After` says when it is refused. */
const crowd = 2_500;
const healthEveryMs = 100;
const recoveryMs = 5_000;

export const arrive = async (arrivals: Arrivals): Promise<Outcome> =>
  JSON.parse(await captureOutput('arrivals.ts', { ARRIVALS: JSON.stringify(arrivals) }));

export const productPaths = () =>
  Array.from(
    { length: seededProducts },
    (_, i) => `/api/v1/products/prd_${(i + 1).toString(16).padStart(26, '0')}`,
  );

/**
 * The requests of the load: product reads, which are the cheapest, or searches with `BENCH_WORK=searches`. Reading and
 * refusing a request costs the same for both; for a read, that is a sixth of its cost.
 */
const works: Readonly<Record<string, () => string[]>> = {
  reads: productPaths,
  searches: () => Array.from({ length: 90 }, (_, i) => `/api/v1/products?q=article-${i + 10}`),
};
const work = process.env.BENCH_WORK ?? 'reads';

/** Checks health as a load balancer does, over a new connection each time. Returns the latencies and failures. */
function watchHealth(baseUrl: string) {
  const found = { latencies: [] as number[], failed: 0 };
  const asking = new Set<Promise<void>>();
  const ask = () =>
    new Promise<void>((resolve) => {
      const sent = performance.now();
      const end = (ok: boolean) => {
        found.latencies.push(performance.now() - sent);
        if (!ok) found.failed++;
        resolve();
      };
      http
        .get(`${baseUrl}/healthz`, { agent: false, timeout: 5_000 }, (res) => {
          res.resume().once('end', () => end(res.statusCode === 200));
        })
        .on('timeout', function (this: http.ClientRequest) {
          this.destroy(new Error('no answer'));
        })
        .on('error', () => end(false));
    });
  const timer = setInterval(() => {
    const one = ask().finally(() => asking.delete(one));
    asking.add(one);
  }, healthEveryMs);
  return async () => {
    clearInterval(timer);
    await Promise.all(asking);
    return found;
  };
}

/**
 * Measures the effect of twice the load that the system can take: the successful answers compared with those at the
 * peak, the time of refusals and health checks meanwhile, and how soon the system recovers. The load runs in another
 * process; peak and overload are measured in turn, and their medians compared.
 */
export async function benchOverload(system: System, name: string): Promise<void> {
  const { baseUrl, apiKey, storeId } = system.demo;
  await seed(await system.databaseUrl('catalog'), storeId, 1, seededProducts);
  const loadOptions = { url: baseUrl, paths: works[work]!(), bearer: apiKey };
  const atPeak = (seconds: number) => arrive({ ...loadOptions, connections: peakConnections, seconds });
  await atPeak(3);
  console.log(`${name}: ${work}, ${rounds} rounds`);
  const shares: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const peak = await atPeak(4);
    // A new process is slower, so the recovery is compared with another new one.
    const before = await atPeak(1);
    for (const [kind, load] of [
      [`${times} × the peak`, { perSecond: times * peak.perSecond, connections: crowd }],
      [`${crowd} connections`, { connections: crowd }],
    ] as const) {
      const health = watchHealth(baseUrl);
      const over = await arrive({ ...loadOptions, ...load, seconds: overloadSeconds });
      const { latencies, failed } = await health();
      const ended = performance.now();
      let recovered = 0;
      while (performance.now() - ended < 2 * recoveryMs && !recovered) {
        const after = await atPeak(1);
        if (after.refused + after.failed === 0 && after.perSecond > 0.8 * before.perSecond)
          recovered = performance.now() - ended;
      }
      const share = over.perSecond / peak.perSecond;
      if ('perSecond' in load) shares.push(share);
      // JSON has no NaN: a null means that there was no such answer.
      const ms = (value: number | null) => (value === null ? '–' : `${value.toFixed(0)} ms`);
      console.log(
        `  ${kind.padEnd(18)} goodput ${share.toFixed(2)} of ${peak.perSecond.toFixed(0)}/s (p50 ${ms(over.p50)}, p99 ${ms(over.p99)}); ` +
          `${over.refused} refused in p50 ${ms(over.refusedP50)}, p95 ${ms(over.refusedP95)}; ${over.late} late, ${over.failed} failed; ` +
          `health p50 ${ms(percentile(latencies, 0.5))}, p95 ${ms(percentile(latencies, 0.95))}, most ${ms(Math.max(...latencies))}, ${failed} of ${latencies.length} failed; ` +
          `itself after ${recovered ? ms(recovered) : 'NOT'}`,
      );
    }
    await sleep(500);
  }
  const share = percentile(shares, 0.5);
  console.log(`  goodput at ${times} × the peak: ${share.toFixed(2)} (aim 0.90)`);
}

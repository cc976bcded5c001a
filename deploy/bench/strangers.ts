import { setTimeout as sleep } from 'node:timers/promises';
import { seed, seededProducts } from './api.ts';
import { type Outcome, percentile } from './load.ts';
import { arrive, productPaths } from './overload.ts';
import type { System } from './processes.ts';

const rounds = 5;
const seconds = 4;
const floodConnections = 50;
const aim = 1.3;

/**
 * Measures the effect of a flood of credentials that never existed on the requests of a valid key: its p99 during a
 * flood from one address, during a flood from many, and without a flood, in turn; medians over the rounds. The key's
 * requests come at a quarter of the peak's pace.
 */
export async function benchStrangers(system: System, name: string): Promise<void> {
  const { baseUrl, apiKey, storeId } = system.demo;
  await seed(await system.databaseUrl('catalog'), storeId, 1, seededProducts);
  const good = { url: baseUrl, paths: productPaths(), bearer: apiKey };
  const { perSecond: peak } = await arrive({ ...good, connections: 32, seconds: 3 });
  const flood = {
    url: baseUrl,
    paths: ['/api/v1/products'],
    bearer: null,
    connections: floodConnections,
    seconds: seconds + 3,
  };
  const kinds = {
    alone: null,
    'of one address': flood,
    'of many addresses': { ...flood, isFromEverywhere: true },
  };
  const found: Record<string, { good: Outcome; flood: Outcome | null }[]> = {};
  for (let round = 0; round < rounds; round++)
    for (const [kind, load] of Object.entries(kinds)) {
      const flooding = load && arrive(load);
      // A starting process occupies a core for a while, regardless of what it sends later.
      if (flooding) await sleep(1_500);
      const outcome = await arrive({ ...good, connections: 200, perSecond: peak / 4, seconds });
      found[kind] = [...(found[kind] ?? []), { good: outcome, flood: await flooding }];
    }
  console.log(
    `${name}: a good key at ${(peak / 4).toFixed(0)} requests/s beside ${floodConnections} connections of strangers, ${rounds} rounds`,
  );
  const p99 = (kind: string) =>
    percentile(
      found[kind]!.map((one) => one.good.p99),
      0.5,
    );
  for (const [kind, all] of Object.entries(found)) {
    const p50 = percentile(
      all.map((one) => one.good.p50),
      0.5,
    );
    const refusals = percentile(
      all.map((one) => (one.flood?.refused ?? 0) / (seconds + 3)),
      0.5,
    );
    const lost = all.reduce((sum, { good: { refused, late, failed } }) => sum + refused + late + failed, 0);
    console.log(
      `  ${kind.padEnd(18)} p50 ${p50.toFixed(1)} ms, p99 ${p99(kind).toFixed(1)} ms (${(p99(kind) / p99('alone')).toFixed(2)} × alone, aim ${aim}); ` +
        `${refusals.toFixed(0)} refusals/s; ${lost} of the good ones refused, late or failed`,
    );
  }
}

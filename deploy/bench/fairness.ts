import { setTimeout as sleep } from 'node:timers/promises';
import { permissions } from '@waybill/contracts';
import { Pool, request } from 'undici';
import { expectStatus, newKey, newPerson, newStore } from '../testing/accounts.ts';
import { createCaller } from '../testing/client.ts';
import { percentile } from './load.ts';
import type { System } from './processes.ts';

const healthyStores = 19;
/** Writes per second of each healthy store; the flooding store writes ten times as much. */
const perSecond = 4;
const floodTimes = 10;
const floodEndpoints = 2;
const phaseSeconds = 10;
const rounds = 3;
const mostMore = 1.2;
/** A smaller difference is noise. */
const noiseMs = 5;

interface Store {
  call: ReturnType<typeof createCaller>;
  headers: Record<string, string>;
  endpoints: string[];
}

/**
 * Measures whether a store that floods receivers which never answer delays the calls of others. It runs 19 healthy
 * stores alone, beside a flood whose calls are answered, and beside a flood whose calls hang, and reports their p99
 * from commit to arrival. It repeats this for several rounds, so that other work on the machine affects all alike.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a measurement reads as one sequence of steps
export async function benchFairness({ demo }: System, receiverUrl: string): Promise<void> {
  const { baseUrl } = demo;
  const events = ['product.created'];
  async function newStoreWith(paths: readonly string[]): Promise<Store> {
    const owner = await newPerson(baseUrl);
    const { secret } = await newKey(owner, await newStore(owner), permissions);
    const call = createCaller(baseUrl, secret);
    const endpoints: string[] = [];
    for (const path of paths) {
      const reply = await call('POST', '/api/v1/webhooks', { url: `${receiverUrl}/${path}`, events });
      endpoints.push(expectStatus(reply, 201).body.webhook.id);
    }
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    return { call, headers, endpoints };
  }
  const healthy: Store[] = [];
  for (let i = 0; i < healthyStores; i++) healthy.push(await newStoreWith([`healthy-${i}`]));
  const flood = await newStoreWith(Array<string>(floodEndpoints).fill('flood'));
  const ask = async (path: string) => (await request(`${receiverUrl}${path}`)).body.text();

  const pool = new Pool(baseUrl, { connections: 64 });
  let turn = 0;
  async function write({ headers }: Store): Promise<void> {
    const body = JSON.stringify({ name: `Fairness ${++turn} ${Math.random()}`, variants: [] });
    const reply = await pool.request({ method: 'POST', path: '/api/v1/products', headers, body });
    await reply.body.dump();
    if (reply.statusCode !== 201) throw new Error(`a write was answered ${reply.statusCode}`);
  }

  /** Writes at an even pace for a while. Returns the latencies of the healthy calls, once all have arrived. */
  async function phase(withFlood: boolean, seconds = phaseSeconds): Promise<number[]> {
    await ask('/stats');
    const perTurn = healthyStores + (withFlood ? floodTimes : 0);
    const begun = performance.now();
    const writes: Promise<void>[] = [];
    let expected = 0;
    for (let n = 0; n < seconds * perSecond * perTurn; n++) {
      const due = begun + (n * 1000) / (perSecond * perTurn);
      const early = due - performance.now();
      if (early > 0) await sleep(early);
      const store = healthy[n % perTurn];
      if (store) expected++;
      writes.push(write(store ?? flood));
    }
    await Promise.all(writes);
    const deadline = Date.now() + 30_000;
    while (Number(await ask('/count')) < expected) {
      if (Date.now() > deadline) throw new Error(`only ${await ask('/count')} of ${expected} calls came`);
      await sleep(20);
    }
    return JSON.parse(await ask('/stats')) as number[];
  }

  /** Cancels the calls that wait for the flood's endpoints, so that they do not affect the next phase. */
  async function endFlood(): Promise<void> {
    await ask('/answer');
    for (const status of ['disabled', 'active'])
      for (const id of flood.endpoints)
        expectStatus(
          await flood.call('PUT', `/api/v1/webhooks/${id}`, { url: `${receiverUrl}/flood`, events, status }),
          200,
        );
    // Hanging calls end at their deadline of 10 s.
    await sleep(11_000);
  }

  const found: Record<'alone' | 'taken' | 'hanging', number[]> = { alone: [], taken: [], hanging: [] };
  await phase(true, 3);
  for (let round = 0; round < rounds; round++) {
    found.alone.push(...(await phase(false)));
    found.taken.push(...(await phase(true)));
    await ask('/hang');
    found.hanging.push(...(await phase(true)));
    await endFlood();
  }
  await pool.close();

  const p99 = (name: keyof typeof found) => percentile(found[name], 0.99);
  console.log(
    `commit to arrival of ${healthyStores} healthy stores at ${perSecond} events/s each, ${rounds} × ${phaseSeconds} s:`,
  );
  for (const [name, latencies] of Object.entries(found)) {
    const [half, most] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
    const beside = {
      alone: 'alone',
      taken: `beside a flood (×${floodTimes}) that is taken`,
      hanging: 'beside one that never gets an answer',
    };
    console.log(
      `  ${beside[name as keyof typeof found].padEnd(40)} p50 ${half} ms, p99 ${most} ms (${latencies.length} calls)`,
    );
  }
  const isFair = p99('hanging') <= p99('alone') * mostMore || p99('hanging') - p99('alone') <= noiseMs;
  console.log(
    `  the dead receivers make it ${(p99('hanging') / p99('alone')).toFixed(2)} times as long ` +
      `(aim: at most ${mostMore}, or ${noiseMs} ms more): ${isFair ? 'fair' : 'NOT FAIR'}`,
  );
}

/**
 * Runs a load in a process of its own, as ARRIVALS describes it (`Arrivals`, JSON); prints its result (`Outcome`) as
 * one line of JSON. With `perSecond`, requests are sent at that pace regardless of earlier ones, like those of many
 * clients; without it, each connection sends its next request when it has an answer.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCredential } from '@waybill/contracts';
import { type Arrivals, type Outcome, percentile } from './load.ts';
import { openSockets } from './sockets.ts';

const { url, paths, bearer, isFromEverywhere, connections, seconds, perSecond }: Arrivals = JSON.parse(
  process.env.ARRIVALS!,
);
/** How long a client waits, in milliseconds; a later answer does not count. */
const patienceMs = 2_000;

const found = { answered: [] as number[], refused: [] as number[], late: 0, failed: 0 };
const sockets = openSockets(url, connections);
let turn = 0;

const address = () => Array.from({ length: 4 }, () => randomInt(1, 255)).join('.');

/** Sends a request. Returns the seconds after which it may be repeated. */
async function ask(due: number): Promise<number> {
  const headers = {
    authorization: `Bearer ${bearer ?? createCredential('wbk')}`,
    ...(isFromEverywhere && { 'x-forwarded-for': address() }),
  };
  try {
    const { status, retryAfter } = await sockets.get(paths[turn++ % paths.length]!, headers);
    const tookMs = performance.now() - due;
    if (status >= 300) {
      found.refused.push(tookMs);
      return retryAfter;
    }
    if (tookMs > patienceMs) found.late++;
    else found.answered.push(tookMs);
  } catch {
    found.failed++;
  }
  return 0;
}

const started = performance.now();
const until = started + seconds * 1000;

async function atPace(pace: number): Promise<void> {
  const under = new Set<Promise<void>>();
  for (let n = 0; ; n++) {
    const due = started + (n * 1000) / pace;
    if (due > until) break;
    const early = due - performance.now();
    if (early > 1) await sleep(early);
    const asking = ask(due).then(() => void under.delete(asking));
    under.add(asking);
  }
  await Promise.all(under);
}

async function inTurn(): Promise<void> {
  while (performance.now() < until) {
    const retryAfter = await ask(performance.now());
    // A client that floods with invalid credentials does not wait.
    if (bearer && retryAfter) await sleep(retryAfter * 1_000);
  }
}

await (perSecond ? atPace(perSecond) : Promise.all(Array.from({ length: connections }, inTurn)));
const elapsed = (performance.now() - started) / 1000;
sockets.close();
const outcome: Outcome = {
  perSecond: found.answered.length / (perSecond ? seconds : elapsed),
  p50: percentile(found.answered, 0.5),
  p95: percentile(found.answered, 0.95),
  p99: percentile(found.answered, 0.99),
  refused: found.refused.length,
  refusedP50: percentile(found.refused, 0.5),
  refusedP95: percentile(found.refused, 0.95),
  late: found.late,
  failed: found.failed,
};
process.stdout.write(`${JSON.stringify(outcome)}\n`);

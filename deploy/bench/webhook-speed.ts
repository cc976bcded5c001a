import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { request } from 'undici';
import { percentile } from './load.ts';
import { createMeter, type Meter, type ProcessorTime, spentBetween, sumSpent } from './meter.ts';
import { type System, startProgram } from './processes.ts';
import {
  floorPublisher,
  internalPublisher,
  type Publisher,
  peerPublisher,
  productPublisher,
} from './publishers.ts';

const eventsOfRound = Number(process.env.BENCH_EVENTS ?? 10_000);
const pacedSeconds = Number(process.env.BENCH_SECONDS ?? 10);
const pacedPerSecond = 100;
/** A process that is idle takes a few ticks of 10 ms in a second. */
const idleSeconds = 30;
const deadlineMs = 120_000;

interface Receiver {
  count(): Promise<number>;
  /** Returns the milliseconds of the calls since the last time. */
  takeLatencies(): Promise<number[]>;
}

const receiverAt = (url: string): Receiver => ({
  count: async () => Number(await (await request(`${url}/count`)).body.text()),
  takeLatencies: async () => JSON.parse(await (await request(`${url}/stats`)).body.text()),
});

/** Measures the ways into one system, one after another. */
async function measure(label: string, publisher: Publisher, meter: Meter, receiver: Receiver): Promise<void> {
  await publishThrough(publisher, receiver, { events: Math.ceil(eventsOfRound / 4), atOnce: 16 });
  for (const atOnce of [16, 64]) {
    const before = await meter.read();
    const events = eventsOfRound;
    const perSecond = await publishThrough(publisher, receiver, { events, atOnce });
    await untilRecorded(meter);
    const spent = spentBetween(before, await meter.read());
    console.log(
      `${label}, ${publisher.name}, ${atOnce} at a time: ${perSecond.toFixed(0)}/s, ${formatSpent(spent, events)}`,
    );
  }
  const before = await meter.read();
  const events = await publishPaced(publisher, receiver);
  await untilRecorded(meter);
  const spent = spentBetween(before, await meter.read());
  const latencies = await receiver.takeLatencies();
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(latencies, share).toFixed(1));
  console.log(
    `${label}, ${publisher.name}, ${pacedPerSecond}/s: p50 ${p50}, p95 ${p95}, p99 ${p99} ms, ${formatSpent(spent, events)}`,
  );
}

/** Outcomes are recorded a moment after the calls. */
const untilRecorded = (_meter: Meter) => sleep(700);

const formatSpent = (spent: ProcessorTime, events: number): string => {
  const each = Object.entries(spent).map(([name, ms]) => `${name} ${(ms / events).toFixed(2)}`);
  return `${(sumSpent(spent) / events).toFixed(2)} ms of CPU an event (${each.join(', ')})`;
};

async function publishThrough(
  publisher: Publisher,
  receiver: Receiver,
  { events, atOnce }: { events: number; atOnce: number },
): Promise<number> {
  await receiver.takeLatencies();
  let turn = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (turn < events) await publisher.publish(turn++);
    }),
  );
  await untilArrived(receiver, events);
  return events / ((performance.now() - started) / 1000);
}

async function publishPaced(publisher: Publisher, receiver: Receiver): Promise<number> {
  await receiver.takeLatencies();
  const events = pacedPerSecond * pacedSeconds;
  const started = performance.now();
  const publishing: Promise<void>[] = [];
  for (let turn = 0; turn < events; turn++) {
    const early = started + (turn * 1000) / pacedPerSecond - performance.now();
    if (early > 0) await sleep(early);
    publishing.push(publisher.publish(turn));
  }
  await Promise.all(publishing);
  await untilArrived(receiver, events);
  return events;
}

async function untilArrived(receiver: Receiver, events: number): Promise<void> {
  const until = performance.now() + deadlineMs;
  while ((await receiver.count()) < events) {
    if (performance.now() > until)
      throw new Error(`only ${await receiver.count()} of ${events} events have arrived`);
    await sleep(10);
  }
}

/** Measures events through a running system, by both ways in, and at last its idle cost. */
export async function benchWebhookSpeed(
  system: System,
  { receiverUrl, token, label }: { receiverUrl: string; token: string; label: string },
): Promise<void> {
  const { demo } = system;
  const meter = createMeter({ ...system.processes(), ...(await system.servers()) });
  const reply = await request(`${demo.baseUrl}/api/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demo.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: `${receiverUrl}/hook`, events: ['product.created'] }),
  });
  await reply.body.dump();
  if (reply.statusCode !== 201) throw new Error(`the webhook could not be made: ${reply.statusCode}`);
  const receiver = receiverAt(receiverUrl);
  const only = process.env.BENCH_WAY;
  for (const open of [() => internalPublisher(system, token), async () => productPublisher(system)]) {
    const publisher = await open();
    if (!only || publisher.name.includes(only)) await measure(label, publisher, meter, receiver);
    await publisher.close();
  }
  // After a load, V8 collects garbage for a while.
  await sleep(15_000);
  const before = await meter.read();
  await sleep(idleSeconds * 1000);
  const idle = Object.entries(spentBetween(before, await meter.read()));
  const shares = idle.map(([name, ms]) => `${name} ${(ms / (10 * idleSeconds)).toFixed(2)}`);
  console.log(`${label}, idle, % of a core: ${shares.join(', ')}`);
}

/** Measures the same for a bare process that does only what is necessary, on the PostgreSQL of a system. */
export async function benchEventFloor(system: System, receiverUrl: string, label: string): Promise<void> {
  const url = new URL(await system.databaseUrl('webhooks'));
  const name = `${url.pathname.slice(1)}_floor`;
  const admin = new pg.Client(url.href);
  await admin.connect();
  await admin.query(`create database ${name}`);
  url.pathname = `/${name}`;
  const floor = await startProgram('event-floor.ts', {
    FLOOR_DATABASE_URL: url.href,
    FLOOR_TARGET: `${receiverUrl}/hook`,
  });
  const { postgres = null } = await system.servers();
  const publisher = floorPublisher(`http://127.0.0.1:${floor.line}`);
  const meter = createMeter({ floor: floor.pid, postgres });
  await measure(label, publisher, meter, receiverAt(receiverUrl));
  await publisher.close();
  await floor.stop();
  await admin.query(`drop database ${name} with (force)`);
  await admin.end();
}

/** Measures the same for another system, given its processes and servers. */
export async function benchPeer(
  url: string,
  {
    receiverUrl,
    token,
    processes,
  }: { receiverUrl: string; token: string; processes: Record<string, number | null> },
): Promise<void> {
  const publisher = await peerPublisher(url, token, receiverUrl);
  await measure('peer', publisher, createMeter(processes), receiverAt(receiverUrl));
  await publisher.close();
}

import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@waybill/contracts';
import pg from 'pg';
import { request } from 'undici';
import { percentile } from './load.ts';
import type { System } from './processes.ts';

const endpoints = 100_000;
const deliveries = 1_000_000;
const idleMs = 10_000;

/** Creates endpoints of stores that sort before every real one, each with deliveries that are due tomorrow. */
const waiting = `with e as (
    insert into webhook_endpoint (store_id, id, url, sealed_secret, events, status)
    select case when $1::int > 1 then 'str_0' || g else $3 end, 'whe_' || lpad($4 || g, 26, '0'), 'https://example.com/', 'x',
      '{product.deleted}', 'active'
    from generate_series(1, $1::int) g returning store_id, id
  ), d as (
    insert into webhook_delivery (store_id, id, endpoint_id, event_id, event_type, status)
    select e.store_id, $5 || substr(md5($4 || n || e.id), 1, 16), e.id, 'evt_' || $4 || n || e.id, 'product.deleted',
      'retrying'
    from e, generate_series(1, $2::int) n returning store_id, id, endpoint_id, tableoid::regclass::text as partition
  ), c as (
    insert into webhook_delivery_count (store_id, endpoint_id, partition, deliveries)
    select store_id, endpoint_id, partition, count(*) from d group by store_id, endpoint_id, partition
  )
  insert into webhook_due (store_id, delivery_id, endpoint_id, claimable_at, is_leased)
  select store_id, id, endpoint_id, now() + interval '1 day', false from d`;

/**
 * Measures that waiting work costs nothing: endpoints whose next call is due tomorrow, and many deliveries of one
 * endpoint. It compares idle CPU time, the time from commit to arrival, and the requests that end an endpoint with
 * those of an empty system.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a measurement reads as one sequence of steps
export async function benchBacklog(system: System, receiverUrl: string): Promise<void> {
  const { demo } = system;
  const headers = { authorization: `Bearer ${demo.apiKey}`, 'content-type': 'application/json' };
  const ask = async (path: string) => (await request(`${receiverUrl}${path}`)).body.text();
  const send = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => {
    const started = performance.now();
    const text = body ? JSON.stringify(body) : null;
    const reply = await request(`${demo.baseUrl}/api/v1${path}`, { method, headers, body: text });
    const answer = await reply.body.text();
    const ms = performance.now() - started;
    return { status: reply.statusCode, ms, body: answer ? JSON.parse(answer) : null };
  };
  const hook = { url: `${receiverUrl}/hook`, events: ['product.created'] };
  await send('POST', '/webhooks', hook);
  const client = new pg.Client({ connectionString: await system.databaseUrl('webhooks') });
  await client.connect();

  async function arrivals(): Promise<{ p50: number; p95: number; idle: number }> {
    const before = await processorMs(system.pid);
    await sleep(idleMs);
    const idle = ((await processorMs(system.pid)) - before) / idleMs;
    await ask('/stats');
    const count = 300;
    for (let i = 0; i < count; i++) {
      await send('POST', '/products', { name: `Paced ${Math.random()}`, variants: [] });
      await sleep(10);
    }
    while (Number(await ask('/count')) < count) await sleep(20);
    const latencies = JSON.parse(await ask('/stats')) as number[];
    return { p50: percentile(latencies, 0.5), p95: percentile(latencies, 0.95), idle };
  }
  const ended = async (id: string) => {
    const put = await send('PUT', `/webhooks/${id}`, {
      ...hook,
      events: ['product.deleted'],
      status: 'disabled',
    });
    const remove = await send('DELETE', `/webhooks/${id}`);
    return { put, remove };
  };

  await arrivals();
  const empty = await arrivals();
  const { body } = await send('POST', '/webhooks', { ...hook, events: ['product.deleted'] });
  const history = async (id: string) => {
    const times = [];
    for (let i = 0; i < 20; i++) times.push((await send('GET', `/webhooks/${id}/deliveries`)).ms);
    return percentile(times, 0.5);
  };
  const emptyHistory = await history(body.webhook.id);
  await ended((await send('POST', '/webhooks', hook)).body.webhook.id);
  const emptyEnd = await ended(body.webhook.id);

  // The prefix of their ids: the time of their creation.
  const idPrefix = newId('webhookDelivery').slice(0, -16);
  await client.query(waiting, [endpoints, 1, '', 'a', idPrefix]);
  await client.query(waiting, [1, deliveries, demo.storeId, 'b', idPrefix]);
  await client.query('analyze webhook_due; analyze webhook_delivery; analyze webhook_endpoint');
  // The task that adds existing deliveries to the queue would take too long.
  await client.query(`do $$ begin if to_regclass('endpoint_queue') is not null then
    insert into endpoint_queue select store_id, endpoint_id, min(claimable_at) from webhook_due
      group by store_id, endpoint_id on conflict do nothing; end if; end $$`);
  const full = await arrivals();
  const times = (after: number, before: number) => (after / before).toFixed(2);
  console.log(
    `${endpoints} endpoints due tomorrow: processors when idle ${(full.idle * 100).toFixed(1)} % of a core, ` +
      `empty ${(empty.idle * 100).toFixed(1)} %; commit to arrival p50 ${full.p50} ms (× ${times(full.p50, empty.p50)}), ` +
      `p95 ${full.p95} ms (× ${times(full.p95, empty.p95)})`,
  );
  const flooded = `whe_${'b1'.padStart(26, '0')}`;
  const fullHistory = await history(flooded);
  console.log(
    `an endpoint with ${deliveries} deliveries: first page of its history ${fullHistory.toFixed(1)} ms ` +
      `(× ${times(fullHistory, emptyHistory)})`,
  );
  const fullEnd = await ended(flooded);
  console.log(
    `an endpoint with ${deliveries} deliveries: PUT disabled ${fullEnd.put.status} in ${fullEnd.put.ms.toFixed(0)} ms ` +
      `(× ${times(fullEnd.put.ms, emptyEnd.put.ms)}), DELETE ${fullEnd.remove.status} in ` +
      `${fullEnd.remove.ms.toFixed(0)} ms (× ${times(fullEnd.remove.ms, emptyEnd.remove.ms)})`,
  );
  await client.end();
}

/** Returns the CPU time of a process and all that it has started, in milliseconds. */
async function processorMs(root: number): Promise<number> {
  const stats = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')),
  );
  const all = stats.filter(Boolean).map((text) => {
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // A tick is 10 ms on every Linux.
    return {
      pid: Number.parseInt(text, 10),
      parent: Number(fields[1]),
      ms: 10 * (Number(fields[11]) + Number(fields[12])),
    };
  });
  const family = new Set([root]);
  for (let size = 0; size < family.size; ) {
    size = family.size;
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
  }
  return all.filter(({ pid }) => family.has(pid)).reduce((sum, { ms }) => sum + ms, 0);
}

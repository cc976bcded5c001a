/**
 * The floor of a webhook service: a bare process that takes an event over HTTP, commits event and delivery in batches
 * before it answers, signs and posts the call, and commits outcomes in batches. It has no tenants, rights or retries.
 * FLOOR_DATABASE_URL is a database of its own, FLOOR_TARGET the address of the calls.
 */
import { createHmac, createSecretKey } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '@waybill/contracts';
import { createBatcher } from '@waybill/kernel';
import pg from 'pg';
import { Pool } from 'undici';

const pool = new pg.Pool({ connectionString: process.env.FLOOR_DATABASE_URL, max: 4 });
const target = new URL(process.env.FLOOR_TARGET!);
const receiver = new Pool(target.origin, { connections: 64 });
const secret = createSecretKey('whsec_secret', 'utf8');

await pool.query(`create table if not exists floor_event (id text primary key, body text not null, created_at timestamptz not null default now());
  create table if not exists floor_delivery (id text primary key, event_id text not null, status text not null, log text)`);

interface Event {
  id: string;
  deliveryId: string;
  body: string;
}

const write = createBatcher<Event, null>(async (_key, events) => {
  await pool.query({
    name: 'write',
    text: `with event as (insert into floor_event (id, body) select * from unnest($1::text[], $2::text[]))
      insert into floor_delivery (id, event_id, status) select id, event_id, 'pending' from unnest($3::text[], $1::text[]) as d (id, event_id)`,
    values: [
      events.map(({ id }) => id),
      events.map(({ body }) => body),
      events.map((each) => each.deliveryId),
    ],
  });
  return events.map(() => null);
}, 256);

const settle = createBatcher<{ deliveryId: string; status: number }, null>(async (_key, ends) => {
  await pool.query({
    name: 'settle',
    text: `update floor_delivery d set status = 'delivered', log = i.log
      from unnest($1::text[], $2::text[]) as i (id, log) where d.id = i.id`,
    values: [ends.map((each) => each.deliveryId), ends.map((each) => JSON.stringify(each))],
  });
  return ends.map(() => null);
}, 256);

async function deliver({ id, deliveryId, body }: Event): Promise<void> {
  const seconds = Math.floor(Date.now() / 1000);
  const hmac = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
  const reply = await receiver.request({
    method: 'POST',
    path: target.pathname,
    headers: { 'content-type': 'application/json', 'x-wb-event-id': id, 'x-wb-signature': `sha256=${hmac}` },
    body,
  });
  await reply.body.dump();
  await settle('all', { deliveryId, status: reply.statusCode });
}

const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', async () => {
    const { type, data } = JSON.parse(Buffer.concat(chunks).toString());
    const id = newId('event');
    const event = {
      id,
      deliveryId: newId('webhookDelivery'),
      body: JSON.stringify({ id, type, createdAt: new Date().toISOString(), data }),
    };
    await write('all', event);
    res.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify({ event: { id, type } }));
    await deliver(event);
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
process.on('SIGTERM', () => process.exit(0));

/**
 * Benchmark of HTTP clients for webhook calls: sends signed posts to a receiver in a separate process, each client in
 * turn, and prints ratios to a bare `node:http` loop that also signs. Run with
 * `node bench/clients.ts [seconds a round]`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseTrustedTargets } from '@waybill/outbound';
import got from 'got';
import * as undici from 'undici';
import { createSender } from '../src/sending/send.ts';
import { createSigningKeys, signCall } from '../src/sending/signature.ts';

type Post = (url: string, headers: Record<string, string>, body: string) => Promise<number>;

const agent = new Agent({ keepAlive: true });
const dispatcher = new undici.Agent({ allowH2: false });

const bare: Post = (url, headers, body) =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers });
    sent.on('response', (reply) => reply.resume().on('end', () => resolve(reply.statusCode!)));
    sent.on('error', reject).end(body);
  });

const gotPromise: Post = async (url, headers, body) => {
  const options = { headers, body, agent: { http: agent }, retry: { limit: 0 } };
  return (await got.post(url, { ...options, followRedirect: false, throwHttpErrors: false })).statusCode;
};

/** Uses the stream interface, the only form of got that need not hold a whole reply in memory. */
const gotStream: Post = (url, headers, body) =>
  new Promise((resolve, reject) => {
    const options = { headers, body, agent: { http: agent }, retry: { limit: 0 } };
    const sent = got.stream.post(url, { ...options, followRedirect: false, throwHttpErrors: false });
    sent.on('response', (reply) => sent.resume().on('end', () => resolve(reply.statusCode)));
    sent.on('error', reject);
  });

const undiciRequest: Post = async (url, headers, body) => {
  const reply = await undici.request(url, { method: 'POST', dispatcher, headers, body });
  await reply.body.dump();
  return reply.statusCode;
};

const undiciDispatch: Post = (url, headers, body) =>
  new Promise((resolve, reject) => {
    const { origin, pathname } = new URL(url);
    let status = 0;
    dispatcher.dispatch(
      { origin, path: pathname, method: 'POST', headers, body },
      {
        onRequestStart: () => {},
        onResponseStart: (_, statusCode) => {
          status = statusCode;
        },
        onResponseData: () => {},
        onResponseEnd: () => resolve(status),
        onResponseError: (_, error) => reject(error),
      },
    );
  });

const clients: Record<string, Post> = {
  'node:http (bare loop)': bare,
  'undici dispatch': undiciDispatch,
  'undici request': undiciRequest,
  'got stream': gotStream,
  'got promise': gotPromise,
};

if (process.send) receive();
else await compare(Number(process.argv[2] ?? 1.5));

function receive(): void {
  process.on('disconnect', () => process.exit());
  const server = createServer((incoming, reply) =>
    incoming.resume().on('end', () => reply.end('{"ok":true}')),
  );
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

async function compare(seconds: number): Promise<void> {
  const receiver = fork(import.meta.filename);
  const [port] = await once(receiver, 'message');
  const url = `http://127.0.0.1:${port}/hook`;
  const sender = createSender({ trustedTargets: parseTrustedTargets(`127.0.0.1/32:${port}`) });
  clients['our sender (undici)'] = async (url, headers, body) =>
    (await sender.send({ url, headers, body })).statusCode!;
  for (const concurrency of [16, 64]) {
    const rates = new Map(Object.keys(clients).map((name) => [name, [] as number[]]));
    for (let round = 0; round < 5; round++) {
      for (const [name, post] of Object.entries(clients)) {
        const rate = await measure(post, url, concurrency, seconds);
        if (round > 0) rates.get(name)!.push(rate); // the first round is a warm-up
      }
    }
    print(concurrency, rates);
  }
  receiver.kill();
  agent.destroy();
  await Promise.all([dispatcher.close(), sender.close()]);
}

async function measure(post: Post, url: string, concurrency: number, seconds: number): Promise<number> {
  const keys = createSigningKeys(`whsec_${Buffer.alloc(32, 7).toString('base64')}`);
  const body = JSON.stringify({ id: 'evt_1', type: 'product.created', data: { text: 'x'.repeat(1000) } });
  const started = performance.now();
  const until = started + seconds * 1000;
  let calls = 0;
  const loop = async () => {
    while (performance.now() < until) {
      const now = new Date();
      const headers = signCall({
        keys,
        eventId: 'evt_1',
        eventType: 'product.created',
        attempt: 1,
        body,
        now,
      });
      const status = await post(url, headers, body);
      if (status !== 200) throw new Error(`the receiver answered ${status}`);
      calls++;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  return calls / ((performance.now() - started) / 1000);
}

function print(concurrency: number, rates: Map<string, number[]>): void {
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
  const floor = median(rates.get('node:http (bare loop)')!);
  console.log(`\n${concurrency} at a time    calls/s   ratio`);
  for (const [name, values] of rates) {
    const rate = median(values);
    console.log(`${name.padEnd(22)} ${rate.toFixed(0).padStart(6)}   ${(rate / floor).toFixed(2)}`);
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { eventually } from '@waybill/testing';
import { POST } from '../examples/next/app/api/waybill/route.ts';
import { type Model, webhooks } from '../src/index.ts';

const secret = webhooks.newSecret();
const event: Model<'Event'> = {
  id: 'evt_1',
  type: 'order.created',
  createdAt: '2026-11-20T10:00:00.000Z',
  data: { order: { id: 'ord_1' } },
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Returns the answers to a genuine call, a forged one, an unsigned one, and a genuine one with an empty body. */
async function statuses(post: (init: RequestInit) => Promise<Response>): Promise<number[]> {
  const { body, headers } = await webhooks.sign(event, secret);
  const forged = await webhooks.sign(event, webhooks.newSecret());
  const empty = await webhooks.sign('', secret);
  const calls = [{ body, headers }, forged, { body, headers: { 'content-type': 'application/json' } }, empty];
  const replies: number[] = [];
  for (const call of calls) replies.push((await post({ method: 'POST', ...call })).status);
  return replies;
}

test.each(['node', 'express', 'hono'])(
  'the example for %s takes a signed call and refuses others',
  async (name) => {
    const port = await freePort();
    const example = fileURLToPath(new URL(`../examples/${name}.ts`, import.meta.url));
    const child: ChildProcess = spawn(process.execPath, [example], {
      env: { ...process.env, PORT: String(port), WAYBILL_WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout!.on('data', (chunk) => {
      output += chunk;
    });
    try {
      await eventually(() => output.includes('listening'));
      expect(await statuses((init) => fetch(`http://127.0.0.1:${port}/`, init))).toEqual([
        204, 401, 401, 401,
      ]);
      expect(output).toContain('order.created evt_1');
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  },
);

test('the example for Next.js takes a signed call and refuses others', async () => {
  process.env.WAYBILL_WEBHOOK_SECRET = secret;
  const output: unknown[] = [];
  const log = console.log;
  console.log = (...words) => void output.push(words.join(' '));
  try {
    const post = (init: RequestInit) => POST(new Request('http://127.0.0.1/api/waybill', init));
    expect(await statuses(post)).toEqual([204, 401, 401, 401]);
  } finally {
    console.log = log;
    delete process.env.WAYBILL_WEBHOOK_SECRET;
  }
  expect(output).toEqual(['order.created evt_1']);
});

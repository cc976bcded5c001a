import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@waybill/testing';
import { freePort } from '../free-port.ts';

const secret = 'whsec_of-a-test';
const readme = new URL('../../README.md', import.meta.url);

/** The README's receiver as a reader pastes it, on a port of its own. */
let folder: string;
let receiver: ChildProcess;
let port: number;
let output = '';
beforeAll(async () => {
  const block = /```js\n(.*?)```/s.exec(await readFile(readme, 'utf8'))![1]!;
  port = await freePort();
  const source = block.replaceAll(/^ {3}/gm, '').replace('listen(9400)', `listen(${port})`);
  expect(source).toContain(`listen(${port})`);
  folder = await mkdtemp(join(tmpdir(), 'waybill-readme-'));
  await writeFile(join(folder, 'receiver.mjs'), source);
  receiver = spawn(process.execPath, [join(folder, 'receiver.mjs')], {
    env: { ...process.env, SECRET: secret },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const keep = (chunk: Buffer) => {
    output += chunk;
  };
  receiver.stdout!.on('data', keep);
  receiver.stderr!.on('data', keep);
  await eventually(() => fetch(`http://127.0.0.1:${port}/`).then(() => true));
});
afterAll(async () => {
  if (receiver.exitCode === null) {
    receiver.kill();
    await once(receiver, 'exit');
  }
  await rm(folder, { recursive: true });
});

const signatureOf = (body: string, at: string) =>
  `sha256=${createHmac('sha256', secret)
    .update(`${Math.floor(Date.parse(at) / 1000)}.${body}`)
    .digest('hex')}`;

async function post(headers: Record<string, string>, body = '{"type":"product.created"}'): Promise<number> {
  return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status;
}

async function genuine(body = '{"type":"product.created"}', at = new Date().toISOString()): Promise<number> {
  return post({ 'x-wb-timestamp': at, 'x-wb-signature': signatureOf(body, at) }, body);
}

/** Sends raw bytes and closes; no answer is required. */
async function sendRaw(bytes: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(bytes);
  setTimeout(() => socket.destroy(), 100);
  await once(socket, 'close');
}

test('the receiver says of a signed call that it is verified', async () => {
  expect(await genuine('{"type":"product.created","data":"é😀"}')).toBe(204);
  await eventually(() => output.includes('verified {"type":"product.created","data":"é😀"}'));
});

test('the receiver refuses what is not signed so, and lives on', async () => {
  const now = new Date().toISOString();
  const body = '{"type":"product.created"}';
  const signature = signatureOf(body, now);
  const forged: Record<string, string>[] = [
    {},
    { 'x-wb-timestamp': now },
    { 'x-wb-signature': signature },
    { 'x-wb-timestamp': now, 'x-wb-signature': '' },
    { 'x-wb-timestamp': now, 'x-wb-signature': 'sha256=' },
    { 'x-wb-timestamp': now, 'x-wb-signature': signature.slice(0, -1) },
    { 'x-wb-timestamp': now, 'x-wb-signature': `${signature}0` },
    { 'x-wb-timestamp': now, 'x-wb-signature': `${signature}, ${signature}` },
    { 'x-wb-timestamp': now, 'x-wb-signature': 'é'.repeat(signature.length) },
    { 'x-wb-timestamp': now, 'x-wb-signature': 'é'.repeat(4_000) },
    {
      'x-wb-timestamp': now,
      'x-wb-signature': signature.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    },
    ...['', 'yesterday', '+275760-09-13', 'NaN', '0', '9'.repeat(400)].map((timestamp) => ({
      'x-wb-timestamp': timestamp,
      'x-wb-signature': signature,
    })),
  ];
  for (const headers of forged) expect([headers, await post(headers, body)]).toEqual([headers, 401]);
  const longAgo = new Date(Date.now() - 3_600_000).toISOString();
  expect(await genuine(body, longAgo)).toBe(401);
  expect(await post({ 'x-wb-timestamp': now, 'x-wb-signature': signature }, `${body} `)).toBe(401);
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(401);
  expect(await genuine('x'.repeat(50 * 1024 * 1024))).toBe(401);
  await sendRaw('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"type"');
  await sendRaw('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n');
  await sendRaw('nonsense\r\n\r\n');
  expect(await genuine(body)).toBe(204);
  expect(receiver.exitCode).toBeNull();
});

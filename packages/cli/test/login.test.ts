import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

test('a code is sent as it is meant, however it was typed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waybill-cli-'));
  const sent: unknown[] = [];
  const server = http.createServer(async (req, res) => {
    sent.push(await json(req));
    const answer = { user: { email: 'ann@example.com' }, accessToken: 'a', expiresAt: '', refreshToken: 'r' };
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const args = ['login', '--url', url, '--email', 'ann@example.com', '--code', ' 123 456', '--stdin'];
  const command = spawn(process.execPath, [main, ...args], {
    env: { ...process.env, XDG_CONFIG_HOME: folder },
  });
  try {
    const ended = once(command, 'close');
    command.stdin.end('secret words');
    expect((await ended)[0]).toBe(0);
    expect(sent).toEqual([{ email: 'ann@example.com', password: 'secret words', code: '123456' }]);
  } finally {
    command.kill();
    server.close();
    await rm(folder, { recursive: true });
  }
});

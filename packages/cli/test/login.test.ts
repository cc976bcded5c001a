import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json, text as readAll } from 'node:stream/consumers';
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

test('whoami names the person, and the store of an app’s folder is its development store', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waybill-cli-'));
  const requestedPaths: string[] = [];
  const server = http.createServer((req, res) => {
    requestedPaths.push(`${req.method} ${req.url}`);
    const answer =
      req.url === '/api/me' ? { user: { id: 'usr_1', email: 'ann@example.com' } } : { deliveries: [] };
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = join(folder, 'waybill');
  const run = async (...args: string[]) => {
    const env = { ...process.env, XDG_CONFIG_HOME: folder, WAYBILL_API_KEY: '', WAYBILL_STORE: '' };
    const command = spawn(process.execPath, [main, '--url', url, '--json', ...args], { cwd: folder, env });
    const ended = once(command, 'close');
    return { out: await readAll(command.stdout), code: (await ended)[0] };
  };
  try {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const profile = { email: 'ann@example.com', accessToken: 'a', refreshToken: 'r', expiresAt };
    await mkdir(config);
    await writeFile(join(config, 'credentials.json'), JSON.stringify({ url, profiles: { [url]: profile } }));
    await writeFile(join(folder, 'waybill.json'), JSON.stringify({ name: 'App', storeId: 'str_dev' }));
    const whoami = await run('whoami');
    expect([whoami.code, JSON.parse(whoami.out)]).toEqual([
      0,
      { url, email: 'ann@example.com', userId: 'usr_1' },
    ]);
    expect((await run('deliveries', 'tail', 'whe_1', '--once')).code).toBe(0);
    expect(requestedPaths).toEqual([
      'GET /api/me',
      'GET /api/stores/str_dev/webhooks/whe_1/deliveries?limit=50',
    ]);
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
});

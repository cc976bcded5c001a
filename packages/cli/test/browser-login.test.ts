import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@waybill/testing';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-cli-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Sends a request to the port, as any program of this machine or a page in its browser could. */
async function send(port: number, path: string): Promise<number> {
  const request = http.get({ host: '127.0.0.1', port, path });
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
  answer.resume();
  return answer.statusCode!;
}

test('a sign-in by the browser goes on, whatever else is sent to its port', async () => {
  const env = { ...process.env, XDG_CONFIG_HOME: folder, BROWSER: 'true', XDG_CURRENT_DESKTOP: '' };
  const command = spawn(process.execPath, [main, 'login', '--browser', '--url', 'http://127.0.0.1:9'], {
    env,
  });
  let output = '';
  command.stderr.on('data', (text) => {
    output += text;
  });
  const ended = once(command, 'close');
  try {
    await eventually(() => output.includes('/console/login-code?'));
    const loginParams = new URL(/\S+\/console\/login-code\S+/.exec(output)![0]).searchParams;
    const port = Number(loginParams.get('port'));
    expect(await send(port, '//')).toBe(404);
    expect(await send(port, '/?state=of+another')).toBe(404);
    expect(await send(port, `/?state=${loginParams.get('state')}`)).toBe(200);
    expect((await ended)[0]).toBe(3);
    expect(output).toContain('You declined the sign-in in the browser.');
  } finally {
    command.kill();
  }
});

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { eventually } from '@waybill/testing';
import { processEnv } from './process-env.ts';

const pids = new Set<number>();
let checkout: string;

// Stands in for the system: prints its identity, stops on SIGTERM or when the launcher has gone.
const system = `
  process.on('SIGTERM', () => process.exit(0));
  process.on('disconnect', () => process.exit(0));
  setInterval(() => {}, 1000);
  console.log(JSON.stringify({ pid: process.pid, args: process.argv.slice(2), env: process.env }));
  if (process.argv[2] === 'fail') process.exit(7);
`;

beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'waybill-launch-'));
  const files = {
    'deploy/standalone/main.ts': system,
    'package.json': '{ "type": "module" }',
    'pnpm-lock.yaml': 'nothing',
    'node_modules/.waybill-installed': `prod ${createHash('sha256').update('nothing').digest('hex')}`,
  };
  await write(files);
  for (const file of ['launch.mjs', 'process.env']) {
    await cp(new URL(`../${file}`, import.meta.url), join(checkout, 'deploy', file));
  }
});

afterEach(async () => {
  for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  pids.clear();
  await rm(checkout, { recursive: true, force: true });
});

async function write(files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(checkout, path)), { recursive: true });
    await writeFile(join(checkout, path), text);
  }
}

/** Runs the launcher, from a shell if `wrapped` (as npm does), and waits for the system's first line. */
async function launch(args: string[], wrapped = false, env: Record<string, string | undefined> = {}) {
  const command = [process.execPath, join(checkout, 'deploy/launch.mjs'), 'start', ...args];
  const [program, ...rest] = wrapped ? ['sh', '-c', '"$@" & wait', 'sh', ...command] : command;
  const child = spawn(program!, rest, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, npm_lifecycle_event: 'start', ...env },
  });
  const exited = once(child, 'exit');
  const [line] = await once(child.stdout, 'data');
  const said: { pid: number; args: string[]; env: Record<string, string> } = JSON.parse(String(line));
  pids.add(said.pid);
  return { child, exited, said };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('passes arguments on, and ends as its task did', async () => {
  const { exited, said } = await launch(['fail', '--now']);
  expect(said.args).toEqual(['fail', '--now']);
  expect(await exited).toEqual([7, null]);
});

test('starts its task with the settings of process.env, unless the environment overrides them', async () => {
  const unset = Object.fromEntries(Object.keys(processEnv).map((name) => [name, undefined]));
  const { child, exited, said } = await launch([], false, { ...unset, MALLOC_ARENA_MAX: '8' });
  child.kill('SIGTERM');
  await exited;
  expect(said.env).toMatchObject({ ...processEnv, MALLOC_ARENA_MAX: '8' });
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('passes on %s and waits for the end', async (signal) => {
  const { child, exited, said } = await launch([]);
  child.kill(signal);
  expect(await exited).toEqual([0, null]);
  expect(isAlive(said.pid)).toBe(false);
});

test('leaves nothing behind when it is killed', async () => {
  const { child, said } = await launch([]);
  child.kill('SIGKILL');
  await eventually(() => !isAlive(said.pid));
});

test('leaves nothing behind when its parent is killed', async () => {
  const { child, said } = await launch([], true);
  child.kill('SIGKILL');
  await eventually(() => !isAlive(said.pid));
});

test('dies by the same signal as its task', async () => {
  const { exited, said } = await launch([]);
  process.kill(said.pid, 'SIGKILL');
  expect(await exited).toEqual([null, 'SIGKILL']);
});

test('installs everything once after a full disk has emptied the record of what is installed', async () => {
  await write({
    'node_modules/.waybill-installed': '',
    'package.json': '{ "type": "module", "packageManager": "pnpm@1.0.0" }',
    '.runtime/pnpm@1.0.0/node_modules/pnpm/bin/pnpm.cjs':
      "require('node:fs').appendFileSync('installs', process.argv.join(' ') + '\\n')",
  });
  for (let start = 0; start < 2; start++) {
    const { child, exited } = await launch([]);
    child.kill('SIGTERM');
    await exited;
  }
  expect((await readFile(join(checkout, 'installs'), 'utf8')).split('\n')).toEqual([
    expect.stringContaining('--prod=false'),
    '',
  ]);
});

test('the old name of a task prints the new one, and does nothing', async () => {
  const child = spawn(process.execPath, [join(checkout, 'deploy/launch.mjs'), 'dead', '--', 'list'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [[line], [code]] = await Promise.all([once(child.stderr, 'data'), once(child, 'exit')]);
  expect(String(line)).toContain('npm run dead is called npm run dead-letters now.');
  expect(code).toBe(1);
});

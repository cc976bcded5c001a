import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@waybill/testing';
import { freePorts } from '../../free-port.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * The files that a gateway of that version needs to start, without the console's sources: building them would take
 * longer than everything else.
 */
const needed = ['packages', 'services/gateway', ':!packages/console/src', ':!*/test/*'];

/** A process of another version, on ports of its own. */
export interface Started {
  url: string;
  internalUrl: string;
  stop(): Promise<void>;
}

/**
 * Returns the commit of the previous version: the newest tag `v…` before this commit, or without tags the commit that
 * the newest section of the CHANGELOG names. Returns null, with a line that says so, if the history is missing (no git,
 * a shallow copy).
 */
export async function previousVersion(): Promise<string | null> {
  const changes = await readFile(join(root, 'deploy/CHANGELOG.md'), 'utf8');
  const named = /^\*\*Beside\*\* `([0-9a-f]{7,40})`/m.exec(changes)?.[1];
  try {
    const tags = git('tag', '--list', 'v*', '--merged', 'HEAD', '--no-contains', 'HEAD', '--sort=-v:refname');
    return git('rev-parse', '--verify', '--quiet', `${tags.split('\n')[0] || named}^{commit}`).trim();
  } catch {
    process.stderr.write(
      'the history of this repository is not here: the suite of the version before is left out\n',
    );
    return null;
  }
}

/**
 * Starts the previous gateway with these settings, on the libraries that are installed here. Resolves when it answers,
 * ready or not.
 */
export async function startPreviousGateway(
  commit: string,
  env: Readonly<Record<string, string>>,
): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), 'waybill-previous-'));
  let child: ChildProcess | undefined;
  let output = '';
  const stop = async () => {
    if (child && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await checkOut(commit, folder);
    const [port, internalPort] = (await freePorts(2)) as [number, number];
    const started = {
      url: `http://127.0.0.1:${port}`,
      internalUrl: `http://127.0.0.1:${internalPort}`,
      stop,
    };
    child = spawn(process.execPath, [join(folder, 'services/gateway/src/main.ts')], {
      env: { ...env, PORT: String(port), INTERNAL_PORT: String(internalPort) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (chunk: Buffer) => {
        output = (output + chunk).slice(-20_000);
      });
    const ended = once(child, 'exit').then(() => {
      throw new Error(`the gateway of ${commit} ended:\n${output}`);
    });
    // After the start, an end of the process is its stop.
    ended.catch(() => {});
    await Promise.race([
      eventually(() => fetch(`${started.url}/healthz`), { what: 'a gateway of before' }),
      ended,
    ]);
    return started;
  } catch (error) {
    await stop();
    throw error;
  }
}

async function checkOut(commit: string, folder: string): Promise<void> {
  const archive = join(folder, 'sources.tar');
  git('archive', `--output=${archive}`, commit, ...needed);
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  const packages = (await readdir(join(folder, 'packages'))).map((name) => `packages/${name}`);
  for (const path of [...packages, 'services/gateway']) await link(folder, path);
}

/**
 * Links the dependencies of a package's manifest: workspace packages from the checked-out version, others from today's
 * installation.
 */
async function link(folder: string, path: string): Promise<void> {
  const { dependencies = {} } = JSON.parse(await readFile(join(folder, path, 'package.json'), 'utf8'));
  for (const [name, wanted] of Object.entries<string>(dependencies)) {
    const isOurs = wanted.startsWith('workspace:');
    const target = isOurs
      ? join(folder, 'packages', name.replace('@waybill/', ''))
      : join(root, path, 'node_modules', name);
    if (!existsSync(target)) {
      // A gateway whose console cannot be built serves the API all the same.
      if (path === 'packages/console') continue;
      throw new Error(`${path} of ${folder} needs ${name}, which is not here any more`);
    }
    const place = join(folder, path, 'node_modules', name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(target, place);
  }
}

const git = (...args: string[]) =>
  execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

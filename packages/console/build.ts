import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export type { Chunks } from './chunks.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '../..');

/** Folder of built consoles, each in a subfolder named by the hash of its sources. */
const kept = join(root, '.runtime/console');

/** Folders that go into the bundle; any change in them makes a new build. */
const inputs = [
  here,
  join(root, 'packages/sdk/src'),
  join(root, 'packages/page/src'),
  join(root, 'packages/product-files/src'),
  join(root, 'packages/contracts/src'),
];

/** Folders of this package that the bundle has nothing of. */
const unbundled = ['dev/', 'test/'].map((folder) => join(here, folder));

/**
 * Builds the console unless the sources are unchanged, and returns the folder of the result: `index.html` and, in
 * `assets/`, files named by their content, each with its compressed variants. Several processes may call it at once.
 * Throws the bundler's error.
 */
export function buildConsole(): Promise<string> {
  running ??= buildOnce().finally(() => {
    running = null;
  });
  return running;
}

/** The build in progress, shared by all callers of this process. */
let running: Promise<string> | null = null;

async function buildOnce(): Promise<string> {
  const folder = join(kept, await hashOfSources());
  if (existsSync(folder)) return folder;
  await mkdir(kept, { recursive: true });
  const fresh = await mkdtemp(join(kept, 'new-'));
  try {
    await bundleInto(fresh);
    await rename(fresh, folder).catch((error) => {
      // Another process finished first, with the same files.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  await forgetOthers(folder);
  return folder;
}

/**
 * Runs the bundler in its own process, because its hundreds of megabytes would stay in a long-running caller. It ends
 * with its caller, however that ends.
 */
async function bundleInto(folder: string): Promise<void> {
  const child = fork(join(here, 'bundle.ts'), [folder], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  const [said, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
  if (code !== 0) throw new Error(`the bundler ended with ${code}: ${said}`);
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of [join(root, 'pnpm-lock.yaml'), ...(await listSources(inputs))])
    hash.update(file.slice(root.length)).update(await readFile(file));
  return hash.digest('hex').slice(0, 32);
}

async function listSources(folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(folder, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile() && /\.(tsx?|css|js|svg|woff2)$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name))
        .filter(
          (path) => !path.includes('node_modules') && !unbundled.some((folder) => path.startsWith(folder)),
        ),
    ),
  );
  return found.flat().sort();
}

/** Maximum duration of a build, in milliseconds. An older unfinished folder was left by a killed build. */
const longestBuildMs = 3_600_000;

/**
 * Removes the other builds once there are eight of them; until then they stay, because another checkout's process may
 * still serve from one. Also removes the leftovers of killed builds.
 */
async function forgetOthers(present: string): Promise<void> {
  const entries = await readdir(kept, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(kept, name));
  const isFresh = (folder: string) => basename(folder).startsWith('new-');
  const others = folders.filter((folder) => folder !== present && !isFresh(folder));
  const left: string[] = [];
  for (const folder of folders.filter(isFresh)) {
    const age = await stat(folder).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      // The build has just been renamed.
      () => 0,
    );
    if (age > longestBuildMs) left.push(folder);
  }
  const old = [...left, ...(others.length < 8 ? [] : others)];
  await Promise.all(old.map((folder) => rm(folder, { recursive: true, force: true })));
}

if (import.meta.main) process.stdout.write(`${await buildConsole()}\n`);

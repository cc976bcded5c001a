import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export type { Chunks } from './chunks.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '../..');

/** Where built consoles are kept, each in a folder that is named by its sources. */
const kept = join(root, '.runtime/console');

/** Whatever the bundle is made of: a change of any of these makes another one. */
const inputs = [
  here,
  join(root, 'packages/sdk/src'),
  join(root, 'packages/page/src'),
  join(root, 'packages/product-files/src'),
  join(root, 'packages/contracts/src'),
];

/**
 * Builds the console unless its sources are those of the last time, and gives the folder of its files: `index.html`,
 * and what that leads to below `assets/`, named by content, each beside its compressed forms. Safe in several processes
 * at once. Throws what the bundler says.
 */
export function buildConsole(): Promise<string> {
  running ??= buildOnce().finally(() => {
    running = null;
  });
  return running;
}

/** Whoever asks meanwhile waits for the same. */
let running: Promise<string> | null = null;

async function buildOnce(): Promise<string> {
  const folder = join(kept, await hashOfSources());
  if (existsSync(folder)) return folder;
  await mkdir(kept, { recursive: true });
  const fresh = await mkdtemp(join(kept, 'new-'));
  try {
    // In a process of its own: a bundler's hundreds of megabytes would stay with whoever builds, which goes on for long.
    await promisify(execFile)(process.execPath, [join(here, 'bundle.ts'), fresh]);
    await rename(fresh, folder).catch((error) => {
      // Another process was first, with the same files.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  await forgetOthers(folder);
  return folder;
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of [join(root, 'pnpm-lock.yaml'), ...(await sourcesOf(inputs))])
    hash.update(file.slice(root.length)).update(await readFile(file));
  return hash.digest('hex').slice(0, 32);
}

async function sourcesOf(folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(folder, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile() && /\.(tsx?|css|js|svg|woff2)$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => !path.includes('node_modules') && !path.startsWith(join(here, 'test'))),
    ),
  );
  return found.flat().sort();
}

/** What a build leaves that was killed is older than any that runs. */
const longestBuildMs = 3_600_000;

/**
 * Those of earlier sources, but for the newest few: another checkout's process may still serve from one. And what builds
 * that were killed have left.
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
      // It has just been given its name.
      () => 0,
    );
    if (age > longestBuildMs) left.push(folder);
  }
  const old = [...left, ...(others.length < 8 ? [] : others)];
  await Promise.all(old.map((folder) => rm(folder, { recursive: true, force: true })));
}

if (import.meta.main) process.stdout.write(`${await buildConsole()}\n`);

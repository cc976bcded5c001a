import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { copyFile, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/**
 * Copies the files that `to` lacks, from the entries of `from` with these names; a file that is deleted meanwhile is
 * left out.
 */
export async function copyMissing(from: string, to: string, entries: readonly string[]): Promise<void> {
  for (const path of await listFiles(from, entries)) {
    const target = join(to, path);
    if (await exists(target)) continue;
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await copyFile(join(from, path), target, constants.COPYFILE_FICLONE).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}

/**
 * Returns the files below `folder`, by their relative paths, sorted; the name of an unfinished file begins with a dot.
 */
export async function listFiles(folder: string, entries: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  async function walk(path: string): Promise<void> {
    const facts = await stat(join(folder, path)).catch(() => null);
    if (facts?.isFile()) found.push(path);
    if (!facts?.isDirectory()) return;
    for (const name of await readdir(join(folder, path)).catch(() => []))
      if (!name.startsWith('.')) await walk(join(path, name));
  }
  for (const entry of entries) await walk(entry);
  return found.sort();
}

/** Returns a line for each file, in the format of `sha256sum --check`. */
export async function checksums(folder: string, paths: readonly string[]): Promise<string> {
  const lines: string[] = [];
  for (const path of paths) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(folder, path)), hash);
    lines.push(`${hash.digest('hex')}  ${path}\n`);
  }
  return lines.join('');
}

export const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

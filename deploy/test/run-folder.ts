import { mkdtemp, readdir, readFile, rm, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files in memory, on Linux. */
const inMemory = '/dev/shm';
/** Several times what a whole run stores at once. */
const neededBytes = 4 * 1024 ** 3;
const prefix = 'waybill-tests-';

/**
 * Creates the folder in which a test run stores its files, and removes those of dead runs. It is in memory if there is
 * room: a run clones some six hundred databases of five hundred files each, and the file system of a disk can need ten
 * times the CPU for one.
 */
export async function createRunFolder(isAlive: (pid: number) => boolean): Promise<string> {
  const place = (await hasRoomInMemory()) ? inMemory : tmpdir();
  for (const name of await readdir(place)) {
    const pid = name.startsWith(prefix) && Number(name.slice(prefix.length).split('-')[0]);
    if (pid && !isAlive(pid)) await removeRunFolder(join(place, name));
  }
  return mkdtemp(join(place, `${prefix}${process.pid}-`));
}

export const removeRunFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 5 });

async function hasRoomInMemory(): Promise<boolean> {
  if (process.env.TMPDIR) return false;
  try {
    const { bavail, bsize } = await statfs(inMemory);
    const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').map((line) => line.split(' '));
    const options = mounts.find(([, at]) => at === inMemory)?.[3]?.split(',') ?? ['noexec'];
    // Tests also run programs that they have installed there.
    return Math.min(bavail * bsize, freemem()) > neededBytes && !options.includes('noexec');
  } catch {
    return false;
  }
}

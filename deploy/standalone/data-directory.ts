import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, chmod, constants, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '@waybill/kernel';

/** The addresses of the system that uses the directory. */
export interface Addresses {
  /** The address for clients. */
  baseUrl: string;
  /** The internal address of identity. */
  identityUrl: string;
}

export interface DataDirectory {
  path: string;
  /** Lets `findRunning` find the system until it stops. */
  announce(addresses: Addresses): Promise<void>;
  /** Releases the directory for another start. The end of this process, in any way, does the same. */
  release(): Promise<void>;
}

const runningFile = 'running.json';

/** This file exists from the moment a restore begins to replace data until it has replaced all of it. */
export const restoringFile = 'restoring';

// A lock ends when its connection is garbage-collected, so connections are kept here as long as they hold one.
const held = new Set<DatabaseSync>();

/**
 * Creates the data directory if necessary and locks it for this process. Throws a StartError; also after an interrupted
 * restore, except for the next restore.
 */
export async function openDataDirectory(
  directory: string,
  { isRestore = false } = {},
): Promise<DataDirectory> {
  const path = resolve(directory);
  try {
    // As root, PostgreSQL runs under another account, which has to pass through the directory.
    await createDirectory(path, process.getuid?.() === 0 ? 0o711 : 0o700);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusable(path, error as NodeJS.ErrnoException);
  }
  const pidFile = join(path, 'pid');
  const lock = await takeLock(path, pidFile);
  held.add(lock);
  await closeToOthers(path);
  if (!isRestore && existsSync(join(path, restoringFile))) {
    held.delete(lock);
    lock.close();
    throw new StartError(
      `A restore of ${path} was cut off, and its data are of two moments: repeat npm run restore with --force.`,
    );
  }
  // Left by a start that was killed.
  await rm(join(path, runningFile), { force: true });
  await writePrivateFile(pidFile, `${process.pid}\n`);
  return {
    path,
    announce: (addresses) => writePrivateFile(join(path, runningFile), `${JSON.stringify(addresses)}\n`),
    async release() {
      if (!held.delete(lock)) return;
      await rm(join(path, runningFile), { force: true });
      await rm(pidFile, { force: true });
      lock.close();
    },
  };
}

/** Throws a StartError if there is no data in a data directory: a mistyped one must not be created by a command. */
export function requireData(directory: string): void {
  if (!existsSync(join(directory, 'secrets.json')))
    throw new StartError(
      `There is no data of Waybill in ${directory}; WAYBILL_DATA_DIR names another data directory.`,
    );
}

/** Returns the system that runs on a data directory. Throws a StartError if there is none. */
export async function findRunning(directory: string): Promise<Addresses & { path: string }> {
  const path = resolve(directory);
  const text = await readFile(join(path, runningFile), 'utf8').catch(() => null);
  if (text === null || !(await isHeld(path)))
    throw new StartError(`Waybill is not running on the data directory ${path}; start it, and try again.`);
  return { path, ...(JSON.parse(text) as Addresses) };
}

/** Whether a process holds the directory: the files of a killed process prove nothing. */
async function isHeld(path: string): Promise<boolean> {
  try {
    (await takeLock(path, join(path, 'pid'))).close();
    return false;
  } catch {
    return true;
  }
}

/**
 * Creates a directory and its parents, like mkdir -p. Node's own version loops forever if a parent exists but accepts
 * no children (/proc).
 */
export async function createDirectory(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    await createDirectory(dirname(path), mode);
    await mkdir(path, { mode });
  }
}

/**
 * Takes the operating system's own lock on a file, which Node.js reaches through SQLite. It ends with its holder, also
 * by SIGKILL, so there is no dead holder to detect, and no process id that another program may have by now.
 */
async function takeLock(path: string, pidFile: string): Promise<DatabaseSync> {
  let lock: DatabaseSync | undefined;
  try {
    // SQLite would create a file that all users can read, and every reader can hold the lock.
    const file = join(path, 'lock');
    await makeEmpty(file);
    await makePrivate(file);
    lock = new DatabaseSync(file, { timeout: 0 });
    // The journal is in memory: the lock file stays empty and no file appears next to it.
    lock.exec('pragma journal_mode = memory; begin exclusive');
    return lock;
  } catch (error) {
    lock?.close();
    const { errcode, message } = error as Error & { errcode?: number };
    const sqliteBusy = 5;
    if (errcode !== sqliteBusy)
      throw new StartError(`The data directory ${path} cannot be locked: ${message}.`);
    const pid = await readFile(pidFile, 'utf8').then(
      (text) => text.trim(),
      () => 'unknown',
    );
    throw new StartError(`The data directory ${path} is already in use by another start (pid ${pid}).`);
  }
}

/**
 * Creates the file if necessary. It does not open an existing file: closing that would release a lock of this process.
 */
async function makeEmpty(path: string): Promise<void> {
  try {
    await (await open(path, 'wx', 0o600)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Removes the access of others that an earlier version or another program has left; PostgreSQL keeps its own files
 * closed.
 */
async function closeToOthers(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true });
  const ours = entries.filter((entry) => entry.isFile() || entry.isDirectory());
  await Promise.all(ours.map(({ name }) => makePrivate(join(path, name))));
}

/** Restricts a file or directory to its owner; a missing one, or one of another owner, stays unchanged. */
async function makePrivate(path: string): Promise<void> {
  try {
    const { mode } = await stat(path);
    if (mode & 0o077) await chmod(path, mode & 0o700);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'EPERM') throw error;
  }
}

function unusable(path: string, { code, message }: NodeJS.ErrnoException): StartError {
  if (code === 'EEXIST' || code === 'ENOTDIR')
    return new StartError(`The data directory ${path} is not a directory.`);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new StartError(`The data directory ${path} is not writable for this user.`);
  return new StartError(`The data directory ${path} cannot be used: ${message}.`);
}

/**
 * Returns the installation's secrets, 32 random bytes in base64url each: those in `secrets.json`, and new ones for
 * missing names. An unreadable file stays unchanged: a new key could not open old data.
 */
export async function readOrCreateSecrets<Name extends string>(
  dataDir: string,
  names: readonly Name[],
): Promise<Record<Name, string>> {
  const secrets = await readSecrets(dataDir);
  const missing = names.filter((name) => !Object.hasOwn(secrets, name));
  for (const name of missing) secrets[name] = randomBytes(32).toString('base64url');
  if (missing.length > 0) await writeSecrets(dataDir, secrets);
  return secrets as Record<Name, string>;
}

/** Returns the installation's secrets by name; none if there is no file. Throws a StartError for an unreadable file. */
export async function readSecrets(dataDir: string): Promise<Record<string, string>> {
  const path = join(dataDir, 'secrets.json');
  try {
    const secrets: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (isRecordOfStrings(secrets)) return secrets;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    if (code) throw new StartError(`${path} cannot be read: ${code}.`);
  }
  throw new StartError(`${path} is damaged: it must be a JSON object of strings. Restore it from a backup.`);
}

/** Writes all secrets, completely or not at all. */
export function writeSecrets(dataDir: string, secrets: Readonly<Record<string, string>>): Promise<void> {
  return writePrivateFile(join(dataDir, 'secrets.json'), `${JSON.stringify(secrets, null, 2)}\n`);
}

function isRecordOfStrings(value: unknown): value is Record<string, string> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((entry) => typeof entry === 'string' && entry !== '')
  );
}

/** Writes a file of mode 0600 completely or not at all, even in a power cut. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const fresh = `${path}.new`;
  await rm(fresh, { force: true });
  const file = await open(fresh, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(fresh, path);
  await syncDirectory(dirname(path));
}

/** Makes a rename in the directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from './failure.ts';

/** The credentials at one address. */
export interface Profile {
  apiKey?: string;
  email?: string;
  accessToken?: string;
  /** RFC 3339. */
  expiresAt?: string;
  refreshToken?: string;
  /** The secret that `webhooks listen` signs with. It never changes, so that a receiver is configured only once. */
  listenSecret?: string;
}

interface StoredCredentials {
  /** The address that is used if none is given. */
  url?: string;
  profiles: Record<string, Profile>;
}

/** Returns the path of the credentials file in the user's configuration; only the user may read it. */
export const credentialsFile = (): string =>
  join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'waybill', 'credentials.json');

/** Reads all stored credentials; an empty set if the file does not exist. */
export async function readCredentials(): Promise<StoredCredentials> {
  const file = credentialsFile();
  try {
    const credentials = JSON.parse(await readFile(file, 'utf8')) as StoredCredentials;
    return { ...credentials, profiles: { ...credentials.profiles } };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} };
    throw new Failure(`${file} cannot be read: ${(error as Error).message}`, {
      remedy: 'Remove it and sign in again: `waybill login`.',
    });
  }
}

/** Changes the stored credentials atomically, while no other `waybill` process does. */
export function changeCredentials(
  change: (credentials: StoredCredentials) => void | Promise<void>,
): Promise<StoredCredentials> {
  return withLock(async () => {
    const credentials = await readCredentials();
    await change(credentials);
    const file = credentialsFile();
    const temporaryFile = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
    try {
      await writeFile(temporaryFile, `${JSON.stringify(credentials, null, 2)}\n`, {
        mode: 0o600,
        flag: 'wx',
      });
      await rename(temporaryFile, file);
    } catch (error) {
      await rm(temporaryFile, { force: true });
      throw error;
    }
    return credentials;
  });
}

/** A lock older than this belongs to a killed process: no work under it takes that long. */
const staleMs = 30_000;
/** Time limit of requests to a server under the lock. */
export const requestTimeoutMs = 20_000;

/**
 * Runs work under a lock. A refresh token works once, so two commands at the same time would end each other's session.
 */
async function withLock<Result>(work: () => Promise<Result>): Promise<Result> {
  const folder = dirname(credentialsFile());
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const lock = join(folder, 'lock');
  for (;;) {
    try {
      await mkdir(lock);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const since = await stat(lock).then(({ mtimeMs }) => mtimeMs, Date.now);
      // After the clock was set back, a lock may lie in the future.
      if (Math.abs(Date.now() - since) > staleMs) await rm(lock, { recursive: true, force: true });
      else await sleep(50);
    }
  }
  try {
    return await work();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

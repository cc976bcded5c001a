import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { checkLength } from './check-length.ts';
import {
  type ByteRange,
  checkKey,
  maxListed,
  type ObjectStore,
  ObjectStoreError,
  type PutOptions,
} from './object-store.ts';

/** Folder of objects that are still being written. Keys cannot begin with a dot, so it never clashes with one. */
const unfinishedFolder = '.unfinished';
/** No write takes this long, so an older file was left by a process that was killed. */
const abandonedAfterMs = 3_600_000;
const chunkBytes = 256 * 1024;

/** Stores objects as files below `root`, for one machine or a file system that several machines share. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one closure
export function createFileStore(root: string): ObjectStore {
  const unfinished = join(root, unfinishedFolder);
  let prepared: Promise<void> | null = null;

  const toPath = (key: string) => {
    checkKey(key);
    return join(root, key);
  };

  function prepare(): Promise<void> {
    prepared ??= mkdir(unfinished, { recursive: true, mode: 0o700 }).then(removeAbandoned);
    prepared.catch(() => {
      prepared = null;
    });
    return prepared;
  }

  async function removeAbandoned(): Promise<void> {
    for (const name of await readdir(unfinished)) {
      const path = join(unfinished, name);
      const stats = await stat(path).catch(nullIfMissing);
      if (stats && stats.mtimeMs < Date.now() - abandonedAfterMs) await rm(path, { force: true });
    }
  }

  /** Gives a finished file its name: the object appears whole, and survives a power failure. */
  async function moveIntoPlace(file: string, path: string): Promise<void> {
    const folder = dirname(path);
    const createdFolder = await mkdir(folder, { recursive: true, mode: 0o700 });
    await rename(file, path);
    await syncFolder(folder);
    // The names of new folders are recorded in their parents.
    if (createdFolder)
      for (let at = folder; at.length >= createdFolder.length; at = dirname(at))
        await syncFolder(dirname(at));
  }

  async function write(path: string, body: Buffer | Readable, { sizeBytes }: PutOptions): Promise<void> {
    await prepare();
    const file = join(unfinished, randomUUID());
    try {
      const handle = await open(file, 'wx', 0o600);
      try {
        await writeBody(handle, body, sizeBytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await moveIntoPlace(file, path);
    } finally {
      await rm(file, { force: true });
    }
  }

  return {
    async put(key, body, options) {
      const path = toPath(key);
      try {
        await wrapStoreErrors(() => write(path, body, options));
      } finally {
        if (body instanceof Readable) body.destroy();
      }
    },

    async putFile(key, file, options) {
      const path = toPath(key);
      await wrapStoreErrors(async () => {
        try {
          await prepare();
          await checkAndSync(file, options.sizeBytes);
          await moveIntoPlace(file, path).catch(async (error: NodeJS.ErrnoException) => {
            // The file is on another file system, so it is copied instead.
            if (error.code !== 'EXDEV') throw error;
            await write(path, createReadStream(file, { highWaterMark: chunkBytes }), options);
          });
        } finally {
          await rm(file, { force: true });
        }
      });
    },

    async get(key, range) {
      const path = toPath(key);
      return wrapStoreErrors(async () => {
        const handle = await open(path, 'r').catch(nullIfMissing);
        if (!handle) return null;
        try {
          const { size } = await handle.stat();
          checkRange(range, size);
          const stream = handle.createReadStream({ ...range, highWaterMark: chunkBytes });
          return { sizeBytes: size, stream };
        } catch (error) {
          await handle.close();
          throw error;
        }
      });
    },

    async head(key) {
      const path = toPath(key);
      const stats = await wrapStoreErrors(() => stat(path).catch(nullIfMissing));
      return stats?.isFile() ? { sizeBytes: stats.size } : null;
    },

    async delete(key) {
      const path = toPath(key);
      await wrapStoreErrors(() => rm(path, { force: true }));
    },

    async list(folder) {
      const path = toPath(folder);
      const entries = await wrapStoreErrors(() =>
        readdir(path, { withFileTypes: true }).catch(nullIfMissing),
      );
      const files = (entries ?? []).filter((entry) => entry.isFile());
      return files.slice(0, maxListed).map(({ name }) => name);
    },

    async ready() {
      return prepare().then(
        () => true,
        () => false,
      );
    },

    close() {},
  };
}

async function writeBody(
  handle: FileHandle,
  body: Buffer | Readable,
  sizeBytes: number | undefined,
): Promise<void> {
  const source = Buffer.isBuffer(body) ? Readable.from([body]) : body;
  await pipeline(source, checkLength(sizeBytes), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) await handle.writeFile(chunk);
  });
}

async function checkAndSync(file: string, sizeBytes: number): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    const { size } = await handle.stat();
    if (size !== sizeBytes) throw new RangeError(`the file is ${size} bytes long, not ${sizeBytes}`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function checkRange(range: ByteRange | undefined, size: number): void {
  if (range && range.start >= size) throw new RangeError(`the object is only ${size} bytes long`);
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}

/** Turns refusals of the file system (no space, no permission) into store errors; other errors are the caller's. */
async function wrapStoreErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).syscall !== 'string') throw error;
    throw new ObjectStoreError('the file store failed', { cause: error });
  }
}

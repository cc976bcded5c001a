import type { Readable } from 'node:stream';

/** Inclusive and counted from 0, as in HTTP. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface ObjectFacts {
  /** Size of the whole object, even if only a range of it was requested. */
  sizeBytes: number;
}

export interface StoredObject extends ObjectFacts {
  /** Fails if the store breaks off. A caller that does not read it to the end must destroy it. */
  stream: Readable;
}

export interface PutOptions {
  contentType: string;
  /** Length in bytes. A body of another length is refused. Without it an S3 store sends the body in parts. */
  sizeBytes?: number;
}

/**
 * Named byte strings, each written whole or not at all. Files and S3 are the two implementations. A key consists of
 * lower-case segments joined by `/`; no key may be a folder of another. A store that fails throws an ObjectStoreError;
 * an S3 store that does not answer fails at a deadline. Opening a store touches neither disk nor network.
 */
export interface ObjectStore {
  /**
   * Stores an object, replacing any with the same key. When the promise resolves the object is on disk; when it rejects
   * nothing has changed. The body is destroyed either way.
   */
  put(key: string, body: Buffer | Readable, options: PutOptions): Promise<void>;
  /** Stores a file and takes ownership of it: the file may be moved, and it is gone afterwards in any case. */
  putFile(key: string, path: string, options: PutOptions & { sizeBytes: number }): Promise<void>;
  /**
   * Opens an object or a range of it; null if it does not exist.
   * @throws RangeError if the range begins after the end
   */
  get(key: string, range?: ByteRange): Promise<StoredObject | null>;
  head(key: string): Promise<ObjectFacts | null>;
  /** Succeeds even if the object does not exist. */
  delete(key: string): Promise<void>;
  /**
   * Returns the last segments of up to a thousand objects directly below a folder; none if the folder does not exist.
   */
  list(folder: string): Promise<string[]>;
  /** Whether the store is usable now. */
  ready(): Promise<boolean>;
  close(): void;
}

/** The store is unreachable, full, or refuses the call; `cause` says why. Not the caller's fault. */
export class ObjectStoreError extends Error {}

export const maxListed = 1000;

const keyPattern = /^[a-z0-9][a-z0-9_.-]{0,199}(\/[a-z0-9][a-z0-9_.-]{0,199})*$/;

/**
 * Throws a RangeError for an invalid key. A valid key cannot leave the store and names the same object on every file
 * system.
 */
export function checkKey(key: string): void {
  if (!keyPattern.test(key) || key.length > 600) throw new RangeError(`not an object's key: ${key}`);
}

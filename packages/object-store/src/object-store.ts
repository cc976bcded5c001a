import type { Readable } from 'node:stream';

/** Inclusive, counted from 0, as HTTP counts. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface ObjectFacts {
  /** Of the whole object, also when a range of it was asked for. */
  sizeBytes: number;
}

export interface StoredObject extends ObjectFacts {
  /** Fails when the store breaks off. Whoever does not read it to its end destroys it. */
  stream: Readable;
}

export interface PutOptions {
  contentType: string;
  /** Bytes. A body of another length is refused. Without it an S3 store sends the body in parts. */
  sizeBytes?: number;
}

/**
 * Named byte strings, each written whole or not at all; files and S3 are the two implementations. A key is
 * lower-case segments joined by `/`; no key may be a folder of another. A store that cannot do its work throws an
 * ObjectStoreError; an S3 store that does not answer does so at a deadline. Opening one touches nothing.
 */
export interface ObjectStore {
  /**
   * Stores an object in place of any that has the key. When it resolves the object is on disk; when it fails
   * nothing has changed, and the body is destroyed.
   */
  put(key: string, body: Buffer | Readable, options: PutOptions): Promise<void>;
  /** Stores a file. It is the store's from then on and may be moved; it is gone afterwards either way. */
  putFile(key: string, path: string, options: PutOptions & { sizeBytes: number }): Promise<void>;
  /**
   * Opens an object, or a range of it; null when there is none.
   * @throws RangeError when the range begins behind the end
   */
  get(key: string, range?: ByteRange): Promise<StoredObject | null>;
  head(key: string): Promise<ObjectFacts | null>;
  /** Also succeeds when there is none. */
  delete(key: string): Promise<void>;
  /** The last segments of objects directly below a folder, at most a thousand; none where there is no such folder. */
  list(folder: string): Promise<string[]>;
  /** Whether the store can be used now. */
  ready(): Promise<boolean>;
  close(): void;
}

/** The store is out of reach, full, or refuses; its `cause` says why. Not the caller's fault. */
export class ObjectStoreError extends Error {}

export const maxListed = 1000;

const keyPattern = /^[a-z0-9][a-z0-9_.-]{0,199}(\/[a-z0-9][a-z0-9_.-]{0,199})*$/;

/** Throws a RangeError unless a key is one: no way out of the store, and the same object on every file system. */
export function checkKey(key: string): void {
  if (!keyPattern.test(key) || key.length > 600) throw new RangeError(`not an object's key: ${key}`);
}

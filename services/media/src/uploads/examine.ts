import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { cleanEmbeddedPictures } from './embedded-pictures.ts';
import { type FileType, identify, RefusedFile } from './identify.ts';
import { removeMetadata } from './metadata.ts';

/** A file to be examined. */
export interface ExamineRequest {
  path: string;
  sizeBytes: number;
  /** Hash of the sent bytes, in hex. */
  sha256: string;
  keepsMetadata: boolean;
}

/** The type of a file, and the size and hash of the bytes to be stored. */
export interface ExaminedFile {
  identity: Omit<FileType, 'orientation'>;
  sizeBytes: number;
  /** In hex. */
  sha256: string;
}

/**
 * Identifies a file, and removes personal metadata from a picture in place. Returns the broken rule instead when the
 * file is refused.
 */
export async function examineFile(request: ExamineRequest): Promise<ExaminedFile | { refused: string }> {
  const { path, sizeBytes, sha256, keepsMetadata } = request;
  try {
    const { orientation, ...identity } = await identify(path, sizeBytes);
    if (keepsMetadata || identity.kind !== 'image') return { identity, sizeBytes, sha256 };
    const original = await readFile(path);
    const stripped = removeMetadata(original, identity.contentType, { orientation });
    const clean = identity.contentType === 'image/svg+xml' ? await cleanEmbeddedPictures(stripped) : stripped;
    if (clean.equals(original)) return { identity, sizeBytes, sha256 };
    await writeFile(path, clean);
    return {
      identity,
      sizeBytes: clean.length,
      sha256: createHash('sha256').update(clean).digest('hex'),
    };
  } catch (error) {
    if (error instanceof RefusedFile) return { refused: error.message };
    throw error;
  }
}

import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { cleanEmbeddedPictures } from './embedded-pictures.ts';
import { type FileType, identify, RefusedFile } from './identify.ts';
import { removeMetadata } from './metadata.ts';
import { toUtf8 } from './svg-encoding.ts';

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
 * Identifies a file, stores an SVG as UTF-8, and removes personal metadata from a picture, in place. Returns the broken
 * rule instead when the file is refused.
 */
export async function examineFile(request: ExamineRequest): Promise<ExaminedFile | { refused: string }> {
  const { path, sizeBytes, sha256 } = request;
  try {
    const type = await identify(path, sizeBytes);
    const { orientation: _orientation, ...identity } = type;
    if (identity.kind !== 'image') return { identity, sizeBytes, sha256 };
    const original = await readFile(path);
    const stored = await toStoredPicture(original, type, request);
    if (stored.equals(original)) return { identity, sizeBytes, sha256 };
    await writeFile(path, stored);
    return {
      identity,
      sizeBytes: stored.length,
      sha256: createHash('sha256').update(stored).digest('hex'),
    };
  } catch (error) {
    if (error instanceof RefusedFile) return { refused: error.message };
    throw error;
  }
}

async function toStoredPicture(
  original: Buffer,
  { contentType, orientation }: FileType,
  { keepsMetadata }: ExamineRequest,
): Promise<Buffer> {
  const isSvg = contentType === 'image/svg+xml';
  const picture = isSvg ? toUtf8(original) : original;
  if (keepsMetadata) return picture;
  const clean = removeMetadata(picture, contentType, { orientation });
  return isSvg ? cleanEmbeddedPictures(clean) : clean;
}

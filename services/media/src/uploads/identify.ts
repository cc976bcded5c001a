import { type FileHandle, open } from 'node:fs/promises';
import { fileTypeFromBuffer } from 'file-type';
import sharp from 'sharp';
import { errors } from '../errors.ts';
import { maxPixels } from '../variants/variants.ts';
import { readSvg } from './svg.ts';
import { fileKinds } from './types.ts';
import { isWhole } from './whole.ts';

/** As much as file-type wants to see. */
const sampleBytes = 4100;

const fontSignatures: ReadonlyMap<string, string> = new Map([
  ['wOFF', 'font/woff'],
  ['wOF2', 'font/woff2'],
]);

/** What a file is, told from its bytes. */
export interface Identity {
  kind: 'image' | 'video' | 'font';
  contentType: string;
  width: number | null;
  height: number | null;
  /** Whether variants can be made of it: an image of pixels that do not move. */
  resizable: boolean;
}

// What sharp keeps between images is of no use here: each is read once.
sharp.cache(false);
sharp.concurrency(1);

/**
 * Identifies a file by its bytes alone; its name and what the client calls its type say nothing.
 * @throws unsupported_type also for a file that is not whole, and for an image of too many pixels
 */
export async function identify(path: string, sizeBytes: number): Promise<Identity> {
  const handle = await open(path, 'r');
  try {
    const mime = await detect(handle, sizeBytes);
    const known = fileKinds.get(mime ?? '');
    if (!known) return await identifySvg(path, mime);
    const { kind, contentType, structure } = known;
    if (!(await isWhole(handle, sizeBytes, structure))) throw errors.unsupported_type();
    if (kind !== 'image') return { kind, contentType, width: null, height: null, resizable: false };
    const { isMoving, ...size } = await measureImage(path);
    return { kind, contentType, ...size, resizable: !isMoving && mime !== 'image/apng' };
  } finally {
    await handle.close();
  }
}

async function detect(handle: FileHandle, sizeBytes: number): Promise<string | undefined> {
  const length = Math.min(sampleBytes, sizeBytes);
  const { buffer } = await handle.read(Buffer.alloc(length), 0, length, 0);
  // Hostile bytes may make it fail; they are then none of the known types.
  const type = await fileTypeFromBuffer(buffer).catch(() => undefined);
  // It knows WOFF by the flavour of the font inside, too; four bytes are the signature.
  return type?.mime ?? fontSignatures.get(buffer.toString('latin1', 0, 4));
}

async function identifySvg(path: string, mime: string | undefined): Promise<Identity> {
  const mayBeSvg = mime === undefined || mime === 'application/xml' || mime === 'image/svg+xml';
  const size = mayBeSvg ? await readSvg(path) : null;
  if (!size) throw errors.unsupported_type();
  return { kind: 'image', contentType: 'image/svg+xml', ...size, resizable: false };
}

/** Reads the header of an image, not its pixels. */
async function measureImage(path: string) {
  try {
    const { pages, ...stored } = await sharp(path, { limitInputPixels: maxPixels }).metadata();
    const { width, height } = stored.autoOrient;
    if (width * height <= maxPixels) return { width, height, isMoving: (pages ?? 1) > 1 };
  } catch {
    // Falls through: an image that cannot be read is none.
  }
  throw errors.unsupported_type({
    message: `The image cannot be read, or has more than ${maxPixels / 1_000_000} million pixels.`,
  });
}

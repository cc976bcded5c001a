import { type FileHandle, open, readFile } from 'node:fs/promises';
import { fileTypeFromBuffer } from 'file-type';
import sharp from 'sharp';
import { maxPixels } from '../variants/pixels.ts';
import { checkCompleteness } from './completeness.ts';
import { readSvg } from './svg.ts';
import { isUtf16 } from './svg-encoding.ts';
import { fileKinds } from './types.ts';

/** The number of bytes that file-type needs. */
const sampleBytes = 4100;

const fontSignatures: ReadonlyMap<string, string> = new Map([
  ['wOFF', 'font/woff'],
  ['wOF2', 'font/woff2'],
]);

/** A rule that a file breaks, in words that follow `The file`. */
export class RefusedFile extends Error {}

/** The type of a file as determined from its bytes. */
export interface FileType {
  kind: 'image' | 'video' | 'font';
  contentType: string;
  width: number | null;
  height: number | null;
  /** Whether variants can be made: only of a still raster image. */
  resizable: boolean;
  /** The Exif orientation; 1 is upright. */
  orientation: number;
}

// sharp's cache between images is useless here, because each image is read once.
sharp.cache(false);
sharp.concurrency(1);

/**
 * Identifies a file by its bytes alone, and ignores its name and the type that the client sent.
 * @throws RefusedFile also for an incomplete file, and for an image of too many pixels
 */
export async function identify(path: string, sizeBytes: number): Promise<FileType> {
  const handle = await open(path, 'r');
  try {
    const mime = await detect(handle, sizeBytes);
    const known = fileKinds.get(mime ?? '');
    if (!known) return await identifySvg(path, mime);
    const { kind, contentType, structure } = known;
    const completeness = await checkCompleteness(handle, sizeBytes, structure);
    if (!completeness)
      throw new RefusedFile(`is not whole: it begins as ${contentType} and is cut off or damaged`);
    if (kind !== 'image')
      return { kind, contentType, width: null, height: null, resizable: false, orientation: 1 };
    if (completeness === 'endless' && contentType === 'image/jpeg') await decodeEndless(path);
    const { isMoving, ...facts } = await measureImage(path);
    return { kind, contentType, ...facts, resizable: !isMoving && mime !== 'image/apng' };
  } finally {
    await handle.close();
  }
}

async function detect(handle: FileHandle, sizeBytes: number): Promise<string | undefined> {
  const length = Math.min(sampleBytes, sizeBytes);
  const { buffer } = await handle.read(Buffer.alloc(length), 0, length, 0);
  // file-type takes the byte order mark of UTF-16 for the beginning of MPEG audio.
  if (isUtf16(buffer)) return undefined;
  // Hostile bytes may make file-type fail; they then count as an unknown type.
  const type = await fileTypeFromBuffer(buffer).catch(() => undefined);
  // file-type looks at the first brand only, but an AVIF may name its own later.
  if (type?.mime.startsWith('image/hei') && readBrands(buffer).some((brand) => /^avi[fs]$/.test(brand)))
    return 'image/avif';
  // file-type also requires a known font flavour inside a WOFF; the four signature bytes suffice.
  return type?.mime ?? fontSignatures.get(buffer.toString('latin1', 0, 4));
}

function readBrands(buffer: Buffer): string[] {
  const end = Math.min(buffer.length, buffer.readUInt32BE(0), 400);
  return Array.from({ length: Math.max(0, (end - 16) >> 2) }, (_, i) =>
    buffer.toString('latin1', 16 + 4 * i, 20 + 4 * i),
  );
}

async function identifySvg(path: string, mime: string | undefined): Promise<FileType> {
  const mayBeSvg = mime === undefined || mime === 'application/xml' || mime === 'image/svg+xml';
  if (!mayBeSvg) throw new RefusedFile(`is ${mime}`);
  const size = await readSvg(path);
  if (typeof size === 'string')
    throw new RefusedFile(
      mime === undefined ? `is of no known type; as SVG, it ${size}` : `is no SVG: it ${size}`,
    );
  return { kind: 'image', contentType: 'image/svg+xml', ...size, resizable: false, orientation: 1 };
}

const createPixelLimitError = () => new RefusedFile(`has more than ${maxPixels / 1_000_000} million pixels`);

/** Reads the header of an image without decoding its pixels. */
async function measureImage(path: string) {
  let found: { width: number; height: number; isMoving: boolean; orientation: number };
  try {
    const { pages, orientation = 1, ...stored } = await sharp(path, { limitInputPixels: false }).metadata();
    found = { ...stored.autoOrient, isMoving: (pages ?? 1) > 1, orientation };
  } catch {
    const size = await readTrackSize(path);
    if (!size) throw new RefusedFile('is an image that cannot be read');
    found = { ...size, isMoving: true, orientation: 1 };
  }
  if (found.width * found.height > maxPixels) throw createPixelLimitError();
  return found;
}

/** Reads the size of an AVIF that has only a track, from the description of its frames. */
async function readTrackSize(path: string): Promise<{ width: number; height: number } | null> {
  const bytes = await readFile(path);
  if (bytes.toString('latin1', 4, 8) !== 'ftyp') return null;
  const description = bytes.indexOf('stsd', 0, 'latin1');
  const at = description < 0 ? -1 : bytes.indexOf('av01', description, 'latin1');
  if (at < 0 || at + 32 > bytes.length) return null;
  const [width, height] = [bytes.readUInt16BE(at + 28), bytes.readUInt16BE(at + 30)];
  return width > 0 && height > 0 ? { width, height } : null;
}

/**
 * Decodes a JPEG without an end marker. It is complete if the decoder finds all of its pixels. Browsers also show one
 * whose scans come in an unusual order, such as the small placeholders whose only scan is empty.
 */
async function decodeEndless(path: string): Promise<void> {
  const ended = Buffer.concat([await readFile(path), Buffer.from([0xff, 0xd9])]);
  const { width, height } = await sharp(ended, { limitInputPixels: false })
    .metadata()
    .catch(() => ({ width: 0, height: 0 }));
  if (width * height > maxPixels) throw createPixelLimitError();
  await sharp(ended, { failOn: 'warning', limitInputPixels: maxPixels, sequentialRead: true })
    .stats()
    .catch((error: Error) => {
      if (!error.message.includes('Inconsistent progression sequence'))
        throw new RefusedFile('is not whole: the picture of the JPEG is cut off');
    });
}

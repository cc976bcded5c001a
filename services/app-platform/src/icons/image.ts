import { fileTypeFromBuffer } from 'file-type';
import sharp from 'sharp';
import { errors } from '../errors.ts';
import { iconLimits } from './routes.ts';

// sharp's cache between images is useless here, because each image is read once.
sharp.cache(false);
sharp.concurrency(1);

const extensions: ReadonlyMap<string, 'png' | 'webp'> = new Map([
  ['image/png', 'png'],
  ['image/webp', 'webp'],
]);

/**
 * Identifies an icon from its bytes, which stay unchanged. They are decoded once, to check that the picture is complete
 * (`decisions.md 14.2`).
 * @throws unsupported_type for anything but a complete still PNG or WebP, invalid_body for a wrong size
 */
export async function identifyIcon(bytes: Buffer): Promise<'png' | 'webp'> {
  // Hostile bytes may make file-type fail; they then count as no image. It distinguishes animated PNGs from still ones.
  const type = await fileTypeFromBuffer(bytes).catch(() => undefined);
  const extension = extensions.get(type?.mime ?? '');
  if (!extension) throw errors.unsupported_type();
  const { width, height, pages = 1 } = await orUnsupported(sharp(bytes).metadata());
  if (pages > 1) throw errors.unsupported_type();
  if (width !== height || width < iconLimits.least || width > iconLimits.most) {
    const message = `must be square, ${iconLimits.least} to ${iconLimits.most} pixels wide; it is ${width} × ${height}`;
    throw errors.invalid_body({ details: [{ pointer: '', message }] });
  }
  await orUnsupported(sharp(bytes, { failOn: 'error' }).raw().toBuffer());
  return extension;
}

async function orUnsupported<Result>(reading: Promise<Result>): Promise<Result> {
  try {
    return await reading;
  } catch {
    throw errors.unsupported_type();
  }
}

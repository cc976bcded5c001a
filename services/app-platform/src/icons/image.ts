import { fileTypeFromBuffer } from 'file-type';
import sharp from 'sharp';
import { errors } from '../errors.ts';
import { iconLimits } from './routes.ts';

// What sharp keeps between images is of no use here: each is read once.
sharp.cache(false);
sharp.concurrency(1);

const extensions: ReadonlyMap<string, 'png' | 'webp'> = new Map([
  ['image/png', 'png'],
  ['image/webp', 'webp'],
]);

/**
 * What an icon is, told from its bytes, which stay as they are: they are decoded once, to see that all of the picture is
 * there. `decisions.md 14.2`.
 * @throws unsupported_type for anything but a whole still PNG or WebP, invalid_body for one of another size
 */
export async function identifyIcon(bytes: Buffer): Promise<'png' | 'webp'> {
  // Hostile bytes may make it fail; they are then no image. It tells a PNG that moves from one that does not.
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

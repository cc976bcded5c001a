import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Log } from '@waybill/kernel';
import { type ObjectFacts, type ObjectStore, ObjectStoreError } from '@waybill/object-store';
import sharp from 'sharp';
import type { Asset } from '../assets/queries.ts';
import { createSlots } from '../slots.ts';
import { originalKey, variantKey } from '../store.ts';
import { maxPixels } from '../uploads/identify.ts';
import { type FileQuery, formats, widths } from './routes.ts';

export type Format = (typeof formats)[number];

export interface Variant {
  width: number;
  format: Format;
}

/**
 * How many pixels an image may have for a variant to be made of it. Of these types every pixel is in memory at once;
 * of the others, a JPEG of a camera for one, not many more than the variant needs.
 */
const pixelLimits = new Map([
  ['image/png', 24_000_000],
  ['image/gif', 24_000_000],
  ['image/avif', 12_000_000],
]);
/** Of a variant: 1920 × 4166. One much taller takes many seconds and hundreds of megabytes to encode. */
const maxVariantPixels = 8_000_000;

/** The variant that a query asks for; null: the file itself. */
export function variantOf({ w, format }: FileQuery, asset: Asset): Variant | null {
  const { content_type, resizable, width, height } = asset;
  const asked = widths.find((each) => String(each) === w);
  const own = formats.find((each) => content_type === `image/${each}`);
  if (!resizable || !width || !height || !asked || !(format ?? own)) return null;
  if (width * height > (pixelLimits.get(content_type) ?? maxPixels)) return null;
  const scale = Math.min(1, asked / width);
  if (width * height * scale ** 2 > maxVariantPixels) return null;
  return { width: asked, format: (format ?? own)! };
}

/** A variant's last part of its key and its ETag. */
export const variantName = ({ width, format }: Variant): string => `w${width}.${format}`;

/** Enough for the eye; AVIF with little effort, since it is made while somebody waits. */
const encodings: { [F in Format]: object } = {
  webp: { quality: 80 },
  avif: { quality: 55, effort: 2 },
  jpeg: { quality: 82, mozjpeg: true },
  png: { compressionLevel: 8 },
};

function resize(original: Buffer, { width, format }: Variant): Promise<Buffer> {
  const image = sharp(original, { limitInputPixels: maxPixels, failOn: 'error', sequentialRead: true })
    .autoOrient()
    .resize({ width, withoutEnlargement: true });
  // A JPEG has no transparency: what shines through would be black.
  if (format === 'jpeg') image.flatten({ background: 'white' });
  return image.toFormat(format, encodings[format]).toBuffer();
}

/** At most 25 MiB; the decoder would hold all of it anyway. */
function readAll(stream: Readable): Promise<Buffer> {
  return buffer(stream).catch((cause: unknown) => {
    throw new ObjectStoreError('an object broke off', { cause });
  });
}

/**
 * Makes variants: each once, however many ask for it at the same time; a few at a time. One that cannot be made is
 * kept as an empty object, so that nobody makes this process decode a damaged image again and again.
 */
export function createVariants(log: Log) {
  const making = new Map<string, Promise<ObjectFacts | null>>();
  const slots = createSlots({ atOnce: 2, maxWaiting: 400, maxEach: 100 });

  async function make(
    store: ObjectStore,
    asset: Asset,
    variant: Variant,
    key: string,
  ): Promise<ObjectFacts | null> {
    const original = await store.get(originalKey(asset.store_id, asset.sha256));
    if (!original) return null;
    const bytes = await resize(await readAll(original.stream), variant).catch((err: unknown) => {
      log.info({ err, asset: asset.id }, 'no variant can be made of an image');
      return Buffer.alloc(0);
    });
    await store.put(key, bytes, { contentType: `image/${variant.format}`, sizeBytes: bytes.length });
    return { sizeBytes: bytes.length };
  }

  async function makeOnce(store: ObjectStore, asset: Asset, variant: Variant, key: string) {
    const underWay =
      making.get(key) ??
      slots.run(asset.store_id, () => make(store, asset, variant, key)).finally(() => making.delete(key));
    making.set(key, underWay);
    return underWay;
  }

  /** Makes sure that a variant is in the object store. Null: none can be made, the image is damaged. */
  return async (store: ObjectStore, asset: Asset, variant: Variant): Promise<ObjectFacts | null> => {
    const key = variantKey(asset.store_id, asset.sha256, variantName(variant));
    const facts = (await store.head(key)) ?? (await makeOnce(store, asset, variant, key));
    return facts?.sizeBytes ? facts : null;
  };
}

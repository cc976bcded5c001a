import { addAbortSignal, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { FairSemaphore, type Log, networkOf, type ServiceContext } from '@waybill/kernel';
import { type ByteRange, type ObjectStore, ObjectStoreError } from '@waybill/object-store';
import sharp from 'sharp';
import type { Asset } from '../assets/queries.ts';
import type { Config } from '../config.ts';
import { originalKey } from '../store.ts';
import type { Tables } from '../tables.ts';
import { maxPixels } from './pixels.ts';
import { findVariant, type KeptVariant, noteUse, type VariantId } from './queries.ts';
import { keepVariant, keyOf, removeVariant, shareOf } from './share.ts';

/** The offered widths. The route is public, so the ladder is fixed and each width is made once in each format. */
export const widths = [320, 480, 640, 960, 1280, 1920] as const;
export const formats = ['webp', 'avif', 'jpeg', 'png'] as const;
export type Format = (typeof formats)[number];

export interface Variant {
  width: number;
  format: Format;
}

/**
 * Maximum number of pixels of an image from which variants are made. Decoding these types holds every pixel in memory
 * at once; other types, such as a camera's JPEG, need few more pixels than the variant has.
 */
const pixelLimits = new Map([
  ['image/png', 24_000_000],
  ['image/gif', 24_000_000],
  ['image/avif', 12_000_000],
]);
/**
 * Maximum number of pixels of a variant: 1920 × 4166. A much taller one takes many seconds and hundreds of megabytes to
 * encode.
 */
const maxVariantPixels = 8_000_000;
/** A variant may always have this many bytes. It should be smaller than its original, but a few bytes do not matter. */
const alwaysAllowedBytes = 64 * 1024;
const maxMakingSeconds = 30;
/** Time limit for reading an original from the object store. */
const maxReadingMs = 30_000;

/**
 * Returns the variant that a query asks for; null for the file itself. No variant is wider than the image: all larger
 * widths share one of the image's own width, which in its own format is the file itself.
 */
export function variantOf({ w, format }: { w?: string; format?: Format }, asset: Asset): Variant | null {
  const { content_type, resizable, width, height } = asset;
  const rung = widths.find((each) => String(each) === w);
  const own = formats.find((each) => content_type === `image/${each}`);
  const wanted = format ?? own;
  if (!resizable || !width || !height || !rung || !wanted) return null;
  if (rung >= width && wanted === own) return null;
  if (width * height > (pixelLimits.get(content_type) ?? maxPixels)) return null;
  const scale = Math.min(1, rung / width);
  if (width * height * scale ** 2 > maxVariantPixels) return null;
  return { width: Math.min(rung, width), format: wanted };
}

/** Returns the last part of a variant's key and of its ETag. */
export const variantName = ({ width, format }: Variant): string => `w${width}.${format}`;

/** Qualities that look good enough. AVIF takes little effort, because a client waits for it. */
const encodings: { [F in Format]: object } = {
  webp: { quality: 80 },
  avif: { quality: 55, effort: 2 },
  jpeg: { quality: 82, mozjpeg: true },
  png: { compressionLevel: 8 },
};

function resize(original: Buffer, { width, format }: Variant): Promise<Buffer> {
  const image = sharp(original, { limitInputPixels: maxPixels, failOn: 'error', sequentialRead: true })
    .timeout({ seconds: maxMakingSeconds })
    .autoOrient()
    .resize({ width, withoutEnlargement: true });
  // A JPEG has no transparency; transparent areas would become black.
  if (format === 'jpeg') image.flatten({ background: 'white' });
  return image.toFormat(format, encodings[format]).toBuffer();
}

/** Reads at most 25 MiB into memory, as the decoder would do anyway. */
function readAll(stream: Readable): Promise<Buffer> {
  return buffer(addAbortSignal(AbortSignal.timeout(maxReadingMs), stream)).catch((cause: unknown) => {
    throw new ObjectStoreError('an object broke off', { cause });
  });
}

/** A variant that can be served. */
export interface VariantBytes {
  sizeBytes: number;
  /** Opens the bytes; null when they have just been removed. */
  open(range?: ByteRange): Promise<Readable | null>;
}

/**
 * Creates the function that finds and makes variants: each once, however many clients ask for it at the same time, a
 * few in parallel, and only as many for an address as it may cause. A variant that cannot be made, or is larger than
 * its original, is recorded as such, so that nobody makes this process decode the image repeatedly.
 */
export function createVariants(context: ServiceContext<Config, Tables>) {
  const { config, db, cache, log } = context;
  const making = new Map<string, Promise<VariantBytes | null>>();
  const slots = new FairSemaphore({ concurrency: 2, maxWaiting: 400, maxPerKey: 100 });
  const markUsed = createMarks(db, log);

  function served(objects: ObjectStore, kept: KeptVariant): VariantBytes | null {
    if (kept.size_bytes === 0) return null;
    markUsed(kept);
    return {
      sizeBytes: kept.size_bytes,
      async open(range) {
        const object = await objects.get(keyOf(kept), range);
        if (!object) await removeVariant(context, objects, kept);
        return object?.stream ?? null;
      },
    };
  }

  async function make(objects: ObjectStore, asset: Asset, variant: Variant, id: VariantId) {
    // Another process may have made the variant while this one waited for its turn.
    const kept = await findVariant(db, id);
    if (kept?.state === 'ready') return served(objects, kept);
    const original = await objects.get(originalKey(asset.store_id, asset.sha256));
    if (!original) return null;
    const made = await resize(await readAll(original.stream), variant).catch((err: unknown) => {
      log.info({ err, asset: asset.id }, 'no variant can be made of an image');
      return nothing;
    });
    const most = Math.min(Math.max(asset.size_bytes, alwaysAllowedBytes), shareOf(config));
    const bytes = made.length <= most ? made : nothing;
    await keepVariant(context, objects, id, bytes, `image/${variant.format}`).catch((err: unknown) => {
      if (!(err instanceof ObjectStoreError)) throw err;
      log.warn({ err, asset: asset.id }, 'a variant could not be kept');
    });
    return bytes.length > 0 ? inMemory(bytes) : null;
  }

  /**
   * Returns the bytes of a variant. `none`: there is no variant and the original serves; `later`: the original serves
   * for now, because the address has caused enough work.
   */
  return async (
    objects: ObjectStore,
    asset: Asset,
    variant: Variant,
    address: string,
  ): Promise<VariantBytes | 'none' | 'later'> => {
    const id = { store_id: asset.store_id, sha256: asset.sha256, name: variantName(variant) };
    const kept = await findVariant(db, id);
    if (kept?.state === 'ready') return served(objects, kept) ?? 'none';
    const key = keyOf(id);
    if (!making.has(key)) {
      const { allowed } = await cache.take(`variants:${networkOf(address)}`, config.variantLimit);
      if (!allowed) return 'later';
    }
    const underWay =
      making.get(key) ??
      slots.run(asset.store_id, () => make(objects, asset, variant, id)).finally(() => making.delete(key));
    making.set(key, underWay);
    return (await underWay) ?? 'none';
  };
}

const nothing = Buffer.alloc(0);

const inMemory = (bytes: Buffer): VariantBytes => ({
  sizeBytes: bytes.length,
  open: async (range) => Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes]),
});

const freshMs = 3_600_000;
const marksEveryMs = 10_000;
const maxMarks = 10_000;

/**
 * Records when variants were used, at most once an hour for each and many at a time, so that reading a file does not
 * cause a write. A mark lost by a kill, or by too many at once, is recorded at a later use.
 */
function createMarks(db: ServiceContext<Config, Tables>['db'], log: Log) {
  const used = new Map<string, VariantId>();

  function write(): void {
    const all = [...used.values()];
    used.clear();
    noteUse(db, all).catch((err: unknown) => log.debug({ err }, 'the use of variants could not be noted'));
  }

  return (kept: KeptVariant): void => {
    if (kept.used_at.getTime() > Date.now() - freshMs || used.size >= maxMarks) return;
    if (used.size === 0) setTimeout(write, marksEveryMs).unref();
    used.set(keyOf(kept), kept);
  };
}

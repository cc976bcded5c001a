import { addAbortSignal, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { FairSemaphore, getNetwork, type Log, type ServiceContext } from '@waybill/kernel';
import { type ByteRange, type ObjectStore, ObjectStoreError } from '@waybill/object-store';
import sharp from 'sharp';
import type { Asset } from '../assets/queries.ts';
import type { Config } from '../config.ts';
import { originalKey } from '../store.ts';
import type { Tables } from '../tables.ts';
import { maxPixels } from './pixels.ts';
import { findVariant, recordUses, type StoredVariant, type VariantId } from './queries.ts';
import { createVariantKey, getVariantQuota, removeVariant, storeVariant } from './share.ts';

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
const maxRenderSeconds = 30;
/** Time limit for reading an original from the object store. */
const maxReadMs = 30_000;

/**
 * Returns the variant that a query asks for; null for the file itself. No variant is wider than the image: all larger
 * widths share one of the image's own width, which in its own format is the file itself.
 */
export function resolveVariant({ w, format }: { w?: string; format?: Format }, asset: Asset): Variant | null {
  const { content_type, resizable, width, height } = asset;
  const requestedWidth = widths.find((each) => String(each) === w);
  const ownFormat = formats.find((each) => content_type === `image/${each}`);
  const requestedFormat = format ?? ownFormat;
  if (!resizable || !width || !height || !requestedWidth || !requestedFormat) return null;
  if (requestedWidth >= width && requestedFormat === ownFormat) return null;
  if (width * height > (pixelLimits.get(content_type) ?? maxPixels)) return null;
  const scale = Math.min(1, requestedWidth / width);
  if (width * height * scale ** 2 > maxVariantPixels) return null;
  return { width: Math.min(requestedWidth, width), format: requestedFormat };
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
    .timeout({ seconds: maxRenderSeconds })
    .autoOrient()
    .resize({ width, withoutEnlargement: true });
  // A JPEG has no transparency; transparent areas would become black.
  if (format === 'jpeg') image.flatten({ background: 'white' });
  return image.toFormat(format, encodings[format]).toBuffer();
}

/** Reads at most 25 MiB into memory, as the decoder would do anyway. */
function readAll(stream: Readable): Promise<Buffer> {
  return buffer(addAbortSignal(AbortSignal.timeout(maxReadMs), stream)).catch((cause: unknown) => {
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
  const pending = new Map<string, Promise<VariantBytes | null>>();
  const semaphore = new FairSemaphore({ concurrency: 2, maxWaiting: 400, maxPerKey: 100 });
  const recordUse = createUseRecorder(db, log);

  function toVariantBytes(objects: ObjectStore, stored: StoredVariant): VariantBytes | null {
    if (stored.size_bytes === 0) return null;
    recordUse(stored);
    return {
      sizeBytes: stored.size_bytes,
      async open(range) {
        const object = await objects.get(createVariantKey(stored), range);
        if (!object) await removeVariant(context, objects, stored);
        return object?.stream ?? null;
      },
    };
  }

  async function renderVariant(objects: ObjectStore, asset: Asset, variant: Variant, id: VariantId) {
    // Another process may have made the variant while this one waited for its turn.
    const stored = await findVariant(db, id);
    if (stored?.state === 'ready') return toVariantBytes(objects, stored);
    const original = await objects.get(originalKey(asset.store_id, asset.sha256));
    if (!original) return null;
    const rendered = await resize(await readAll(original.stream), variant).catch((err: unknown) => {
      log.info({ err, asset: asset.id }, 'no variant of an image can be created');
      return emptyBytes;
    });
    const maxBytes = Math.min(Math.max(asset.size_bytes, alwaysAllowedBytes), getVariantQuota(config));
    const bytes = rendered.length <= maxBytes ? rendered : emptyBytes;
    await storeVariant(context, objects, id, bytes, `image/${variant.format}`).catch((err: unknown) => {
      if (!(err instanceof ObjectStoreError)) throw err;
      log.warn({ err, asset: asset.id }, 'a variant could not be stored');
    });
    return bytes.length > 0 ? openFromMemory(bytes) : null;
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
    const stored = await findVariant(db, id);
    if (stored?.state === 'ready') return toVariantBytes(objects, stored) ?? 'none';
    const key = createVariantKey(id);
    if (!pending.has(key)) {
      const { allowed } = await cache.takeToken(`variants:${getNetwork(address)}`, config.variantLimit);
      if (!allowed) return 'later';
    }
    const pendingVariant =
      pending.get(key) ??
      semaphore
        .run(asset.store_id, () => renderVariant(objects, asset, variant, id))
        .finally(() => pending.delete(key));
    pending.set(key, pendingVariant);
    return (await pendingVariant) ?? 'none';
  };
}

const emptyBytes = Buffer.alloc(0);

const openFromMemory = (bytes: Buffer): VariantBytes => ({
  sizeBytes: bytes.length,
  open: async (range) => Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes]),
});

const useResolutionMs = 3_600_000;
const writeIntervalMs = 10_000;
const maxPendingUses = 10_000;

/**
 * Records when variants were used, at most once an hour for each and many at a time, so that reading a file does not
 * cause a write. A mark lost by a kill, or by too many at once, is recorded at a later use.
 */
function createUseRecorder(db: ServiceContext<Config, Tables>['db'], log: Log) {
  const used = new Map<string, VariantId>();

  function flush(): void {
    const all = [...used.values()];
    used.clear();
    recordUses(db, all).catch((err: unknown) =>
      log.debug({ err }, 'the use of variants could not be recorded'),
    );
  }

  return (stored: StoredVariant): void => {
    if (stored.used_at.getTime() > Date.now() - useResolutionMs || used.size >= maxPendingUses) return;
    if (used.size === 0) setTimeout(flush, writeIntervalMs).unref();
    used.set(createVariantKey(stored), stored);
  };
}

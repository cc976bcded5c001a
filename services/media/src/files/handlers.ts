import {
  Answer,
  type Handlers,
  matchesIfNoneMatch,
  type RouteRequest,
  type ServiceContext,
} from '@waybill/kernel';
import { type ObjectStore, throwUnavailable } from '@waybill/object-store';
import { create as contentDisposition } from 'content-disposition';
import { type Asset, findAsset } from '../assets/queries.ts';
import type { Config } from '../config.ts';
import { errors } from '../errors.ts';
import { originalKey, requireStore } from '../store.ts';
import type { Tables } from '../tables.ts';
import {
  createVariants,
  resolveVariant,
  type Variant,
  type VariantBytes,
  variantName,
} from '../variants/variants.ts';
import { resolveRange } from './range.ts';
import type { routes } from './routes.ts';

/** A file that can be served: an asset's own, or a variant of it. */
interface ServedFile extends VariantBytes {
  etag: string;
  contentType: string;
  name: string | null;
  cacheControl: string;
}

export function handlers(context: ServiceContext<Config, Tables>): Handlers<typeof routes> {
  const { config, db, log } = context;
  const findBytes = createVariants(context);

  async function chooseFile(
    objects: ObjectStore,
    asset: Asset,
    variant: Variant | null,
    address: string,
  ): Promise<ServedFile> {
    const bytes = variant ? await findBytes(objects, asset, variant, address) : 'none';
    if (bytes === 'none') return toOriginalFile(objects, asset);
    if (bytes === 'later') return asTemporary(toOriginalFile(objects, asset));
    return { ...bytes, ...toVariantFields(asset, variant!), cacheControl: immutableCacheControl };
  }

  return {
    getFile: ({ params, query, headers, method, address }) =>
      throwUnavailable(log, async () => {
        const objects = requireStore(config);
        const asset = await findAsset(db, params.storeId, params.assetId);
        if (!asset) throw errors.not_found();
        const variant = resolveVariant(query, asset);
        const answer = (file: ServedFile) => buildAnswer(asset, file, headers, method);
        const file = await chooseFile(objects, asset, variant, address);
        // A variant may be removed between being found and being read, so the original serves instead.
        const answered = (await answer(file)) ?? (await answer(asTemporary(toOriginalFile(objects, asset))));
        if (answered) return answered;
        log.error({ asset: asset.id, sha256: asset.sha256 }, 'the bytes of an asset are missing');
        throw errors.not_found();
      }),
  };
}

/**
 * Answers a request for a file; null when its bytes do not exist.
 * @throws range_not_satisfiable
 */
async function buildAnswer(
  asset: Asset,
  file: ServedFile,
  headers: RouteRequest['headers'],
  method: string,
): Promise<Answer | null> {
  const { etag, contentType, sizeBytes } = file;
  const common = buildHeaders(asset, file);
  if (matchesIfNoneMatch(headers, etag)) return new Answer('', contentType, common, 304);
  if (method === 'HEAD')
    return new Answer('', contentType, { ...common, 'content-length': String(sizeBytes) });
  const range = resolveRange(headers.range, headers['if-range'], etag, sizeBytes);
  if (range === 'unsatisfiable') {
    throw errors.range_not_satisfiable({ headers: { 'content-range': `bytes */${sizeBytes}` } });
  }
  const stream = await file.open(range ?? undefined);
  if (!stream) return null;
  const { start, end } = range ?? { start: 0, end: sizeBytes - 1 };
  const part = {
    ...common,
    'content-length': String(end - start + 1),
    ...(range && { 'content-range': `bytes ${start}-${end}/${sizeBytes}` }),
  };
  return new Answer(stream, contentType, part, range ? 206 : 200);
}

const immutableCacheControl = 'public, max-age=31536000, immutable';

function toOriginalFile(objects: ObjectStore, asset: Asset): ServedFile {
  const { store_id, sha256, content_type, size_bytes, name } = asset;
  return {
    etag: `"${sha256}"`,
    contentType: content_type,
    sizeBytes: size_bytes,
    name,
    cacheControl: immutableCacheControl,
    open: async (range) => (await objects.get(originalKey(store_id, sha256), range))?.stream ?? null,
  };
}

/**
 * Marks a file that is served in place of the requested variant, which may exist soon, as cacheable for a minute only.
 */
const asTemporary = (file: ServedFile): ServedFile => ({ ...file, cacheControl: 'public, max-age=60' });

const toVariantFields = ({ sha256 }: Asset, variant: Variant) => ({
  etag: `"${sha256}-${variantName(variant)}"`,
  contentType: `image/${variant.format}`,
  name: null,
});

/** The policy of an SVG that is opened as a document: it loads nothing from elsewhere and runs no scripts. */
const svgPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

function buildHeaders(
  asset: Asset,
  { etag, contentType, name, cacheControl }: ServedFile,
): Record<string, string> {
  return {
    etag,
    'cache-control': cacheControl,
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    // Pages on other hosts show these files, and browsers load their fonts only with this header.
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    ...(contentType === 'image/svg+xml' && { 'content-security-policy': svgPolicy }),
    ...(name !== null && {
      'content-disposition': buildDisposition(asset.kind === 'font' ? 'attachment' : 'inline', name),
    }),
  };
}

/**
 * Builds a `Content-Disposition` with the name of an asset. Any name is accepted; half a surrogate pair is replaced,
 * because UTF-8 cannot express it.
 */
export const buildDisposition = (type: 'inline' | 'attachment', name: string): string =>
  contentDisposition(name.toWellFormed(), { type });

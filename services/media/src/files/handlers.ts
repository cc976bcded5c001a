import { Answer, type Handlers, type ServiceContext } from '@waybill/kernel';
import { type ObjectStore, orUnavailable } from '@waybill/object-store';
import { type Asset, findAsset } from '../assets/queries.ts';
import type { Config } from '../config.ts';
import { errors } from '../errors.ts';
import { originalKey, requireStore, variantKey } from '../store.ts';
import type { Tables } from '../tables.ts';
import { isKnown, rangeOf } from './conditions.ts';
import { disposition } from './disposition.ts';
import type { routes } from './routes.ts';
import { createVariants, type Variant, variantName, variantOf } from './variants.ts';

/** One file that can be served: an asset's own, or a variant of it. */
interface ServedFile {
  key: string;
  etag: string;
  contentType: string;
  sizeBytes: number;
  name: string | null;
}

export function handlers({ config, db, log }: ServiceContext<Config, Tables>): Handlers<typeof routes> {
  const ensureVariant = createVariants(log);

  async function chooseFile(store: ObjectStore, asset: Asset, variant: Variant | null): Promise<ServedFile> {
    const made = variant && (await ensureVariant(store, asset, variant));
    return made ? { ...fileOfVariant(asset, variant), sizeBytes: made.sizeBytes } : fileOf(asset);
  }

  return {
    getFile: ({ params, query, headers, method }) =>
      orUnavailable(log, async () => {
        const store = requireStore(config);
        const asset = await findAsset(db, params.storeId, params.assetId);
        if (!asset) throw errors.not_found();
        const file = await chooseFile(store, asset, variantOf(query, asset));
        const common = headersOf(asset, file);
        if (isKnown(headers['if-none-match'], file.etag))
          return new Answer('', file.contentType, common, 304);
        if (method === 'HEAD') {
          return new Answer('', file.contentType, { ...common, 'content-length': String(file.sizeBytes) });
        }
        const { etag, sizeBytes } = file;
        const range = rangeOf(headers.range, headers['if-range'], etag, sizeBytes);
        if (range === 'unsatisfiable') {
          throw errors.range_not_satisfiable({ headers: { 'content-range': `bytes */${sizeBytes}` } });
        }
        const object = await store.get(file.key, range ?? undefined);
        if (!object) {
          log.error({ asset: asset.id, key: file.key }, 'the bytes of an asset are missing');
          throw errors.not_found();
        }
        const { start, end } = range ?? { start: 0, end: sizeBytes - 1 };
        const part = {
          ...common,
          'content-length': String(end - start + 1),
          ...(range && { 'content-range': `bytes ${start}-${end}/${sizeBytes}` }),
        };
        return new Answer(object.stream, file.contentType, part, range ? 206 : 200);
      }),
  };
}

function fileOf({ store_id, sha256, content_type, size_bytes, name }: Asset): ServedFile {
  return {
    key: originalKey(store_id, sha256),
    etag: `"${sha256}"`,
    contentType: content_type,
    sizeBytes: size_bytes,
    name,
  };
}

function fileOfVariant({ store_id, sha256 }: Asset, variant: Variant) {
  const name = variantName(variant);
  return {
    key: variantKey(store_id, sha256, name),
    etag: `"${sha256}-${name}"`,
    contentType: `image/${variant.format}`,
    name: null,
  };
}

/** An SVG is a document when it is opened by itself: it gets nothing from anywhere and runs nothing. */
const svgPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

function headersOf(asset: Asset, { etag, contentType, name }: ServedFile): Record<string, string> {
  return {
    etag,
    'cache-control': 'public, max-age=31536000, immutable',
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    // Pages on other hosts show these files, and only with this do they take fonts.
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    ...(contentType === 'image/svg+xml' && { 'content-security-policy': svgPolicy }),
    ...(name !== null && {
      'content-disposition': disposition(asset.kind === 'font' ? 'attachment' : 'inline', name),
    }),
  };
}

import { buffer } from 'node:stream/consumers';
import type { ObjectStore } from '@waybill/object-store';
import sharp from 'sharp';
import type { Asset } from '../assets/queries.ts';
import { originalKey } from '../store.ts';
import { maxPixels } from '../variants/pixels.ts';

/** Maximum size in pixels: sharp in print and on high-density screens at the size that documents and mails show. */
const maxDimensions = { width: 800, height: 240 };
const maxSeconds = 10;

/**
 * Renders an image as a logo for documents and mails: a small PNG without transparency, which every mail program and
 * PDF/A accepts. Null when the asset is not an image, or cannot be rendered.
 */
export async function renderLogo(objects: ObjectStore, asset: Asset): Promise<Buffer | null> {
  if (asset.kind !== 'image') return null;
  const original = await objects.get(originalKey(asset.store_id, asset.sha256));
  if (!original) return null;
  const bytes = await buffer(original.stream);
  return sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error', density: 144 })
    .timeout({ seconds: maxSeconds })
    .autoOrient()
    .resize({ ...maxDimensions, fit: 'inside', withoutEnlargement: asset.content_type !== 'image/svg+xml' })
    .flatten({ background: 'white' })
    .png({ compressionLevel: 9, palette: true })
    .toBuffer()
    .catch(() => null);
}

import { join, resolve } from 'node:path';
import Type, { type Static } from 'typebox';
import { createFileStore } from './files.ts';
import type { ObjectStore } from './object-store.ts';
import { createS3Store } from './s3.ts';

/** Environment variables for the location of objects, for a service's `config.ts` (`decisions.md 9.5`). */
export const objectStoreSettings = {
  MEDIA_STORE: Type.Optional(
    Type.Enum(['files', 's3', 'off'], { description: 'Default: s3 when S3_ENDPOINT is set, else files.' }),
  ),
  WAYBILL_DATA_DIR: Type.String({ default: '.waybill', description: 'Files are kept below it.' }),
  S3_ENDPOINT: Type.Optional(Type.String({ description: 'http://host:port or https://host' })),
  S3_BUCKET: Type.Optional(Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$' })),
  S3_REGION: Type.String({ default: 'us-east-1' }),
  S3_ACCESS_KEY_ID: Type.Optional(Type.String()),
  S3_SECRET_ACCESS_KEY: Type.Optional(Type.String()),
};

const schema = Type.Object(objectStoreSettings);
export type ObjectStoreSettings = Static<typeof schema>;

const ofS3 = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

/**
 * Opens the store that the settings describe; null if it is switched off. Touches neither disk nor network.
 * @throws Error with one line that names the variable at fault
 */
export function openObjectStore(settings: ObjectStoreSettings): ObjectStore | null {
  const given = ofS3.filter((name) => settings[name]);
  const kind = settings.MEDIA_STORE ?? (given.length > 0 ? 's3' : 'files');
  if (kind === 'off') return null;
  if (kind === 'files') return createFileStore(join(resolve(settings.WAYBILL_DATA_DIR), 'objects'));
  const missing = ofS3.find((name) => !settings[name]);
  if (missing) throw new Error(`${missing}: must be set for an S3 store, as ${ofS3.join(', ')} together`);
  const url = URL.parse(settings.S3_ENDPOINT!);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search) {
    throw new Error('S3_ENDPOINT: must be an http or https URL without credentials');
  }
  return createS3Store({
    endpoint: url.href,
    bucket: settings.S3_BUCKET!,
    region: settings.S3_REGION,
    accessKeyId: settings.S3_ACCESS_KEY_ID!,
    secretAccessKey: settings.S3_SECRET_ACCESS_KEY!,
  });
}

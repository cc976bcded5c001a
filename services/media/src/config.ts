import { join, resolve } from 'node:path';
import { defineConfig } from '@waybill/kernel';
import { objectStoreSettings, openObjectStore } from '@waybill/object-store';
import Type from 'typebox';

/** `decisions.md 5, 9.5, 16.2, 16.3`. */
export const config = defineConfig(
  Type.Object({
    ...objectStoreSettings,
    MEDIA_QUOTA_BYTES: Type.Integer({
      minimum: 0,
      default: 1_073_741_824,
      description: "The maximum total size of a store's assets.",
    }),
    MEDIA_VARIANTS_PER_MINUTE: Type.Integer({
      minimum: 1,
      maximum: 100_000_000,
      default: 60,
      description: 'The number of scaled variants that one address can generate.',
    }),
    MEDIA_TRASH_DAYS: Type.Integer({
      minimum: 0,
      maximum: 36_500,
      default: 0,
      description: 'The time that unused assets stay in the trash; 0: forever.',
    }),
    MEDIA_KEEP_METADATA: Type.Enum(['on', 'off'], {
      default: 'off',
      description: 'On: pictures keep their metadata about place, time and camera.',
    }),
    PUBLIC_BASE_URL: Type.String({ default: '', description: 'The prefix of the paths of files.' }),
  }),
  (env) => ({
    /** Null when media is not configured. */
    store: openObjectStore(env),
    quotaBytes: env.MEDIA_QUOTA_BYTES,
    variantLimit: { perMinute: env.MEDIA_VARIANTS_PER_MINUTE, burst: env.MEDIA_VARIANTS_PER_MINUTE },
    keepsMetadata: env.MEDIA_KEEP_METADATA === 'on',
    /** 0 means that the trash is never emptied automatically. */
    trashDays: env.MEDIA_TRASH_DAYS,
    baseUrl: env.PUBLIC_BASE_URL.replace(/(?<!\/)\/+$/, ''),
    /** The folder of uploads until they are complete and identified. */
    uploadFolder: join(resolve(env.WAYBILL_DATA_DIR), 'uploads'),
  }),
);

export type Config = ReturnType<(typeof config)['read']>;

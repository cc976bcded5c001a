import { defineConfig, type WriteContext } from '@waybill/kernel';
import Type from 'typebox';
import type { Tables } from './tables.ts';

/** Settings of the catalog: `decisions.md 9.5`. */
export const config = defineConfig(
  Type.Object({
    PUBLIC_BASE_URL: Type.String({
      default: '',
      description: "The prefix of the paths of products' files.",
    }),
    SEARCH_MEMORY_MB: Type.Integer({
      minimum: 16,
      default: 220,
      description:
        'The memory for shop search indexes, in MiB; about 170 for 100,000 products of five variants. A store ' +
        'whose index does not fit cannot be searched.',
    }),
  }),
  (env) => ({
    baseUrl: env.PUBLIC_BASE_URL.replace(/(?<!\/)\/+$/, ''),
    searchMemory: env.SEARCH_MEMORY_MB * 1024 * 1024,
  }),
);

export type Config = ReturnType<(typeof config)['read']>;

/** The context of one write of this service, which its functions pass on. */
export type Write = WriteContext<Tables>;

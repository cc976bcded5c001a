import { defineConfig } from '@waybill/kernel';
import Type from 'typebox';

/** `decisions.md 9.5`. */
export const config = defineConfig(
  Type.Object({
    PUBLIC_BASE_URL: Type.String({
      default: '',
      description: "Put in front of the paths of products' files.",
    }),
  }),
  (env) => ({ baseUrl: env.PUBLIC_BASE_URL.replace(/(?<!\/)\/+$/, '') }),
);

export type Config = ReturnType<(typeof config)['read']>;

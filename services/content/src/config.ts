import { defineConfig, type ServiceContext } from '@waybill/kernel';
import Type from 'typebox';
import type { Tables } from './tables.ts';

export interface Config {
  /** Where clients reach the system, without a slash at the end; empty: links are relative to it. */
  publicBaseUrl: string;
}

export type Context = ServiceContext<Config, Tables>;

export const config = defineConfig(
  Type.Object({
    PUBLIC_BASE_URL: Type.String({ default: '', description: 'Where clients reach the system.' }),
  }),
  (env): Config => ({ publicBaseUrl: env.PUBLIC_BASE_URL.replace(/\/+$/, '') }),
);

import { defineConfig, readSites, type ServiceContext, type Sites, siteSettings } from '@waybill/kernel';
import Type from 'typebox';
import type { Tables } from './tables.ts';

export interface Config {
  /** Where clients reach the system, without a slash at the end; empty: links are relative to it. */
  publicBaseUrl: string;
  sites: Sites;
}

export type Context = ServiceContext<Config, Tables>;

export const config = defineConfig(
  Type.Object(siteSettings),
  (env): Config => ({ publicBaseUrl: env.PUBLIC_BASE_URL.replace(/\/+$/, ''), sites: readSites(env) }),
);

import {
  defineConfig,
  type FairSemaphore,
  type RateLimit,
  rateLimitSettings,
  readRateLimit,
  readSites,
  type ServiceContext,
  type Sites,
  siteSettings,
  type WriteContext,
} from '@waybill/kernel';
import Type from 'typebox';
import type { LayoutCache } from './publication/layouts/layout-cache.ts';
import type { SiteFileCache } from './storefront/site-files/site-file-cache.ts';
import type { Tables } from './tables.ts';

export interface Config {
  /** Public address of the system, without a slash at the end; empty makes links relative to it. */
  publicBaseUrl: string;
  sites: Sites;
  /** How often an address may submit a form, or search. */
  visitLimit: RateLimit;
}

/** The state that each copy of the service keeps in memory. */
export interface State {
  /** Limits how many whole pages render at the same time. */
  renderSlots: FairSemaphore;
  layouts: LayoutCache;
  siteFiles: SiteFileCache;
}
export type Context = ServiceContext<Config, Tables, State>;

/** The write context of this service. */
export type Write = WriteContext<Tables>;

export const config = defineConfig(
  Type.Object({ ...siteSettings, ...rateLimitSettings }),
  (env): Config => ({
    publicBaseUrl: env.PUBLIC_BASE_URL.replace(/(?<!\/)\/+$/, ''),
    sites: readSites(env),
    visitLimit: readRateLimit(env),
  }),
);

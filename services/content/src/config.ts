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
import type { Tables } from './tables.ts';

export interface Config {
  /** Where clients reach the system, without a slash at the end; empty: links are relative to it. */
  publicBaseUrl: string;
  sites: Sites;
  /** How often an address may send a form, or search. */
  visitLimit: RateLimit;
}

/** What one copy of the service keeps in memory. */
export interface State {
  /** Whole pages render in it. */
  renderSlots: FairSemaphore;
}
export type Context = ServiceContext<Config, Tables, State>;

/** One write of this service, which its functions pass on. */
export type Write = WriteContext<Tables>;

export const config = defineConfig(
  Type.Object({ ...siteSettings, ...rateLimitSettings }),
  (env): Config => ({
    publicBaseUrl: env.PUBLIC_BASE_URL.replace(/(?<!\/)\/+$/, ''),
    sites: readSites(env),
    visitLimit: readRateLimit(env),
  }),
);

import {
  defineConfig,
  rateLimitSettings,
  readRateLimit,
  readSites,
  type ServiceContext,
  siteSettings,
  type WriteContext,
} from '@waybill/kernel';
import Type from 'typebox';
import type { Renderer } from './documents/rendering/renderer.ts';
import type { Tables } from './tables.ts';

/** The system's address if none is configured. */
const defaultUrl = 'http://127.0.0.1:8080';

/** The settings of orders: `decisions.md 3.5, 9.5`. */
export const config = defineConfig(
  Type.Object({
    ...rateLimitSettings,
    ...siteSettings,
    STOREFRONT_ORDERS_PER_MINUTE: Type.Integer({
      minimum: 1,
      maximum: 100_000_000,
      default: 120,
      description:
        'The maximum number of orders per minute from the storefront of a store, over all addresses.',
    }),
    CHECKOUT_HOLD_SECONDS: Type.Integer({
      minimum: 5,
      maximum: 3600,
      default: 60,
      description:
        'The maximum duration of a checkout, and so the time that an aborted checkout holds stock.',
    }),
    WAYBILL_DEMO: Type.Enum(['on', 'off', 'full'], {
      default: 'off',
      description: '`full`: the demo store is being set up, and can receive past orders.',
    }),
  }),
  (env) => {
    const isMakingDemo = env.WAYBILL_DEMO === 'full';
    const storePerMinute = env.STOREFRONT_ORDERS_PER_MINUTE;
    const sites = readSites(env);
    return {
      isMakingDemo,
      /** Returns the full URL of a store, with a slash at the end. */
      getStoreUrl: (slug: string) => new URL(sites.getAddress(slug), defaultUrl).href,
      checkoutLimit: readRateLimit(env),
      storeLimit: { perMinute: storePerMinute, burst: storePerMinute },
      baseUrl: env.PUBLIC_BASE_URL.replace(/(?<!\/)\/+$/, ''),
      holdSeconds: env.CHECKOUT_HOLD_SECONDS,
    };
  },
);

export type Config = ReturnType<(typeof config)['read']>;

/** In-memory state of one copy of the service. */
export interface State {
  renderer: Renderer;
}
export type Context = ServiceContext<Config, Tables, State>;

/** The context of one write of this service, which its functions pass on. */
export type Write = WriteContext<Tables>;

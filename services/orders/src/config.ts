import { defineConfig, rateLimitSettings, readRateLimit, type ServiceContext } from '@waybill/kernel';
import Type from 'typebox';
import type { Tables } from './tables.ts';

/** The settings of orders, `decisions.md 3.5, 9.5`. */
export const config = defineConfig(
  Type.Object({
    ...rateLimitSettings,
    CHECKOUT_HOLD_SECONDS: Type.Integer({
      minimum: 5,
      maximum: 3600,
      default: 60,
      description: 'How long a checkout may take, and so how long stock is held for one that broke off.',
    }),
  }),
  (env) => ({ checkoutLimit: readRateLimit(env), holdSeconds: env.CHECKOUT_HOLD_SECONDS }),
);

export type Config = ReturnType<(typeof config)['read']>;
export type Context = ServiceContext<Config, Tables>;

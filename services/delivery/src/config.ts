import { defineConfig } from '@waybill/kernel';
import { outboundSettings, readOutboundSettings } from '@waybill/outbound';
import Type from 'typebox';

const schema = Type.Object({
  ...outboundSettings,
  WEBHOOK_CONCURRENCY: Type.Integer({ minimum: 1, maximum: 10_000, default: 1000 }),
  WEBHOOK_SLOW_CONCURRENCY: Type.Integer({ minimum: 1, maximum: 10_000, default: 128 }),
});

/**
 * The settings of delivery, including the number of calls that a process makes at once in each lane
 * (`decisions.md 6.2`).
 */
export const config = defineConfig(schema, (env) => ({
  ...readOutboundSettings(env),
  concurrency: env.WEBHOOK_CONCURRENCY,
  slowConcurrency: env.WEBHOOK_SLOW_CONCURRENCY,
}));

export type Config = ReturnType<(typeof config)['read']>;

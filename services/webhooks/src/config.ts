import { defineConfig } from '@waybill/kernel';
import { outboundSettings, readOutboundSettings } from '@waybill/outbound';
import Type from 'typebox';

const schema = Type.Object({
  ...outboundSettings,
  WEBHOOK_RETRY_DELAYS_SECONDS: Type.String({ default: '60,300,1800,7200,21600,86400' }),
  WEBHOOK_HOST_CONCURRENCY: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    default: 50,
    description:
      'The maximum number of concurrent calls to one host, over all stores. Trusted targets are exempt.',
  }),
  WEBHOOK_HOST_PER_SECOND: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    default: 200,
    description:
      'The maximum number of calls per second to one host, over all stores. Trusted targets are exempt.',
  }),
  EVENT_LOG_DAYS: Type.Integer({
    minimum: 0,
    maximum: 365,
    default: 30,
    description:
      'The time that all events can be read; 0: only events that an endpoint is called for, for 30 days.',
  }),
});

/** The settings of webhooks, `decisions.md 6.2, 6.4, 12.1`. */
export const config = defineConfig(schema, (env) => {
  const retryDelays = env.WEBHOOK_RETRY_DELAYS_SECONDS.split(',').map((text) =>
    Number(text.trim() || Number.NaN),
  );
  if (retryDelays.length > 50 || !retryDelays.every((delay) => delay >= 0 && delay <= 30 * 86_400)) {
    throw new Error('WEBHOOK_RETRY_DELAYS_SECONDS: must be up to 50 numbers of seconds, separated by commas');
  }
  return {
    ...readOutboundSettings(env),
    retryDelays,
    eventLogDays: env.EVENT_LOG_DAYS,
    hostLimits: { concurrency: env.WEBHOOK_HOST_CONCURRENCY, perSecond: env.WEBHOOK_HOST_PER_SECOND },
  };
});

export type Config = ReturnType<(typeof config)['read']>;

import Type from 'typebox';
import type { RateDecision, RateLimit } from '../cache/cache.ts';

/** The settings of whoever limits requests, `decisions.md 1.12`. */
export const rateLimitSettings = {
  RATE_LIMIT_PER_MINUTE: Type.Integer({ minimum: 1, maximum: 100_000_000, default: 1200 }),
  RATE_LIMIT_BURST: Type.Integer({ minimum: 1, maximum: 100_000_000, default: 200 }),
};

export const readRateLimit = (env: {
  RATE_LIMIT_PER_MINUTE: number;
  RATE_LIMIT_BURST: number;
}): RateLimit => ({ perMinute: env.RATE_LIMIT_PER_MINUTE, burst: env.RATE_LIMIT_BURST });

/** The IETF draft's fields, for every answer to who is limited. */
export const rateLimitHeaders = (
  { perMinute, burst }: RateLimit,
  { remaining, resetSeconds }: RateDecision,
): Record<string, string> => ({
  'ratelimit-policy': `"default";q=${perMinute};w=60;burst=${burst}`,
  ratelimit: `"default";r=${remaining};t=${resetSeconds}`,
});

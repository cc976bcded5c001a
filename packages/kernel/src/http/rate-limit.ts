import { type ErrorExtras, errors, hashCredential, invitationRules } from '@waybill/contracts';
import Type from 'typebox';
import type { Cache, RateDecision, RateLimit } from '../cache/cache.ts';

/** The settings of services that limit requests, `decisions.md 1.12`. */
export const rateLimitSettings = {
  RATE_LIMIT_PER_MINUTE: Type.Integer({ minimum: 1, maximum: 100_000_000, default: 1200 }),
  RATE_LIMIT_BURST: Type.Integer({ minimum: 1, maximum: 100_000_000, default: 200 }),
};

/** Reads the limit from these settings. */
export const readRateLimit = (env: {
  RATE_LIMIT_PER_MINUTE: number;
  RATE_LIMIT_BURST: number;
}): RateLimit => ({ perMinute: env.RATE_LIMIT_PER_MINUTE, burst: env.RATE_LIMIT_BURST });

/** Returns the header fields of the IETF draft, for every answer to a limited client. */
export const rateLimitHeaders = (
  { perMinute, burst }: RateLimit,
  { remaining, resetSeconds }: RateDecision,
): Record<string, string> => ({
  'ratelimit-policy': `"default";q=${perMinute};w=60;burst=${burst}`,
  ratelimit: `"default";r=${remaining};t=${resetSeconds}`,
});

/**
 * Takes a token out of the bucket `key`, for limits of a service besides the gateway's limit of credentials.
 * @throws rate_limited if the bucket is empty, with the time until the next token; `extras` may have a clearer message
 */
export async function enforceRateLimit(
  cache: Cache,
  key: string,
  limit: RateLimit,
  extras: Pick<ErrorExtras, 'message'> = {},
): Promise<void> {
  const rate = await cache.takeToken(key, limit);
  if (rate.allowed) return;
  const headers = { ...rateLimitHeaders(limit, rate), 'retry-after': String(rate.retryAfterSeconds) };
  throw errors.rate_limited({ ...extras, headers });
}

/**
 * Counts an action that may be done a number of times in a window, which starts with the first.
 * @throws rate_limited beyond that number, with the time until the window ends; `extras` may have a clearer message
 */
async function enforceCountLimit(
  cache: Cache,
  key: string,
  { times, seconds }: { times: number; seconds: number },
  extras: Pick<ErrorExtras, 'message'> = {},
): Promise<void> {
  const { count, resetSeconds } = await cache.count(key, seconds, 1);
  if (count > times)
    throw errors.rate_limited({ ...extras, headers: { 'retry-after': String(Math.max(1, resetSeconds)) } });
}

/**
 * Counts an invitation against the limits of its sender and of its address: `decisions.md 15.5`. The services that
 * invite share the counts. `email` must be in lower case.
 * @throws rate_limited
 */
export async function countInvitation(cache: Cache, senderId: string, email: string): Promise<void> {
  const { perAddress, perSender } = invitationRules;
  await enforceCountLimit(cache, `invited:${hashCredential(email)}`, perAddress, {
    message: 'This address was invited several times within the hour; wait before the next time.',
  });
  await enforceCountLimit(cache, `invites:${senderId}`, perSender, {
    message: 'You have invited many people today; wait before the next one.',
  });
}

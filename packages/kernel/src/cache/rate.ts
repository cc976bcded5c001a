import type { RateDecision, RateLimit } from './cache.ts';

/** Takes up what rounding does to the moment at which a bucket is full. */
const slackMs = 0.01;

/** How long one token takes to come, in milliseconds. */
export const intervalOf = ({ perMinute }: RateLimit): number => 60_000 / perMinute;

/**
 * The generic cell rate algorithm: what the next request gets of a bucket that will be full in so many milliseconds,
 * where nobody takes anything. Who is allowed puts that off by an interval.
 */
export function decide(limit: RateLimit, fullInMs: number): RateDecision {
  const intervalMs = intervalOf(limit);
  const roomMs = limit.burst * intervalMs - (fullInMs + intervalMs) + slackMs;
  if (roomMs < 0) {
    return {
      allowed: false,
      remaining: 0,
      resetSeconds: Math.ceil(fullInMs / 1000),
      retryAfterSeconds: Math.max(1, Math.ceil(-roomMs / 1000)),
    };
  }
  return {
    allowed: true,
    remaining: Math.floor(roomMs / intervalMs),
    resetSeconds: Math.ceil((fullInMs + intervalMs) / 1000),
    retryAfterSeconds: 0,
  };
}

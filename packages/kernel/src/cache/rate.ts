import type { RateDecision, RateLimit } from './cache.ts';

/** Tolerance for rounding of the moment at which a bucket is full. */
const slackMs = 0.01;

/** Returns how long one token takes to refill, in milliseconds. */
export const computeInterval = ({ perMinute }: RateLimit): number => 60_000 / perMinute;

/**
 * Decides about the next request by the generic cell rate algorithm. `fullInMs` is the time until the bucket is full if
 * nobody takes a token. A request that is allowed moves that moment by one interval.
 */
export function decide(limit: RateLimit, fullInMs: number): RateDecision {
  const intervalMs = computeInterval(limit);
  const headroomMs = limit.burst * intervalMs - (fullInMs + intervalMs) + slackMs;
  if (headroomMs < 0) {
    return {
      allowed: false,
      remaining: 0,
      resetSeconds: Math.ceil(fullInMs / 1000),
      retryAfterSeconds: Math.max(1, Math.ceil(-headroomMs / 1000)),
    };
  }
  return {
    allowed: true,
    remaining: Math.floor(headroomMs / intervalMs),
    resetSeconds: Math.ceil((fullInMs + intervalMs) / 1000),
    retryAfterSeconds: 0,
  };
}

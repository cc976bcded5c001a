import { createHash } from 'node:crypto';
import type { Cache } from '@waybill/kernel';
import { errors } from '../errors.ts';

const windowSeconds = 15 * 60;
const maxPerAccount = 10;
const maxPerAddress = 100;

const accountKey = (email: string) => `login:account:${createHash('sha256').update(email).digest('hex')}`;

/** Forgets an account's failures; `email` in lower case. */
export const forgetFailures = (cache: Cache, email: string) => cache.resetCount(accountKey(email));

/**
 * Counts failed logins per account and, across all accounts, per network (`getNetwork`); `decisions.md 8.1`. `email` is
 * in lower case and need not be registered.
 */
export function loginLimits(cache: Cache, email: string, network: string) {
  const account = accountKey(email);
  const address = `login:address:${network}`;

  async function count(by: number) {
    const [own, all] = await Promise.all([
      cache.count(account, windowSeconds, by),
      cache.count(address, windowSeconds, by),
    ]);
    const full = [
      ...(own.count >= maxPerAccount ? [own.resetSeconds] : []),
      ...(all.count >= maxPerAddress ? [all.resetSeconds] : []),
    ];
    return {
      retryAfter: full.length > 0 ? Math.max(1, ...full) : null,
      over: own.count > maxPerAccount || all.count > maxPerAddress,
      ofNetwork: all.count,
    };
  }

  const limited = (seconds: number | null) =>
    errors.rate_limited({
      message: 'Too many failed logins; wait before the next one.',
      headers: { 'retry-after': String(seconds) },
    });

  return {
    /**
     * Returns the network's failures so far. Throws `rate_limited` if the network or the account has reached its limit.
     */
    async check(): Promise<number> {
      const { retryAfter, ofNetwork } = await count(0);
      if (retryAfter !== null) throw limited(retryAfter);
      return ofNetwork;
    },
    /**
     * Counts a failure. Throws `rate_limited` if it exceeds the limit, which happens when other attempts fail at the
     * same time.
     */
    async recordFailure(): Promise<void> {
      const { retryAfter, over } = await count(1);
      if (over) throw limited(retryAfter);
    },
    /** Forgets the account's failures, but not the network's, because the network may be trying other accounts. */
    recordSuccess: () => forgetFailures(cache, email),
  };
}

import { createHash } from 'node:crypto';
import type { Cache } from '@waybill/kernel';
import { errors } from '../errors.ts';

const windowSeconds = 15 * 60;
const maxPerAccount = 10;
const maxPerAddress = 100;

const accountKey = (email: string) => `login:account:${createHash('sha256').update(email).digest('hex')}`;

/** Forgets an account's failures; `email` in lower case. */
export const forgetFailures = (cache: Cache, email: string) => cache.forget(accountKey(email));

/**
 * Counts the failed logins of an account, and of a network (`networkOf`) over all accounts; `decisions.md 8.1`.
 * `email` in lower case; it need not belong to anybody.
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
     * Gives the network's failures so far. Throws `rate_limited` when they, or the account's, are as many as there may
     * be.
     */
    async check(): Promise<number> {
      const { retryAfter, ofNetwork } = await count(0);
      if (retryAfter !== null) throw limited(retryAfter);
      return ofNetwork;
    },
    /** Counts a failure. Throws `rate_limited` for one too many: others failed while this one was looked into. */
    async recordFailure(): Promise<void> {
      const { retryAfter, over } = await count(1);
      if (over) throw limited(retryAfter);
    },
    /** Forgets the account's failures; the address may still be trying others. */
    recordSuccess: () => forgetFailures(cache, email),
  };
}

import { hashCredential } from '@waybill/contracts';
import type { Cache } from '@waybill/kernel';

const windowSeconds = 3600;
const mostInWindow = {
  verify: 5,
  reset: 5,
  receipt: 20,
  customer: 60,
  form: 5,
  trial: 20,
  orders: 60,
} as const;

/**
 * Whether an address may be mailed once more for that purpose: 5 times an hour, of orders somewhat more often, whoever
 * asks, so that no flood fills a stranger's mailbox. Each purpose counts for itself: who is flooded with one can still ask for the other. `email` in lower
 * case. `decisions.md 15.3`.
 */
export async function mayBeMailed(
  cache: Cache,
  purpose: keyof typeof mostInWindow,
  email: string,
): Promise<boolean> {
  const { count } = await cache.count(`mail:${purpose}:${hashCredential(email)}`, windowSeconds, 1);
  return count <= mostInWindow[purpose];
}

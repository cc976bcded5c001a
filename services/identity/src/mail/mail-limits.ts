import { hashCredential } from '@waybill/contracts';
import type { Cache } from '@waybill/kernel';

const windowSeconds = 3600;
const maxPerWindow = {
  verify: 5,
  reset: 5,
  receipt: 20,
  customer: 60,
  form: 5,
  trial: 20,
  orders: 60,
} as const;

/**
 * Whether an address may get one more mail for a purpose, from any requester, so that no flood fills a stranger's
 * mailbox. Most purposes allow 5 mails an hour, those about orders somewhat more. Each purpose has its own count, so a
 * flood for one does not block the others. `email` in lower case. `decisions.md 15.3`.
 */
export async function canMailAddress(
  cache: Cache,
  purpose: keyof typeof maxPerWindow,
  email: string,
): Promise<boolean> {
  const { count } = await cache.count(`mail:${purpose}:${hashCredential(email)}`, windowSeconds, 1);
  return count <= maxPerWindow[purpose];
}

import type { Principal } from '@waybill/contracts';

/** The user who makes a request; null where an API key or an app does. */
export function userOf(principal: Principal): string | null {
  return principal.kind === 'user' ? principal.userId : null;
}

import type { Principal } from '@waybill/contracts';

/** Returns the user who makes a request; null for an API key or an app. */
export function getUserId(principal: Principal): string | null {
  return principal.kind === 'user' ? principal.userId : null;
}

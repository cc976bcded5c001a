import type { DeliveryJob } from '@waybill/contracts';
import type { Endpoint } from './queries.ts';

/** The secret before the last rotation while calls are signed with it as well; null: they are not. */
export function previousSecretOf(endpoint: Endpoint): NonNullable<DeliveryJob['previousSecret']> | null {
  const { sealed_previous_secret: sealed, previous_secret_expires_at: expiresAt } = endpoint;
  if (!sealed || !expiresAt || expiresAt.getTime() <= Date.now()) return null;
  return { sealed, expiresAt: expiresAt.toISOString() };
}

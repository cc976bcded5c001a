import { randomBytes } from 'node:crypto';
import type { DeliveryJob } from '@waybill/contracts';
import type { Endpoint } from './queries.ts';

/** A new signing secret, `decisions.md 6.7`. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** The secret before the last rotation while calls are signed with it as well; null: they are not. */
export function previousSecretOf(endpoint: Endpoint): NonNullable<DeliveryJob['previousSecret']> | null {
  const { sealed_previous_secret: sealed, previous_secret_expires_at: expiresAt } = endpoint;
  if (!sealed || !expiresAt || expiresAt.getTime() <= Date.now()) return null;
  return { sealed, expiresAt: expiresAt.toISOString() };
}

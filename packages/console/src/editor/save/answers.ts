import { isWaybillError } from '@waybill/sdk';
import type { Failure } from '../core/save-port.ts';

/** Classifies the API's refusal of a write (`store-api.md 7.1`). Any other error may be temporary. */
export function toFailure(error: unknown): Failure {
  if (!isWaybillError(error)) return { kind: 'away', isOffline: false };
  const { status, code, problems, retryAfterMs } = error;
  if (status === 401) return { kind: 'signed-out' };
  if (status === 412) return { kind: 'changed' };
  const isTransient = status === 0 || status === 408 || status === 425 || status === 429 || status >= 500;
  if (!isTransient) return { kind: 'refused', code, problems };
  return { kind: 'away', isOffline: status === 0, ...(retryAfterMs !== null && { retryAfterMs }) };
}

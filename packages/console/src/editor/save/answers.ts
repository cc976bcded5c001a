import { isWaybillError, type Problem } from '@waybill/sdk';

/** What a write that did not succeed means for what was typed. */
export type Failure =
  /** Somebody else was faster: the stored document is another one. */
  | { readonly is: 'changed' }
  /** It will not be taken as it is, whoever sends it again. */
  | { readonly is: 'refused'; readonly code: string; readonly problems: readonly Problem[] }
  | { readonly is: 'signed-out' }
  /** It may be taken later. It may also have been taken, and the answer lost. */
  | { readonly is: 'away'; readonly isOffline: boolean; readonly retryAfterMs?: number };

/** What the API's refusal of a write means (`store-api.md 7.1`). What was thrown by anything else may pass. */
export function failureOf(error: unknown): Failure {
  if (!isWaybillError(error)) return { is: 'away', isOffline: false };
  const { status, code, problems, retryAfterMs } = error;
  if (status === 401) return { is: 'signed-out' };
  if (status === 412) return { is: 'changed' };
  const isPassing = status === 0 || status === 408 || status === 425 || status === 429 || status >= 500;
  if (!isPassing) return { is: 'refused', code, problems };
  return { is: 'away', isOffline: status === 0, ...(retryAfterMs !== null && { retryAfterMs }) };
}

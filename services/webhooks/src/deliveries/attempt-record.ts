import type { ReceivedReply, SentRequest } from '@waybill/contracts';

/**
 * Maximum number of attempts that the log of a delivery keeps, the newest ones: a delivery may be redelivered any
 * number of times.
 */
export const maxLoggedAttempts = 50;

/** An entry of `attempt_log`: one completed attempt. */
export interface AttemptRecord {
  attempt: number;
  statusCode: number | null;
  error: string;
  durationMs: number;
  startedAt: string;
  reply: ReceivedReply | null;
  /** Missing in entries from before requests were kept. */
  request?: SentRequest;
  /** The batch that the call was part of. */
  batchId?: string;
  /** Replaces `startedAt` and `reply` in entries from before replies were kept. */
  endedAt?: string;
}

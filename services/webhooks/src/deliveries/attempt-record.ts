import type { ReceivedReply } from '@waybill/contracts';

/** How many attempts the log of a delivery holds, the newest: by hand it can be made any number of times. */
export const keptAttempts = 50;

/** How an attempt ended: an entry of `attempt_log`. */
export interface AttemptRecord {
  attempt: number;
  statusCode: number | null;
  error: string;
  durationMs: number;
  startedAt: string;
  reply: ReceivedReply | null;
  /** In entries of before replies were kept, in place of the last two. */
  endedAt?: string;
}

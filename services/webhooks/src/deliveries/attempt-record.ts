import type { ReceivedReply } from '@waybill/contracts';

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

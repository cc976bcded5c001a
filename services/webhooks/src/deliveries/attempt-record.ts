import type { ReceivedReply, SentRequest } from '@waybill/contracts';

/** The log of a delivery holds this many attempts, the newest: somebody may redeliver any number of times. */
export const maxLoggedAttempts = 50;

/** An entry of `attempt_log`: one attempt that has ended. */
export interface AttemptRecord {
  attempt: number;
  statusCode: number | null;
  error: string;
  durationMs: number;
  startedAt: string;
  reply: ReceivedReply | null;
  /** Missing in entries of before requests were kept. */
  request?: SentRequest;
  /** The batch that the call was of. */
  batchId?: string;
  /** In entries of before replies were kept, in place of the last two. */
  endedAt?: string;
}

import type { RefundState } from '@waybill/contracts';

/** The part of a refund that one payment returns. */
export interface RefundPart {
  /** Null: several payments, from before refunds existed. */
  paymentId: string | null;
  amountCents: number;
  state: RefundState;
}

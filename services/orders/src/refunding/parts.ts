import type { RefundState } from '@waybill/contracts';

/** A part of a refund: what goes back by one payment. */
export interface RefundPart {
  /** Null: by several, before there were refunds. */
  paymentId: string | null;
  amountCents: number;
  state: RefundState;
}

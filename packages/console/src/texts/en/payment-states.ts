import type { Compiled } from '../messages.ts';

const words = {
  states: {
    pending: 'Pending',
    authorized: 'Authorized',
    captured: 'Captured',
    partially_refunded: 'Partially refunded',
    refunded: 'Refunded',
    voided: 'Voided',
    failed: 'Failed',
    disputed: 'Disputed',
  },
  entries: {
    authorized: 'Authorized',
    captured: 'Captured',
    refunded: 'Refunded',
    voided: 'Voided',
    failed: 'Failed',
    disputed: 'Disputed',
    disputeWon: 'Dispute won',
    disputeLost: 'Dispute lost',
    noted: 'Status noted',
  },
  ways: { card: 'Card', sepa_debit: 'SEPA Direct Debit', us_bank_account: 'US bank account' } as Record<
    string,
    string
  >,
  providers: { manual: 'Manual', stripe: 'Stripe', app: 'App' },
  test: 'Test mode',
} as const;

export default words;
export type PaymentStateWords = Compiled<typeof words>;

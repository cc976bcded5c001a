import { defineErrors, errors as shared } from '@waybill/contracts';

/** The errors of payments, in addition to the shared ones: `decisions.md 22`. */
export const errors = {
  ...shared,
  ...defineErrors({
    invalid_credentials: [400, 'The provider does not accept this key.'],
    invalid_signature: [400, 'The signature of the event is not valid.'],
    amount_exceeded: [409, 'The amount is larger than the requested amount.'],
    too_many_payment_methods: [409, 'A store has at most 10,000 payment methods; delete some.'],
  }),
};

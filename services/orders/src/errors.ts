import { defineErrors, errors as shared } from '@waybill/contracts';

/** What orders answers beside the shared errors, `store-api.md 7.1`, `decisions.md 3.5`. */
export const errors = {
  ...shared,
  ...defineErrors({
    orders_are_read_only: [405, 'Orders are placed at the storefront; the API cannot make them.'],
    too_many_customers: [409, 'A store has at most 10,000,000 customers; delete some.'],
    idempotency_conflict: [409, 'This Idempotency-Key was used for another request.'],
    idempotency_key_required: [400, 'Send an Idempotency-Key header of 1 to 255 characters.'],
  }),
};

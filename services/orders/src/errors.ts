import { defineErrors, errors as shared } from '@waybill/contracts';

/** The errors of orders, in addition to the shared ones: `store-api.md 7.1`, `decisions.md 3.5`. */
export const errors = {
  ...shared,
  ...defineErrors({
    orders_are_read_only: [405, 'Orders are placed at the storefront; the API cannot make them.'],
    too_many_customers: [409, 'A store has at most 10,000,000 customers; delete some.'],
    no_shipping: [422, 'Nothing can be sent to this address.'],
    invalid_shipping_rate: [422, 'This shipping rate is not offered for this order.'],
    invalid_vat_id: [422, 'This is no VAT id of another country of the EU.'],
    total_changed: [409, 'The order costs something else than expected; `quote` says what.'],
    discount_rejected: [409, 'A discount code cannot be used; `rejectedCodes` says why.'],
    duplicate_code: [409, 'A discount has this code already.'],
    too_many_codes: [409, 'A discount has at most 100,000 single-use codes; delete some.'],
    too_many_discounts: [409, 'A store has at most 10,000 discounts; delete some.'],
    provider_payment: [
      409,
      'This money is at a payment provider: capture, void or refund the payment instead.',
    ],
    provider_refused: [409, 'The payment provider refuses this.'],
    payment_method_required: [422, 'This order needs a payment method: choose one.'],
    invalid_payment_method: [422, 'This payment method cannot be chosen for this order.'],
    return_window_closed: [422, 'The time in which this could be returned is over.'],
    invalid_quantity: [409, 'This is more than there is left of it.'],
    seller_incomplete: [409, 'Documents need to know who sells; `details` say what is missing.'],
    too_many_documents: [409, 'An order has at most 10,000 packing slips.'],
    too_many_notes: [409, 'An order has at most 10,000 notes; delete some.'],
    too_many_fulfillments: [409, 'An order has at most 10,000 fulfilments.'],
    amount_exceeded: [409, 'This is more than there is left.'],
    idempotency_conflict: [409, 'This Idempotency-Key was used for another request.'],
    idempotency_key_required: [400, 'Send an Idempotency-Key header of 1 to 255 characters.'],
  }),
};

import { defineErrors, errors as shared } from '@waybill/contracts';

/** The errors of orders, in addition to the shared ones: `store-api.md 7.1`, `decisions.md 3.5`. */
export const errors = {
  ...shared,
  ...defineErrors({
    orders_are_read_only: [405, 'Orders are placed at the storefront; this API cannot create them.'],
    too_many_customers: [409, 'A store has at most 10,000,000 customers; delete some.'],
    no_shipping: [422, 'The store cannot ship this order to this address.'],
    invalid_shipping_rate: [422, 'This shipping rate is not offered for this order.'],
    invalid_vat_id: [422, 'This is not a VAT ID of another EU country.'],
    total_changed: [409, 'The total differs from the expected one; `quote` has the current prices.'],
    discount_rejected: [409, 'A discount code cannot be used; `rejectedCodes` says why.'],
    duplicate_code: [409, 'Another discount already has this code.'],
    too_many_codes: [409, 'A discount has at most 100,000 single-use codes; delete some.'],
    too_many_discounts: [409, 'A store has at most 10,000 discounts; delete some.'],
    provider_payment: [
      409,
      'A payment provider holds this money: capture, void or refund the payment instead.',
    ],
    provider_refused: [409, 'The payment provider declined the request.'],
    payment_method_required: [422, 'This order needs a payment method: choose one.'],
    invalid_payment_method: [422, 'This payment method cannot be chosen for this order.'],
    return_window_closed: [422, 'The return period is over.'],
    invalid_quantity: [409, 'The quantity is larger than the quantity left.'],
    seller_incomplete: [409, 'The seller’s details are incomplete; `details` lists the missing ones.'],
    too_many_documents: [409, 'An order has at most 10,000 packing slips.'],
    too_many_notes: [409, 'An order has at most 10,000 notes; delete some.'],
    too_many_fulfillments: [409, 'An order has at most 10,000 fulfilments.'],
    amount_exceeded: [409, 'The amount is larger than the amount left.'],
    idempotency_conflict: [409, 'This Idempotency-Key was used for another request.'],
    idempotency_key_required: [400, 'Send an Idempotency-Key header of 1 to 255 characters.'],
  }),
};

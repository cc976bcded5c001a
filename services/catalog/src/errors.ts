import { defineErrors, errors as shared } from '@waybill/contracts';

/** What the catalog answers beside the shared errors, `store-api.md 7.1`. */
export const errors = {
  ...shared,
  ...defineErrors({
    too_many_products: [409, 'A store has at most 1,000,000 products; delete some.'],
    duplicate_sku: [409, 'This SKU is taken by another variant of the store.'],
  }),
};

import { defineErrors, errors as shared } from '@waybill/contracts';

/** The catalog's own errors, in addition to the shared ones: `store-api.md 7.1`. */
export const errors = {
  ...shared,
  ...defineErrors({
    too_many_products: [409, 'A store has at most 1,000,000 products; delete some.'],
    too_many_categories: [409, 'A store has at most 10,000 categories; delete some.'],
    too_many_rule_members: [
      409,
      'The rules of a store put products into categories at most 10,000,000 times; delete a rule, or make one narrower.',
    ],
    cycle_detected: [409, 'A category cannot be moved into itself or its descendants.'],
    invalid_barcode: [
      400,
      'A barcode is a GTIN: 8, 12, 13 or 14 digits with a valid check digit at the end.',
    ],
    invalid_key: [
      400,
      'A key starts with a lower-case letter, followed by lower-case letters, digits and _; at most 40 characters.',
    ],
    duplicate_key: [409, 'This key is taken by another custom field.'],
    too_many_custom_fields: [409, 'An entity has at most 250 custom fields; delete some.'],
    duplicate_sku: [409, 'This SKU is taken by another variant of the store.'],
  }),
};

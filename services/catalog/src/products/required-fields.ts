import { type OfStore, type Placeholders, prepare } from '@waybill/kernel';

/** The definitions that require a value of new products or variants. */
export const requiredFields = ($: Placeholders<OfStore>) => `
  select 1 from custom_field
  where store_id = ${$.storeId} and entity in ('product', 'variant') and (rules->>'required')::boolean
    and deleted_at is null and hidden_at is null`;

/** Selects one of them, if there are any. */
export const selectRequiredFields = prepare<object, OfStore>(
  'product-required-fields',
  ($) => `${requiredFields($)} limit 1`,
);

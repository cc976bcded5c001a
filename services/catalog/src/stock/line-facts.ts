import { Product, Variant } from '@waybill/contracts';
import { bare, encoded, encodedOrNull, jsonObject } from '@waybill/kernel';
import Type from 'typebox';
import { categoryIdsSql } from '../products/json.ts';

/** Properties besides the variant's price that the price of a line depends on: `LineFacts` of the contracts. */
export const LineFacts = Type.Object({
  ...Type.Pick(Product, ['tags', 'taxCategory', 'categoryIds']).properties,
  ...Type.Pick(Variant, ['options', 'weightGrams', 'requiresShipping', 'compareAtCents']).properties,
});

/** The SQL of these properties for `jsonObject`, from a variant `v` and its product `p`. */
export const lineFactMembers = {
  options: bare('v.options'),
  tags: encoded('p.tags'),
  taxCategory: encoded('p.tax_category'),
  categoryIds: encoded(categoryIdsSql),
  weightGrams: encodedOrNull('v.weight_grams'),
  requiresShipping: encoded('v.requires_shipping'),
  compareAtCents: encodedOrNull('v.compare_at_cents'),
};

export const lineFactsJson = jsonObject(lineFactMembers);

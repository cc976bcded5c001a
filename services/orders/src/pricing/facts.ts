import { type CartVariant, type LineFacts, type Reservation, standardTaxCategory } from '@waybill/contracts';
import type { CartLine } from '@waybill/pricing';

/** The line items that the catalog has reserved. */
export type ReservedLines = Omit<Extract<Reservation, { outcome: 'reserved' }>, 'outcome'>;

/**
 * Returns the properties of a variant that taxes, shipping and discounts depend on, with defaults for those that the
 * previous version of the catalog does not send.
 */
function readFacts(facts: Partial<LineFacts>) {
  const { tags, taxCategory, categoryIds, requiresShipping, weightGrams } = facts;
  return {
    tags: tags ?? [],
    taxCategory: taxCategory ?? standardTaxCategory,
    categoryIds: categoryIds ?? [],
    requiresShipping: requiresShipping ?? true,
    weightGrams: weightGrams ?? null,
  };
}

/** Combines reserved lines with the facts that they are priced by. */
export const createReservedLines = ({ lines, facts }: ReservedLines): CartLine[] =>
  lines.map(({ variantId, productId, name, quantity, unitPriceCents }, i) => ({
    variantId,
    productId,
    name,
    quantity,
    unitPriceCents,
    ...readFacts(facts?.[i] ?? {}),
    problem: null,
  }));

/** Builds a line of a cart; `variant` is undefined if it is not for sale. */
export function createVariantLine(
  { variantId, quantity }: { variantId: string; quantity: number },
  variant: CartVariant | undefined,
): CartLine {
  if (!variant) {
    return {
      variantId,
      productId: '',
      quantity,
      unitPriceCents: 0,
      ...readFacts({}),
      problem: 'unavailable',
    };
  }
  return {
    variantId,
    productId: variant.productId,
    name: variant.productName,
    quantity,
    unitPriceCents: variant.priceCents,
    ...readFacts(variant),
    problem: (variant.isEnough ?? variant.isAvailable) ? null : 'outOfStock',
  };
}

import { type CartVariant, type LineFacts, type Reservation, standardTaxCategory } from '@waybill/contracts';
import type { CartLine } from '@waybill/pricing';

/** What the catalog has reserved. */
export type ReservedLines = Omit<Extract<Reservation, { outcome: 'reserved' }>, 'outcome'>;

/** What a variant is taxed, sent and discounted by, with the defaults of what a catalog of the version before does not say. */
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

export const linesOfReserved = ({ lines, facts }: ReservedLines): CartLine[] =>
  lines.map(({ variantId, productId, name, quantity, unitPriceCents }, i) => ({
    variantId,
    productId,
    name,
    quantity,
    unitPriceCents,
    ...readFacts(facts?.[i] ?? {}),
    problem: null,
  }));

/** A line of a cart; `variant` is undefined where it is not for sale. */
export function lineOfVariant(
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

import { canonicalLocale, type Problem, type Reservation } from '@waybill/contracts';
import { toAddress } from '../customers/customers.ts';
import { errors } from '../errors.ts';
import type { Checkout, CheckoutChoices } from './queries.ts';
import type { CheckoutInput } from './routes.ts';

/**
 * Normalises the input. Repeated variants become one item, because an order has one line per variant.
 * @throws invalid_body for an invalid locale
 */
export function toCheckout(input: CheckoutInput): Checkout {
  const { items, customer } = input;
  const { name, email, phone, shippingAddress } = customer;
  const quantities = new Map<string, number>();
  for (const { variantId, quantity } of items)
    quantities.set(variantId, (quantities.get(variantId) ?? 0) + quantity);
  return {
    items: [...quantities].map(([variantId, quantity]) => ({ variantId, quantity })),
    customer: {
      name,
      email: email.toLowerCase(),
      phone: phone ?? null,
      shippingAddress: shippingAddress ? toAddress(shippingAddress) : null,
    },
    ...pickChoices(input),
  };
}

/** Picks the optional choices of a checkout, without those that are empty. */
function pickChoices(input: CheckoutInput): { choices?: CheckoutChoices } {
  const locale = input.locale ? canonicalLocale(input.locale) : null;
  if (input.locale && !locale) {
    throw errors.invalid_body({ details: [{ pointer: '/locale', message: 'is not a BCP 47 language tag' }] });
  }
  const vatId = input.vatId?.trim();
  const { expectedTotalCents, paymentMethodId } = input;
  const choices: CheckoutChoices = {
    ...(input.discountCodes?.length && { discountCodes: input.discountCodes }),
    ...(input.shippingRateId && { shippingRateId: input.shippingRateId }),
    ...(vatId && { vatId }),
    ...(locale && { locale }),
    ...(typeof expectedTotalCents === 'number' && { expectedTotalCents }),
    ...(typeof paymentMethodId === 'string' && { paymentMethodId }),
  };
  return Object.keys(choices).length > 0 ? { choices } : {};
}

/**
 * Checks the quantities: `decisions.md 3.5`. Repeated variants are added up, and the error names the line that exceeds
 * the maximum.
 * @throws invalid_body
 */
export function checkQuantities({ items }: CheckoutInput, maxQuantity: number): void {
  const message = `exceeds the limit of ${maxQuantity} units of a variant in an order`;
  const quantities = new Map<string, number>();
  const details = items.flatMap(({ variantId, quantity }, i): Problem[] => {
    const before = quantities.get(variantId) ?? 0;
    quantities.set(variantId, before + quantity);
    const exceeds = before <= maxQuantity && before + quantity > maxQuantity;
    return exceeds ? [{ pointer: `/items/${i}/quantity`, message }] : [];
  });
  if (details.length > 0) throw errors.invalid_body({ details });
}

/** Returns the error for stock that the catalog did not reserve, with pointers to the items of the request. */
export function describeRefusal(
  reservation: Extract<Reservation, { outcome: 'out_of_stock' | 'refused' }>,
  { items }: CheckoutInput,
): Error {
  const pointer = (variantId: string, field: string) =>
    `/items/${items.findIndex((item) => item.variantId === variantId)}/${field}`;
  if (reservation.outcome === 'refused') {
    const details = reservation.problems.map(
      ({ variantId, message }): Problem => ({ pointer: pointer(variantId, 'variantId'), message }),
    );
    return errors.invalid_body({ details });
  }
  const { variants } = reservation;
  const details = variants.map(
    ({ variantId, available }): Problem => ({
      pointer: pointer(variantId, 'quantity'),
      message: available ? 'is more than is left' : 'is sold out',
    }),
  );
  return errors.out_of_stock({ details, fields: { variants } });
}

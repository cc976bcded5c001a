import { ApiError, type PageQuote, type QuotedCart } from '@waybill/contracts';
import type { Context } from '../../config.ts';
import type { FormValues } from './form.ts';
import type { CartLine } from './html.ts';
import type { PricedCart } from './price-html.ts';
import type { Shop } from './shop.ts';

/** The choices in a form that affect the price of an order. */
export interface Choices {
  codes: string[];
  shippingRateId: string;
  vatId: string;
  country: string;
  region: string;
  postalCode: string;
  paymentMethodId: string;
}

export const emptyChoices: Choices = {
  codes: [],
  shippingRateId: '',
  vatId: '',
  country: '',
  region: '',
  postalCode: '',
  paymentMethodId: '',
};

const maxCodes = 20;

/** Splits a typed text into codes at white space. */
export const readCodes = (text: string): string[] =>
  text
    .toWellFormed()
    .split(/[\s\p{Cc}]+/u)
    .filter((code) => code !== '' && code.length <= longest)
    .slice(0, maxCodes);
const longest = 100;

/** Returns the choices in a form. Values that the orders service would refuse outright are dropped. */
export function choicesIn(sent: FormValues): Choices {
  const text = (name: string, maxLength: number) =>
    (sent.get(name) ?? '')
      .toWellFormed()
      .replaceAll(/\p{Cc}/gu, '')
      .trim()
      .slice(0, maxLength);
  return {
    codes: readCodes((sent.get('codes') ?? '').slice(0, 2_000)),
    shippingRateId: text('shipping', longest),
    vatId: text('vatId', 50),
    country: /^[A-Z]{2}$/.test(sent.get('country') ?? '') ? sent.get('country')! : '',
    region: text('region', 200),
    postalCode: text('postalCode', 200),
    paymentMethodId: text('payment', longest),
  };
}

/** Returns the total that a form's page has shown; null when it has shown none. */
export function shownTotalIn(sent: FormValues): number | null {
  const text = sent.get('total') ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/**
 * Returns the price of a cart; null when the orders service is unavailable, and the page shows the sum of its lines.
 */
export async function quoteCart(
  { peers }: Context,
  { store }: Shop,
  lines: readonly CartLine[],
  { codes, shippingRateId, vatId, country, region, postalCode }: Choices,
): Promise<PricedCart | null> {
  const items = lines
    .filter(({ isAvailable }) => isAvailable)
    .map(({ variantId, quantity }) => ({ variantId, quantity }));
  if (items.length === 0) return null;
  const request: PageQuote = {
    storeId: store.id,
    items,
    ...(codes.length > 0 && { discountCodes: codes }),
    ...(country !== '' && { country }),
    ...(region !== '' && { region }),
    ...(postalCode !== '' && { postalCode }),
    ...(shippingRateId !== '' && { shippingRateId }),
    ...(vatId !== '' && { vatId }),
  };
  const requestQuote = (quote: PageQuote) =>
    peers.call<QuotedCart>('orders', 'POST', '/internal/quotes', quote);
  try {
    const first = await requestQuote(request);
    // The chosen rate belongs to another address, so the cheapest available one applies.
    const { shippingRateId: _, ...withoutRate } = request;
    const priced = first?.problem === 'invalid_shipping_rate' ? await requestQuote(withoutRate) : first;
    return priced && { ...priced, codes, vatId };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return null;
  }
}

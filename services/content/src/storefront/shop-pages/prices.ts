import { ApiError, type PageQuote, type QuotedCart } from '@waybill/contracts';
import type { Sent } from './form.ts';
import type { CartLine } from './html.ts';
import type { PricedCart } from './price-html.ts';
import type { Shop, ShopContext } from './shop.ts';

/** What a form has chosen of how an order is priced. */
export interface Choices {
  codes: string[];
  shippingRateId: string;
  vatId: string;
  country: string;
  region: string;
  postalCode: string;
  paymentMethodId: string;
}

export const noChoices: Choices = {
  codes: [],
  shippingRateId: '',
  vatId: '',
  country: '',
  region: '',
  postalCode: '',
  paymentMethodId: '',
};

const mostCodes = 20;

/** The codes in a text, as somebody types them: white space parts them. */
export const readCodes = (text: string): string[] =>
  text
    .toWellFormed()
    .split(/[\s\p{Cc}]+/u)
    .filter((code) => code !== '' && code.length <= longest)
    .slice(0, mostCodes);
const longest = 100;

/** What a form has sent; what the orders service would refuse outright is left out. */
export function choicesIn(sent: Sent): Choices {
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

/** The total that a form's page has shown; null where it has shown none. */
export function shownTotalIn(sent: Sent): number | null {
  const text = sent.get('total') ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** What a cart costs. Null where the orders service cannot say: the page then shows the sum of its lines. */
export async function askPrice(
  { peers }: ShopContext,
  { store }: Shop,
  lines: readonly CartLine[],
  { codes, shippingRateId, vatId, country, region, postalCode }: Choices,
): Promise<PricedCart | null> {
  const items = lines
    .filter(({ isAvailable }) => isAvailable)
    .map(({ variantId, quantity }) => ({ variantId, quantity }));
  if (items.length === 0) return null;
  const asked: PageQuote = {
    storeId: store.id,
    items,
    ...(codes.length > 0 && { discountCodes: codes }),
    ...(country !== '' && { country }),
    ...(region !== '' && { region }),
    ...(postalCode !== '' && { postalCode }),
    ...(shippingRateId !== '' && { shippingRateId }),
    ...(vatId !== '' && { vatId }),
  };
  const ask = (quote: PageQuote) => peers.call<QuotedCart>('orders', 'POST', '/internal/quotes', quote);
  try {
    const first = await ask(asked);
    // A rate of another address: the cheapest there is, then.
    const { shippingRateId: _, ...withoutRate } = asked;
    const priced = first?.problem === 'invalid_shipping_rate' ? await ask(withoutRate) : first;
    return priced && { ...priced, codes, vatId };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return null;
  }
}

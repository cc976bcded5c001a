import { idPattern, maxCartLines, maxOrderQuantity } from '@waybill/contracts';

/** What somebody means to buy: how many of each variant, in the order in which they were put in. */
export type Cart = ReadonlyMap<string, number>;

export const emptyCart: Cart = new Map();

const prefix = 'var_';
const ids = new RegExp(idPattern('variant'));
export const isVariantId = (text: string): boolean => ids.test(text);

/** What is in a cart's cookie; what is no line of one is left out. `decisions.md 17.4` */
export function readCart(text: string): Cart {
  return cartOf(
    text.split('~').map((line): [string, string] => {
      const [id = '', quantity = ''] = line.split('.');
      return [prefix + id, quantity];
    }),
  );
}

/** As a cookie keeps it: 32 characters a line. */
export function writeCart(cart: Cart): string {
  return [...cart].map(([id, quantity]) => `${id.slice(prefix.length)}.${quantity}`).join('~');
}

/** A cart of lines as they were sent; those of nothing, or of what is no variant, are left out. */
export function cartOf(lines: Iterable<readonly [variantId: string, quantity: string]>): Cart {
  const cart = new Map<string, number>();
  for (const [id, text] of lines) {
    const quantity = quantityOf(text);
    if (quantity > 0 && isVariantId(id) && cart.size < maxCartLines) cart.set(id, quantity);
  }
  return cart;
}

/** The cart with more of a variant in it, as many as an order may have at most. */
export function withMore(cart: Cart, variantId: string, quantity: number): Cart {
  const sum = Math.min((cart.get(variantId) ?? 0) + quantity, maxOrderQuantity);
  return cartOf([...cart, [variantId, sum] as const].map(([id, each]) => [id, String(each)]));
}

export function without(cart: Cart, variantIds: readonly string[]): Cart {
  return new Map([...cart].filter(([id]) => !variantIds.includes(id)));
}

/** A whole number of pieces; 0 for what is none. */
export function quantityOf(text: string): number {
  return /^\s*\d{1,6}\s*$/.test(text) ? Math.min(Number(text), maxOrderQuantity) : 0;
}

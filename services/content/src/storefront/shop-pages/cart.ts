import { idPattern, maxCartLines, maxOrderQuantity } from '@waybill/contracts';

/** What somebody means to buy: how many of each variant, in the order in which they were put in. */
export type Cart = ReadonlyMap<string, number>;

export const emptyCart: Cart = new Map();

const prefix = 'var_';
const ids = new RegExp(idPattern('variant'));
export const isVariantId = (text: string): boolean => ids.test(text);

/** How many of each variant there are in these lines. */
export const cartOfLines = (lines: readonly { variantId: string; quantity: number }[]): Cart =>
  new Map(lines.map(({ variantId, quantity }) => [variantId, quantity]));

/** What is in a cart's cookie; what is no line of one is left out. `decisions.md 17.4` */
export function readCart(text: string): Cart {
  const lines = text.split('~').map((line): [string, number] => {
    const [id = '', quantity = ''] = line.split('.');
    return [prefix + id, quantityOf(quantity) ?? 0];
  });
  return withLines(
    emptyCart,
    lines.filter(([id]) => isVariantId(id)),
  );
}

/** As a cookie keeps it: 32 characters a line. */
export function writeCart(cart: Cart): string {
  return [...cart].map(([id, quantity]) => `${id.slice(prefix.length)}.${quantity}`).join('~');
}

/** The cart with these lines as they are here: 0 takes one out. The others stay as they are. */
export function withLines(cart: Cart, lines: Iterable<readonly [variantId: string, quantity: number]>): Cart {
  const changed = new Map([...cart, ...lines]);
  return new Map([...changed].filter(([, quantity]) => quantity > 0).slice(0, maxCartLines));
}

/** The cart with more of a variant in it, as many as an order may have at most. */
export function withMore(cart: Cart, variantId: string, quantity: number): Cart {
  const sum = Math.min((cart.get(variantId) ?? 0) + quantity, maxOrderQuantity);
  return withLines(cart, [[variantId, sum]]);
}

/** A whole number of pieces; null for what is none. */
export function quantityOf(text: string): number | null {
  return /^\s*\d{1,6}\s*$/.test(text) ? Math.min(Number(text), maxOrderQuantity) : null;
}

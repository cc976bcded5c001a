import { idPattern, maxCartLines, maxOrderQuantity } from '@waybill/contracts';

/** The quantities of variants that a shopper wants to buy, in the order in which they were added. */
export type Cart = ReadonlyMap<string, number>;

export const emptyCart: Cart = new Map();

const prefix = 'var_';
const ids = new RegExp(idPattern('variant'));

/** Whether a text has the form of a variant's id. */
export const isVariantId = (text: string): boolean => ids.test(text);

/** Returns the quantity of each variant in these lines. */
export const toCart = (lines: readonly { variantId: string; quantity: number }[]): Cart =>
  new Map(lines.map(({ variantId, quantity }) => [variantId, quantity]));

/** Reads the cart in a cookie; malformed lines are ignored (`decisions.md 17.4`). */
export function readCart(text: string): Cart {
  const lines = text.split('~').map((line): [string, number] => {
    const [id = '', quantity = ''] = line.split('.');
    return [prefix + id, parseQuantity(quantity) ?? 0];
  });
  return replaceLines(
    emptyCart,
    lines.filter(([id]) => isVariantId(id)),
  );
}

/** Writes a cart for a cookie: 32 characters a line. */
export function writeCart(cart: Cart): string {
  return [...cart].map(([id, quantity]) => `${id.slice(prefix.length)}.${quantity}`).join('~');
}

/** Replaces these lines of a cart; a quantity of 0 removes a line. Others stay as they are. */
export function replaceLines(
  cart: Cart,
  lines: Iterable<readonly [variantId: string, quantity: number]>,
): Cart {
  const changed = new Map([...cart, ...lines]);
  return new Map([...changed].filter(([, quantity]) => quantity > 0).slice(0, maxCartLines));
}

/** Adds more of a variant to a cart, up to the maximum of an order. */
export function addQuantity(cart: Cart, variantId: string, quantity: number): Cart {
  const sum = Math.min((cart.get(variantId) ?? 0) + quantity, maxOrderQuantity);
  return replaceLines(cart, [[variantId, sum]]);
}

/** Parses a whole quantity up to the maximum of an order; null for any other text. */
export function parseQuantity(text: string): number | null {
  if (!/^\s*\d{1,6}\s*$/.test(text)) return null;
  return Number(text) <= maxOrderQuantity ? Number(text) : null;
}

import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { maxCartLines } from '@waybill/contracts';
import { hostHeader, type RouteRequest } from '@waybill/kernel';
import { isAtOwnOrigin } from '../../publication/rendering/policy.ts';
import { invalidForm, readFormBytes } from '../../shared/form-bodies/form-bodies.ts';
import { type Cart, emptyCart, isVariantId, parseQuantity, replaceLines } from './cart.ts';

const maxKey = 100;
/** A longer text is no quantity, and remains none when it is cut. */
const maxTyped = 20;

/** The values sent by a form of a cart or a checkout. */
export type FormValues = URLSearchParams;

/**
 * Reads the values of a form.
 * @throws invalid_body, body_too_large
 */
export async function readFormValues(stream: Readable, contentType: string | undefined): Promise<FormValues> {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType ?? ''))
    throw invalidForm('Send the form as application/x-www-form-urlencoded.');
  return new URLSearchParams((await readFormBytes(stream)).toString());
}

/** Prefix of the name of a quantity field, followed by the variant's id. */
export const quantityField = 'quantity-';

/** Prefix of the name of a hidden field with the shown values of a line, followed by the variant's id. */
export const shownField = 'shown-';

/** The values of a line that the page has shown, as its form sends them back. */
export interface ShownLine {
  quantity: number;
  priceCents: number;
}

/** Returns the value of the hidden field of a line, which `readShownLine` parses. */
export const writeShownLine = ({ quantity, priceCents }: ShownLine): string => `${quantity}.${priceCents}`;

/** Returns the shown values of a line; null when the form has none, as a form that is not ours. */
export function readShownLine(values: FormValues, variantId: string): ShownLine | null {
  const [, quantity, priceCents] =
    /^(\d{1,3})\.(\d{1,15})$/.exec(values.get(shownField + variantId) ?? '') ?? [];
  return quantity && priceCents ? { quantity: Number(quantity), priceCents: Number(priceCents) } : null;
}

/** The quantities that a form of a cart has sent. */
export interface QuantityChanges {
  /** The quantities by variant; 0 for removed lines. */
  change: Map<string, number>;
  /** The variants whose fields contain no quantity. */
  unclear: string[];
}

/** Returns the changed quantities of a cart. */
export function readQuantityChanges(values: FormValues): QuantityChanges {
  const change = new Map<string, number>();
  const unclear = new Set<string>();
  for (const [name, value] of values) {
    const id = name.startsWith(quantityField) ? name.slice(quantityField.length) : '';
    // No page of ours has more fields than a cart has lines.
    if (!isVariantId(id) || change.size + unclear.size >= maxCartLines) continue;
    const quantity = parseQuantity(value);
    if (quantity === null) unclear.add(id);
    else change.set(id, quantity);
  }
  const removed = values.get('remove') ?? '';
  if (isVariantId(removed)) {
    change.set(removed, 0);
    unclear.delete(removed);
  }
  return { change, unclear: [...unclear].filter((id) => !change.has(id)) };
}

/**
 * Returns the lines in the form itself. The lines of `unclear`, whose fields contain no quantity, get their shown one.
 */
export function readFormLines(values: FormValues): { cart: Cart; unclear: string[] } {
  const fields = [...values.keys()].filter((name) => name.startsWith(quantityField));
  const { change, unclear } = readQuantityChanges(values);
  const ids = fields.map((name) => name.slice(quantityField.length)).filter(isVariantId);
  const lines = ids.map((id) => [id, change.get(id) ?? readShownLine(values, id)?.quantity ?? 0] as const);
  return { cart: replaceLines(emptyCart, lines), unclear: unclear.filter((id) => readShownLine(values, id)) };
}

/** The item that a button "Add to cart" adds. */
export interface AddedItem {
  variantId: string;
  /** As the visitor has typed it. */
  typed: string;
  /** Null when `typed` is no quantity; 1 when it is empty. */
  quantity: number | null;
}

const toAddedItem = (variantId: string, typed: string): AddedItem => ({
  variantId,
  typed,
  quantity: typed.trim() === '' ? 1 : parseQuantity(typed) || null,
});

/**
 * Returns the variant and quantity that a button "Add to cart" adds: the variant chosen beside it, and the quantity of
 * the field beside it. Null when the form has no such button.
 */
export function readAddToCart(values: FormValues): AddedItem | null {
  const [productId = '', variantId = ''] = (values.get('buy') ?? '').split('.');
  const chosen = values.get(`variant-${productId}`) || variantId;
  if (!isVariantId(chosen)) return null;
  return toAddedItem(chosen, values.get(quantityField + productId) ?? values.get('quantity') ?? '');
}

/** Returns what the address after a sandbox's post adds to the cart. */
export function readAddedItem(query: FormValues): AddedItem | null {
  const [variantId = '', ...typed] = (query.get('add') ?? '').split('.');
  return isVariantId(variantId) ? toAddedItem(variantId, typed.join('.')) : null;
}

/** Returns the address that adds an item. */
export const writeAddedItem = ({ variantId, typed }: AddedItem): string =>
  `cart?${new URLSearchParams({ add: `${variantId}.${typed.slice(0, maxTyped)}` })}`;

/** Returns the page that follows a form of a cart. */
export const readNextPage = (values: FormValues) => (values.get('next') === 'checkout' ? 'checkout' : 'cart');

/** Returns the key of a form, or a new one if it is missing or invalid. */
export function readFormKey(values: FormValues): string {
  const key = values.get('key') ?? '';
  return /^[\w-]+$/.test(key) && key.length <= maxKey ? key : randomUUID();
}

/**
 * Whether a form was sent by a page of the store, as far as can be told. Forms of pages shown in place always count:
 * they are in a sandbox with an opaque origin, and come without cookies. Programs send no origin, and have no cookies
 * either.
 */
export function isFromOwnPage(headers: RouteRequest['headers']): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (!isAtOwnOrigin(headers)) return true;
  if (site !== undefined) return site === 'same-origin';
  return origin === undefined || URL.parse(String(origin))?.host === headers[hostHeader];
}

import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { maxCartLines } from '@waybill/contracts';
import { hostHeader, type RouteRequest } from '@waybill/kernel';
import { isAtOwnOrigin } from '../../publication/rendering/policy.ts';
import { invalidForm, readFormBytes } from '../../shared/form-bodies/form-bodies.ts';
import { type Cart, emptyCart, isVariantId, quantityOf, withLines } from './cart.ts';

const maxKey = 100;

/** The values sent by a form of a cart or a checkout. */
export type Sent = URLSearchParams;

/**
 * Reads the values of a form.
 * @throws invalid_body, body_too_large
 */
export async function readSent(stream: Readable, contentType: string | undefined): Promise<Sent> {
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
export const writeShown = ({ quantity, priceCents }: ShownLine): string => `${quantity}.${priceCents}`;

/** Returns the shown values of a line; null when the form has none, as a form that is not ours. */
export function shownIn(sent: Sent, variantId: string): ShownLine | null {
  const [, quantity, priceCents] =
    /^(\d{1,3})\.(\d{1,15})$/.exec(sent.get(shownField + variantId) ?? '') ?? [];
  return quantity && priceCents ? { quantity: Number(quantity), priceCents: Number(priceCents) } : null;
}

/** Returns the changed quantities of a cart by variant; 0 for removed lines. */
export function changeIn(sent: Sent): Map<string, number> {
  const change = new Map<string, number>();
  for (const [name, value] of sent) {
    const id = name.startsWith(quantityField) ? name.slice(quantityField.length) : '';
    const quantity = quantityOf(value);
    // A field without a number is ignored. No page of ours has more fields than a cart has lines.
    if (isVariantId(id) && quantity !== null && change.size < maxCartLines) change.set(id, quantity);
  }
  const removed = sent.get('remove') ?? '';
  if (isVariantId(removed)) change.set(removed, 0);
  return change;
}

/**
 * Returns the lines in the form itself. The lines of `unclear`, whose fields have no number, get their shown quantity.
 */
export function linesIn(sent: Sent): { cart: Cart; unclear: string[] } {
  const fields = [...sent.keys()].filter((name) => name.startsWith(quantityField));
  const change = changeIn(sent);
  const ids = fields.map((name) => name.slice(quantityField.length)).filter(isVariantId);
  const unclear = ids.filter((id) => !change.has(id) && shownIn(sent, id));
  const lines = ids.map((id) => [id, change.get(id) ?? shownIn(sent, id)?.quantity ?? 0] as const);
  return { cart: withLines(emptyCart, lines), unclear };
}

/**
 * Returns the variant and quantity that a button "Add to cart" adds: the variant chosen beside it, and the quantity of
 * the field beside it. Null when the form has no such button.
 */
export function boughtIn(sent: Sent): { variantId: string; quantity: number } | null {
  const [productId = '', variantId = ''] = (sent.get('buy') ?? '').split('.');
  const chosen = sent.get(`variant-${productId}`) || variantId;
  if (!isVariantId(chosen)) return null;
  const quantity = sent.get(quantityField + productId) ?? sent.get('quantity') ?? '';
  return { variantId: chosen, quantity: quantityOf(quantity) || 1 };
}

/** Returns what the address after a sandbox's post adds to the cart. */
export function addedBy(query: Sent): { variantId: string; quantity: number } | null {
  const [variantId = '', quantity = ''] = (query.get('add') ?? '').split('.');
  return isVariantId(variantId) ? { variantId, quantity: quantityOf(quantity) || 1 } : null;
}

/** Returns the page that follows a form of a cart. */
export const nextIn = (sent: Sent) => (sent.get('next') === 'checkout' ? 'checkout' : 'cart');

/** Returns the key of a form, or a new one if it is missing or invalid. */
export function keyIn(sent: Sent): string {
  const key = sent.get('key') ?? '';
  return /^[\w-]+$/.test(key) && key.length <= maxKey ? key : randomUUID();
}

/**
 * Whether a form was sent by a page of the store, as far as can be told. Forms of pages shown in place always count:
 * they are in a sandbox with an opaque origin, and come without cookies. Programs send no origin, and have no cookies
 * either.
 */
export function isOwn(headers: RouteRequest['headers']): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (!isAtOwnOrigin(headers)) return true;
  if (site !== undefined) return site === 'same-origin';
  return origin === undefined || URL.parse(String(origin))?.host === headers[hostHeader];
}

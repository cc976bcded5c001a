import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { maxCartLines } from '@waybill/contracts';
import { hostHeader, type RouteRequest } from '@waybill/kernel';
import { isAtOwnOrigin } from '../../publication/rendering/policy.ts';
import { invalidForm, readFormBytes } from '../../shared/form-bodies/form-bodies.ts';
import { type Cart, emptyCart, isVariantId, quantityOf, withLines } from './cart.ts';

const maxKey = 100;

/** What a form of a cart or a checkout has sent. */
export type Sent = URLSearchParams;

/** @throws invalid_body, body_too_large */
export async function readSent(stream: Readable, contentType: string | undefined): Promise<Sent> {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType ?? ''))
    throw invalidForm('Send the form as application/x-www-form-urlencoded.');
  return new URLSearchParams((await readFormBytes(stream)).toString());
}

/** In front of a variant's id in the name of the field that says how many. */
export const quantityField = 'quantity-';

/** In front of a variant's id in the name of the hidden field that says what the page has shown of it. */
export const shownField = 'shown-';

/** What a page has shown of a line, as its form sends it back. */
export interface ShownLine {
  quantity: number;
  priceCents: number;
}
export const writeShown = ({ quantity, priceCents }: ShownLine): string => `${quantity}.${priceCents}`;

/** Null: the form does not tell, as one that no page of ours has made. */
export function shownIn(sent: Sent, variantId: string): ShownLine | null {
  const [, quantity, priceCents] =
    /^(\d{1,3})\.(\d{1,15})$/.exec(sent.get(shownField + variantId) ?? '') ?? [];
  return quantity && priceCents ? { quantity: Number(quantity), priceCents: Number(priceCents) } : null;
}

/** What a form changes in a cart, by the variant: how many there are to be, 0 of what it takes out. */
export function changeIn(sent: Sent): Map<string, number> {
  const change = new Map<string, number>();
  for (const [name, value] of sent) {
    const id = name.startsWith(quantityField) ? name.slice(quantityField.length) : '';
    const quantity = quantityOf(value);
    // A field without a number says nothing; no page of ours has more of them than a cart has lines.
    if (isVariantId(id) && quantity !== null && change.size < maxCartLines) change.set(id, quantity);
  }
  const removed = sent.get('remove') ?? '';
  if (isVariantId(removed)) change.set(removed, 0);
  return change;
}

/** The lines that the form itself has: those of `unclear`, whose fields have no number, as they were shown. */
export function linesIn(sent: Sent): { cart: Cart; unclear: string[] } {
  const fields = [...sent.keys()].filter((name) => name.startsWith(quantityField));
  const change = changeIn(sent);
  const ids = fields.map((name) => name.slice(quantityField.length)).filter(isVariantId);
  const unclear = ids.filter((id) => !change.has(id) && shownIn(sent, id));
  const lines = ids.map((id) => [id, change.get(id) ?? shownIn(sent, id)?.quantity ?? 0] as const);
  return { cart: withLines(emptyCart, lines), unclear };
}

/**
 * What a button "Add to cart" puts in: of several variants the one that is chosen beside it, and as many as the field
 * beside it says. Null: the form is not of such a button.
 */
export function boughtIn(sent: Sent): { variantId: string; quantity: number } | null {
  const [productId = '', variantId = ''] = (sent.get('buy') ?? '').split('.');
  const chosen = sent.get(`variant-${productId}`) || variantId;
  if (!isVariantId(chosen)) return null;
  const quantity = sent.get(quantityField + productId) ?? sent.get('quantity') ?? '';
  return { variantId: chosen, quantity: quantityOf(quantity) || 1 };
}

/** What an address that a page in a sandbox was led to puts into the cart. */
export function addedBy(query: Sent): { variantId: string; quantity: number } | null {
  const [variantId = '', quantity = ''] = (query.get('add') ?? '').split('.');
  return isVariantId(variantId) ? { variantId, quantity: quantityOf(quantity) || 1 } : null;
}

/** Where a form of a cart leads. */
export const nextIn = (sent: Sent) => (sent.get('next') === 'checkout' ? 'checkout' : 'cart');

/** The key of a form; of one without, or with an impossible one, another each time. */
export function keyIn(sent: Sent): string {
  const key = sent.get('key') ?? '';
  return /^[\w-]+$/.test(key) && key.length <= maxKey ? key : randomUUID();
}

/**
 * Whether a page of the store itself has sent a form, as far as anybody can tell: one that is shown in place is in a
 * sandbox, whose origin is nobody's, and its forms come without cookies. Programs say nothing, and have no cookies either.
 */
export function isOwn(headers: RouteRequest['headers']): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (!isAtOwnOrigin(headers)) return true;
  if (site !== undefined) return site === 'same-origin';
  return origin === undefined || URL.parse(String(origin))?.host === headers[hostHeader];
}

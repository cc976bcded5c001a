import type { Readable } from 'node:stream';
import { readBody } from '@waybill/kernel';
import { errors } from '../errors.ts';
import { type Cart, cartOf, isVariantId, quantityOf } from './cart.ts';

const maxBytes = 64 * 1024;

/** What a form of a cart or a checkout has sent. */
export type Sent = URLSearchParams;

/** @throws invalid_body, body_too_large */
export async function readSent(stream: Readable, contentType: string | undefined): Promise<Sent> {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType ?? ''))
    throw invalid('Send the form as application/x-www-form-urlencoded.');
  const bytes = await readBody(stream, maxBytes, {
    tooLarge: () => errors.body_too_large({ headers: { connection: 'close' } }),
    broken: invalid,
  });
  return new URLSearchParams(bytes.toString());
}

const invalid = (message: string) => errors.invalid_body({ details: [{ pointer: '', message }] });

/** In front of a variant's id in the name of the field that says how many. */
export const quantityField = 'quantity-';

/** The lines that the form itself has. */
export const linesIn = (sent: Sent): Cart =>
  cartOf(
    [...sent].flatMap(([name, value]) =>
      name.startsWith(quantityField) ? [[name.slice(quantityField.length), value] as const] : [],
    ),
  );

/**
 * What a button "Add to cart" puts in: of several variants the one that is chosen beside it. Null: the form is not of
 * such a button.
 */
export function boughtIn(sent: Sent): { variantId: string; quantity: number } | null {
  const [productId = '', variantId = ''] = (sent.get('buy') ?? '').split('.');
  const chosen = sent.get(`variant-${productId}`) || variantId;
  if (!isVariantId(chosen)) return null;
  return { variantId: chosen, quantity: quantityOf(sent.get('quantity') ?? '') || 1 };
}

import { isAtOwnOrigin } from '../../publication/rendering/policy.ts';
import { type Cart, emptyCart, readCart, replaceLines, toCart, writeCart } from './cart.ts';
import type { CartLine } from './html.ts';
import { readCodes } from './prices.ts';
import type { Headers } from './shop.ts';

/** The cart's cookie, for shoppers without scripts. Posts from other sites do not include it. */
const cookieName = 'wb-cart';
const cookieSeconds = 30 * 24 * 3600;

/** Precedes the discount codes, which follow the lines. Readers of the lines ignore them. */
const codesMark = '~!';
/** Precedes the token of the order that emptied the cart. */
const orderMark = '~*';
/** How long a shopper may return by the back button to a checkout that is empty by now. */
const orderSeconds = 3600;
/** Keeps a cookie with 100 lines within the limit of browsers; further codes are typed at the checkout. */
const maxCodeBytes = 200;

function readCookie({ cookie }: Headers): string {
  const pair = String(cookie ?? '')
    .split(';')
    .map((each) => each.trim())
    .find((each) => each.startsWith(`${cookieName}=`));
  return pair?.slice(cookieName.length + 1) ?? '';
}

/** Returns the cart in the visitor's cookie. */
export function readCartCookie(headers: Headers): Cart {
  const value = readCookie(headers);
  return value === '' ? emptyCart : readCart(value);
}

/** Returns the discount codes typed in that cart. */
export function readCodesCookie(headers: Headers): string[] {
  const [, afterMark = ''] = readCookie(headers).split(codesMark);
  const [codes = ''] = afterMark.split(orderMark);
  return readCodes(Buffer.from(codes.slice(0, 2 * maxCodeBytes), 'base64url').toString());
}

/** Returns the token of the order that emptied the cart; null when there is none. */
export function readOrderToken(headers: Headers): string | null {
  const [, token = ''] = readCookie(headers).split(orderMark);
  return /^[\w-]{1,100}$/.test(token) ? token : null;
}

function writeCodes(codes: readonly string[]): string {
  let text = '';
  for (const code of codes) {
    const extended = text === '' ? code : `${text} ${code}`;
    if (Buffer.byteLength(extended) <= maxCodeBytes) text = extended;
  }
  return text === '' ? '' : codesMark + Buffer.from(text).toString('base64url');
}

/** Returns the stored cart in which `left` replaces the lines that a form names; other lines stay. */
export const replaceFormLines = (headers: Headers, submitted: Cart, remaining: readonly CartLine[]): Cart =>
  replaceLines(readCartCookie(headers), [
    ...[...submitted.keys()].map((id) => [id, 0] as const),
    ...toCart(remaining),
  ]);

/** Returns the header that stores a cart and its codes, for the store's own origin, or else for its path. */
export function createCartHeaders(
  { publicBaseUrl }: { publicBaseUrl: string },
  storeSlug: string,
  headers: Headers,
  cart: Cart,
  codes: readonly string[] = readCodesCookie(headers),
  ordered = '',
): Record<string, string> {
  const path = isAtOwnOrigin(headers) ? '/' : `/s/${storeSlug}/`;
  const isOrdered = cart.size === 0 && ordered !== '';
  const age = cart.size > 0 ? cookieSeconds : isOrdered ? orderSeconds : 0;
  const value = isOrdered ? orderMark + ordered : writeCart(cart) + writeCodes(codes);
  const secure = publicBaseUrl.startsWith('https:') ? '; Secure' : '';
  const attributes = `Path=${path}; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`;
  return { 'set-cookie': `${cookieName}=${value}; ${attributes}` };
}

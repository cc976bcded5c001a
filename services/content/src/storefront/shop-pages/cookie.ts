import { isAtOwnOrigin } from '../../publication/rendering/policy.ts';
import { type Cart, cartOfLines, emptyCart, readCart, withLines, writeCart } from './cart.ts';
import type { CartLine } from './html.ts';
import { readCodes } from './prices.ts';
import type { Headers } from './shop.ts';

/** The cookie of a cart, where no script keeps it. Nobody else's pages send it along when they post something. */
const cookieName = 'wb-cart';
const cookieSeconds = 30 * 24 * 3600;

/** In front of the discount codes, which stand behind the lines. What reads lines alone leaves them out. */
const codesMark = '~!';
/** In front of the token of the order that has emptied the cart. */
const orderMark = '~*';
/** For as long as somebody may come back by their browser's button to a checkout that is empty by now. */
const orderSeconds = 3600;
/** With 100 lines it is still a cookie that browsers take; codes beyond it are typed at the checkout. */
const maxCodeBytes = 200;

function valueIn({ cookie }: Headers): string {
  const pair = String(cookie ?? '')
    .split(';')
    .map((each) => each.trim())
    .find((each) => each.startsWith(`${cookieName}=`));
  return pair?.slice(cookieName.length + 1) ?? '';
}

/** The cart that the visitor's cookie has. */
export function cartIn(headers: Headers): Cart {
  const value = valueIn(headers);
  return value === '' ? emptyCart : readCart(value);
}

/** The discount codes that were typed in that cart. */
export function codesIn(headers: Headers): string[] {
  const [, behind = ''] = valueIn(headers).split(codesMark);
  const [codes = ''] = behind.split(orderMark);
  return readCodes(Buffer.from(codes.slice(0, 2 * maxCodeBytes), 'base64url').toString());
}

/** The token of the order that has emptied that cart; null: none has. */
export function orderedIn(headers: Headers): string | null {
  const [, token = ''] = valueIn(headers).split(orderMark);
  return /^[\w-]{1,100}$/.test(token) ? token : null;
}

function writeCodes(codes: readonly string[]): string {
  let text = '';
  for (const code of codes) {
    const longer = text === '' ? code : `${text} ${code}`;
    if (Buffer.byteLength(longer) <= maxCodeBytes) text = longer;
  }
  return text === '' ? '' : codesMark + Buffer.from(text).toString('base64url');
}

/** The stored cart when of the lines that a form names these are left; what it does not name stays. */
export const cartAfter = (headers: Headers, named: Cart, left: readonly CartLine[]): Cart =>
  withLines(cartIn(headers), [...[...named.keys()].map((id) => [id, 0] as const), ...cartOfLines(left)]);

/** The header that keeps a cart and its codes, for the store's origin or, where it has none, for its path. */
export function keeping(
  { publicBaseUrl }: { publicBaseUrl: string },
  storeSlug: string,
  headers: Headers,
  cart: Cart,
  codes: readonly string[] = codesIn(headers),
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

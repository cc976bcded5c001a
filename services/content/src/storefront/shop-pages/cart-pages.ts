import type { Answer } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import { isAtOwnOrigin } from '../../publication/rendering/policy.ts';
import { addQuantity, type Cart, emptyCart, replaceLines } from './cart.ts';
import { createCartHeaders, readCartCookie, readCodesCookie, readOrderToken } from './cookie.ts';
import {
  type FormValues,
  isFromOwnPage,
  quantityField,
  readAddedItem,
  readAddToCart,
  readFormValues,
  readNextPage,
  readQuantityChanges,
  writeAddedItem,
} from './form.ts';
import { cartHtml } from './html.ts';
import { describeUnavailable, readCartLines, readOrderableLines } from './lines.ts';
import { type Choices, choicesIn, emptyChoices, quoteCart } from './prices.ts';
import {
  crossSiteRefusal,
  type Headers,
  joinSentences,
  openShop,
  type PageContent,
  redirectTo,
  renderShopPage,
  type Shop,
  type ShopForm,
  type ShopLocation,
  type ShopVisit,
} from './shop.ts';

/** Shows the cart. */
export async function visitCart(
  context: Context,
  location: ShopLocation,
  visit: ShopVisit,
): Promise<Answer | undefined> {
  const shop = await openShop(context, location);
  if (!shop) return undefined;
  const { headers, url } = visit;
  const values = new URLSearchParams(isAtOwnOrigin(headers) ? '' : getQuery(url));
  const added = readAddedItem(values);
  if (added?.quantity === null) return showUnclear(context, shop, visit);
  if (added) return addToCart(context, shop, headers, added.variantId, added.quantity);
  const { change, unclear } = readQuantityChanges(values);
  if (unclear.length > 0) return showUnclear(context, shop, visit, unclear);
  if (change.size > 0) {
    const cart = replaceLines(readCartCookie(headers), change);
    return redirectTo(
      readNextPage(values),
      createCartHeaders(context.config, shop.store.slug, headers, cart, readTypedCodes(values)),
    );
  }
  const choices = { ...emptyChoices, codes: readCodesCookie(headers) };
  return showCart(context, shop, visit, readCartCookie(headers), {}, choices);
}

/** Handles a form that adds something to the cart, or changes it. */
export async function changeCart(
  context: Context,
  location: ShopLocation,
  form: ShopForm,
): Promise<Answer | undefined> {
  const shop = await openShop(context, location);
  if (!shop) return undefined;
  const { headers } = form;
  const values = await readFormValues(form.stream, headers['content-type'] as string | undefined);
  if (!isFromOwnPage(headers))
    return showCart(context, shop, form, readCartCookie(headers), crossSiteRefusal(shop.texts));
  const added = readAddToCart(values);
  // A post from a sandbox comes without the cookie, which must not be lost: the address that follows gets it.
  if (added && !isAtOwnOrigin(headers)) return redirectTo(writeAddedItem(added));
  if (added?.quantity === null) return showUnclear(context, shop, form);
  if (added) return addToCart(context, shop, headers, added.variantId, added.quantity);
  const { change, unclear } = readQuantityChanges(values);
  if (values.has('show'))
    return showCart(context, shop, form, replaceLines(emptyCart, change), {}, choicesIn(values));
  const next = readNextPage(values);
  if (change.size + unclear.length === 0) return redirectTo(next);
  const cart = readCartCookie(headers);
  // The same for a cart whose cookie a sandbox withholds.
  if (cart.size === 0 && !isAtOwnOrigin(headers)) {
    const quantities = [...change, ...unclear.map((id) => [id, '?'] as const)];
    const lines = quantities.map(([id, quantity]): [string, string] => [quantityField + id, `${quantity}`]);
    const codes: [string, string][] = values.has('codes') ? [['codes', values.get('codes')!]] : [];
    return redirectTo(`cart?${new URLSearchParams([...lines, ...codes, ['next', next]])}`);
  }
  if (unclear.length > 0) return showUnclear(context, shop, form, unclear);
  const changed = replaceLines(cart, change);
  return redirectTo(
    next,
    createCartHeaders(context.config, shop.store.slug, headers, changed, readTypedCodes(values)),
  );
}

/** Returns the codes that a form has sent; undefined when it has no field for them. */
const readTypedCodes = (values: FormValues): string[] | undefined =>
  values.has('codes') ? choicesIn(values).codes : undefined;

/** Redirects to the cart with more of a variant in it, unless that is not available. */
async function addToCart(
  context: Context,
  shop: Shop,
  headers: Headers,
  variantId: string,
  quantity: number,
): Promise<Answer> {
  const { lines } = await readOrderableLines(context, shop, new Map([[variantId, quantity]]));
  const cart = readCartCookie(headers);
  const extendedCart = lines.length > 0 ? addQuantity(cart, variantId, quantity) : cart;
  return redirectTo('cart', createCartHeaders(context.config, shop.store.slug, headers, extendedCart));
}

/**
 * Shows the cart as it was, after a form whose quantities cannot be understood: those of the `unclear` lines, or else the
 * quantity beside a button.
 */
function showUnclear(
  context: Context,
  shop: Shop,
  visit: ShopVisit | ShopForm,
  unclear: readonly string[] = [],
): Promise<Answer> {
  const { headers } = visit;
  const choices = { ...emptyChoices, codes: readCodesCookie(headers) };
  const status = 'stream' in visit ? 422 : 200;
  const message = unclear.length > 0 ? shop.texts.check : shop.texts.wrongQuantity;
  return showCart(context, shop, visit, readCartCookie(headers), { status, message, unclear }, choices);
}

/** The differences of a page of a cart that was not shown for its own sake. */
interface CartContent extends Partial<PageContent> {
  message?: string;
  /** The variants whose fields contained no quantity. */
  unclear?: readonly string[];
}

async function showCart(
  context: Context,
  shop: Shop,
  visit: ShopVisit,
  cart: Cart,
  { message, unclear = [], ...content }: CartContent = {},
  choices: Choices = emptyChoices,
): Promise<Answer> {
  const { texts } = shop;
  const lines = (await readCartLines(context, shop, cart)).map((line) =>
    unclear.includes(line.variantId) ? { ...line, problem: texts.wrongQuantity } : line,
  );
  const lost = describeUnavailable(shop, lines) || (lines.length < cart.size ? texts.gone : '');
  const shown = message === undefined ? lost : joinSentences(message, lost);
  const soldLines = lines.filter(({ gone }) => !gone);
  const priced = await quoteCart(context, shop, soldLines, choices);
  const html = cartHtml(shop, lines, shown, priced, readOrderToken(visit.headers));
  return renderShopPage(context, shop, visit, { name: texts.cart, path: 'cart', html, ...content });
}

const getQuery = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '');

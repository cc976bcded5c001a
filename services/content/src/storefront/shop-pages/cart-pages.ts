import type { Answer } from '@waybill/kernel';
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
} from './form.ts';
import { cartHtml } from './html.ts';
import { describeUnavailable, readCartLines, readOrderableLines } from './lines.ts';
import { type Choices, choicesIn, emptyChoices, quoteCart } from './prices.ts';
import {
  crossSiteRefusal,
  type Headers,
  openShop,
  type PageContent,
  redirectTo,
  renderShopPage,
  type Shop,
  type ShopContext,
  type ShopForm,
  type ShopLocation,
  type ShopVisit,
} from './shop.ts';

/** Shows the cart. */
export async function visitCart(
  context: ShopContext,
  location: ShopLocation,
  visit: ShopVisit,
): Promise<Answer | undefined> {
  const shop = await openShop(context, location);
  if (!shop) return undefined;
  const { headers, url } = visit;
  const values = new URLSearchParams(isAtOwnOrigin(headers) ? '' : getQuery(url));
  const added = readAddedItem(values);
  if (added) return addToCart(context, shop, headers, added);
  const change = readQuantityChanges(values);
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
  context: ShopContext,
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
  if (added && !isAtOwnOrigin(headers)) return redirectTo(`cart?add=${added.variantId}.${added.quantity}`);
  if (added) return addToCart(context, shop, headers, added);
  const change = readQuantityChanges(values);
  if (values.has('show'))
    return showCart(context, shop, form, replaceLines(emptyCart, change), {}, choicesIn(values));
  const next = readNextPage(values);
  if (change.size === 0) return redirectTo(next);
  const cart = readCartCookie(headers);
  // The same for a cart whose cookie a sandbox withholds.
  if (cart.size === 0 && !isAtOwnOrigin(headers)) {
    const lines = [...change].map(([id, quantity]): [string, string] => [quantityField + id, `${quantity}`]);
    const codes: [string, string][] = values.has('codes') ? [['codes', values.get('codes')!]] : [];
    return redirectTo(`cart?${new URLSearchParams([...lines, ...codes, ['next', next]])}`);
  }
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
  context: ShopContext,
  shop: Shop,
  headers: Headers,
  { variantId, quantity }: { variantId: string; quantity: number },
): Promise<Answer> {
  const { lines } = await readOrderableLines(context, shop, new Map([[variantId, quantity]]));
  const cart = readCartCookie(headers);
  const extendedCart = lines.length > 0 ? addQuantity(cart, variantId, quantity) : cart;
  return redirectTo('cart', createCartHeaders(context.config, shop.store.slug, headers, extendedCart));
}

async function showCart(
  context: ShopContext,
  shop: Shop,
  visit: ShopVisit,
  cart: Cart,
  change: Partial<PageContent> = {},
  choices: Choices = emptyChoices,
): Promise<Answer> {
  const { texts } = shop;
  const lines = await readCartLines(context, shop, cart);
  const message = describeUnavailable(shop, lines) || (lines.length < cart.size ? texts.gone : '');
  const soldLines = lines.filter(({ gone }) => !gone);
  const priced = await quoteCart(context, shop, soldLines, choices);
  const html = cartHtml(shop, lines, message, priced, readOrderToken(visit.headers));
  return renderShopPage(context, shop, visit, { name: texts.cart, path: 'cart', html, ...change });
}

const getQuery = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '');

import type { Answer } from '@waybill/kernel';
import { isAtOwnOrigin } from '../../publication/rendering/policy.ts';
import { type Cart, emptyCart, withLines, withMore } from './cart.ts';
import { cartIn, codesIn, keeping, orderedIn } from './cookie.ts';
import { addedBy, boughtIn, changeIn, isOwn, nextIn, quantityField, readSent, type Sent } from './form.ts';
import { cartHtml } from './html.ts';
import { goneText, linesOf, orderable } from './lines.ts';
import { askPrice, type Choices, choicesIn, noChoices } from './prices.ts';
import {
  elsewhere,
  goTo,
  type Headers,
  openShop,
  type Shop,
  type ShopContext,
  type ShopForm,
  type ShopPlace,
  type ShopVisit,
  type Shown,
  showIn,
} from './shop.ts';

/** Shows the cart. */
export async function visitCart(
  context: ShopContext,
  place: ShopPlace,
  visit: ShopVisit,
): Promise<Answer | undefined> {
  const shop = await openShop(context, place);
  if (!shop) return undefined;
  const { headers, url } = visit;
  const sent = new URLSearchParams(isAtOwnOrigin(headers) ? '' : queryOf(url));
  const more = addedBy(sent);
  if (more) return putIn(context, shop, headers, more);
  const change = changeIn(sent);
  if (change.size > 0) {
    const cart = withLines(cartIn(headers), change);
    return goTo(nextIn(sent), keeping(context.config, shop.store.slug, headers, cart, typedCodes(sent)));
  }
  const choices = { ...noChoices, codes: codesIn(headers) };
  return showCart(context, shop, visit, cartIn(headers), {}, choices);
}

/** Handles a form that adds something to the cart, or changes it. */
export async function changeCart(
  context: ShopContext,
  place: ShopPlace,
  form: ShopForm,
): Promise<Answer | undefined> {
  const shop = await openShop(context, place);
  if (!shop) return undefined;
  const { headers } = form;
  const sent = await readSent(form.stream, headers['content-type'] as string | undefined);
  if (!isOwn(headers)) return showCart(context, shop, form, cartIn(headers), elsewhere(shop.texts));
  const bought = boughtIn(sent);
  // A post from a sandbox comes without the cookie, which must not be lost: the address that follows gets it.
  if (bought && !isAtOwnOrigin(headers)) return goTo(`cart?add=${bought.variantId}.${bought.quantity}`);
  if (bought) return putIn(context, shop, headers, bought);
  const change = changeIn(sent);
  if (sent.has('show'))
    return showCart(context, shop, form, withLines(emptyCart, change), {}, choicesIn(sent));
  const next = nextIn(sent);
  if (change.size === 0) return goTo(next);
  const cart = cartIn(headers);
  // The same for a cart whose cookie a sandbox withholds.
  if (cart.size === 0 && !isAtOwnOrigin(headers)) {
    const lines = [...change].map(([id, quantity]): [string, string] => [quantityField + id, `${quantity}`]);
    const codes: [string, string][] = sent.has('codes') ? [['codes', sent.get('codes')!]] : [];
    return goTo(`cart?${new URLSearchParams([...lines, ...codes, ['next', next]])}`);
  }
  const changed = withLines(cart, change);
  return goTo(next, keeping(context.config, shop.store.slug, headers, changed, typedCodes(sent)));
}

/** Returns the codes that a form has sent; undefined when it has no field for them. */
const typedCodes = (sent: Sent): string[] | undefined =>
  sent.has('codes') ? choicesIn(sent).codes : undefined;

/** Redirects to the cart with more of a variant in it, unless that is not available. */
async function putIn(
  context: ShopContext,
  shop: Shop,
  headers: Headers,
  { variantId, quantity }: { variantId: string; quantity: number },
): Promise<Answer> {
  const { lines } = await orderable(context, shop, new Map([[variantId, quantity]]));
  const cart = cartIn(headers);
  const more = lines.length > 0 ? withMore(cart, variantId, quantity) : cart;
  return goTo('cart', keeping(context.config, shop.store.slug, headers, more));
}

async function showCart(
  context: ShopContext,
  shop: Shop,
  visit: ShopVisit,
  cart: Cart,
  change: Partial<Shown> = {},
  choices: Choices = noChoices,
): Promise<Answer> {
  const { texts } = shop;
  const lines = await linesOf(context, shop, cart);
  const message = goneText(shop, lines) || (lines.length < cart.size ? texts.gone : '');
  const sold = lines.filter(({ gone }) => !gone);
  const priced = await askPrice(context, shop, sold, choices);
  const html = cartHtml(shop, lines, message, priced, orderedIn(visit.headers));
  return showIn(context, shop, visit, { name: texts.cart, path: 'cart', html, ...change });
}

const queryOf = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '');

import { ApiError, type ShownReceipt } from '@waybill/contracts';
import type { Answer } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import type { Layouts } from '../../publication/layouts/layouts.ts';
import { changeCart, visitCart } from './cart-pages.ts';
import { placeOrder, visitCheckout } from './checkout-pages.ts';
import { isOwn, readSent } from './form.ts';
import { orderHtml } from './html.ts';
import { paymentTextsIn } from './payment-texts.ts';
import {
  elsewhere,
  goTo,
  isDocument,
  openShop,
  type ShopContext,
  type ShopForm,
  type ShopPlace,
  type ShopVisit,
  showIn,
} from './shop.ts';

/**
 * The pages that somebody buys with: `decisions.md 17.4`. Each is made anew with every visit, for whoever visits. Undefined
 * where there is no such store, locale or order.
 */
export function createShopPages(service: Context, frames: Layouts) {
  const context: ShopContext = { ...service, frames };
  return {
    cart: (place: ShopPlace, visit: ShopVisit) => visitCart(context, place, visit),
    changeCart: (place: ShopPlace, form: ShopForm) => changeCart(context, place, form),
    checkout: (place: ShopPlace, visit: ShopVisit) => visitCheckout(context, place, visit),
    placeOrder: (place: ShopPlace, form: ShopForm) => placeOrder(context, place, form),
    order: (place: ShopPlace, token: string, visit: ShopVisit) => showOrder(context, place, token, visit),
    payOrder: (place: ShopPlace, token: string, form: ShopForm) => payOrder(context, place, token, form),
  };
}

/** Thanks for an order, and what became of it. */
async function showOrder(
  context: ShopContext,
  place: ShopPlace,
  token: string,
  visit: ShopVisit,
  { message = '', status }: { message?: string; status?: number } = {},
): Promise<Answer | undefined> {
  const shop = await openShop(context, place, '../');
  if (!shop) return undefined;
  const asked = { storeId: shop.store.id, token };
  const receipt = await context.peers.call<ShownReceipt>('orders', 'POST', '/internal/receipts/read', asked);
  if (!receipt) return undefined;
  const redirectUrl = receipt.payment?.redirectUrl ?? null;
  if (redirectUrl !== null && isLedOn(visit)) return goTo(redirectUrl);
  const html = orderHtml(shop, receipt, message);
  return showIn(context, shop, visit, {
    name: shop.texts.thanks,
    path: `orders/${token}`,
    html,
    ...(status !== undefined && { status }),
  });
}

/** Whether the checkout's script has led here, on the way to where the shopper pays. */
const isLedOn = ({ url, headers }: ShopVisit) =>
  new URL(url, 'http://shop').searchParams.has('pay') && isDocument(headers);

/** Pays what is due of an order, again or by another method. */
async function payOrder(
  context: ShopContext,
  place: ShopPlace,
  token: string,
  form: ShopForm,
): Promise<Answer | undefined> {
  const shop = await openShop(context, place, '../');
  if (!shop) return undefined;
  const { headers, address } = form;
  const sent = await readSent(form.stream, headers['content-type'] as string | undefined);
  if (!isOwn(headers)) return showOrder(context, place, token, form, elsewhere(shop.texts));
  const asked = { storeId: shop.store.id, token, paymentMethodId: sent.get('payment') ?? '', address };
  const reply = await context.peers
    .call<{ payment: { redirectUrl: string | null } | null }>(
      'orders',
      'POST',
      '/internal/receipts/pay',
      asked,
    )
    .catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      return { payment: null };
    });
  if (!reply) return undefined;
  if (!reply.payment) {
    const message = paymentTextsIn(shop.language).notNow;
    return showOrder(context, place, token, form, { message, status: 409 });
  }
  return goTo(reply.payment.redirectUrl ?? token);
}

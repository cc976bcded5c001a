import type { ShownReceipt } from '@waybill/contracts';
import type { Answer } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import type { Layouts } from '../../publication/layouts/layouts.ts';
import { changeCart, visitCart } from './cart-pages.ts';
import { placeOrder, visitCheckout } from './checkout-pages.ts';
import { orderHtml } from './html.ts';
import { openShop, type ShopContext, type ShopForm, type ShopPlace, type ShopVisit, showIn } from './shop.ts';

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
  };
}

/** Thanks for an order, and what became of it. */
async function showOrder(
  context: ShopContext,
  place: ShopPlace,
  token: string,
  visit: ShopVisit,
): Promise<Answer | undefined> {
  const shop = await openShop(context, place, '../');
  if (!shop) return undefined;
  const asked = { storeId: shop.store.id, token };
  const receipt = await context.peers.call<ShownReceipt>('orders', 'POST', '/internal/receipts/read', asked);
  if (!receipt) return undefined;
  const html = orderHtml(shop, receipt);
  return showIn(context, shop, visit, { name: shop.texts.thanks, path: `orders/${token}`, html });
}

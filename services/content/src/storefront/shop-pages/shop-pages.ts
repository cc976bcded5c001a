import { ApiError, type OrderPage, type ReturnAsked, type ShownReceipt } from '@waybill/contracts';
import type { Answer } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import type { Layouts } from '../../publication/layouts/layouts.ts';
import { returnField } from './after-sale-html.ts';
import { afterSaleTextsIn } from './after-sale-texts.ts';
import { changeCart, visitCart } from './cart-pages.ts';
import { placeOrder, visitCheckout } from './checkout-pages.ts';
import { isOwn, readSent, type Sent } from './form.ts';
import { orderHtml } from './html.ts';
import { paymentTextsIn } from './payment-texts.ts';
import {
  elsewhere,
  goTo,
  isDocument,
  openShop,
  type Shop,
  type ShopContext,
  type ShopForm,
  type ShopPlace,
  type ShopVisit,
  showIn,
} from './shop.ts';
import { shopTextsIn } from './texts.ts';

/**
 * Creates the pages for buying: `decisions.md 17.4`. Each is rendered at every visit, for that visitor. Undefined when
 * there is no such store, locale or order.
 */
export function createShopPages(service: Context, frames: Layouts) {
  const context: ShopContext = { ...service, frames };
  return {
    cart: (place: ShopPlace, visit: ShopVisit) => visitCart(context, place, visit),
    changeCart: (place: ShopPlace, form: ShopForm) => changeCart(context, place, form),
    checkout: (place: ShopPlace, visit: ShopVisit) => visitCheckout(context, place, visit),
    placeOrder: (place: ShopPlace, form: ShopForm) => placeOrder(context, place, form),
    order: (place: ShopPlace, token: string, visit: ShopVisit) => showOrder(context, place, token, visit),
    changeOrder: (place: ShopPlace, token: string, form: ShopForm) =>
      changeOrder(context, place, token, form),
  };
}

/** The message of an order's page about a submitted form. */
interface Told {
  message?: string;
  isAboutReturn?: boolean;
  status?: number;
}

/** Shows the page of an order with its current state. */
async function showOrder(
  context: ShopContext,
  place: ShopPlace,
  token: string,
  visit: ShopVisit,
  tell: (shop: Shop) => Told = () => ({}),
): Promise<Answer | undefined> {
  const opened = await openShop(context, place, '../');
  if (!opened) return undefined;
  const asked = { storeId: opened.store.id, token };
  const [receipt, after] = await Promise.all([
    context.peers.call<ShownReceipt>('orders', 'POST', '/internal/receipts/read', asked),
    context.peers.call<OrderPage>('orders', 'POST', '/internal/order-pages/read', asked),
  ]);
  if (!receipt) return undefined;
  const redirectUrl = receipt.payment?.redirectUrl ?? null;
  if (redirectUrl !== null && isLedOn(visit)) return goTo(redirectUrl);
  const shop = inLanguageOf(receipt.order, opened);
  const { message = '', isAboutReturn = false, status } = tell(shop);
  const html = orderHtml(shop, receipt, { after, message, isAboutReturn, isBack: isBack(visit) });
  return showIn(context, shop, visit, {
    name: shop.texts.thanks,
    path: `orders/${token}`,
    html,
    ...(status !== undefined && { status }),
  });
}

const languageOf = (locale: string) => locale.split('-', 1)[0]!.toLowerCase();

/**
 * Returns a shop in the language of an order (`decisions.md 23.6`): with the frame of its locale if the shop has it,
 * otherwise only with the page's texts. An address with a locale keeps that.
 */
function inLanguageOf({ locale }: ShownReceipt['order'], shop: Shop): Shop {
  if (shop.locale !== undefined || !locale) return shop;
  const { defaultLocale, locales } = shop.store;
  const known = [defaultLocale, ...locales];
  const live =
    known.find((each) => each === locale) ?? known.find((each) => languageOf(each) === languageOf(locale));
  if (live === defaultLocale) return shop;
  const language = live ?? locale;
  const inLanguage = { ...shop, language, texts: shopTextsIn(language) };
  return live === undefined ? inLanguage : { ...inLanguage, locale: live, toPages: `../${live}/` };
}

/** Whether the checkout's script has redirected here, on the way to the payment page. */
const isLedOn = ({ url, headers }: ShopVisit) =>
  new URL(url, 'http://shop').searchParams.has('pay') && isDocument(headers);

/** Whether another site has redirected here, as providers do after a payment or its cancellation. */
const isBack = ({ url, headers }: ShopVisit) =>
  headers['sec-fetch-site'] === 'cross-site' && !new URL(url, 'http://shop').searchParams.has('checked');

/** Handles a form of an order's page: it pays the amount due, again or by another method, or requests a return. */
async function changeOrder(
  context: ShopContext,
  place: ShopPlace,
  token: string,
  form: ShopForm,
): Promise<Answer | undefined> {
  const shop = await openShop(context, place, '../');
  if (!shop) return undefined;
  const { headers, address } = form;
  const sent = await readSent(form.stream, headers['content-type'] as string | undefined);
  if (!isOwn(headers)) return showOrder(context, place, token, form, ({ texts }) => elsewhere(texts));
  if (sent.has('kind')) return askForReturn(context, shop, place, token, form, sent);
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
    return showOrder(context, place, token, form, ({ language }) => ({
      message: paymentTextsIn(language).notNow,
      status: 409,
    }));
  }
  return goTo(reply.payment.redirectUrl ?? token);
}

/** The names of the texts for refusals, by their code. */
const returnRefusals = {
  return_window_closed: 'tooLate',
  invalid_state: 'tooLate',
  invalid_quantity: 'tooMany',
} as const;

type ReturnRefusal = (typeof returnRefusals)[keyof typeof returnRefusals] | 'nothingChosen' | 'notNow';

async function askForReturn(
  context: ShopContext,
  shop: Shop,
  place: ShopPlace,
  token: string,
  form: ShopForm,
  sent: Sent,
): Promise<Answer | undefined> {
  const refuse = (about: ReturnRefusal, status: number) =>
    showOrder(context, place, token, form, ({ language }) => ({
      message: afterSaleTextsIn(language)[about],
      isAboutReturn: true,
      status,
    }));
  const reason = (sent.get('reason') ?? '').toWellFormed().trim().slice(0, 500) || null;
  const lines = [...sent].flatMap(([name, value]) => {
    const quantity = /^\d{1,6}$/.test(value) ? Number(value) : 0;
    if (!name.startsWith(returnField) || quantity === 0) return [];
    return [{ variantId: name.slice(returnField.length), quantity, reason }];
  });
  if (lines.length === 0) return refuse('nothingChosen', 422);
  const asked: ReturnAsked = {
    storeId: shop.store.id,
    token,
    kind: sent.get('kind') === 'withdrawal' ? 'withdrawal' : 'return',
    lines: lines.slice(0, 1000),
    address: form.address,
  };
  const reply = await context.peers
    .call<{ refusal: string | null }>('orders', 'POST', '/internal/order-pages/returns', asked)
    .catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      return { refusal: error.code };
    });
  if (!reply) return undefined;
  if (reply.refusal === null) return goTo(token);
  const about = Object.hasOwn(returnRefusals, reply.refusal)
    ? returnRefusals[reply.refusal as keyof typeof returnRefusals]
    : 'notNow';
  return refuse(about, 409);
}

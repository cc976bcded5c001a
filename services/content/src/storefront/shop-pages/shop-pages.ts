import {
  ApiError,
  type OrderPage,
  paymentTimeouts,
  type ReturnRequest,
  type ShownReceipt,
} from '@waybill/contracts';
import type { Answer } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import { returnField } from './after-sale-html.ts';
import { afterSaleTextsIn } from './after-sale-texts.ts';
import { changeCart, visitCart } from './cart-pages.ts';
import { placeOrder, visitCheckout } from './checkout-pages.ts';
import { type FormValues, isFromOwnPage, readFormValues } from './form.ts';
import { orderHtml } from './html.ts';
import { paymentTextsIn } from './payment-texts.ts';
import {
  crossSiteRefusal,
  isDocument,
  openShop,
  redirectTo,
  renderShopPage,
  type Shop,
  type ShopForm,
  type ShopLocation,
  type ShopVisit,
} from './shop.ts';
import { shopTextsIn } from './texts.ts';

/**
 * Creates the pages for buying: `decisions.md 17.4`. Each is rendered at every visit, for that visitor. Undefined when
 * there is no such store, locale or order.
 */
export function createShopPages(context: Context) {
  return {
    cart: (location: ShopLocation, visit: ShopVisit) => visitCart(context, location, visit),
    changeCart: (location: ShopLocation, form: ShopForm) => changeCart(context, location, form),
    checkout: (location: ShopLocation, visit: ShopVisit) => visitCheckout(context, location, visit),
    placeOrder: (location: ShopLocation, form: ShopForm) => placeOrder(context, location, form),
    order: (location: ShopLocation, token: string, visit: ShopVisit) =>
      showOrder(context, location, token, visit),
    changeOrder: (location: ShopLocation, token: string, form: ShopForm) =>
      changeOrder(context, location, token, form),
  };
}

/** The message of an order's page about a submitted form. */
interface OrderNotice {
  message?: string;
  isAboutReturn?: boolean;
  status?: number;
}

/** Shows the page of an order with its current state. */
async function showOrder(
  context: Context,
  location: ShopLocation,
  token: string,
  visit: ShopVisit,
  createNotice: (shop: Shop) => OrderNotice = () => ({}),
): Promise<Answer | undefined> {
  const openedShop = await openShop(context, location, '../');
  if (!openedShop) return undefined;
  const request = { storeId: openedShop.store.id, token };
  const [receipt, after] = await Promise.all([
    context.peers.call<ShownReceipt>('orders', 'POST', '/internal/receipts/read', request),
    context.peers.call<OrderPage>('orders', 'POST', '/internal/order-pages/read', request),
  ]);
  if (!receipt) return undefined;
  const redirectUrl = receipt.payment?.redirectUrl ?? null;
  if (redirectUrl !== null && isRedirectedToPayment(visit)) return redirectTo(redirectUrl);
  const shop = toOrderLanguage(receipt.order, openedShop);
  const { message = '', isAboutReturn = false, status } = createNotice(shop);
  const html = orderHtml(shop, receipt, {
    after,
    message,
    isAboutReturn,
    isReturnFromProvider: isReturnFromProvider(visit),
  });
  return renderShopPage(context, shop, visit, {
    name: shop.texts.thanks,
    path: `orders/${token}`,
    html,
    ...(status !== undefined && { status }),
  });
}

const getLanguage = (locale: string) => locale.split('-', 1)[0]!.toLowerCase();

/**
 * Returns a shop in the language of an order (`decisions.md 23.6`): with the layout of its locale if the shop has it,
 * otherwise only with the page's texts. An address with a locale keeps that.
 */
function toOrderLanguage({ locale }: ShownReceipt['order'], shop: Shop): Shop {
  if (shop.locale !== undefined || !locale) return shop;
  const { defaultLocale, locales } = shop.store;
  const known = [defaultLocale, ...locales];
  const live =
    known.find((each) => each === locale) ?? known.find((each) => getLanguage(each) === getLanguage(locale));
  if (live === defaultLocale) return shop;
  const language = live ?? locale;
  const translated = { ...shop, language, texts: shopTextsIn(language) };
  return live === undefined ? translated : { ...translated, locale: live, toPages: `../${live}/` };
}

/** Whether the checkout's script has redirected here, on the way to the payment page. */
const isRedirectedToPayment = ({ url, headers }: ShopVisit) =>
  new URL(url, 'http://shop').searchParams.has('pay') && isDocument(headers);

/** Whether another site has redirected here, as providers do after a payment or its cancellation. */
const isReturnFromProvider = ({ url, headers }: ShopVisit) =>
  headers['sec-fetch-site'] === 'cross-site' && !new URL(url, 'http://shop').searchParams.has('checked');

/** Handles a form of an order's page: it pays the amount due, again or by another method, or requests a return. */
async function changeOrder(
  context: Context,
  location: ShopLocation,
  token: string,
  form: ShopForm,
): Promise<Answer | undefined> {
  const shop = await openShop(context, location, '../');
  if (!shop) return undefined;
  const { headers, address } = form;
  const values = await readFormValues(form.stream, headers['content-type'] as string | undefined);
  if (!isFromOwnPage(headers))
    return showOrder(context, location, token, form, ({ texts }) => crossSiteRefusal(texts));
  if (values.has('kind')) return requestReturn(context, shop, location, token, form, values);
  const request = { storeId: shop.store.id, token, paymentMethodId: values.get('payment') ?? '', address };
  const reply = await context.peers
    .call<{ payment: { redirectUrl: string | null } | null }>(
      'orders',
      'POST',
      '/internal/receipts/pay',
      request,
      { timeoutMs: paymentTimeouts.callMs },
    )
    .catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      return { payment: null };
    });
  if (!reply) return undefined;
  if (!reply.payment) {
    return showOrder(context, location, token, form, ({ language }) => ({
      message: paymentTextsIn(language).notNow,
      status: 409,
    }));
  }
  return redirectTo(reply.payment.redirectUrl ?? token);
}

/** The names of the texts for refusals, by their code. */
const returnRefusals = {
  return_window_closed: 'tooLate',
  invalid_state: 'tooLate',
  invalid_quantity: 'tooMany',
} as const;

type ReturnRefusal =
  | (typeof returnRefusals)[keyof typeof returnRefusals]
  | 'nothingChosen'
  | 'wrongQuantity'
  | 'notNow';

async function requestReturn(
  context: Context,
  shop: Shop,
  location: ShopLocation,
  token: string,
  form: ShopForm,
  values: FormValues,
): Promise<Answer | undefined> {
  const refuse = (refusalKey: ReturnRefusal, status: number) =>
    showOrder(context, location, token, form, ({ language }) => ({
      message: afterSaleTextsIn(language)[refusalKey],
      isAboutReturn: true,
      status,
    }));
  const reason = (values.get('reason') ?? '').toWellFormed().trim().slice(0, 500) || null;
  const fields = [...values].filter(([name, value]) => name.startsWith(returnField) && value.trim() !== '');
  if (fields.some(([, value]) => !/^\s*\d{1,6}\s*$/.test(value))) return refuse('wrongQuantity', 422);
  const lines = fields
    .map(([name, value]) => ({ variantId: name.slice(returnField.length), quantity: Number(value), reason }))
    .filter(({ quantity }) => quantity > 0);
  if (lines.length === 0) return refuse('nothingChosen', 422);
  const request: ReturnRequest = {
    storeId: shop.store.id,
    token,
    kind: values.get('kind') === 'withdrawal' ? 'withdrawal' : 'return',
    lines: lines.slice(0, 1000),
    address: form.address,
  };
  const reply = await context.peers
    .call<{ refusal: string | null }>('orders', 'POST', '/internal/order-pages/returns', request)
    .catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      return { refusal: error.code };
    });
  if (!reply) return undefined;
  if (reply.refusal === null) return redirectTo(token);
  const refusalKey = Object.hasOwn(returnRefusals, reply.refusal)
    ? returnRefusals[reply.refusal as keyof typeof returnRefusals]
    : 'notNow';
  return refuse(refusalKey, 409);
}

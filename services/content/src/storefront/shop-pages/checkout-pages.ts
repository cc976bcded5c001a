import { randomUUID } from 'node:crypto';
import {
  ApiError,
  type CheckoutOutcome,
  foldText,
  type PageCheckout,
  paymentTimeouts,
  type Quote,
} from '@waybill/contracts';
import type { Answer } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import { toCart } from './cart.ts';
import {
  createCartHeaders,
  readCartCookie,
  readCodesCookie,
  readOrderToken,
  replaceFormLines,
} from './cookie.ts';
import { emptyFields, type FilledFields, readCustomer, readFields, typedFields } from './fields.ts';
import {
  type FormValues,
  isFromOwnPage,
  readFormKey,
  readFormLines,
  readFormValues,
  readShownLine,
} from './form.ts';
import { blockedHtml, type CartLine, checkoutHtml } from './html.ts';
import { describeUnavailable, readOrderableLines, soldOutText } from './lines.ts';
import { paymentTextsIn } from './payment-texts.ts';
import { priceTextsIn } from './price-texts.ts';
import { type Choices, choicesIn, emptyChoices, quoteCart, shownTotalIn } from './prices.ts';
import {
  crossSiteRefusal,
  isDocument,
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

/** Shows the checkout, or the cart if it contains items that are no longer sold. Undefined if there is no such store or locale. */
export async function visitCheckout(
  context: Context,
  location: ShopLocation,
  visit: ShopVisit,
): Promise<Answer | undefined> {
  const shop = await openShop(context, location);
  if (!shop) return undefined;
  const cart = readCartCookie(visit.headers);
  const { lines, message, blocked } = await readOrderableLines(context, shop, cart);
  // The cart explains which items are no longer sold, and lets the shopper remove them.
  if (blocked) return redirectTo('cart');
  const filled = emptyFields(shop.language);
  const choices = { ...emptyChoices, codes: readCodesCookie(visit.headers), country: filled.values.country };
  return showCheckout(context, shop, visit, {
    lines,
    filled,
    choices,
    key: randomUUID(),
    message,
    isCountryGuessed: true,
    // The message says which lines were taken out of the cart.
    ...(lines.length < cart.size && {
      headers: createCartHeaders(context.config, shop.store.slug, visit.headers, toCart(lines)),
    }),
  });
}

/**
 * Handles the form of the checkout: shows its current prices, places the order, or shows it again with the reason why
 * not. Undefined if there is no such store or locale.
 */
export async function placeOrder(
  context: Context,
  location: ShopLocation,
  form: ShopForm,
): Promise<Answer | undefined> {
  const shop = await openShop(context, location);
  if (!shop) return undefined;
  const { headers } = form;
  const { texts, store } = shop;
  const values = await readFormValues(form.stream, headers['content-type'] as string | undefined);
  const { cart, unclear } = readFormLines(values);
  const { lines: current, message, blocked } = await readOrderableLines(context, shop, cart);
  const lines = current.map((line) =>
    unclear.includes(line.variantId) ? { ...line, problem: texts.wrongQuantity } : line,
  );
  const key = readFormKey(values);
  const choices = choicesIn(values);
  if (values.has('show')) {
    if (blocked) return showBlocked(context, shop, form, blocked, 200);
    const filled = typedFields(values, shop.language);
    const { country } = filled.values;
    return showCheckout(context, shop, form, {
      lines,
      filled,
      choices: { ...choices, country },
      key,
      message,
      isCountryGuessed: !values.has('country'),
    });
  }
  const filled = readFields(values, texts);
  const showAgain = (change: Partial<CheckoutContent>) =>
    showCheckout(context, shop, form, { lines, filled, choices, key, ...change });
  if (!isFromOwnPage(headers)) return showAgain(crossSiteRefusal(texts));
  if (cart.size === 0) return showAgain({ status: 422 });
  // The shopper reads this only once, because the page then shows the current lines and prices.
  const notice = joinSentences(message, hasPriceRisen(lines, values) ? texts.dearer : '');
  const createHeaders = (remaining: readonly CartLine[], ordered = '') =>
    createCartHeaders(
      context.config,
      store.slug,
      headers,
      replaceFormLines(headers, cart, remaining),
      readCodesCookie(headers),
      ordered,
    );
  const showNotice = () =>
    blocked
      ? showBlocked(context, shop, form, blocked, 409)
      : showAgain({ message: notice, status: 409, headers: createHeaders(lines) });
  if (Object.keys(filled.errors).length > 0 || unclear.length > 0)
    return notice === '' && !blocked ? showAgain({ message: texts.check, status: 422 }) : showNotice();
  const checkout = buildCheckout(values, { cart, filled, choices, locale: shop.language });
  const outcome = await submitOrder(context, {
    storeId: store.id,
    key,
    address: form.address,
    checkout,
    ...(location.locale !== undefined && { pageLocale: location.locale }),
    // A repeated form gets its order, regardless of changes since.
    ...((notice !== '' || blocked) && { onlyBegun: true }),
  });
  if (outcome.outcome === 'placed') return redirectToPayment(form, outcome, createHeaders([], outcome.token));
  if (outcome.outcome === 'not_begun') return showNotice();
  return showAgain(await describeRefusal(context, shop, form, { lines, notice, choices }, outcome));
}

/** Builds the order that a form without errors asks for. */
function buildCheckout(
  values: FormValues,
  {
    cart,
    filled,
    choices: { codes, shippingRateId, vatId, paymentMethodId },
    locale,
  }: { cart: ReadonlyMap<string, number>; filled: FilledFields; choices: Choices; locale: string },
): PageCheckout['checkout'] {
  const shownTotal = shownTotalIn(values);
  return {
    items: [...cart].map(([variantId, quantity]) => ({ variantId, quantity })),
    customer: readCustomer(filled),
    ...(codes.length > 0 && { discountCodes: codes }),
    ...(shippingRateId !== '' && { shippingRateId }),
    ...(vatId !== '' && { vatId }),
    ...(paymentMethodId !== '' && { paymentMethodId }),
    locale,
    // If the shopper changed the cart in this very form, its total has not been shown yet.
    ...(shownTotal !== null && hasShownQuantities(cart, values) && { expectedTotalCents: shownTotal }),
  };
}

/**
 * Redirects to the payment page, or to the page of the order. A script cannot follow to another origin, so it is
 * redirected to the order's page, which leads on from there.
 */
function redirectToPayment(
  { headers }: ShopForm,
  { token, redirectUrl = null }: Extract<CheckoutOutcome, { outcome: 'placed' }>,
  cartHeaders: Record<string, string>,
): Answer {
  if (redirectUrl === null) return redirectTo(`orders/${token}`, cartHeaders);
  return redirectTo(isDocument(headers) ? redirectUrl : `orders/${token}?pay=1`, cartHeaders);
}

/** The contents of the checkout page, with the typed values and their errors. */
interface CheckoutContent extends Partial<PageContent> {
  lines: readonly CartLine[];
  filled: FilledFields;
  choices: Choices;
  key: string;
  message?: string;
  paymentError?: string;
  isCountryGuessed?: boolean;
  /** The order's price for this customer, whose own limits an anonymous quote does not consider. */
  quote?: Quote;
}

/** Renders the checkout with its current prices. */
async function showCheckout(
  context: Context,
  shop: Shop,
  visit: ShopVisit,
  {
    lines,
    filled,
    choices,
    key,
    message = '',
    paymentError,
    isCountryGuessed = false,
    quote,
    ...change
  }: CheckoutContent,
): Promise<Answer> {
  const isAnswer = change.status !== undefined;
  let priced = await quoteCart(context, shop, lines, choices);
  let shown = filled;
  // The guessed country, where most speakers of the language live, may be one that the store does not deliver to.
  if (priced?.problem === 'no_shipping' && isCountryGuessed) {
    const country = priced.homeCountry ?? '';
    shown = { ...filled, values: { ...filled.values, country } };
    priced = await quoteCart(context, shop, lines, { ...choices, country });
  }
  if (priced && quote) priced = { ...priced, quote };
  const { paymentMethodId } = choices;
  const html = checkoutHtml(shop, lines, shown, {
    key,
    message,
    isAnswer,
    priced,
    paymentMethodId,
    ordered: readOrderToken(visit.headers),
    ...(paymentError !== undefined && { paymentError }),
  });
  return renderShopPage(context, shop, visit, {
    name: shop.texts.checkout,
    path: 'checkout',
    html,
    ...change,
  });
}

/**
 * Shows that nothing can be ordered until the shopper has removed the items that are no longer sold
 * (`decisions.md 20.6`).
 */
function showBlocked(
  context: Context,
  shop: Shop,
  visit: ShopVisit,
  lines: readonly CartLine[],
  status: number,
): Promise<Answer> {
  const html = blockedHtml(shop, lines, describeUnavailable(shop, lines));
  return renderShopPage(context, shop, visit, { name: shop.texts.checkout, path: 'checkout', html, status });
}

type RefusedOutcome = Extract<CheckoutOutcome, { outcome: 'refused' }>;

/** Asks the orders service for the order. While the service is overloaded or unreachable, the outcome has no code. */
async function submitOrder({ peers }: Context, request: PageCheckout): Promise<CheckoutOutcome> {
  const unavailable: RefusedOutcome = { outcome: 'refused', code: '', details: [], variants: [] };
  try {
    const options = { timeoutMs: paymentTimeouts.callMs };
    const path = '/internal/checkouts';
    return (await peers.call<CheckoutOutcome>('orders', 'POST', path, request, options)) ?? unavailable;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 503) throw error;
    return unavailable;
  }
}

/** Removes the lines that are sold out, and marks those of which fewer are left. */
function describeOutOfStock(
  context: Context,
  shop: Shop,
  headers: ShopForm['headers'],
  lines: readonly CartLine[],
  variants: RefusedOutcome['variants'],
): Partial<CheckoutContent> {
  const { texts, store } = shop;
  const isShort = (line: CartLine) => variants.some(({ variantId }) => variantId === line.variantId);
  const soldOut = lines.filter((line) =>
    variants.some(({ variantId, available }) => variantId === line.variantId && !available),
  );
  const rest = lines
    .filter((line) => !soldOut.includes(line))
    .map((line) => (isShort(line) ? { ...line, problem: texts.fewerLeft } : line));
  const message = soldOut.length > 0 ? soldOutText(shop, soldOut) : texts.check;
  const remainingCart = replaceFormLines(headers, toCart(lines), rest);
  return {
    lines: rest,
    message,
    status: 409,
    headers: createCartHeaders(context.config, store.slug, headers, remainingCart),
  };
}

/** Prepares the checkout for being shown again after an order was refused, with any earlier message. */
async function describeRefusal(
  context: Context,
  shop: Shop,
  { headers }: ShopForm,
  { lines, notice, choices }: { lines: CartLine[]; notice: string; choices: Choices },
  { code, details, variants, quote, rejectedCodes = [] }: RefusedOutcome,
): Promise<Partial<CheckoutContent>> {
  const { texts } = shop;
  const withNotice = (reason: string) => ({ message: joinSentences(reason, notice) });
  switch (code) {
    case 'out_of_stock':
      return describeOutOfStock(context, shop, headers, lines, variants);
    case 'invalid_body': {
      const isTooMany = (i: number) => details.some(({ pointer }) => pointer === `/items/${i}/quantity`);
      const checkedLines = lines.map((line, i) =>
        isTooMany(i) ? { ...line, problem: texts.tooMany } : line,
      );
      // Variants that were just taken off sale are no longer among the lines.
      const current = await readOrderableLines(context, shop, toCart(lines));
      const rest = checkedLines.filter(({ variantId }) =>
        current.lines.some((line) => line.variantId === variantId),
      );
      const message = rest.length < lines.length ? texts.gone : texts.check;
      return { lines: rest, message, status: 422 };
    }
    case 'total_changed':
      return { ...withNotice(texts.dearer), status: 409, quote };
    case 'discount_rejected': {
      const { rejections, colon } = priceTextsIn(shop.language);
      const refused = rejectedCodes.filter(({ reason }) => reason !== 'notCombinable');
      const reasons = refused.map((each) => `${each.code}${colon}${rejections[each.reason]}`);
      // The shopper continues without the refused codes.
      const remainingCodes = choices.codes.filter(
        (code) => !refused.some((each) => isSameCode(each.code, code)),
      );
      return {
        ...withNotice(reasons.join(' ')),
        choices: { ...choices, codes: remainingCodes },
        status: 409,
      };
    }
    case 'no_shipping':
    case 'invalid_shipping_rate':
    case 'invalid_vat_id':
      return { ...withNotice(priceTextsIn(shop.language).problems[code]), status: 422 };
    case 'payment_method_required':
      return {
        ...withNotice(texts.check),
        paymentError: paymentTextsIn(shop.language).required,
        status: 422,
      };
    case 'invalid_payment_method':
      return { ...withNotice(texts.check), paymentError: paymentTextsIn(shop.language).invalid, status: 422 };
    case 'rate_limited':
      return { ...withNotice(texts.tooOften), status: 429 };
    case 'idempotency_conflict':
      return { key: randomUUID(), ...withNotice(texts.usedBefore), status: 409 };
    default:
      return { ...withNotice(texts.notNow), status: 503 };
  }
}

/**
 * Whether the lines cost more than on the page that sent them. A line that the form does not mention counts with its
 * current price.
 */
const hasPriceRisen = (lines: readonly CartLine[], values: FormValues): boolean =>
  lines.reduce((sum, { variantId, quantity, priceCents }) => {
    const shown = readShownLine(values, variantId)?.priceCents ?? priceCents;
    return sum + (priceCents - shown) * quantity;
  }, 0) > 0;

/** Whether the lines have the quantities that the page has shown and priced. */
const hasShownQuantities = (cart: ReadonlyMap<string, number>, values: FormValues): boolean =>
  [...cart].every(([id, quantity]) => readShownLine(values, id)?.quantity === quantity);

const isSameCode = (a: string, b: string): boolean => foldText(a) === foldText(b);

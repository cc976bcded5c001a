import { randomUUID } from 'node:crypto';
import { ApiError, type CheckoutOutcome, foldText, type PageCheckout, type Quote } from '@waybill/contracts';
import type { Answer } from '@waybill/kernel';
import { cartOfLines } from './cart.ts';
import { cartAfter, cartIn, codesIn, keeping, orderedIn } from './cookie.ts';
import { customerOf, emptyFields, type FilledFields, readFields, typedFields } from './fields.ts';
import { isOwn, keyIn, linesIn, readSent, type Sent, shownIn } from './form.ts';
import { blockedHtml, type CartLine, checkoutHtml } from './html.ts';
import { goneText, orderable, soldOutText } from './lines.ts';
import { paymentTextsIn } from './payment-texts.ts';
import { priceTextsIn } from './price-texts.ts';
import { askPrice, type Choices, choicesIn, noChoices, shownTotalIn } from './prices.ts';
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
  type Shown,
  showIn,
} from './shop.ts';

/** Shows the checkout. */
export async function visitCheckout(
  context: ShopContext,
  place: ShopPlace,
  visit: ShopVisit,
): Promise<Answer | undefined> {
  const shop = await openShop(context, place);
  if (!shop) return undefined;
  const { lines, message, blocked } = await orderable(context, shop, cartIn(visit.headers));
  // The cart explains which items are no longer sold, and lets the shopper remove them.
  if (blocked) return goTo('cart');
  const filled = emptyFields(shop.language);
  const choices = { ...noChoices, codes: codesIn(visit.headers), country: filled.values.country };
  return showCheckout(context, shop, visit, {
    lines,
    filled,
    choices,
    key: randomUUID(),
    message,
    isCountryGuessed: true,
  });
}

/** Handles the form of the checkout. */
export async function placeOrder(
  context: ShopContext,
  place: ShopPlace,
  form: ShopForm,
): Promise<Answer | undefined> {
  const shop = await openShop(context, place);
  if (!shop) return undefined;
  const { headers } = form;
  const { texts, store } = shop;
  const sent = await readSent(form.stream, headers['content-type'] as string | undefined);
  const { cart, unclear } = linesIn(sent);
  const { lines: current, message, blocked } = await orderable(context, shop, cart);
  const lines = current.map((line) =>
    unclear.includes(line.variantId) ? { ...line, problem: texts.missing } : line,
  );
  const key = keyIn(sent);
  const choices = choicesIn(sent);
  if (sent.has('show')) {
    if (blocked) return showBlocked(context, shop, form, blocked, 200);
    const filled = typedFields(sent, shop.language);
    const { country } = filled.values;
    return showCheckout(context, shop, form, {
      lines,
      filled,
      choices: { ...choices, country },
      key,
      message,
      isCountryGuessed: !sent.has('country'),
    });
  }
  const filled = readFields(sent, texts);
  const showAgain = (change: Partial<CheckoutShown>) =>
    showCheckout(context, shop, form, { lines, filled, choices, key, ...change });
  if (!isOwn(headers)) return showAgain(elsewhere(texts));
  if (cart.size === 0) return showAgain({ status: 422 });
  // Said once: the page then shows the current lines and prices.
  const toTell = sentences(message, hasRisen(lines, sent) ? texts.dearer : '');
  const keepingAfter = (left: readonly CartLine[], ordered = '') =>
    keeping(context.config, store.slug, headers, cartAfter(headers, cart, left), codesIn(headers), ordered);
  const tell = () =>
    blocked
      ? showBlocked(context, shop, form, blocked, 409)
      : showAgain({ message: toTell, status: 409, headers: keepingAfter(lines) });
  if (Object.keys(filled.errors).length > 0 || unclear.length > 0)
    return toTell === '' && !blocked ? showAgain({ message: texts.check, status: 422 }) : tell();
  const shownTotal = shownTotalIn(sent);
  const outcome = await order(context, {
    storeId: store.id,
    key,
    address: form.address,
    checkout: {
      items: [...cart].map(([variantId, quantity]) => ({ variantId, quantity })),
      customer: customerOf(filled),
      ...(choices.codes.length > 0 && { discountCodes: choices.codes }),
      ...(choices.shippingRateId !== '' && { shippingRateId: choices.shippingRateId }),
      ...(choices.vatId !== '' && { vatId: choices.vatId }),
      ...(choices.paymentMethodId !== '' && { paymentMethodId: choices.paymentMethodId }),
      locale: shop.language,
      // If the shopper changed the cart in this very form, its total has not been shown yet.
      ...(shownTotal !== null && isAsShown(cart, sent) && { expectedTotalCents: shownTotal }),
    },
    ...(place.locale !== undefined && { pageLocale: place.locale }),
    // A repeated form gets its order, whatever has changed since.
    ...((toTell !== '' || blocked) && { onlyBegun: true }),
  });
  if (outcome.outcome === 'placed') return goToPay(form, outcome, keepingAfter([], outcome.token));
  if (outcome.outcome === 'not_begun') return tell();
  return showAgain(await refusal(context, shop, form, { lines, toTell, choices }, outcome));
}

/**
 * Redirects to the payment page, or to the page of the order. A script cannot follow to another origin, so it is
 * redirected to the order's page, which leads on from there.
 */
function goToPay(
  { headers }: ShopForm,
  { token, redirectUrl = null }: Extract<CheckoutOutcome, { outcome: 'placed' }>,
  kept: Record<string, string>,
): Answer {
  if (redirectUrl === null) return goTo(`orders/${token}`, kept);
  return goTo(isDocument(headers) ? redirectUrl : `orders/${token}?pay=1`, kept);
}

/** The contents of the checkout page, with the typed values and their errors. */
interface CheckoutShown extends Partial<Shown> {
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

async function showCheckout(
  context: ShopContext,
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
  }: CheckoutShown,
): Promise<Answer> {
  const isAnswer = change.status !== undefined;
  let priced = await askPrice(context, shop, lines, choices);
  let shown = filled;
  // The guessed country, where most speakers of the language live, may be one that the store does not deliver to.
  if (priced?.problem === 'no_shipping' && isCountryGuessed) {
    const country = priced.homeCountry ?? '';
    shown = { ...filled, values: { ...filled.values, country } };
    priced = await askPrice(context, shop, lines, { ...choices, country });
  }
  if (priced && quote) priced = { ...priced, quote };
  const { paymentMethodId } = choices;
  const html = checkoutHtml(shop, lines, shown, {
    key,
    message,
    isAnswer,
    priced,
    paymentMethodId,
    ordered: orderedIn(visit.headers),
    ...(paymentError !== undefined && { paymentError }),
  });
  return showIn(context, shop, visit, { name: shop.texts.checkout, path: 'checkout', html, ...change });
}

/**
 * Shows that nothing can be ordered until the shopper has removed the items that are no longer sold
 * (`decisions.md 20.6`).
 */
function showBlocked(
  context: ShopContext,
  shop: Shop,
  visit: ShopVisit,
  lines: readonly CartLine[],
  status: number,
): Promise<Answer> {
  const html = blockedHtml(shop, lines, goneText(shop, lines));
  return showIn(context, shop, visit, { name: shop.texts.checkout, path: 'checkout', html, status });
}

type Refused = Extract<CheckoutOutcome, { outcome: 'refused' }>;

async function order({ peers }: ShopContext, asked: PageCheckout): Promise<CheckoutOutcome> {
  const notNow: Refused = { outcome: 'refused', code: '', details: [], variants: [] };
  try {
    return (await peers.call<CheckoutOutcome>('orders', 'POST', '/internal/checkouts', asked)) ?? notNow;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 503) throw error;
    return notNow;
  }
}

/** Prepares the checkout for being shown again after an order was refused, with any earlier message. */
async function refusal(
  context: ShopContext,
  shop: Shop,
  { headers }: ShopForm,
  { lines, toTell, choices }: { lines: CartLine[]; toTell: string; choices: Choices },
  { code, details, variants, quote, rejectedCodes = [] }: Refused,
): Promise<Partial<CheckoutShown>> {
  const { texts, store } = shop;
  const tell = (why: string) => ({ message: sentences(why, toTell) });
  switch (code) {
    case 'out_of_stock': {
      const isShort = (line: CartLine) => variants.some(({ variantId }) => variantId === line.variantId);
      const soldOut = lines.filter((line) =>
        variants.some(({ variantId, available }) => variantId === line.variantId && !available),
      );
      const rest = lines
        .filter((line) => !soldOut.includes(line))
        .map((line) => (isShort(line) ? { ...line, problem: texts.fewerLeft } : line));
      const message = soldOut.length > 0 ? soldOutText(shop, soldOut) : texts.check;
      const left = cartAfter(headers, cartOfLines(lines), rest);
      return {
        lines: rest,
        message,
        status: 409,
        headers: keeping(context.config, store.slug, headers, left),
      };
    }
    case 'invalid_body': {
      const isTooMany = (i: number) => details.some(({ pointer }) => pointer === `/items/${i}/quantity`);
      const judged = lines.map((line, i) => (isTooMany(i) ? { ...line, problem: texts.tooMany } : line));
      // Variants that were just taken off sale are no longer among the lines.
      const current = await orderable(context, shop, cartOfLines(lines));
      const rest = judged.filter(({ variantId }) =>
        current.lines.some((line) => line.variantId === variantId),
      );
      const message = rest.length < lines.length ? texts.gone : texts.check;
      return { lines: rest, message, status: 422 };
    }
    case 'total_changed':
      return { ...tell(texts.dearer), status: 409, quote };
    case 'discount_rejected': {
      const { rejections, colon } = priceTextsIn(shop.language);
      const refused = rejectedCodes.filter(({ reason }) => reason !== 'notCombinable');
      const why = refused.map((each) => `${each.code}${colon}${rejections[each.reason]}`);
      // The shopper continues without the refused codes.
      const left = choices.codes.filter((typed) => !refused.some((each) => isSameCode(each.code, typed)));
      return { ...tell(why.join(' ')), choices: { ...choices, codes: left }, status: 409 };
    }
    case 'no_shipping':
    case 'invalid_shipping_rate':
    case 'invalid_vat_id':
      return { ...tell(priceTextsIn(shop.language).problems[code]), status: 422 };
    case 'payment_method_required':
      return { ...tell(texts.check), paymentError: paymentTextsIn(shop.language).required, status: 422 };
    case 'invalid_payment_method':
      return { ...tell(texts.check), paymentError: paymentTextsIn(shop.language).invalid, status: 422 };
    case 'rate_limited':
      return { ...tell(texts.tooOften), status: 429 };
    case 'idempotency_conflict':
      return { key: randomUUID(), ...tell(texts.usedBefore), status: 409 };
    default:
      return { ...tell(texts.notNow), status: 503 };
  }
}

/**
 * Whether the lines cost more than on the page that sent them. A line that the form does not mention counts with its
 * current price.
 */
const hasRisen = (lines: readonly CartLine[], sent: Sent): boolean =>
  lines.reduce((sum, { variantId, quantity, priceCents }) => {
    const shown = shownIn(sent, variantId)?.priceCents ?? priceCents;
    return sum + (priceCents - shown) * quantity;
  }, 0) > 0;

/** Whether the lines have the quantities that the page has shown and priced. */
const isAsShown = (cart: ReadonlyMap<string, number>, sent: Sent): boolean =>
  [...cart].every(([id, quantity]) => shownIn(sent, id)?.quantity === quantity);

const isSameCode = (a: string, b: string): boolean => foldText(a) === foldText(b);

const sentences = (...texts: string[]): string => texts.filter(Boolean).join(' ');

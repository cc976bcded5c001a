import {
  countries,
  maxOrderQuantity,
  type OrderPage,
  type ShownReceipt,
  type UnavailableVariant,
} from '@waybill/contracts';
import { formatDate, formatMoney, type MediaFacts } from '@waybill/page';
import { afterSaleHtml } from './after-sale-html.ts';
import { afterSaleTextsIn } from './after-sale-texts.ts';
import { addressFields, contactFields, type FieldName, type FilledFields } from './fields.ts';
import { quantityField, shownField, writeShownLine } from './form.ts';
import { type Html, type HtmlPart, html, type ShopPage } from './markup.ts';
import { methodInputs, paymentHtml } from './payment-html.ts';
import { paymentTextsIn } from './payment-texts.ts';
import {
  codeInput,
  type PricedCart,
  priceHtml,
  priceInputs,
  receiptSums,
  refundedSum,
  subtotalNote,
} from './price-html.ts';
import { priceTextsIn } from './price-texts.ts';
import type { ShopTexts } from './texts.ts';

export type { ShopPage } from './markup.ts';

/** A variant in a cart in its current state. */
export interface CartLine {
  variantId: string;
  /** Relative to the store. */
  productPath: string;
  name: string;
  variantName: string;
  quantity: number;
  priceCents: number;
  isAvailable: boolean;
  /** The reason why it is no longer sold. Nothing can be ordered until the shopper has removed it. */
  gone?: UnavailableVariant['reason'];
  /** The picture of the variant, or of its product. */
  picture?: MediaFacts;
  /** The problem of the quantity, in the visitor's language. */
  problem?: string;
}

const money = ({ currency, language }: ShopPage, cents: number) => formatMoney(cents, currency, language);

const sumLines = (lines: readonly CartLine[]) =>
  lines.reduce(
    (sum, { priceCents, quantity, isAvailable }) => sum + (isAvailable ? priceCents * quantity : 0),
    0,
  );

/**
 * Returns what a line costs before discounts. A business that owes the tax itself pays the net price, which only the
 * quote knows.
 */
const computeAmount = ({ variantId, priceCents, quantity }: CartLine, priced: PricedCart | null): number => {
  const quote = priced?.quote;
  const quoted = quote?.reverseCharge && quote.lines.find((line) => line.variantId === variantId);
  return quoted ? quoted.subtotalCents : priceCents * quantity;
};

const formatTitle = ({ name, variantName }: CartLine) => (variantName ? `${name} · ${variantName}` : name);

/** Renders a message that the visitor must see first; scripts move the focus to it. */
const notice = (message: string) =>
  message !== '' && html`<p class="wb-notice" role="alert" tabindex="-1">${message}</p>`;

const page = (
  { language }: ShopPage,
  kind: 'cart' | 'checkout' | 'order',
  title: string,
  ...parts: HtmlPart[]
): string =>
  html`
    <section class="wb-section wb-shop" data-wb-shop="${kind}"${kind !== 'order' && html` data-wb-not-now="${afterSaleTextsIn(language).notNow}"`}>
      <h1 class="wb-heading">${title}</h1>
      ${parts}
    </section>`.text;

/** Renders an empty cart; after an order, with a link to it. */
const empty = ({ texts, toPages, language }: ShopPage, ordered: string | null) =>
  html`
    ${
      ordered !== null &&
      html`
    <div class="wb-notice">
      <p>${texts.received}</p>
      <p><a class="wb-button wb-button-primary" href="${toPages}orders/${ordered}">${paymentTextsIn(language).seeOrder}</a></p>
    </div>`
    }
    <p class="wb-empty">${texts.empty}</p>
    <p><a class="wb-button wb-button-${ordered === null ? 'primary' : 'secondary'}" href="${toPages}">${texts.continueShopping}</a></p>`;

/**
 * Renders the picture of a line. Its alternative text is empty, because the name beside it says the same; without a
 * picture its room is kept.
 */
function linePicture({ picture }: CartLine): Html {
  if (!picture) return html`<span class="wb-line-picture"></span>`;
  const thumbnailUrl = picture.sources?.[0]?.url ?? picture.url;
  return html`<img class="wb-line-picture" src="${thumbnailUrl}" width="96" height="96" alt="" loading="lazy">`;
}

function quantityInput({ texts, language }: ShopPage, line: CartLine): Html {
  const id = `wb-q-${line.variantId}`;
  const { problem } = line;
  return html`
    <label class="wb-hidden" for="${id}">${texts.quantity}${priceTextsIn(language).colon}${formatTitle(line)}</label>
    <input id="${id}" type="number" name="${quantityField}${line.variantId}" value="${line.quantity}"
      ${' '}min="0" max="${maxOrderQuantity}" inputmode="numeric"
      ${problem !== undefined && html` aria-invalid="true" aria-describedby="${id}-error"`}>
    ${problem !== undefined && html`<p class="wb-error" id="${id}-error">${problem}</p>`}`;
}

/** Renders the page of a cart: a form that changes the cart and leads to the checkout. */
export function cartHtml(
  of: ShopPage,
  lines: readonly CartLine[],
  message = '',
  priced: PricedCart | null = null,
  ordered: string | null = null,
): string {
  const { texts, toPages } = of;
  const { cart } = texts;
  if (lines.length === 0) return page(of, 'cart', cart, notice(message), empty(of, ordered));
  // Enter in a field must change the cart, not remove its first line.
  const isBlocked = lines.some(({ gone }) => gone);
  const rows = lines.map((line) =>
    line.gone
      ? goneLine(of, line, line.gone)
      : html`
      <li data-wb-line="${line.variantId}">
        ${linePicture(line)}
        <div class="wb-line-name">
          <a href="${toPages}${line.productPath}">${line.name}</a>
          ${line.variantName !== '' && html`<span>${line.variantName}</span>`}
          <span>${line.isAvailable ? money(of, line.priceCents) : texts.soldOut}</span>
        </div>
        <div class="wb-field wb-line-quantity">${quantityInput(of, line)}</div>
        <p class="wb-line-total">${line.isAvailable ? money(of, computeAmount(line, priced)) : ''}</p>
        <button class="wb-button wb-button-plain" type="submit" name="remove" value="${line.variantId}">
          ${texts.remove}<span class="wb-hidden"> ${formatTitle(line)}</span>
        </button>
      </li>`,
  );
  return page(
    of,
    'cart',
    cart,
    notice(message),
    html`
      <form method="post" action="cart">
        <button type="submit" hidden></button>
        <ul class="wb-lines">${rows}</ul>
        ${codeInput(of, priced)}
        ${priceHtml(of, priced, sumLines(lines))}
        ${subtotalNote(of, priced)}
        <p class="wb-actions">
          <button class="wb-button wb-button-secondary" type="submit">${texts.update}</button>
          ${
            !isBlocked &&
            html`
          <button class="wb-button wb-button-primary" type="submit" name="next" value="checkout">
            ${texts.checkout}
          </button>`
          }
        </p>
      </form>`,
  );
}

/** Renders a line that is no longer sold: its name, the reason, and a button that removes it. */
function goneLine({ texts }: ShopPage, line: CartLine, reason: UnavailableVariant['reason']): Html {
  return html`
      <li data-wb-line="${line.variantId}" data-wb-gone="${reason}">
        ${linePicture(line)}
        <div class="wb-line-name">
          <strong>${formatTitle(line)}</strong>
          <span class="wb-error">${texts.goneReasons[reason]}</span>
        </div>
        <input type="hidden" name="${quantityField}${line.variantId}" value="${line.quantity}">
        <button class="wb-button wb-button-plain" type="submit" name="remove" value="${line.variantId}">
          ${texts.remove}<span class="wb-hidden"> ${formatTitle(line)}</span>
        </button>
      </li>`;
}

/** Renders the checkout while the cart contains something that is no longer sold. */
export const blockedHtml = (of: ShopPage, lines: readonly CartLine[], message: string): string =>
  page(
    of,
    'checkout',
    of.texts.checkout,
    notice(message),
    html`
      <form method="post" action="cart">
        <ul class="wb-lines">
          ${lines.flatMap((line) => (line.gone ? [goneLine(of, line, line.gone)] : []))}
        </ul>
        ${lines.flatMap((line) =>
          line.gone
            ? []
            : [
                html`
        <div data-wb-line="${line.variantId}" hidden>
          <input type="hidden" name="${quantityField}${line.variantId}" value="${line.quantity}">
        </div>`,
              ],
        )}
        <p class="wb-actions"><a class="wb-button wb-button-primary" href="cart">${of.texts.changeCart}</a></p>
      </form>`,
  );

const summaryLine = (of: ShopPage, line: CartLine, priced: PricedCart | null) => {
  const amount = money(of, computeAmount(line, priced));
  const quantity =
    line.problem === undefined
      ? html`<input type="hidden" name="${quantityField}${line.variantId}" value="${line.quantity}">`
      : html`<div class="wb-field wb-line-quantity">${quantityInput(of, line)}</div>`;
  return html`
    <li data-wb-line="${line.variantId}" data-wb-quantity="${line.quantity}">
      ${linePicture(line)}
      <span class="wb-line-name">${line.quantity} × ${formatTitle(line)}</span> <span>${amount}</span>
      ${quantity}
      <input type="hidden" name="${shownField}${line.variantId}" value="${writeShownLine(line)}">
    </li>`;
};

/**
 * Renders the page of a checkout. `key` makes a form that is sent twice one order. Each line contains its shown values,
 * because prices may rise until the form is sent. A page that answers a form is marked, so that no script requests it
 * again.
 */
export function checkoutHtml(
  of: ShopPage,
  lines: readonly CartLine[],
  filled: FilledFields,
  {
    key,
    message = '',
    isAnswer,
    priced = null,
    paymentMethodId = '',
    paymentError,
    ordered = null,
  }: {
    key: string;
    message?: string;
    isAnswer: boolean;
    priced?: PricedCart | null;
    paymentMethodId?: string;
    paymentError?: string;
    /** The token of the shopper's last order. */
    ordered?: string | null;
  },
): string {
  const { texts } = of;
  if (lines.length === 0) return page(of, 'checkout', texts.checkout, notice(message), empty(of, ordered));
  const field = (field: CustomerField) => customerField(of, field, filled);
  // Enter in a field must order, not only request the price.
  return page(
    of,
    'checkout',
    texts.checkout,
    notice(message),
    html`
      <form class="wb-checkout" method="post" action="checkout" novalidate data-wb-not-now="${texts.notNow}"${isAnswer && html` data-wb-answer`}>
        <input type="hidden" name="key" value="${key}">
        <button type="submit" hidden></button>
        <div>
          <fieldset><legend>${texts.contact}</legend>${contactFields.map(field)}</fieldset>
          <fieldset><legend>${texts.address}</legend>${addressFields.map(field)}</fieldset>
        </div>
        <div class="wb-summary">
          <h2>${texts.summary}</h2>
          <ul class="wb-lines">${lines.map((line) => summaryLine(of, line, priced))}</ul>
          ${priceInputs(of, priced)}
          ${priceHtml(of, priced, sumLines(lines))}
          ${methodInputs(of, priced?.paymentMethods ?? [], paymentMethodId, paymentError === undefined ? {} : { error: paymentError })}
          <p class="wb-actions">
            <a href="cart">${texts.changeCart}</a>
            <button class="wb-button wb-button-primary" type="submit">${texts.placeOrder}</button>
          </p>
        </div>
      </form>`,
  );
}

type CustomerField = (typeof contactFields)[number];

/** Renders a field for the customer's data, with the typed value and its error. */
function customerField(
  { texts, language }: ShopPage,
  { name, autocomplete, type, isRequired, maxLength }: CustomerField,
  { values, errors }: FilledFields,
): Html {
  const id = `wb-f-${name}`;
  const error = errors[name];
  const attributes = html`
      ${' '}id="${id}" name="${name}" autocomplete="${autocomplete}"
      ${isRequired && html` required`}
      ${error !== undefined && html` aria-invalid="true" aria-describedby="${id}-error"`}`;
  const control =
    name === 'country'
      ? html`<select${attributes}><option value="">${texts.choose}</option>${countryOptions(language, values.country)}</select>`
      : html`<input${attributes} type="${type ?? 'text'}" maxlength="${maxLength}" value="${values[name]}">`;
  return html`
      <div class="wb-field wb-f-${name}">
        <label for="${id}">
          ${getLabel(texts, name)}
          ${!isRequired && html` <span class="wb-optional">(${texts.optional})</span>`}
        </label>
        ${control}
        ${error !== undefined && html`<p class="wb-error" id="${id}-error">${error}</p>`}
      </div>`;
}

const getLabel = (texts: ShopTexts, name: FieldName): string => texts[name];

function countryOptions(language: string, chosen: string): Html[] {
  const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'code' });
  const collator = new Intl.Collator(language);
  return countries
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .sort((a, b) => collator.compare(a.name, b.name))
    .map(
      ({ code, name }) => html`<option value="${code}"${code === chosen && html` selected`}>${name}</option>`,
    );
}

interface AfterSaleContent {
  /** Null when the orders service does not answer. */
  after?: OrderPage | null;
  message?: string;
  /** Whether the message is about a return instead of a payment. */
  isAboutReturn?: boolean;
  /** Whether the shopper comes from another site, such as the payment page. */
  isReturnFromProvider?: boolean;
}

/** Renders the page of a placed order, for anybody who has its address. */
export function orderHtml(
  of: ShopPage,
  receipt: ShownReceipt,
  { after = null, message = '', isAboutReturn = false, isReturnFromProvider = false }: AfterSaleContent = {},
): string {
  const { texts, language, toPages } = of;
  const { order, shippingAddress } = receipt;
  const { number, status, payment, fulfillment, lineItems, totalCents, currency, paymentUrl, createdAt } =
    order;
  const amount = (cents: number) => formatMoney(cents, currency, language);
  const isPayable = paymentUrl !== undefined && payment === 'pending' && status === 'open';
  const rows = lineItems.map(
    ({ quantity, name, variantName, totalCents: each, discountCents = 0 }) =>
      html`
        <li>
          <span>${quantity} × ${variantName ? `${name} · ${variantName}` : name}</span>
          ${' '}<span>${amount(each + discountCents)}</span>
        </li>`,
  );
  const isCancelled = status === 'cancelled';
  const states = [
    [texts.state, texts.states[status]],
    // A pending payment is not shown for a cancelled order, because it would read as if it were still due.
    ...(isCancelled && payment === 'pending' ? [] : [[texts.payment, texts.payments[payment]] as const]),
    [texts.delivery, texts.deliveries[fulfillment]],
  ] as const;
  return page(
    of,
    'order',
    isCancelled ? paymentTextsIn(language).cancelled : texts.thanks,
    !isCancelled && html`<p>${texts.received}</p>`,
    isPayable &&
      html`
        <div class="wb-notice">
          <p>${texts.toPay}</p>
          <a class="wb-button wb-button-primary" href="${paymentUrl}" rel="noreferrer">${texts.payNow}</a>
        </div>`,
    isAboutReturn && message !== '' && html`<p class="wb-notice" role="alert">${message}</p>`,
    paymentHtml(of, receipt, { message: isAboutReturn ? '' : message, isReturnFromProvider }),
    html`
      <h2>${texts.order} ${number} <small>${formatDate(createdAt, language)}</small></h2>
      <ul class="wb-lines">${rows}</ul>
      ${receiptSums(language, amount, order)}
      <p class="wb-total"><span>${texts.total}</span> <strong>${amount(totalCents)}</strong></p>
      ${refundedSum(texts.payments.refunded, amount, order)}
      <dl class="wb-states">${states.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`,
    ...(after === null ? [] : afterSaleHtml(of, order, after)),
    shippingAddress !== null &&
      !isCancelled &&
      html`<h2>${texts.sentTo}</h2><address>${addressLines(shippingAddress, language)}</address>`,
    html`<p><a class="wb-button wb-button-secondary" href="${toPages}">${texts.continueShopping}</a></p>`,
  );
}

function addressLines(address: NonNullable<ShownReceipt['shippingAddress']>, language: string): Html[] {
  const { name, line1, line2, postalCode, city, region, country } = address;
  const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'code' });
  const town = [postalCode, city].filter(Boolean).join(' ');
  return [name, line1, line2, town, region, country && names.of(country)]
    .filter((line): line is string => Boolean(line))
    .map((line) => html`${line}<br>`);
}

/**
 * Style sheet of these pages, which the theme may override. The server does not know the cart that a browser keeps, so
 * what it renders is hidden until the script shows that cart, or until it is clear that there is no script.
 */
export const shopCss = `@layer waybill{
.wb-shop{max-width:none}
[data-wb-shop=cart],[data-wb-shop=checkout]{min-height:100vh}
@media (scripting:enabled){
.wb-shop:not([data-wb-shop=order],[data-wb-current])>:not(h1){animation:wb-late 1ms 4s both}
.wb-shop:not([data-wb-shop=order],[data-wb-current])[aria-busy]>:not(h1){visibility:hidden}
.wb-shop:not([data-wb-shop=order],[data-wb-current])>h1::after{content:" …";animation:wb-late 1ms .4s both}
}
@keyframes wb-late{from{visibility:hidden}}
.wb-lines{margin:0;padding:0;list-style:none}
.wb-lines>li{display:flex;flex-wrap:wrap;gap:.5rem 1rem;justify-content:space-between;align-items:center;padding-block:1rem;border-bottom:1px solid var(--wb-line)}
.wb-lines>li>span{min-width:0}
.wb-line-name{flex:1 1 12rem;min-width:0}
.wb-line-picture{flex:none;width:5rem;height:5rem;object-fit:cover;border-radius:var(--wb-radius);background:var(--wb-surface)}
.wb-summary .wb-line-picture{width:3.5rem;height:3.5rem}
.wb-summary .wb-line-name{flex-basis:8rem}
@media (max-width:639px){
.wb-lines .wb-line-name{flex-basis:calc(100% - 6.5rem)}
.wb-summary .wb-lines .wb-line-name{flex-basis:8rem}
}
.wb-line-name>*{display:block}
.wb-line-name span{color:var(--wb-muted)}
.wb-line-quantity{flex:0 1 8rem}
.wb-line-quantity input{max-width:8rem}
.wb-line-total{min-width:5rem;text-align:end;font-weight:600}
.wb-sums{margin:0}
.wb-sums>div{display:flex;justify-content:space-between;gap:1rem;padding-block:.25rem}
.wb-sums dd{margin:0}
.wb-note{color:var(--wb-muted)}
.wb-shop .wb-rates{margin-top:1.25rem}
.wb-rates label{display:flex;gap:.75rem;align-items:baseline;padding-block:.5rem;font-weight:400}
.wb-rates label>span:first-of-type{flex:1}
.wb-rates input{width:auto;flex:none}
.wb-lines-kept{white-space:pre-line}
.wb-code{display:flex;flex-wrap:wrap;gap:.75rem;align-items:end}
.wb-code>.wb-field{flex:1 1 12rem}
[data-wb-shop=cart] .wb-code>.wb-field{flex:0 1 16rem}
.wb-total{display:flex;justify-content:space-between;gap:1rem;font-size:1.25rem}
.wb-actions{display:flex;flex-wrap:wrap;gap:1rem;justify-content:flex-end;align-items:center}
.wb-shop form>*+*,.wb-shop .wb-field+.wb-field,.wb-summary>*+*{margin-top:1.25rem}
.wb-notice{padding:1rem 1.25rem;border:1px solid var(--wb-line);border-inline-start:4px solid var(--wb-accent);border-radius:var(--wb-radius);background:var(--wb-surface)}
.wb-notice>*+*{margin-top:.75rem}
.wb-error{margin-top:.35rem;font-weight:600;color:var(--wb-text)}
.wb-error::before{content:"⚠ "}
[aria-invalid=true]{outline:2px solid var(--wb-text)}
.wb-optional{font-weight:400;color:var(--wb-muted)}
.wb-shop fieldset{min-width:0;margin:0;padding:0;border:0}
.wb-shop fieldset+fieldset{margin-top:2.5rem}
.wb-shop legend{padding:0;margin-bottom:1rem;font-size:1.375rem;font-weight:700}
.wb-shop h2{font-size:1.375rem}
.wb-checkout{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:2rem 3rem;align-items:start}
.wb-shop .wb-checkout>*{margin-top:0}
.wb-states{display:flex;flex-wrap:wrap;gap:1rem 3rem;margin:0}
.wb-states dt{color:var(--wb-muted)}
.wb-states dd{margin:0;font-weight:600}
.wb-shop address{font-style:normal}
}
`;

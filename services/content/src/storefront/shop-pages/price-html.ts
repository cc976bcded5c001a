import type { QuotedCart, Receipt } from '@waybill/contracts';
import { formatMoney } from '@waybill/page';
import { type Html, html, type ShopPage } from './markup.ts';
import { priceTextsIn } from './price-texts.ts';

/** The price of a cart, and the shopper's choices. */
export interface PricedCart extends QuotedCart {
  /** As typed. */
  codes: readonly string[];
  vatId: string;
}

type Sum = readonly [name: string, amount: string];

const sums = (rows: readonly Sum[]): Html | false =>
  rows.length > 0 &&
  html`<dl class="wb-sums">${rows.map(([name, amount]) => html`<div><dt>${name}</dt><dd>${amount}</dd></div>`)}</dl>`;

/**
 * Renders the sums between the lines and the total, which the form sends back: if the order costs more than that, it is
 * not placed.
 */
export function priceHtml(of: ShopPage, priced: PricedCart | null, fallbackCents: number): Html {
  const { texts, language, currency } = of;
  const amount = (cents: number) => formatMoney(cents, currency, language);
  const quote = priced?.quote ?? null;
  const totalCents = quote?.totalCents ?? fallbackCents;
  return html`
    ${quote !== null && sums(listSums(language, amount, { ...quote, shippingRate: findRate(quote) }))}
    <input type="hidden" name="total" value="${totalCents}">
    <p class="wb-total">
      <span>${texts.total}</span> <strong>${amount(totalCents)}</strong>
    </p>
    ${quote?.reverseCharge && html`<p class="wb-note">${priceTextsIn(language).reverseCharge}</p>`}
    ${priced !== null && priced.displayNote !== '' && html`<p class="wb-note">${priced.displayNote}</p>`}`;
}

const findRate = ({ shippingRates, shippingRateId }: NonNullable<QuotedCart['quote']>) =>
  shippingRates.find(({ id }) => id === shippingRateId) ?? null;

type Summed = Pick<
  Receipt,
  'subtotalCents' | 'discounts' | 'discountCents' | 'shippingCents' | 'taxLines' | 'taxIncluded'
> & { shippingRate: { name: string } | null };

/**
 * Returns the sums that make up a price; empty when it is just the sum of its lines. Tax that prices include is shown
 * beside it, as the law requires.
 */
function listSums(language: string, amount: (cents: number) => string, of: Summed): Sum[] {
  const texts = priceTextsIn(language);
  const { subtotalCents, discounts, discountCents, shippingCents, shippingRate, taxLines, taxIncluded } = of;
  const saved = discounts.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const listedShipping = shippingCents + saved - discountCents;
  const rows: Sum[] = [
    ...discounts.map(
      ({ title, code, amountCents }): Sum => [
        `${texts.discount}${texts.colon}${code ?? title}`,
        `−${amount(amountCents)}`,
      ],
    ),
    ...(shippingRate || listedShipping > 0
      ? [
          [
            shippingRate ? `${texts.shipping}${texts.colon}${shippingRate.name}` : texts.shipping,
            listedShipping === 0 ? texts.free : amount(listedShipping),
          ] as const,
        ]
      : []),
    ...taxLines.map(
      ({ name, percent, taxCents }): Sum => [
        `${taxIncluded ? `${texts.included} ` : ''}${percentIn(language, percent)} ${name}`,
        amount(taxCents),
      ],
    ),
  ];
  return rows.length > 0 ? [[texts.subtotal, amount(subtotalCents)], ...rows] : [];
}

/** Formats a tax rate, such as `19 %`: `decisions.md 21.6`. */
const percentIn = (language: string, percent: string): string =>
  `${new Intl.NumberFormat(language, { maximumFractionDigits: 4 }).format(Number(percent))} %`;

/** Renders the sums of a placed order. An order of an earlier version has none. */
export const receiptSums = (
  language: string,
  amount: (cents: number) => string,
  order: Receipt,
): Html | false => {
  const { discounts = [], discountCents = 0, taxLines = [], taxIncluded = true, shippingRate = null } = order;
  const rows = listSums(language, amount, {
    ...order,
    discounts,
    discountCents,
    taxLines,
    taxIncluded,
    shippingRate,
  });
  return html`
    ${sums(rows)}
    ${order.reverseCharge && html`<p class="wb-note">${priceTextsIn(language).reverseCharge}</p>`}`;
};

/** Renders how much of the money of an order went back. An order of an earlier version does not have the sum. */
export const refundedSum = (
  name: string,
  amount: (cents: number) => string,
  { refundedCents = 0 }: Pick<Receipt, 'refundedCents'>,
): Html | false => refundedCents > 0 && sums([[name, `−${amount(refundedCents)}`]]);

/** Renders the cart's note about shipping: that it is added, and from which amount it is free. */
export function subtotalNote({ language, currency }: ShopPage, priced: PricedCart | null): Html | false {
  if (!priced?.quote) return false;
  const texts = priceTextsIn(language);
  const { quote, freeFromCents } = priced;
  const notes = [
    quote.missing.length > 0 && texts.plusShipping,
    freeFromCents !== null &&
      quote.subtotalCents - quote.discountCents < freeFromCents &&
      texts.freeFrom(formatMoney(freeFromCents, currency, language)),
  ].filter(Boolean) as string[];
  return notes.length > 0 && html`<p class="wb-note">${notes.join(' ')}</p>`;
}

const rejectedIn = (language: string, { quote }: PricedCart): Html[] =>
  (quote?.rejectedCodes ?? []).map(
    ({ code, reason }) =>
      html`<p class="wb-error">${code}${priceTextsIn(language).colon}${priceTextsIn(language).rejections[reason]}</p>`,
  );

/** Renders why codes were rejected, for the field that refers to it. */
const rejections = (rejected: readonly Html[]): Html | false =>
  rejected.length > 0 && html`<div id="wb-f-codes-error">${rejected}</div>`;

const codeField = (language: string, codes: readonly string[], isWrong: boolean): Html => html`
        <div class="wb-field">
          <label for="wb-f-codes">${priceTextsIn(language).code}</label>
          <input id="wb-f-codes" name="codes" type="text" maxlength="500" autocomplete="off" value="${codes.join(' ')}"
            ${isWrong && html` aria-invalid="true" aria-describedby="wb-f-codes-error"`}>
        </div>`;

/** Renders the cart's field for codes: `decisions.md 21.6`. */
export function codeInput({ language }: ShopPage, priced: PricedCart | null): Html | false {
  if (!priced?.takesCodes) return false;
  const rejected = rejectedIn(language, priced);
  return html`
    <div class="wb-code">
      ${codeField(language, priced.codes, rejected.length > 0)}
      <button class="wb-button wb-button-secondary" type="submit">${priceTextsIn(language).apply}</button>
    </div>
    ${rejections(rejected)}`;
}

/** Renders the choices at the checkout: shipping, codes, and a business's VAT id. */
export function priceInputs({ language, currency }: ShopPage, priced: PricedCart | null): Html | false {
  if (!priced) return false;
  const texts = priceTextsIn(language);
  const { quote, problem, codes, vatId } = priced;
  const rates = quote?.shippingRates ?? [];
  const rejected = rejectedIn(language, priced);
  const isTaxed = (quote?.taxLines.length ?? 0) > 0 || (quote?.missing.length ?? 0) > 0;
  // A store that uses none of these has nothing to ask.
  if (!(priced.takesCodes || priced.takesVatId || rates.length > 0 || problem !== null || isTaxed))
    return false;
  const days = ({ minDays, maxDays }: (typeof rates)[number]) => texts.days(minDays, maxDays);
  return html`
    ${problem !== null && html`<p class="wb-error" role="alert">${texts.problems[problem]}</p>`}
    ${
      rates.length > 0 &&
      html`
      <fieldset class="wb-rates">
        <legend>${texts.delivery}</legend>
        ${rates.map(
          (rate) => html`
          <label for="wb-${rate.id}">
            <input type="radio" id="wb-${rate.id}" name="shipping" value="${rate.id}"
              ${rate.id === quote!.shippingRateId && html` checked`}>
            <span>${rate.name}${days(rate) !== '' && html` <small class="wb-note">${days(rate)}</small>`}</span>
            <span>${rate.priceCents === 0 ? texts.free : formatMoney(rate.priceCents, currency, language)}</span>
          </label>`,
        )}
      </fieldset>`
    }
    <div class="wb-code">
      ${priced.takesCodes && codeField(language, codes, rejected.length > 0)}
      ${
        priced.takesVatId &&
        html`
        <div class="wb-field">
          <label for="wb-f-vatId">${texts.vatId}</label>
          <input id="wb-f-vatId" name="vatId" type="text" maxlength="50" autocomplete="off" value="${vatId}">
        </div>`
      }
      <button class="wb-button wb-button-secondary" type="submit" name="show" value="1" formnovalidate>
        ${texts.apply}
      </button>
    </div>
    ${rejections(rejected)}`;
}

import type { ChoosableMethod, Order, ShownReceipt } from '@waybill/contracts';
import { type Html, html, type ShopPage } from './markup.ts';
import { type PaymentTexts, paymentTextsIn } from './payment-texts.ts';

/** Renders the choice of payment methods; a single one is preselected. */
export function methodInputs(
  { language }: Pick<ShopPage, 'language'>,
  methods: readonly ChoosableMethod[],
  chosen: string,
  { legend, error }: { legend?: string; error?: string } = {},
): Html | false {
  if (methods.length === 0) return false;
  const texts = paymentTextsIn(language);
  const isOnlyMethod = methods.length === 1;
  return html`
    <fieldset class="wb-rates wb-methods"${error !== undefined && html` aria-describedby="wb-payment-error"`}>
      <legend>${legend ?? texts.method}</legend>
      ${methods.map(
        ({ id, name, instructions, isTest }) => html`
        <label for="wb-${id}">
          <input type="radio" id="wb-${id}" name="payment" value="${id}" required
            ${(isOnlyMethod || id === chosen) && html` checked`}${error !== undefined && html` aria-invalid="true"`}>
          <span>${name}
            ${isTest && html` <small class="wb-note">${texts.test}</small>`}
            ${instructions !== '' && html`<br><small class="wb-note wb-lines-kept">${instructions}</small>`}
          </span>
        </label>`,
      )}
      ${error !== undefined && html`<p class="wb-error" id="wb-payment-error">${error}</p>`}
    </fieldset>`;
}

/**
 * Renders the payment on an order's page: what remains to be done, and other methods. Marked while it may change by
 * itself.
 */
export function paymentHtml(
  { language }: Pick<ShopPage, 'language'>,
  { order, payment = null, paymentMethods = [] }: ShownReceipt,
  { message = '', isReturnFromProvider = false }: { message?: string; isReturnFromProvider?: boolean } = {},
): Html | false {
  const texts = paymentTextsIn(language);
  const isManual = payment?.status === 'pending' && payment.isManual;
  const isAwaited = payment?.status === 'pending' && !isManual;
  if (order.status === 'cancelled') return cancelledHtml(texts, order.payment, isAwaited);
  const isPayable = order.payment === 'pending' || order.payment === 'voided';
  if (!isPayable || (payment === null && paymentMethods.length === 0)) return false;
  const isAtProvider = isAwaited && payment.redirectUrl !== null;
  // The result of the shopper's payment is not known yet, so the page must not ask for another payment.
  if (isReturnFromProvider && isAtProvider && !payment.isUnderWay) {
    return html`
    <div class="wb-notice wb-payment" data-wb-waiting="checking">
      <p role="status">${texts.checking}</p>
      <noscript><meta http-equiv="refresh" content="2; url=?checked"></noscript>
    </div>`;
  }
  const statusText = payment?.isUnderWay
    ? texts.underWay
    : payment?.status === 'failed'
      ? texts.failed
      : isAwaited && payment.isDeclined
        ? texts.declined
        : isAtProvider || isManual || payment === null
          ? texts.toPay
          : texts.preparing;
  return html`
    <div class="wb-notice wb-payment"${isAwaited && html` data-wb-waiting`}>
      ${message !== '' && html`<p role="alert">${message}</p>`}
      <p role="status">${statusText}</p>
      ${payment !== null && payment.status === 'pending' && html`<p><strong>${payment.name}</strong></p>`}
      ${isManual && payment.instructions !== '' && html`<p class="wb-lines-kept">${payment.instructions}</p>`}
      ${payment?.isTest && html`<p class="wb-note">${texts.test}</p>`}
      ${isAtProvider && html`<p><a class="wb-button wb-button-primary" href="${payment.redirectUrl!}" rel="noreferrer">${texts.payNow}</a></p>`}
      ${
        paymentMethods.length > 0 &&
        !payment?.isUnderWay &&
        html`
        <form method="post">
          ${methodInputs({ language }, paymentMethods, '', { legend: payment === null ? texts.method : texts.payOtherwise })}
          <p class="wb-actions"><button class="wb-button wb-button-secondary" type="submit">${texts.payNow}</button></p>
        </form>`
      }
      ${isAwaited && html`<noscript><meta http-equiv="refresh" content="5"></noscript>`}
    </div>`;
}

/** Tells what happened to the money of a cancelled order. */
function cancelledHtml(texts: PaymentTexts, state: Order['payment'], isAwaited: boolean): Html | false {
  const statusText =
    state === 'refunded'
      ? texts.wentBack
      : state === 'pending' || state === 'voided'
        ? texts.nothingToPay
        : '';
  if (statusText === '') return false;
  return html`
    <div class="wb-notice wb-payment"${isAwaited && html` data-wb-waiting`}>
      <p role="status">${statusText}${isAwaited && ` ${texts.goesBack}`}</p>
      ${isAwaited && html`<noscript><meta http-equiv="refresh" content="5"></noscript>`}
    </div>`;
}

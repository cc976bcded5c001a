import { carrierName, type OrderPage, type Receipt } from '@waybill/contracts';
import { afterSaleTextsIn } from './after-sale-texts.ts';
import { type Html, html, type ShopPage } from './markup.ts';

/** Prefix of the name of a field for a returned quantity, followed by the variant's id. */
export const returnField = 'return-';

/**
 * Renders the parcels with their tracking links, documents, returns, and the form for requesting a return:
 * `decisions.md 23.6`.
 */
export function afterSaleHtml(
  { language }: Pick<ShopPage, 'language'>,
  { lineItems }: Pick<Receipt, 'lineItems'>,
  { fulfillments, documents, returns, returnable }: OrderPage,
): Html[] {
  const texts = afterSaleTextsIn(language);
  const findName = (variantId: string) => {
    const line = lineItems.find((each) => each.variantId === variantId);
    return line ? [line.name, line.variantName].filter(Boolean).join(' · ') : '';
  };
  const units = (lines: readonly { variantId: string; quantity: number }[]) =>
    lines.map(({ variantId, quantity }) => html`<span>${quantity} × ${findName(variantId)}</span><br>`);
  return [
    ...(fulfillments.length > 0
      ? [
          html`<h2>${texts.parcels}</h2><ul class="wb-lines">${fulfillments.map(
            ({ lines, status, carrier, trackingNumber, trackingUrl }) => html`
              <li>
                <span>${units(lines)}<small>${[carrier && carrierName(carrier), trackingNumber].filter(Boolean).join(' ')}</small></span>
                <span>
                  ${status !== 'cancelled' && texts.parcelStates[status]}
                  ${trackingUrl !== null && html` <a href="${trackingUrl}" rel="noreferrer">${texts.track}</a>`}
                </span>
              </li>`,
          )}</ul>`,
        ]
      : []),
    ...(documents.length > 0
      ? [
          html`<h2>${texts.documents}</h2><ul class="wb-lines">${documents.map(
            ({ kind, number, url }) =>
              html`<li><a href="${url}">${[texts.documentKinds[kind], number].filter(Boolean).join(' ')}</a></li>`,
          )}</ul>`,
        ]
      : []),
    ...(returns.length > 0
      ? [
          html`<h2>${texts.returns}</h2><ul class="wb-lines">${returns.map(
            ({ lines, state, note }) => html`
              <li>
                <span>${units(lines)}${note !== null && html`<small class="wb-lines-kept">${note}</small>`}</span>
                <span>${texts.returnStates[state]}</span>
              </li>`,
          )}</ul>`,
        ]
      : []),
    ...(returnable.length > 0 ? [returnForm(language, returnable, findName)] : []),
  ];
}

function returnForm(
  language: string,
  returnable: OrderPage['returnable'],
  findName: (variantId: string) => string,
): Html {
  const texts = afterSaleTextsIn(language);
  return html`
    <details class="wb-returns">
      <summary>${texts.returnItems}</summary>
      <form method="post">
        <fieldset class="wb-rates">
          <legend>${texts.kind}</legend>
          ${(['return', 'withdrawal'] as const).map(
            (kind) => html`
            <label for="wb-kind-${kind}">
              <input type="radio" id="wb-kind-${kind}" name="kind" value="${kind}"${kind === 'return' && html` checked`}>
              <span>${texts.kinds[kind]}</span>
            </label>`,
          )}
        </fieldset>
        ${returnable.map(({ variantId, quantity }) => {
          const name = `${returnField}${variantId}`;
          return html`
            <div class="wb-field">
              <label for="wb-${name}">${texts.askQuantity(findName(variantId))}</label>
              <input id="wb-${name}" type="number" name="${name}" value="0" min="0" max="${quantity}" inputmode="numeric">
            </div>`;
        })}
        <div class="wb-field">
          <label for="wb-return-reason">${texts.reason}</label>
          <input id="wb-return-reason" name="reason" maxlength="500" autocomplete="off">
        </div>
        <p class="wb-actions"><button class="wb-button wb-button-secondary" type="submit">${texts.send}</button></p>
      </form>
    </details>`;
}

import { defaultDocumentSettings, type Order } from '@waybill/contracts';
import fc from 'fast-check';
import { buildCreditNoteContent } from '../src/documents/credit-notes.ts';
import {
  priceRefund,
  type RefundAmountsInput,
  type RefundSums,
  refundableShippingCents,
} from '../src/refunding/amounts.ts';
import { createInvoice, createOrder } from './sample-documents.ts';

const issued = {
  number: 'CN-1',
  issuedAt: new Date('2026-11-27T10:00:00Z'),
  settings: defaultDocumentSettings,
  logoHash: null,
};
const sum = (amounts: readonly number[]) => amounts.reduce((all, each) => all + each, 0);

/** Checks that a refund's credit note says the same amounts, and that a validator would accept its sums. */
function checkCreditNote(order: Order, refund: RefundSums): void {
  const note = buildCreditNoteContent({ ...refund, reason: null }, createInvoice(order), issued);
  expect([note.totalCents, note.taxCents]).toEqual([refund.amountCents, refund.taxCents]);
  const nets = [...note.lines, ...note.charges].map(({ netCents }) => netCents);
  expect(sum(nets)).toBe(refund.amountCents - refund.taxCents);
  expect(Math.min(...nets, 0)).toBe(0);
  expect(sum(note.taxLines.map(({ taxCents }) => taxCents))).toBe(refund.taxCents);
  for (const { percent, baseCents, taxCents } of note.taxLines) {
    expect(Number(percent) === 0 ? taxCents : 0).toBe(0);
    const ofRate = [...note.lines, ...note.charges].filter((each) => each.percent === percent);
    expect(sum(ofRate.map(({ netCents }) => netCents))).toBe(baseCents);
  }
  const shown = sum(note.lines.map(({ totalCents }) => totalCents)) + (note.shipping?.amountCents ?? 0);
  expect(shown).toBe(refund.amountCents - (order.taxIncluded ? 0 : refund.taxCents));
}

/** Returns refunds of an order one after the other, the last of which takes all that is left. */
function createRefunds(order: Order, parts: readonly { share: number; what: string }[]): RefundSums[] {
  const refunds: RefundSums[] = [];
  const left = () => order.totalCents - sum(refunds.map(({ amountCents }) => amountCents));
  for (const { share, what } of parts) {
    const shippingCents = Math.ceil(refundableShippingCents(order, refunds) * share);
    const item = order.lineItems[Math.floor(share * order.lineItems.length * 0.999)]!;
    const taken = sum(
      refunds.flatMap(({ lines }) =>
        lines.map((line) => (line.variantId === item.variantId ? line.quantity : 0)),
      ),
    );
    const lines = taken < item.quantity ? [{ variantId: item.variantId, quantity: 1 }] : [];
    const amountCents = Math.ceil((left() * share) / 3);
    const input: RefundAmountsInput =
      what === 'shipping'
        ? { shippingCents }
        : what === 'lines'
          ? { lines }
          : what === 'replaced'
            ? { lines, amountCents }
            : { amountCents };
    const priced = priceRefund(order, refunds, input);
    if (priced.amountCents > 0 && priced.amountCents <= left()) refunds.push(priced);
  }
  if (left() > 0) refunds.push(priceRefund(order, refunds, { amountCents: left() }));
  return refunds;
}

test('the credit notes of an order match its refunds, however it is refunded', () => {
  const part = fc.record({
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    what: fc.constantFrom('shipping', 'lines', 'replaced', 'sum'),
  });
  const rates = fc.constantFrom(['19', '7', '0', null], ['0', '19'], [null, '7'], ['19'], [null]);
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), rates, fc.boolean(), (parts, percents, taxIncluded) => {
      const order = createOrder(3, percents, { taxIncluded });
      for (const refund of createRefunds(order, parts)) checkCreditNote(order, refund);
    }),
    { numRuns: 300 },
  );
});

test('the last cent of shipping, which is all tax, falls under a rate that has one', () => {
  const order = createOrder(2, ['0', '19']);
  checkCreditNote(order, { amountCents: 1, taxCents: 1, shippingCents: 1, shippingTaxCents: 1, lines: [] });
  const [item] = order.lineItems;
  const lines = [{ variantId: item!.variantId, quantity: 1, amountCents: 5, taxCents: 0 }];
  checkCreditNote(order, { amountCents: 5, taxCents: 2, shippingCents: 0, shippingTaxCents: 0, lines });
});

test('invoices under reverse charge show unit prices that add up to their net lines', () => {
  const order = createOrder(1, [null], { reverseCharge: true });
  const [item] = order.lineItems;
  const listed = { ...item!, quantity: 2, unitPriceCents: 1_190, discountCents: 200, totalCents: 1_800 };
  const [line] = createInvoice({ ...order, lineItems: [listed] }).lines;
  expect(line!.unitPriceCents * line!.quantity - line!.discountCents).toBe(line!.totalCents);
});

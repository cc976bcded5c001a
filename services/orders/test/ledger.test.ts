import type { EntryKind } from '@waybill/contracts';
import fc from 'fast-check';
import { deriveMoney, deriveMoneyState, type LedgerEntry, type LedgerPayment } from '../src/ledger/ledger.ts';

let sequence = 0;
const entry = (kind: EntryKind, amountCents = 0, more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  kind,
  amountCents,
  at: new Date(1_800_000_000_000 + ++sequence * 1000),
  id: `pen_${String(sequence).padStart(6, '0')}`,
  status: null,
  ...more,
});
const payment = (amountCents: number, ...entries: LedgerEntry[]): LedgerPayment => ({ amountCents, entries });
const note = (status: LedgerEntry['status'], more: Partial<LedgerEntry> = {}) =>
  payment(0, entry('noted', 0, { status, ...more }));
const stateOfOrder = (totalCents: number, payments: LedgerPayment[], hasPaymentMethods = false) =>
  deriveMoney({ totalCents, hasPaymentMethods }, payments).payment;

describe('the state of an order', () => {
  test.each([
    ['pending', 100, []],
    ['pending', 100, [payment(100)]],
    ['pending', 100, [payment(100, entry('failed', 100))]],
    ['authorized', 100, [payment(100, entry('authorized', 100))]],
    ['pending', 100, [payment(100, entry('authorized', 99))]],
    ['authorized', 100, [payment(60, entry('captured', 60)), payment(40, entry('authorized', 40))]],
    ['pending', 100, [payment(100, entry('captured', 99))]],
    ['paid', 100, [payment(100, entry('captured', 100))]],
    ['paid', 100, [payment(60, entry('captured', 60)), payment(40, entry('captured', 40))]],
    ['partially_refunded', 100, [payment(100, entry('captured', 100), entry('refunded', 1))]],
    ['refunded', 100, [payment(100, entry('captured', 100), entry('refunded', 60), entry('refunded', 40))]],
    ['voided', 100, [payment(100, entry('authorized', 100), entry('voided', 100))]],
    ['pending', 100, [payment(100, entry('voided', 100)), payment(100)]],
    ['paid', 0, [payment(0, entry('captured', 0))]],
    ['pending', 0, []],
  ])('is %s', (state, total, payments) => {
    expect(stateOfOrder(total, payments)).toBe(state);
  });

  test('is paid if nothing is due and a method was available', () => {
    expect(stateOfOrder(0, [], true)).toBe('paid');
    expect(stateOfOrder(1, [], true)).toBe('pending');
  });

  test('is the stored state, until money moves after it', () => {
    const paid = payment(100, entry('captured', 100));
    expect(stateOfOrder(100, [paid, note('authorized')])).toBe('authorized');
    expect(stateOfOrder(100, [note('voided'), payment(100, entry('captured', 100))])).toBe('paid');
    const at = new Date(1_900_000_000_000);
    const same = [
      payment(100, entry('captured', 100, { at, id: 'pen_a' })),
      note('pending', { at, id: 'pen_b' }),
    ];
    expect(stateOfOrder(100, same)).toBe('pending');
    expect(stateOfOrder(100, [note('paid')])).toBe('paid');
    expect(deriveMoney({ totalCents: 100, hasPaymentMethods: false }, [note('paid')]).paidCents).toBe(0);
  });
});

test('a payment is disputed until the dispute is won, and stays disputed if it is lost', () => {
  const captured = entry('captured', 100);
  const disputed = entry('disputed', 100);
  expect(deriveMoneyState(payment(100, captured, disputed))).toBe('disputed');
  expect(deriveMoneyState(payment(100, captured, disputed, entry('disputeWon')))).toBe('captured');
  expect(deriveMoneyState(payment(100, captured, disputed, entry('disputeLost')))).toBe('disputed');
});

test('states and sums are the same in whichever order the entries arrived', () => {
  const kinds: EntryKind[] = [
    'authorized',
    'captured',
    'refunded',
    'voided',
    'failed',
    'disputed',
    'disputeWon',
  ];
  const entries = fc.array(fc.tuple(fc.constantFrom(...kinds), fc.integer({ min: 0, max: 1000 })), {
    maxLength: 6,
  });
  const orders = fc.tuple(
    fc.array(entries, { maxLength: 4 }),
    fc.integer({ min: 0, max: 2000 }),
    fc.infiniteStream(fc.nat()),
  );
  fc.assert(
    fc.property(orders, ([payments, totalCents, random]) => {
      const stored = payments.map((each) =>
        payment(1000, ...each.map(([kind, amount]) => entry(kind, amount))),
      );
      const weight = new Map(
        stored.flatMap((each) => each.entries).map((each) => [each, random.next().value]),
      );
      const shuffled = stored.map((each) => ({
        ...each,
        entries: [...each.entries].sort((a, b) => weight.get(a)! - weight.get(b)!),
      }));
      const order = { totalCents, hasPaymentMethods: false };
      expect(deriveMoney(order, shuffled)).toEqual(deriveMoney(order, stored));
      expect(shuffled.map(deriveMoneyState)).toEqual(stored.map(deriveMoneyState));
    }),
    { numRuns: 1000 },
  );
});

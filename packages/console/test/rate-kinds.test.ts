import type { Rate } from '../src/features/pricing/queries.ts';
import { type KeptPrices, switchKind } from '../src/features/pricing/rate-kinds.ts';

const flat: Rate = {
  id: 'rate',
  name: 'Parcel',
  kind: 'flat',
  priceCents: 500,
  steps: null,
  freeFromCents: null,
  minDays: null,
  maxDays: null,
  isEnabled: true,
};

/** Switches a rate from kind to kind, and returns it after each switch. */
function switchAll(rate: Rate, kinds: readonly Rate['kind'][]): Rate[] {
  let kept: KeptPrices = {};
  let now = rate;
  return kinds.map((kind) => {
    const next = switchKind(now, kind, kept);
    kept = next.kept;
    now = { ...now, ...next.changes };
    return now;
  });
}

test('the prices of a kind return with it', () => {
  const [byWeight, again] = switchAll(flat, ['weight', 'flat']);
  expect(byWeight).toMatchObject({ priceCents: null, steps: [{ from: 0, priceCents: 0 }] });
  expect(again).toEqual(flat);
  const steps = [
    { from: 0, priceCents: 500 },
    { from: 1000, priceCents: 900 },
  ];
  const stepped: Rate = { ...flat, kind: 'weight', priceCents: null, steps };
  expect(switchAll(stepped, ['subtotal', 'flat', 'weight']).at(-1)).toEqual(stepped);
});

test('grams do not become money', () => {
  const steps = [{ from: 1000, priceCents: 900 }];
  const [bySubtotal] = switchAll({ ...flat, kind: 'weight', priceCents: null, steps }, ['subtotal']);
  expect(bySubtotal).toMatchObject({ kind: 'subtotal', steps: [{ from: 0, priceCents: 0 }] });
});

test('pickup keeps the price of a flat rate', () => {
  expect(switchAll(flat, ['pickup'])).toMatchObject([{ kind: 'pickup', priceCents: 500, steps: null }]);
});

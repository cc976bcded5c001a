import type { Rate } from './queries.ts';

export const rateKinds = ['flat', 'weight', 'subtotal', 'pickup'] as const;
type Prices = Pick<Rate, 'priceCents' | 'steps'>;

/** The prices of the kinds that the user has left, which return with their kind. */
export type KeptPrices = Readonly<Partial<Record<Rate['kind'], Prices>>>;

/** Pickup has a single price, as a flat rate does. The steps of other kinds are in grams or in money. */
const getPriceKind = (kind: Rate['kind']): Rate['kind'] => (kind === 'pickup' ? 'flat' : kind);

/** Returns the changes of a rate that becomes one of another kind, and the prices to keep. */
export function switchKind(
  { kind: before, priceCents, steps }: Rate,
  kind: Rate['kind'],
  kept: KeptPrices,
): { changes: Partial<Rate>; kept: KeptPrices } {
  const prices: KeptPrices = { ...kept, [getPriceKind(before)]: { priceCents, steps } };
  const isStepped = kind === 'weight' || kind === 'subtotal';
  const blank = isStepped
    ? { priceCents: null, steps: [{ from: 0, priceCents: 0 }] }
    : { priceCents: 0, steps: null };
  return { changes: { kind, ...(prices[getPriceKind(kind)] ?? blank) }, kept: prices };
}

import { formatPercent, sum } from './amounts.ts';
import {
  appliesToSome,
  computeReductions,
  type DiscountedLine,
  discountStage,
  findRefusal,
} from './discounts.ts';
import { findRatePrice, findZone } from './shipping.ts';
import {
  type ComputedTaxes,
  computeTaxes,
  findHomeRates,
  findPlaceRates,
  findRate,
  isReverseCharged,
  type PlaceRates,
  type Rate,
  removeHomeTax,
  standardCategory,
} from './taxes.ts';
import type {
  Cart,
  CartLine,
  Discount,
  OfferedRate,
  Quote,
  Rejection,
  Rules,
  ShippingRate,
  Step,
  Taxes,
  TypedCode,
  Zone,
} from './types.ts';

/** The price of a cart, or the reason why the cart cannot be shipped to its destination. */
export type Priced =
  | { quote: Quote; steps: Step[]; problem: null }
  | { problem: 'noShipping' | 'invalidShippingRate' };

const noTaxes: Taxes = {
  pricesIncludeTax: true,
  homeCountry: null,
  elsewhere: 'none',
  rates: [],
  shipping: 'none',
  reverseCharge: false,
};

/**
 * Prices a cart by a store's rules: discounts, then shipping, then tax (`decisions.md 21`). Pure: the quote, the order
 * and the cart's page all call it and agree to the cent.
 *
 * `steps` lists everything that changed the sum, starting with the lines; the steps sum to `quote.totalCents`. The
 * problem is `noShipping` if no zone covers the address or its zone offers no rate, and `invalidShippingRate` if the
 * chosen rate is not offered.
 */
export function price(cart: Cart, rules: Rules): Priced {
  const base = prepareBase(cart, rules);
  const candidates = findCandidates(cart, rules, base);
  const withoutDiscounts = applyDiscounts(base, []);
  if ('problem' in withoutDiscounts) return withoutDiscounts;

  const combinable = candidates.filter(({ discount }) => discount.isCombinable);
  const candidateSets = [
    ...(combinable.length > 0 ? [combinable] : []),
    ...candidates.filter(({ discount }) => !discount.isCombinable).map((each) => [each]),
  ];
  let best = withoutDiscounts;
  for (const set of candidateSets) {
    const outcome = applyDiscounts(base, set);
    if (!('problem' in outcome) && isBetter(outcome, best)) best = outcome;
  }
  return {
    quote: toQuote(rules, base, best, rejectCodes(cart, rules, base, candidates, withoutDiscounts, best)),
    steps: createSteps(base, best),
    problem: null,
  };
}

/** The facts of a cart that do not depend on its discounts. */
interface PriceBase {
  lines: readonly DiscountedLine[];
  /** One entry per line; null if the line is untaxed. */
  rates: readonly (Rate | null)[];
  taxes: Taxes;
  standardRate: Rate | null;
  isReverseCharged: boolean;
  /** The rates of the home country, used to convert prices to net. */
  homeRates: PlaceRates;
  isCountryMissing: boolean;
  /** Null if there is nothing to choose. */
  zone: Zone | 'none' | null;
  shippingRateId: string | null;
}

function prepareBase(cart: Cart, rules: Rules): PriceBase {
  const taxes = rules.taxes ?? noTaxes;
  const hasReverseCharge = isReverseCharged(rules.taxes, cart);
  const homeRates = findHomeRates(taxes);
  const placeRates = findPlaceRates(rules.taxes, cart);
  const lines = cart.lines.map((line) => {
    const quantity = line.problem === 'unavailable' ? 0 : line.quantity;
    const listed = line.unitPriceCents * quantity;
    const subtotalCents =
      hasReverseCharge && taxes.pricesIncludeTax
        ? removeHomeTax(listed, homeRates, line.taxCategory)
        : listed;
    return { line, quantity, subtotalCents, remainingCents: subtotalCents };
  });
  const isShipped = lines.some(({ line, quantity }) => quantity > 0 && line.requiresShipping);
  const hasRules = taxes.rates.length > 0 || rules.zones.length > 0;
  const isCountryMissing = isShipped && hasRules && !cart.country;
  const hasChoice = isShipped && rules.zones.length > 0 && !isCountryMissing;
  return {
    lines,
    rates: lines.map(({ line, quantity }) =>
      hasReverseCharge || quantity === 0 ? null : findRate(placeRates, line.taxCategory),
    ),
    taxes,
    standardRate: hasReverseCharge ? null : (placeRates.get(standardCategory) ?? null),
    isReverseCharged: hasReverseCharge,
    homeRates,
    isCountryMissing,
    zone: hasChoice ? (findZone(rules.zones, cart) ?? 'none') : null,
    shippingRateId: hasChoice ? (cart.shippingRateId ?? null) : null,
  };
}

/**
 * A discount that may be used, and the code that brought it; the code is null if the discount applies automatically.
 */
interface Candidate {
  discount: Discount;
  /** Position in the list of discounts, oldest first. */
  age: number;
  code: string | null;
}

/** Returns the discounts that apply and save something, each judged on its own. */
function findCandidates(cart: Cart, rules: Rules, base: PriceBase): Candidate[] {
  const codes = indexCodes(cart);
  return rules.discounts.flatMap((discount, age) => {
    const typed = codes.get(discount.id);
    const isAutomatic = discount.code === null && !discount.hasSingleUseCodes;
    if (!typed && !isAutomatic) return [];
    const isRefused = findRefusal(discount, typed?.isUsedUp ?? false, base.lines, rules.now) !== null;
    const candidate = { discount, age, code: typed?.code ?? null };
    return isRefused || !savesSomething(candidate, base) ? [] : [candidate];
  });
}

/**
 * Returns one code per discount. If a cart has two codes of the same discount, the first one that is not used up
 * counts.
 */
function indexCodes({ codes = [] }: Cart): Map<string | null, TypedCode> {
  const codesByDiscount = new Map<string | null, TypedCode>();
  for (const typed of codes) {
    const before = codesByDiscount.get(typed.discountId);
    if (!before || before.isUsedUp) codesByDiscount.set(typed.discountId, typed);
  }
  return codesByDiscount;
}

function savesSomething(candidate: Candidate, base: PriceBase): boolean {
  if (!appliesToSome(candidate.discount, base.lines)) return false;
  // The shipping price is not known yet, so free shipping is accepted with an amount of 0.
  if (candidate.discount.kind === 'freeShipping' && base.isCountryMissing) return true;
  const withCandidate = applyDiscounts(base, [candidate]);
  return !('problem' in withCandidate) && withCandidate.uses[0]!.amountCents > 0;
}

/** The result of pricing a cart with a set of discounts. */
interface Outcome {
  uses: { candidate: Candidate; amountCents: number }[];
  /** One entry per line. */
  discountCents: number[];
  offered: (OfferedRate & { rate: ShippingRate })[];
  chosen: OfferedRate | null;
  shippingCents: number;
  taxed: ComputedTaxes;
  totalCents: number;
}

const discountStages = ['lines', 'order', 'shipping'] as const;

function applyDiscounts(
  base: PriceBase,
  set: readonly Candidate[],
): Outcome | { problem: 'noShipping' | 'invalidShippingRate' } {
  const lines = base.lines.map((each) => ({ ...each }));
  const uses = discountStages.flatMap((stage) =>
    set
      .filter(({ discount }) => discountStage(discount) === stage)
      .map((candidate) => ({ candidate, amountCents: 0 })),
  );
  for (const use of uses) {
    if (discountStage(use.candidate.discount) === 'shipping') continue;
    const reductions = computeReductions(use.candidate.discount, lines);
    for (const [index, reduction] of reductions.entries()) lines[index]!.remainingCents -= reduction;
    use.amountCents = sum(reductions);
  }

  const { offered, chosen, problem } = chooseRate(base, lines);
  if (problem) return { problem };
  const listedShipping = chosen?.priceCents ?? 0;
  const freeShipping = uses.find(({ candidate }) => candidate.discount.kind === 'freeShipping');
  if (freeShipping) freeShipping.amountCents = listedShipping;
  const shippingCents = freeShipping ? 0 : listedShipping;

  const taxed = computeRemainingTaxes(base, lines, shippingCents);
  const taxCents = sum(taxed.taxLines.map((each) => each.taxCents));
  const remainingCents = sum(lines.map(({ remainingCents: leftCents }) => leftCents));
  return {
    uses,
    discountCents: lines.map(({ subtotalCents, remainingCents: leftCents }) => subtotalCents - leftCents),
    offered,
    chosen,
    shippingCents,
    taxed,
    totalCents: remainingCents + shippingCents + (base.taxes.pricesIncludeTax ? 0 : taxCents),
  };
}

/** Taxes the amounts that are left after discounts. Unavailable lines are excluded. */
function computeRemainingTaxes(
  base: PriceBase,
  lines: readonly DiscountedLine[],
  shippingCents: number,
): ComputedTaxes {
  const counted = [...lines.keys()].filter((index) => lines[index]!.quantity > 0);
  const taxed = computeTaxes(
    counted.map((index) => ({ amountCents: lines[index]!.remainingCents, rate: base.rates[index]! })),
    shippingCents,
    base.taxes,
    base.standardRate,
  );
  const lineTaxCents = lines.map(() => 0);
  for (const [position, index] of counted.entries()) lineTaxCents[index] = taxed.lineTaxCents[position]!;
  return { ...taxed, lineTaxCents };
}

function chooseRate(base: PriceBase, lines: readonly DiscountedLine[]) {
  const { zone, shippingRateId } = base;
  if (zone === null) return { offered: [], chosen: null, problem: null };
  if (zone === 'none') return { offered: [], chosen: null, problem: 'noShipping' as const };
  const shipped = lines.filter(({ line }) => line.requiresShipping);
  const parcel = {
    weightGrams: sum(shipped.map(({ line, quantity }) => (line.weightGrams ?? 0) * quantity)),
    subtotalCents: sum(shipped.map(({ remainingCents: leftCents }) => leftCents)),
  };
  const listed = zone.rates.flatMap((rate) => {
    const listedCents = findRatePrice(rate, parcel);
    return listedCents === null ? [] : [{ rate, listedCents }];
  });
  if (listed.length === 0) return { offered: [], chosen: null, problem: 'noShipping' as const };
  const offered = listed.map(({ rate, listedCents }) => {
    const { id, name, minDays, maxDays } = rate;
    return { rate, id, name, priceCents: computeShippingPrice(base, listedCents), minDays, maxDays };
  });
  const delivered = listed.filter(({ rate }) => rate.kind !== 'pickup');
  const choice = delivered.length > 0 ? delivered : listed;
  // Compares prices before tax is taken out, so that rounding does not change which rate is the cheapest.
  const cheapest = choice.reduce((best, each) => (each.listedCents < best.listedCents ? each : best));
  const isChosen = ({ rate }: { rate: ShippingRate }) =>
    shippingRateId === null ? rate === cheapest.rate : rate.id === shippingRateId;
  const chosen = offered.find(isChosen) ?? null;
  return { offered, chosen, problem: chosen ? null : ('invalidShippingRate' as const) };
}

/** Returns the price of a rate; net if the buyer owes the tax and shipping is taxed. */
function computeShippingPrice(
  { isReverseCharged: isNet, taxes, homeRates }: PriceBase,
  listedCents: number,
): number {
  if (!isNet || !taxes.pricesIncludeTax || taxes.shipping === 'none') return listedCents;
  return removeHomeTax(listedCents, homeRates, standardCategory);
}

/**
 * Orders outcomes by total, lowest first; among equals one with a typed code wins, then the one with the older
 * discount.
 */
function isBetter(a: Outcome, b: Outcome): boolean {
  if (a.totalCents !== b.totalCents) return a.totalCents < b.totalCents;
  if (hasCode(a) !== hasCode(b)) return hasCode(a);
  return discountAge(a) < discountAge(b);
}

const hasCode = ({ uses }: Outcome): boolean => uses.some(({ candidate }) => candidate.code !== null);

const discountAge = ({ uses }: Outcome): number => Math.min(...uses.map(({ candidate }) => candidate.age));

function rejectCodes(
  cart: Cart,
  rules: Rules,
  base: PriceBase,
  candidates: readonly Candidate[],
  withoutDiscounts: Outcome,
  best: Outcome,
): Quote['rejectedCodes'] {
  const codesByDiscount = indexCodes(cart);
  return (cart.codes ?? []).flatMap((typed) => {
    const { code, discountId, isUsedUp = false } = typed;
    const discount = rules.discounts.find(({ id }) => id === discountId);
    if (!discount) return [{ code, reason: 'unknown' as const }];
    const refusal = findRefusal(discount, isUsedUp, base.lines, rules.now);
    if (refusal) return [{ code, reason: refusal }];
    const candidate = candidates.find((each) => each.discount === discount);
    if (codesByDiscount.get(discountId) !== typed)
      return [{ code, reason: candidate ? ('notCombinable' as const) : ('nothingApplies' as const) }];
    if (best.uses.some((use) => use.candidate === candidate)) return [];
    return [{ code, reason: findRejection(candidate, base, withoutDiscounts) }];
  });
}

function findRejection(
  candidate: Candidate | undefined,
  base: PriceBase,
  withoutDiscounts: Outcome,
): Rejection {
  if (!candidate) return 'nothingApplies';
  const withCandidate = applyDiscounts(base, [candidate]);
  const isCheaper = !('problem' in withCandidate) && withCandidate.totalCents < withoutDiscounts.totalCents;
  return isCheaper || base.isCountryMissing ? 'notCombinable' : 'nothingApplies';
}

function toQuote(
  { currency }: Rules,
  base: PriceBase,
  { uses, discountCents, offered, chosen, shippingCents, taxed, totalCents }: Outcome,
  rejectedCodes: Quote['rejectedCodes'],
): Quote {
  return {
    currency,
    lines: base.lines.map(({ line, subtotalCents }, index) => ({
      variantId: line.variantId,
      quantity: line.quantity,
      unitPriceCents: line.unitPriceCents,
      subtotalCents,
      discountCents: discountCents[index]!,
      taxCents: taxed.lineTaxCents[index]!,
      taxPercent: base.rates[index] ? formatPercent(base.rates[index].percent) : null,
      totalCents: subtotalCents - discountCents[index]!,
      problem: line.problem,
    })),
    subtotalCents: sum(base.lines.map(({ subtotalCents }) => subtotalCents)),
    discountCents: sum(discountCents),
    shippingCents,
    shippingTaxCents: taxed.shippingTaxCents,
    taxCents: sum(taxed.taxLines.map((each) => each.taxCents)),
    totalCents,
    taxIncluded: base.taxes.pricesIncludeTax,
    reverseCharge: base.isReverseCharged,
    taxLines: taxed.taxLines,
    shippingRates: offered.map(({ rate: _, ...shown }) => shown),
    shippingRateId: chosen?.id ?? null,
    discounts: uses.map(({ candidate: { discount, code }, amountCents }) => ({
      id: discount.id,
      title: discount.title,
      code,
      amountCents,
    })),
    rejectedCodes,
    missing: base.isCountryMissing ? ['country'] : [],
  };
}

/** Returns every step that changed the sum, in the order in which they apply. */
function createSteps(base: PriceBase, { uses, chosen, taxed }: Outcome): Step[] {
  const steps: Step[] = base.lines.map(({ line, quantity }) => ({
    kind: 'line',
    text: `${quantity} × ${line.name ?? line.variantId}`,
    amountCents: quantity * line.unitPriceCents,
  }));
  for (const { line, quantity, subtotalCents } of base.lines) {
    const taxCents = quantity * line.unitPriceCents - subtotalCents;
    if (taxCents !== 0)
      steps.push({
        kind: 'reverseCharge',
        text: `Tax taken out of ${lineName(line)}`,
        amountCents: -taxCents,
      });
  }
  for (const { candidate, amountCents } of uses) {
    if (candidate.discount.kind !== 'freeShipping')
      steps.push({ kind: 'discount', text: discountTitle(candidate), amountCents: 0 - amountCents });
  }
  if (chosen) steps.push({ kind: 'shipping', text: chosen.name, amountCents: chosen.priceCents });
  for (const { candidate, amountCents } of uses) {
    if (candidate.discount.kind === 'freeShipping')
      steps.push({ kind: 'freeShipping', text: discountTitle(candidate), amountCents: 0 - amountCents });
  }
  for (const { name, percent, taxCents } of taxed.taxLines) {
    const isIncluded = base.taxes.pricesIncludeTax;
    steps.push({
      kind: isIncluded ? 'includedTax' : 'tax',
      text: `${name} ${percent} %`,
      amountCents: isIncluded ? 0 : taxCents,
    });
  }
  return steps;
}

const lineName = ({ name, variantId }: CartLine): string => name ?? variantId;
const discountTitle = ({ discount, code }: Candidate): string =>
  code === null ? discount.title : `${discount.title} (${code})`;

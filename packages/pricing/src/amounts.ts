/** 100 %. Percentages are whole numbers of ten-thousandths of a percent: 19 % is 190,000. */
export const wholePercent = 1_000_000;

/** Parses a percentage: `"12.5"` → 125,000. Null unless it is a decimal from 0 to 100 with at most four decimals. */
export function parsePercent(text: string): number | null {
  const [, integerDigits, decimals = ''] = /^(\d{1,3})(?:\.(\d{1,4}))?$/.exec(text) ?? [];
  if (integerDigits === undefined) return null;
  const percent = Number(integerDigits) * 10_000 + Number(decimals.padEnd(4, '0'));
  return percent <= wholePercent ? percent : null;
}

/** Formats a percentage: 125,000 → `"12.5"`. Writes the shortest text, so that `19` and `19.00` are the same rate. */
export function formatPercent(percent: number): string {
  const decimals = String(percent % 10_000)
    .padStart(4, '0')
    .replace(/0{1,4}$/, '');
  const integerDigits = Math.floor(percent / 10_000);
  return decimals ? `${integerDigits}.${decimals}` : String(integerDigits);
}

/**
 * Returns `amount × numerator ÷ denominator`, rounded half up. All are whole numbers ≥ 0; the result is exact at any
 * size.
 */
export function scale(amount: number, numerator: number, denominator: number): number {
  const product = amount * numerator;
  if (product <= Number.MAX_SAFE_INTEGER) {
    const rest = product % denominator;
    const floor = (product - rest) / denominator;
    return rest * 2 >= denominator ? floor + 1 : floor;
  }
  const [exact, divisor] = [BigInt(amount) * BigInt(numerator), BigInt(denominator)];
  return Number((exact * 2n + divisor) / (divisor * 2n));
}

/** Returns a percentage of an amount, rounded half up. */
export const computePercent = (amount: number, percent: number): number =>
  scale(amount, percent, wholePercent);

/** Returns the tax contained in an amount that includes it, rounded half up. */
export const includedTax = (amount: number, percent: number): number =>
  scale(amount, percent, wholePercent + percent);

/** Returns an amount that includes tax without that tax, rounded half up. */
export const computeNet = (amount: number, percent: number): number =>
  scale(amount, wholePercent, wholePercent + percent);

/** Adds amounts in minor units. */
export const sum = (amounts: readonly number[]): number => amounts.reduce((total, each) => total + each, 0);

/**
 * Divides a whole amount into parts in proportion to their weights, in whole units that sum to the amount. Each part
 * gets its share rounded down; the remaining units go one each to the largest remainders. `compare` orders parts with
 * equal remainders, by default the earlier part first. If all weights are 0, the first part gets everything.
 */
export function allocate(
  amount: number,
  weights: readonly number[],
  compare: (a: number, b: number) => number = (a, b) => a - b,
): number[] {
  const total = sum(weights);
  if (weights.length === 0) return [];
  if (total === 0) return weights.map((_, index) => (index === 0 ? amount : 0));
  const shares = weights.map((weight) => divide(amount, weight, total));
  const parts = shares.map(({ floor }) => floor);
  const remainder = amount - sum(parts);
  const order = shares
    .map(({ rest }, index) => ({ rest, index }))
    .sort((a, b) => b.rest - a.rest || compare(a.index, b.index));
  for (const { index } of order.slice(0, remainder)) parts[index]! += 1;
  return parts;
}

function divide(amount: number, weight: number, total: number): { floor: number; rest: number } {
  const product = amount * weight;
  if (product <= Number.MAX_SAFE_INTEGER) {
    const rest = product % total;
    return { floor: (product - rest) / total, rest };
  }
  const [exact, divisor] = [BigInt(amount) * BigInt(weight), BigInt(total)];
  return { floor: Number(exact / divisor), rest: Number(exact % divisor) };
}

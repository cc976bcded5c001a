export const slugPattern = '^[a-z0-9]+(-[a-z0-9]+)*$';

const slugs = new RegExp(slugPattern);

export const isSlug = (text: string): boolean => slugs.test(text);
export const slugMaxLength = 120;

/** The nth of several equal slugs: `shirt`, `shirt-2`, `shirt-3`, cut so that it stays a slug. */
export function numberedSlug(base: string, n: number): string {
  if (n < 2) return base;
  const suffix = `-${n}`;
  return base.slice(0, slugMaxLength - suffix.length).replace(/-$/, '') + suffix;
}

/**
 * A slug like `base` that is free. `taken` says which of some candidates are. Finds its way among thousands of
 * equal names in a few questions, so the number is the lowest free one only among the first ten.
 */
export async function freeSlug(
  base: string,
  taken: (candidates: string[]) => Promise<Pick<ReadonlySet<string>, 'has'>>,
): Promise<string> {
  const firstTen = Array.from({ length: 10 }, (_, i) => numberedSlug(base, i + 1));
  const takenOfTen = await taken(firstTen);
  const free = firstTen.find((candidate) => !takenOfTen.has(candidate));
  if (free) return free;
  const powers = Array.from({ length: 24 }, (_, i) => 16 * 2 ** i);
  const takenPowers = await taken(powers.map((n) => numberedSlug(base, n)));
  let high = powers.find((n) => !takenPowers.has(numberedSlug(base, n)))!;
  let low = high === 16 ? 10 : high / 2;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const slug = numberedSlug(base, middle);
    if ((await taken([slug])).has(slug)) low = middle;
    else high = middle;
  }
  return numberedSlug(base, high);
}

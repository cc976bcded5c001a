export const slugPattern = '^[a-z0-9]+(-[a-z0-9]+)*$';

const slugs = new RegExp(slugPattern);

export const isSlug = (text: string): boolean => slugs.test(text);
export const slugMaxLength = 120;

/** Returns the nth of several equal slugs: `shirt`, `shirt-2`, `shirt-3`, truncated so that it stays a valid slug. */
export function numberedSlug(base: string, n: number): string {
  if (n < 2) return base;
  const suffix = `-${n}`;
  return base.slice(0, slugMaxLength - suffix.length).replace(/-$/, '') + suffix;
}

/**
 * Returns a free slug like `base`. `taken` returns which of some candidates are taken. It needs few queries even among
 * thousands of equal names, so it finds the lowest free number only among the first ten.
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

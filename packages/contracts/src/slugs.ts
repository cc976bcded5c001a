export const slugPattern = '^[a-z0-9]+(-[a-z0-9]+)*$';

const slugs = new RegExp(slugPattern);

/** Whether a text has the form of a slug; its length is not checked. */
export const isSlug = (text: string): boolean => slugs.test(text);
export const slugMaxLength = 120;

/** Returns the nth of several equal slugs: `shirt`, `shirt-2`, `shirt-3`, truncated so that it stays a valid slug. */
export function numberedSlug(base: string, n: number): string {
  if (n < 2) return base;
  const suffix = `-${n}`;
  return base.slice(0, slugMaxLength - suffix.length).replace(/-$/, '') + suffix;
}

/**
 * Returns a free slug like `base`. `findExisting` returns which of some candidates are taken. It needs few queries even
 * among thousands of equal names, so it finds the lowest free number only among the first ten.
 */
export async function findFreeSlug(
  base: string,
  findExisting: (candidates: string[]) => Promise<Pick<ReadonlySet<string>, 'has'>>,
): Promise<string> {
  const firstCandidates = Array.from({ length: 10 }, (_, i) => numberedSlug(base, i + 1));
  const takenFirst = await findExisting(firstCandidates);
  const free = firstCandidates.find((candidate) => !takenFirst.has(candidate));
  if (free) return free;
  const probes = Array.from({ length: 24 }, (_, i) => 16 * 2 ** i);
  const takenProbes = await findExisting(probes.map((n) => numberedSlug(base, n)));
  let high = probes.find((n) => !takenProbes.has(numberedSlug(base, n)))!;
  let low = high === 16 ? 10 : high / 2;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const slug = numberedSlug(base, middle);
    if ((await findExisting([slug])).has(slug)) low = middle;
    else high = middle;
  }
  return numberedSlug(base, high);
}

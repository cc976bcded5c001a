/** Returns the candidate nearest to a name, if one is near enough to be meant. */
function suggest(name: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.min(3, Math.floor(name.length / 2) + 1);
  for (const candidate of candidates) {
    const candidateDistance = distance(name.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (candidateDistance < bestDistance) [best, bestDistance] = [candidate, candidateDistance];
  }
  return best;
}

/**
 * Returns ` (did you mean …?)` or an empty text. Costs more than any check, so call it only if the text will be read.
 */
export function suggestion(name: string, candidates: readonly string[]): string {
  const best = suggest(name, candidates);
  return best === undefined ? '' : ` (did you mean ${best}?)`;
}

/**
 * Returns the edit distance of two texts, where swapped neighbours count once; returns `limit` as soon as it cannot be
 * less.
 */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit || a.length > 64) return limit;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) row[j] = Math.min(row[j]!, before[j - 2]! + 1);
    }
    if (Math.min(...row) >= limit) return limit;
    [before, last] = [last, row];
  }
  return last[b.length]!;
}

import { foldText } from '@waybill/contracts';

// Apostrophes are part of a word; all other punctuation and hyphens part words: `decisions.md 20.5`.
const between = /[\s[\p{P}--[']]]+/v;

/** The words of a text, folded. */
export const splitWords = (text: string): string[] =>
  foldText(text)
    .split(between)
    .map((word) => word.replace(/^'+|'+$/g, ''))
    .filter((word) => word !== '');

/** How many mistakes a word may have that is found, by how many letters of it were typed. */
export function allowedMistakes(word: string): number {
  const letters = [...word].length;
  return letters < 4 ? 0 : letters < 8 ? 1 : 2;
}

/**
 * Whether two words differ by at most so many mistakes: a letter that is wrong, missing or too many, or two neighbours
 * that are swapped.
 */
export function isWithinMistakes(one: string, other: string, most: number): boolean {
  const [a, b] = [[...one], [...other]];
  if (Math.abs(a.length - b.length) > most) return false;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, beforeLast[j - 2]! + 1);
      row[j] = cost;
      least = Math.min(least, cost);
    }
    // A swap reaches back over one row.
    if (least > most && Math.min(...last) > most) return false;
    beforeLast = last;
    last = row;
  }
  return last[b.length]! <= most;
}

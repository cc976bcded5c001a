import { foldText } from '@waybill/contracts';

/** A search looks for so many words. */
export const maxWords = 10;

const between = /[\s\p{P}]/u;
/** An apostrophe as a letter: it is part of a word, while other punctuation and hyphens part words. */
const apostrophe = '\u02bc';

/** The words of a text, folded: `decisions.md 20.5`. */
export const splitWords = (text: string): string[] =>
  foldText(text)
    .replaceAll("'", apostrophe)
    .split(between)
    .map((word) => withoutQuotes(word).replaceAll(apostrophe, "'"))
    .filter((word) => word !== '');

/** A word without the apostrophes around it, which are quotes. */
function withoutQuotes(word: string): string {
  let [start, end] = [0, word.length];
  while (start < end && word[start] === apostrophe) start++;
  while (end > start && word[end - 1] === apostrophe) end--;
  return word.slice(start, end);
}

/** The words that a search looks for: each once, and the first ten. */
export const searchWords = (q: string): string[] => [...new Set(splitWords(q))].slice(0, maxWords);

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

import { foldText } from '@waybill/contracts';

/** Maximum number of words in a search. */
export const maxWords = 10;

const between = /[\s\p{P}]/u;
/**
 * A letter that replaces the apostrophe. An apostrophe belongs to a word, while other punctuation and hyphens
 * separate words.
 */
const apostrophe = '\u02bc';

/** Splits a text into folded words: `decisions.md 20.5`. */
export const splitWords = (text: string): string[] =>
  foldText(text)
    .replaceAll("'", apostrophe)
    .split(between)
    .map((word) => withoutQuotes(word).replaceAll(apostrophe, "'"))
    .filter((word) => word !== '');

/** Removes the apostrophes around a word, which serve as quotes. */
function withoutQuotes(word: string): string {
  let [start, end] = [0, word.length];
  while (start < end && word[start] === apostrophe) start++;
  while (end > start && word[end - 1] === apostrophe) end--;
  return word.slice(start, end);
}

/** Returns the first ten different words of a search. */
export const searchWords = (q: string): string[] => [...new Set(splitWords(q))].slice(0, maxWords);

/** Returns how many mistakes a match may contain, depending on how many letters were typed. */
export function maxMistakes(word: string): number {
  const letters = [...word].length;
  return letters < 4 ? 0 : letters < 8 ? 1 : 2;
}

/**
 * Whether two words differ by at most the given number of mistakes. A mistake is a wrong, missing or extra letter, or
 * two swapped neighbours.
 */
export function isWithinMistakes(one: string, other: string, limit: number): boolean {
  const [a, b] = [[...one], [...other]];
  if (Math.abs(a.length - b.length) > limit) return false;
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
    // A swap refers back to the row before the last one, so both rows must exceed the limit.
    if (least > limit && Math.min(...last) > limit) return false;
    beforeLast = last;
    last = row;
  }
  return last[b.length]! <= limit;
}

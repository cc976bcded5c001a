import { indexedWords, patternOf } from '@waybill/kernel';

/**
 * The `like` patterns of a search's words, and those for the index: of an e-mail address the part before the host,
 * as the parts of a host are in too many rows to be worth looking up.
 */
export function patternsOf(words: readonly string[]): { every: string[]; indexed: string[] } {
  const telling = indexedWords(words).map((word) => /^.{3,}?@/u.exec(word)?.[0] ?? word);
  return { every: words.map(patternOf), indexed: telling.map(patternOf) };
}

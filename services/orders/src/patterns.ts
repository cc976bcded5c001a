import { indexedWords, patternOf } from '@waybill/kernel';

/**
 * The `like` patterns of a search's words that the index is asked for: of an e-mail address the part before the host, as
 * the parts of a host are in too many rows to be worth looking up.
 */
export const patternsOf = (words: readonly string[]): string[] =>
  indexedWords(words).map((word) => patternOf(/^.{3,}?@/u.exec(word)?.[0] ?? word));

import type { AnyDatabase } from './database.ts';
import { prepare } from './statements.ts';

/** Returns the share of a table's rows that contain a trigram, between 0 and 1. */
export type Shares = (trigram: string) => number;

/**
 * Three characters of a word, the cost of reading their trigrams (entries per row), and the share of rows that match.
 */
interface WordPart {
  word: number;
  at: number;
  entries: number;
  share: number;
}

/** Measured cost of fetching a row and checking its text, relative to reading one entry of the index. */
const rowCost = 150;
/** Number of letters of a word that are examined: few rows match that many and differ after them. */
const maxLetters = 32;
/** The factor to which another part must reduce the estimated cost, which rests on samples. */
const worthwhileRatio = 0.9;

const isLetter = (char: string) => /[\p{L}\p{N}]/u.test(char);

/** Whether a trigram index can find a word anywhere in a text. */
export const hasTrigram = (word: string): boolean => /[\p{L}\p{N}]{3}/u.test(word);

/**
 * Returns the trigrams that `pg_trgm` extracts from three characters of a text; it pads the beginning and the end of
 * words.
 */
function listTrigrams([a, b, c]: readonly [string, string, string]): string[] {
  if (!isLetter(b)) return [];
  if (isLetter(a)) return [a + b + (isLetter(c) ? c : ' ')];
  return isLetter(c) ? [`  ${b}`, ` ${b}${c}`] : [`  ${b}`, ` ${b} `];
}

function* walkParts(words: readonly (readonly string[])[], shares: Shares): Generator<WordPart> {
  for (const [word, letters] of words.entries()) {
    for (let at = 0; at + 3 <= letters.length; at++) {
      const trigrams = listTrigrams([letters[at]!, letters[at + 1]!, letters[at + 2]!]).map(shares);
      if (trigrams.length === 0) continue;
      const entries = trigrams.reduce((sum, share) => sum + share);
      yield { word, at, entries, share: Math.min(...trigrams) };
    }
  }
}

/**
 * Returns the share of the matching rows that also match this part: a part near others matches mostly the same rows.
 */
function shareAfter({ word, at, share }: WordPart, chosenParts: readonly WordPart[]): number {
  const distances = chosenParts.filter((part) => part.word === word).map((part) => Math.abs(part.at - at));
  return share ** (Math.min(4, ...distances) / 4);
}

/**
 * Returns `like` patterns that match all rows with the given words and few others, with the least reading in the index.
 * They contain only the rare parts of the words, because each further trigram costs as many entries as rows contain it.
 * Returns no patterns if every part of the words occurs in nearly all rows.
 */
export function rarestPatterns(words: readonly string[], shares: Shares): string[] {
  const letters = words.map((word) => [...word].slice(0, maxLetters));
  const parts = [...walkParts(letters, shares)];
  const chosenParts: WordPart[] = [];
  let [entries, rows, cost] = [0, 1, rowCost];
  for (;;) {
    const each = parts.map((part) => {
      const remainingRows = rows * shareAfter(part, chosenParts);
      return { part, remainingRows, cost: entries + part.entries + remainingRows * rowCost };
    });
    const [best] = each.sort((a, b) => a.cost - b.cost);
    if (!best || best.cost >= cost * worthwhileRatio) break;
    chosenParts.push(best.part);
    entries += best.part.entries;
    ({ remainingRows: rows, cost } = best);
  }
  return letters.flatMap((chars, word) => {
    const positions = chosenParts.filter((part) => part.word === word).map(({ at }) => at);
    return positions.length > 0 ? [patternAtPositions(chars, positions)] : [];
  });
}

/**
 * Returns the `like` pattern of a word in which three characters from each place must match and the others may be any.
 */
function patternAtPositions(chars: readonly string[], positions: readonly number[]): string {
  const isChosen = (i: number) => positions.some((at) => at <= i && i < at + 3);
  const pattern = chars.map((char, i) => (isChosen(i) ? char.replace(/[\\%_]/, '\\$&') : '_'));
  return `%${pattern.slice(Math.min(...positions), Math.max(...positions) + 3).join('')}%`;
}

const selectStatistics = prepare<{ trigrams: string[]; frequencies: number[] }>(
  'trigram-statistics',
  `select most_common_elems::text::text[] as trigrams, most_common_elem_freqs as frequencies
   from pg_stats_ext_exprs
   where statistics_schemaname = current_schema() and statistics_name = $1 and most_common_elems is not null`,
);

/** How long statistics are used, in milliseconds: they change with about every thousandth row. */
const statisticsTtlMs = 300_000;

/**
 * Reads from the planner's statistics (`create statistics … on (show_trgm(search))`) how common trigrams are in a
 * table's text, and caches that for some minutes. Returns null before the table was first analyzed.
 */
export function trigramShares(statistics: string): (db: AnyDatabase) => Promise<Shares | null> {
  let cached: { shares: Shares | null; until: number } | null = null;
  return async (db) => {
    if (cached && cached.until > performance.now()) return cached.shares;
    const { rows } = await db.executeQuery(selectStatistics([statistics]));
    const shares = rows[0] ? computeShares(rows[0]) : null;
    cached = { shares, until: performance.now() + statisticsTtlMs };
    return shares;
  };
}

/**
 * Assumed share of trigrams with letters other than English, which the statistics list by a hash. It is rather high, so
 * that searches use more of them.
 */
const hashedShare = 0.1;
const isHashed = (trigram: string) => /[^\0-\x7f]/.test(trigram);

/**
 * The frequencies of the listed trigrams are followed by the lowest of them: a trigram that is not listed occurs in no
 * more rows than that.
 */
function computeShares({ trigrams, frequencies }: { trigrams: string[]; frequencies: number[] }): Shares {
  const listed = new Map(trigrams.map((trigram, i) => [trigram, frequencies[i]!]));
  const other = frequencies[trigrams.length] ?? 0;
  return (trigram) => listed.get(trigram) ?? (isHashed(trigram) ? hashedShare : other);
}

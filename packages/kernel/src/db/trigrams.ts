import type { AnyDatabase } from './database.ts';
import { prepare } from './statements.ts';

/** In which share of a table's rows a trigram stands: between 0 and 1. */
export type Shares = (trigram: string) => number;

/** Three characters of a word, what reading their trigrams costs, in entries for each row, and the share of rows found. */
interface Part {
  word: number;
  at: number;
  entries: number;
  share: number;
}

/** What it costs to fetch a row and to look at its text, beside reading one entry of the index: as measured. */
const rowCost = 150;
/** More of a word is not looked at: rows that hold so much of it are few. */
const maxLetters = 32;
/** What asking for a part more must leave of the costs, as they are estimated from samples. */
const worthwhile = 0.9;

const isLetter = (char: string) => /[\p{L}\p{N}]/u.test(char);

/** Whether a trigram index can look for a word, wherever in a text it stands. */
export const hasTrigram = (word: string): boolean => /[\p{L}\p{N}]{3}/u.test(word);

/** The trigrams that `pg_trgm` has of three characters of a text: where letters end or begin it pads. */
function trigramsOf([a, b, c]: readonly [string, string, string]): string[] {
  if (!isLetter(b)) return [];
  if (isLetter(a)) return [a + b + (isLetter(c) ? c : ' ')];
  return isLetter(c) ? [`  ${b}`, ` ${b}${c}`] : [`  ${b}`, ` ${b} `];
}

function* partsOf(words: readonly (readonly string[])[], shares: Shares): Generator<Part> {
  for (const [word, letters] of words.entries()) {
    for (let at = 0; at + 3 <= letters.length; at++) {
      const trigrams = trigramsOf([letters[at]!, letters[at + 1]!, letters[at + 2]!]).map(shares);
      if (trigrams.length === 0) continue;
      const entries = trigrams.reduce((sum, share) => sum + share);
      yield { word, at, entries, share: Math.min(...trigrams) };
    }
  }
}

/** The share of the rows with what is asked for that have this part too: near others it is of a piece with them. */
function shareBeside({ word, at, share }: Part, asked: readonly Part[]): number {
  const distances = asked.filter((part) => part.word === word).map((part) => Math.abs(part.at - at));
  return share ** (Math.min(4, ...distances) / 4);
}

/**
 * The `like` patterns that find few rows which do not hold all of some words, for the least reading in the index: of the
 * words only the rare parts, as each trigram more costs as many entries as rows hold it. Every row that holds the words
 * is among what they find. None where every part of the words is in nearly all rows.
 */
export function rarestPatterns(words: readonly string[], shares: Shares): string[] {
  const letters = words.map((word) => [...word].slice(0, maxLetters));
  const parts = [...partsOf(letters, shares)];
  const asked: Part[] = [];
  let [entries, rows, cost] = [0, 1, rowCost];
  for (;;) {
    const each = parts.map((part) => {
      const left = rows * shareBeside(part, asked);
      return { part, left, cost: entries + part.entries + left * rowCost };
    });
    const [best] = each.sort((a, b) => a.cost - b.cost);
    if (!best || best.cost >= cost * worthwhile) break;
    asked.push(best.part);
    entries += best.part.entries;
    ({ left: rows, cost } = best);
  }
  return letters.flatMap((chars, word) => {
    const places = asked.filter((part) => part.word === word).map(({ at }) => at);
    return places.length > 0 ? [patternOfPlaces(chars, places)] : [];
  });
}

/** The `like` pattern of a word of which three characters from each place on matter, and the others are any. */
function patternOfPlaces(chars: readonly string[], places: readonly number[]): string {
  const isAsked = (i: number) => places.some((at) => at <= i && i < at + 3);
  const pattern = chars.map((char, i) => (isAsked(i) ? char.replace(/[\\%_]/, '\\$&') : '_'));
  return `%${pattern.slice(Math.min(...places), Math.max(...places) + 3).join('')}%`;
}

const statisticsOf = prepare<{ trigrams: string[]; frequencies: number[] }>(
  'trigram-statistics',
  `select most_common_elems::text::text[] as trigrams, most_common_elem_freqs as frequencies
   from pg_stats_ext_exprs
   where statistics_schemaname = current_schema() and statistics_name = $1 and most_common_elems is not null`,
);

/** How long what the statistics said holds, in milliseconds: they change with every thousandth row or so. */
const freshMs = 300_000;

/**
 * Reads from the planner's statistics (`create statistics … on (show_trgm(search))`) how common trigrams are in a table's
 * text, and keeps it for some minutes. Null before the table was first analyzed.
 */
export function trigramShares(statistics: string): (db: AnyDatabase) => Promise<Shares | null> {
  let known: { shares: Shares | null; until: number } | null = null;
  return async (db) => {
    if (known && known.until > performance.now()) return known.shares;
    const { rows } = await db.executeQuery(statisticsOf([statistics]));
    const shares = rows[0] ? sharesOf(rows[0]) : null;
    known = { shares, until: performance.now() + freshMs };
    return shares;
  };
}

/** Those of other letters than English the statistics call by a hash: taken for rather common, more of them are asked for. */
const hashedShare = 0.1;
const isHashed = (trigram: string) => /[^\0-\x7f]/.test(trigram);

/** After the trigrams' frequencies comes the lowest of them, and what is not listed is in no more rows than that. */
function sharesOf({ trigrams, frequencies }: { trigrams: string[]; frequencies: number[] }): Shares {
  const listed = new Map(trigrams.map((trigram, i) => [trigram, frequencies[i]!]));
  const other = frequencies[trigrams.length] ?? 0;
  return (trigram) => listed.get(trigram) ?? (isHashed(trigram) ? hashedShare : other);
}

import { foldText } from '@waybill/contracts';
import type { AnyDatabase } from './database.ts';
import { type OfStore, type Placeholders, prepare, type SqlText, valuesBy } from './statements.ts';
import { hasTrigram, rarestPatterns, type Shares } from './trigrams.ts';

/** What a row is found by: these texts, each on a line, as the words of a search are compared with them. */
export const searchText = (...texts: readonly string[]): string => foldText(texts.join('\n'));

/** The words of a search, folded: `decisions.md 1.14, 19.2`. */
export const wordsOf = (q: string | undefined): string[] =>
  q === undefined ? [] : foldText(q).split(/\s+/u).filter(Boolean);

/** The `like` pattern of a text that holds this word; `%`, `_` and `\` in it are ordinary characters. */
export const patternOf = (word: string): string => `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`;

/** As many words as a trigram index is asked for; all are checked on the rows that it finds. */
const maxIndexedWords = 5;

/**
 * The words that a trigram index is asked for, those first that are likely in the fewest rows: numbers and addresses,
 * then long words. Where the first is not, the index does not look for the others. It can look for none without three
 * letters in a row.
 */
export function indexedWords(words: readonly string[]): string[] {
  const weight = (word: string) => word.length + (/[\d@]/.test(word) ? 1000 : 0);
  const byWeight = words.filter(hasTrigram).toSorted((a, b) => weight(b) - weight(a));
  return byWeight.slice(0, maxIndexedWords);
}

/** How the trigram index on a table's text is asked. */
export interface SearchIndex {
  /** As `storeInIndex` gives it; without it the index leads from the store to its rows. */
  leadsFromStore?: (db: AnyDatabase, storeId: string) => Promise<boolean>;
  /** As `trigramShares` gives it; without it the index is asked for whole words. */
  sharesOf?: (db: AnyDatabase) => Promise<Shares | null>;
}

/** What a search's statement names: every word's pattern, and those that the index is asked for. */
export interface SearchValues extends OfStore {
  patterns: string[];
  [indexed: `indexed${number}`]: string;
}

/**
 * How the rows of a store are found that hold all of some words: what the statement is called that does so and what its
 * values are, whether an index helps, and the conditions for rows `alias`, whose text is `text`.
 */
export async function lookUp(
  db: AnyDatabase,
  storeId: string,
  sought: readonly string[],
  { leadsFromStore, sharesOf }: SearchIndex,
) {
  // One that is there a thousand times would be looked for in each row as often.
  const words = [...new Set(sought)];
  const askable = indexedWords(words);
  const shares = askable.length > 0 ? await sharesOf?.(db) : null;
  const indexed = shares ? rarestPatterns(askable, shares) : askable.map(patternOf);
  const fromStore = indexed.length > 0 && ((await leadsFromStore?.(db, storeId)) ?? false);
  const values: SearchValues = { storeId, patterns: words.map(patternOf), ...valuesBy('indexed', indexed) };
  return {
    kind: `${indexed.length}-${fromStore ? 'one' : 'much'}`,
    values,
    isIndexed: indexed.length > 0,
    conditions($: Placeholders<SearchValues>, alias: string, text = `${alias}.search`): string {
      const likes = indexed.map((_, i) => `and ${text} like ${$[`indexed${i}`]}`).join(' ');
      const ofStore = fromStore ? `and ${alias}.store_id || '' = ${$.storeId}` : '';
      return `${ofStore} ${likes} and ${text} like all (${$.patterns}::text[])`;
    },
  };
}

/**
 * Says whether an index on `(store_id || ''), search` finds the rows of a store by its own entry, under the condition
 * `store_id || '' = …`; `own` says how many rows it has in `table`.
 *
 * Among many stores the store's own entry in the index leads to its few rows. That of a store which holds a good part
 * of the table is nearly the table, and walking along it costs more than all else: its rows are found by the words
 * alone, of which the other stores' rows then only make a few times as many.
 */
export function storeInIndex(
  table: string,
  own: SqlText<OfStore>,
): (db: AnyDatabase, storeId: string) => Promise<boolean> {
  const share = prepare<{ isLarge: boolean }, OfStore>(
    `${table}-share`,
    ($) => `select coalesce((${own($)}), 0) > reltuples / 4 as "isLarge"
      from pg_class where oid = '"${table}"'::regclass`,
  );
  const known = new Map<string, { leads: boolean; until: number }>();
  return async (db, storeId) => {
    const last = known.get(storeId);
    if (last && last.until > performance.now()) return last.leads;
    const { rows } = await db.executeQuery(share({ storeId }));
    const leads = !rows[0]!.isLarge;
    // Either finds the same rows: a store that grows is only searched in the slower way for a while.
    if (known.size === 10_000) known.clear();
    known.set(storeId, { leads, until: performance.now() + 60_000 });
    return leads;
  };
}

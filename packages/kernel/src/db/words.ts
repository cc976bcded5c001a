import { foldText } from '@waybill/contracts';
import type { AnyDatabase } from './database.ts';
import { type OfStore, type Placeholders, prepare, type SqlText, valuesBy } from './statements.ts';
import { hasTrigram, rarestPatterns, type Shares } from './trigrams.ts';

/** Returns the text that a search looks in: the given texts, one per line, folded like the words of a search. */
export const searchText = (...texts: readonly string[]): string => foldText(texts.join('\n'));

/** Returns the words of a search, folded: `decisions.md 1.14, 19.2`. */
export const splitWords = (q: string | undefined): string[] =>
  q === undefined ? [] : foldText(q).split(/\s+/u).filter(Boolean);

/** Returns the `like` pattern of texts that contain this word; `%`, `_` and `\` in it are ordinary characters. */
export const toLikePattern = (word: string): string => `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`;

/** Maximum number of words that a trigram index looks up; all words are checked on the rows that it finds. */
const maxIndexedWords = 5;

/**
 * Returns the words that a trigram index looks up, those first that probably occur in the fewest rows: numbers and
 * addresses, then long words. If the first word matches nothing, the index does not look up the others. It cannot look
 * up words without three letters in a row.
 */
export function indexedWords(words: readonly string[]): string[] {
  const weight = (word: string) => word.length + (/[\d@]/.test(word) ? 1000 : 0);
  const byWeight = words.filter(hasTrigram).toSorted((a, b) => weight(b) - weight(a));
  return byWeight.slice(0, maxIndexedWords);
}

/** How to use the trigram index on a table's text. */
export interface SearchIndex {
  /** The function of `createStoreIndexCheck`; without it, the search starts from the store's own index entries. */
  startsFromStore?: (db: AnyDatabase, storeId: string) => Promise<boolean>;
  /** The function of `trigramShares`; without it, the index looks up whole words. */
  readShares?: (db: AnyDatabase) => Promise<Shares | null>;
}

/** The values of a search's statement: the pattern of every word, and those that the index looks up. */
export interface SearchValues extends OfStore {
  patterns: string[];
  [indexed: `indexed${number}`]: string;
}

/**
 * Prepares the search for the rows of a store that contain all of some words. Returns the name part of the statement
 * and its values, whether an index helps, and the conditions for rows `alias` whose text is `text`.
 */
export async function prepareSearch(
  db: AnyDatabase,
  storeId: string,
  input: readonly string[],
  { startsFromStore, readShares }: SearchIndex,
) {
  // A word repeated a thousand times would be checked in each row as often.
  const words = [...new Set(input)];
  const indexable = indexedWords(words);
  const shares = indexable.length > 0 ? await readShares?.(db) : null;
  const indexed = shares ? rarestPatterns(indexable, shares) : indexable.map(toLikePattern);
  const fromStore = indexed.length > 0 && ((await startsFromStore?.(db, storeId)) ?? false);
  const values: SearchValues = {
    storeId,
    patterns: words.map(toLikePattern),
    ...valuesBy('indexed', indexed),
  };
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
 * Returns a function that tells whether a search should use the store's own entry in an index on `(store_id || ''),
 * search`, under the condition `store_id || '' = …`. `own` is SQL of the number of the store's rows in `table`.
 *
 * If there are many stores, the store's own entry in the index leads to its few rows. For a store that has a large part
 * of the table, that entry covers nearly the whole table, and scanning it costs more than everything else. Its rows are
 * found by the words alone: the rows of other stores then only multiply the matches a few times.
 */
export function createStoreIndexCheck(
  table: string,
  own: SqlText<OfStore>,
): (db: AnyDatabase, storeId: string) => Promise<boolean> {
  const share = prepare<{ isLarge: boolean }, OfStore>(
    `${table}-share`,
    ($) => `select coalesce((${own($)}), 0) > reltuples / 4 as "isLarge"
      from pg_class where oid = '"${table}"'::regclass`,
  );
  const cached = new Map<string, { isSelective: boolean; until: number }>();
  return async (db, storeId) => {
    const last = cached.get(storeId);
    if (last && last.until > performance.now()) return last.isSelective;
    const { rows } = await db.executeQuery(share({ storeId }));
    const isSelective = !rows[0]!.isLarge;
    // Both ways find the same rows: a store that grows is only searched in the slower way for a while.
    if (cached.size === 10_000) cached.clear();
    cached.set(storeId, { isSelective, until: performance.now() + 60_000 });
    return isSelective;
  };
}

import type { AnyDatabase } from './database.ts';
import { prepareOnce, type SqlText } from './statements.ts';
import { prepareSearch, type SearchIndex, splitWords } from './words.ts';

/** A service's part of a search across all kinds of things. */
export interface SearchHits {
  hits: { id: string; title: string; subtitle: string }[];
}

/** A table, called `t`, that the global search covers. */
export interface SearchedTable {
  /** The type of its rows; no two tables of a service share a type. */
  type: string;
  table: string;
  /**
   * The text with a trigram index in which `q` is looked up: folded, with each identifying value of a row on a line of
   * its own.
   */
  text: string;
  /** SQL of the title that the hit shows. */
  title: string;
  subtitle: string;
  /** SQL condition that a row must fulfil. */
  condition?: string;
  /** SQL of the one row that another index finds if the index of the text could not. */
  exact?: SqlText<{ q: string }>;
  index?: SearchIndex;
  /** Parses the words of `q` in place of `splitWords`. */
  readWords?: typeof splitWords;
}

const maxHits = 5;
/**
 * Maximum number of matches that are sorted for the best hits: sorting more is not worthwhile for words that occur in
 * every row.
 */
const maxMatches = 1_000;
/**
 * Number of the newest rows that are searched for words without three letters in a row, which no trigram index finds.
 */
const newestRows = 20_000;

/**
 * Finds up to five rows of a store that contain every word of `q`: first those with a line equal to `q`, then those
 * whose text begins with it, the newest first within each group.
 */
export function defineSearch(
  searched: SearchedTable,
): (db: AnyDatabase, storeId: string, q: string) => Promise<SearchHits> {
  const {
    type,
    table,
    text,
    title,
    subtitle,
    condition,
    exact,
    index = {},
    readWords = splitWords,
  } = searched;
  return async (db, storeId, q) => {
    const words = readWords(q);
    if (words.length === 0) return { hits: [] };
    const found = await prepareSearch(db, storeId, words, index);
    const values = { ...found.values, q: words.join(' ') };
    type Text = SqlText<typeof values>;
    const rows = ($: Parameters<Text>[0], which: string) =>
      `select t.id, ${text} as text from ${table} t
       where t.store_id = ${$.storeId} ${condition ? `and ${condition}` : ''} ${which}`;
    const candidates: Text = ($) =>
      found.isIndexed
        ? rows($, `${found.conditions($, 't', text)} limit ${maxMatches}`)
        : `select id, text from (${rows($, `order by t.id desc limit ${newestRows}`)}) newest
           where text like all (${$.patterns}::text[]) limit ${maxMatches}`;
    const statement = prepareOnce<SearchHits['hits'][number], typeof values>(
      `search-${type}-${found.kind}`,
      ($) => `with matches as materialized (
         (${candidates($)})
         ${exact ? `union (${rows($, `and ${exact($)}`)})` : ''}
       ), best as (
         select id, row_number() over (order by
           strpos(E'\\n' || text || E'\\n', E'\\n' || ${$.q} || E'\\n') = 0, not starts_with(text, ${$.q}), id desc
         ) as ordinal
         from matches order by ordinal limit ${maxHits}
       )
       select t.id, ${title} as title, ${subtitle} as subtitle
       from best join ${table} t on t.store_id = ${$.storeId} and t.id = best.id order by best.ordinal`,
    );
    const { rows: hits } = await db.executeQuery(statement(values));
    return { hits };
  };
}

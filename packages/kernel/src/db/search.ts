import type { AnyDatabase } from './database.ts';
import { prepareOnce, type SqlText } from './statements.ts';
import { lookUp, type SearchIndex, wordsOf } from './words.ts';

/** A service's part of a search over all kinds of things. */
export interface SearchHits {
  hits: { id: string; title: string; subtitle: string }[];
}

/** A table, called `t`, that the search over everything looks into. */
export interface Searched {
  /** What its rows are called; no two tables of a service by one name. */
  type: string;
  table: string;
  /** The text with a trigram index that `q` is looked up in: folded, what tells a row apart one a line. */
  text: string;
  /** SQL of what is shown of a row. */
  title: string;
  subtitle: string;
  /** SQL that a row must fulfil. */
  condition?: string;
  /** SQL of the one row that an index finds where the text's index could not. */
  exact?: SqlText<{ q: string }>;
  index?: SearchIndex;
  /** Reads the words of `q` otherwise than `wordsOf`. */
  readWords?: typeof wordsOf;
}

const maxHits = 5;
/** Of more matches than this, the hits are the best of so many: what is in every row is not worth sorting all of them. */
const maxMatches = 1_000;
/** Words without three letters in a row no trigram index finds: they are looked for in so many of the newest rows. */
const newestRows = 20_000;

/**
 * Finds up to five rows of a store that hold every word of `q`: first where one line of the text is `q`, then where the
 * text begins with it, and of these the newest.
 */
export function defineSearch(
  searched: Searched,
): (db: AnyDatabase, storeId: string, q: string) => Promise<SearchHits> {
  const { type, table, text, title, subtitle, condition, exact, index = {}, readWords = wordsOf } = searched;
  return async (db, storeId, q) => {
    const words = readWords(q);
    if (words.length === 0) return { hits: [] };
    const found = await lookUp(db, storeId, words, index);
    const values = { ...found.values, q: words.join(' ') };
    type Text = SqlText<typeof values>;
    const rows = ($: Parameters<Text>[0], which: string) =>
      `select t.id, ${text} as text from ${table} t
       where t.store_id = ${$.storeId} ${condition ? `and ${condition}` : ''} ${which}`;
    const among: Text = ($) =>
      found.isIndexed
        ? rows($, `${found.conditions($, 't', text)} limit ${maxMatches}`)
        : `select id, text from (${rows($, `order by t.id desc limit ${newestRows}`)}) newest
           where text like all (${$.patterns}::text[]) limit ${maxMatches}`;
    const statement = prepareOnce<SearchHits['hits'][number], typeof values>(
      `search-${type}-${found.kind}`,
      ($) => `with matches as materialized (
         (${among($)})
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

import Type, { type Static } from 'typebox';
import type { RouteDefinition } from '../http/route.ts';
import type { AnyDatabase } from './database.ts';
import { indexedPatterns, type SearchIndex, searchConditions, searchValues, wordsOf } from './lists.ts';
import { type Places, prepare, type SqlText } from './statements.ts';

/** One service's part of the search over everything, `decisions.md 10.3`. */
const SearchHits = Type.Object({
  hits: Type.Array(Type.Object({ id: Type.String(), title: Type.String(), subtitle: Type.String() })),
});
export type SearchHits = Static<typeof SearchHits>;

/** `POST <path> { storeId, q }` → `{ hits }`, for the gateway, which judges who may ask. */
export const searchRoute = <const Path extends `/internal/${string}`>(path: Path) =>
  ({
    method: 'POST',
    path,
    access: 'service',
    summary: 'Its part of the search over everything',
    body: Type.Object({ storeId: Type.String(), q: Type.String() }),
    answer: [200, SearchHits],
  }) as const satisfies RouteDefinition;

/** A table, called `t`, that the search over everything looks into. */
export interface Searched {
  /** What its rows are called; no two tables of a service by one name. */
  type: string;
  table: string;
  /** The text with a trigram index that `q` is looked up in: lower-case, what tells a row apart one a line. */
  text: string;
  /** SQL of what is shown of a row. */
  title: string;
  subtitle: string;
  /** SQL that a row must fulfil. */
  condition?: string;
  /** SQL of the one row that an index finds where the text's index could not. */
  exact?: SqlText<{ q: string }>;
  index?: SearchIndex;
}

const maxHits = 5;
/** Of more matches than this, the hits are the best of so many: what is in every row is not worth sorting all of them. */
const maxMatches = 1_000;
/** Words without three letters in a row no trigram index finds: they are looked for in so many of the newest rows. */
const newestRows = 20_000;
const hasTrigram = (pattern: string) => /[\p{L}\p{N}]{3}/u.test(pattern);

/**
 * Finds up to five rows of a store that hold every word of `q`: first where one line of the text is `q`, then where the
 * text begins with it, and of these the newest.
 */
export function defineSearch(
  searched: Searched,
): (db: AnyDatabase, storeId: string, q: string) => Promise<SearchHits> {
  const { type, table, text, title, subtitle, condition, exact, index = {} } = searched;
  type Values = ReturnType<typeof searchValues> & { q: string };
  const statements = new Map<string, ReturnType<typeof prepare<SearchHits['hits'][number], Values>>>();

  function statement(indexed: number, fromStore: boolean) {
    const name = `search-${type}-${indexed}-${fromStore ? 'one' : 'much'}`;
    const rows = ($: Places<Values>, found: string) =>
      `select t.id, ${text} as text from ${table} t
       where t.store_id = ${$.storeId} ${condition ? `and ${condition}` : ''} ${found}`;
    const among = ($: Places<Values>) =>
      indexed > 0
        ? `(${rows($, `${searchConditions({ alias: 't', text }, { indexed, fromStore }, $)} limit ${maxMatches}`)})`
        : `(select id, text from (${rows($, `order by t.id desc limit ${newestRows}`)}) newest
            where text like all (${$.patterns}::text[]) limit ${maxMatches})`;
    const made =
      statements.get(name) ??
      prepare<SearchHits['hits'][number], Values>(
        name,
        ($) => `with matches as materialized (
           ${among($)}
           ${exact ? `union (${rows($, `and ${exact($)}`)})` : ''}
         ), best as (
           select id, row_number() over (order by
             strpos(E'\\n' || text || E'\\n', E'\\n' || ${$.q} || E'\\n') = 0, not starts_with(text, ${$.q}), id desc
           ) as place
           from matches order by place limit ${maxHits}
         )
         select t.id, ${title} as title, ${subtitle} as subtitle
         from best join ${table} t on t.store_id = ${$.storeId} and t.id = best.id order by best.place`,
      );
    statements.set(name, made);
    return made;
  }

  return async (db, storeId, q) => {
    const words = wordsOf(q);
    if (words.length === 0) return { hits: [] };
    const indexed = indexedPatterns(words, index).filter(hasTrigram);
    const fromStore = indexed.length > 0 && ((await index.leadsFromStore?.(db, storeId)) ?? false);
    const values = { ...searchValues(storeId, words, indexed), q: words.join(' ') };
    const { rows } = await db.executeQuery(statement(indexed.length, fromStore)(values));
    return { hits: rows };
  };
}

/**
 * JSON that PostgreSQL writes and that is sent on unchanged. It is built with `concat`, which resolves the types of its
 * arguments once; `json_build_object` resolves them for each row and takes half as long again.
 */

/** A value in that JSON: pieces of text and SQL, in their order. */
export type JsonValue = readonly ({ readonly sql: string } | { readonly text: string })[];

/** Text that needs no escaping and is never null: ids, slugs, names of states, times. */
export const quoted = (sql: string): JsonValue => [{ text: '"' }, { sql }, { text: '"' }];

/** SQL whose output is valid JSON and never null: whole numbers, and JSON itself. */
export const bare = (sql: string): JsonValue => [{ sql }];

/** A text, a boolean or an array that is never null. */
export const encoded = (sql: string): JsonValue => [{ sql: `to_json(${sql})` }];

/** Any value that may be null. */
export const encodedOrNull = (sql: string): JsonValue => [{ sql: `coalesce(to_json(${sql})::text, 'null')` }];

/**
 * Returns SQL of a timestamp column in the format of the API: `decisions.md 1.2`. `US` gives microseconds, as the
 * database stores them.
 */
export const timestamp = (column: string, fraction: 'MS' | 'US' = 'MS'): string =>
  `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.${fraction}"Z"')`;

/** Returns SQL of an object with these members, as text. Within another object, wrap it in `bare`. */
export function jsonObject(members: Readonly<Record<string, JsonValue>>): string {
  const all = Object.entries(members).flatMap(([name, pieces], i) => [
    { text: `${i === 0 ? '{' : ','}${JSON.stringify(name)}:` },
    ...pieces,
  ]);
  return concatenate([...all, { text: '}' }]);
}

/** Returns SQL of an array, as text, with an element `item` (SQL of JSON) for each row of `from`, in its order. */
export const jsonArray = (item: string, from: string): string =>
  concatenate([{ text: '[' }, { sql: `(select string_agg(${item}, ',') from ${from})` }, { text: ']' }]);

function concatenate(pieces: JsonValue): string {
  const written: string[] = [];
  let text = '';
  const flush = () => {
    if (text !== '') written.push(`'${text.replaceAll("'", "''")}'`);
    text = '';
  };
  for (const piece of pieces) {
    if ('text' in piece) text += piece.text;
    else {
      flush();
      written.push(piece.sql);
    }
  }
  flush();
  return `concat(${written.join(', ')})`;
}

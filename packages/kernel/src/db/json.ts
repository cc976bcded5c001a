/**
 * JSON that PostgreSQL writes, and that is sent on as it comes. Written with `concat`, which knows its arguments' types
 * from the first row on; `json_build_object` looks them up with each, and takes half as long again.
 */

/** A value in it: pieces of the text, SQL or JSON itself, in their order. */
export type JsonValue = readonly ({ readonly sql: string } | { readonly text: string })[];

/** Text that needs no escapes and is never null: ids, slugs, names of states, times. */
export const quoted = (sql: string): JsonValue => [{ text: '"' }, { sql }, { text: '"' }];

/** What stands in JSON as PostgreSQL writes it, and is never null: whole numbers, and JSON itself. */
export const bare = (sql: string): JsonValue => [{ sql }];

/** A text, a truth value or an array, never null. */
export const encoded = (sql: string): JsonValue => [{ sql: `to_json(${sql})` }];

/** Anything that may be null. */
export const encodedOrNull = (sql: string): JsonValue => [{ sql: `coalesce(to_json(${sql})::text, 'null')` }];

/** A timestamp column in the API's form: `decisions.md 1.2`. With `US` to the microsecond, as the database has it. */
export const timestamp = (column: string, fraction: 'MS' | 'US' = 'MS'): string =>
  `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.${fraction}"Z"')`;

/** SQL of an object with these members, as text; inside of another it is `bare`. */
export function jsonObject(members: Readonly<Record<string, JsonValue>>): string {
  const all = Object.entries(members).flatMap(([name, pieces], i) => [
    { text: `${i === 0 ? '{' : ','}${JSON.stringify(name)}:` },
    ...pieces,
  ]);
  return concatenated([...all, { text: '}' }]);
}

/** SQL of an array, as text: of `item`, SQL of JSON, for each row of `from`, in its order. */
export const jsonArray = (item: string, from: string): string =>
  concatenated([{ text: '[' }, { sql: `(select string_agg(${item}, ',') from ${from})` }, { text: ']' }]);

function concatenated(pieces: JsonValue): string {
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

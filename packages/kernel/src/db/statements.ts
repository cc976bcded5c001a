import { hash } from 'node:crypto';
import { CompiledQuery, type QueryExecutorProvider, type RawBuilder, type Selectable, sql } from 'kysely';
import { isSpread } from './spread.ts';

/** Where the values of a statement stand in its text, by their names: `$.storeId` is the parameter of `storeId`. */
export type Placeholders<Values> = { readonly [Name in keyof Values]-?: string };

/** SQL that names the values which it is run with, and never holds one. */
export type SqlText<Values> = ($: Placeholders<Values>) => string;

/** What every statement of a tenant's table names. */
export interface OfStore {
  storeId: string;
}

/** Values of one kind, each by the kind's name and its number. */
export const valuesBy = <Kind extends string, Value>(kind: Kind, values: readonly Value[]) =>
  Object.fromEntries(values.map((value, i) => [`${kind}${i}`, value])) as Record<`${Kind}${number}`, Value>;

/**
 * Columns of a table as they are in the row of a statement that is no query builder's: each under the name that the
 * statement gives it. So the row's type is the schema's.
 */
export type Columns<Table, Names extends Readonly<Record<string, keyof Selectable<Table>>>> = {
  [Name in keyof Names]: Selectable<Table>[Names[Name]];
};

/** A statement that each connection prepares once. */
interface PreparedStatement {
  name: string;
  /** Its text for a single server, which plans it once; Citus plans by the values. */
  oneServerText: string;
}

/** By their texts. */
const preparedTexts = new Map<string, PreparedStatement>();

/**
 * The same statement with the lengths of its lists hidden from the planner. Of a list that it knows it takes the length to
 * be the one at hand, of another it takes ten; the plan for few looks cheaper each time, so each execution would be planned
 * anew, for longer than most of them run.
 */
const hideLengths = (text: string): string =>
  text
    .replaceAll(
      /\bunnest\(([^()]*)\)/g,
      (_, lists: string) => `unnest(${lists.replaceAll(/\$\d+::\w+\[\]/g, '(select $&)')})`,
    )
    .replaceAll(/\bany\((\$\d+::(\w+\[\]))\)/g, 'any((select $1)::$2)');

/** PostgreSQL looks at no more of a name than this: two that begin alike would be one. */
const longestName = 63;

const nameOf = (name: string): string =>
  Buffer.byteLength(name) <= longestName ? name : `${name.slice(0, 20)}-${hash('sha256', name).slice(0, 32)}`;

/** The statement that was declared with `prepare`, by its text; undefined for every other text. */
export const preparedStatement = (text: unknown): PreparedStatement | undefined =>
  typeof text === 'string' ? preparedTexts.get(text) : undefined;

/** The statements that were declared with `prepare` so far, which a test prepares on each service's migrated database. */
export const preparedStatements = (): (PreparedStatement & { text: string })[] =>
  [...preparedTexts].map(([text, statement]) => ({ text, ...statement }));

/**
 * Declares a statement of a hot path: a connection parses and plans it once. Run it with
 * `db.executeQuery(statement(values))`: the values by name where its text names them, or else one for each `$1` of it.
 */
export function prepare<Row>(name: string, text: string): (values: readonly unknown[]) => CompiledQuery<Row>;
export function prepare<Row, Values extends object>(
  name: string,
  text: SqlText<Values>,
): (values: Values) => CompiledQuery<Row>;
export function prepare<Values>(name: string, text: string | SqlText<Values>) {
  const statement = write(text);
  preparedTexts.set(statement.sql, { name: nameOf(name), oneServerText: hideLengths(statement.sql) });
  return (values: Values) =>
    ({
      sql: statement.sql,
      parameters: statement.parametersOf(values),
      query: { kind: 'RawNode' },
    }) as unknown as CompiledQuery<never>;
}

const sentAhead = new Set<string>();

/** Whether nobody waits for the answer to a statement: one that `prepareAhead` has declared. */
export const isSentAhead = (text: unknown): boolean => typeof text === 'string' && sentAhead.has(text);

/**
 * Declares a statement whose answer says nothing, a setting or a lock for what follows in its transaction: it goes out with
 * that, in one write. Should it fail, so does what follows, as the connection ends.
 */
export function prepareAhead(name: string, text: string): CompiledQuery<unknown> {
  sentAhead.add(text);
  return prepare(name, text)([]);
}

const written = new Map<string, unknown>();

/** The same as `prepare` for one of the statements that a function writes: by each name the same text, which is written once. */
export function prepareOnce<Row, Values extends object>(name: string, text: SqlText<Values>) {
  const known = written.get(name) as ((values: Values) => CompiledQuery<Row>) | undefined;
  const statement = known ?? prepare<Row, Values>(name, text);
  written.set(name, statement);
  return statement;
}

/**
 * Declares a statement of a hot path whose text is another where rows are spread over several servers; it is run with
 * `db.executeQuery(statement(db)(values))`.
 */
export function prepareByTopology<Row>(
  name: string,
  text: (isSpread: boolean) => string,
): (db: QueryExecutorProvider) => (values: readonly unknown[]) => CompiledQuery<Row> {
  const here = prepare<Row>(name, text(false));
  const spread = prepare<Row>(`${name}-spread`, text(true));
  return (db) => (isSpread(db) ? spread : here);
}

/**
 * Declares a statement over whole batches that is planned each time, for the tables as they are. A plan kept from when
 * they were empty reads them from end to end; planning costs a batch about a millisecond.
 */
export function planned<Row>(text: string): (values: readonly unknown[]) => CompiledQuery<Row>;
export function planned<Row, Values extends object>(
  text: SqlText<Values>,
): (values: Values) => CompiledQuery<Row>;
export function planned<Values>(text: string | SqlText<Values>) {
  const statement = write(text);
  return (values: Values) =>
    CompiledQuery.raw(statement.sql, statement.parametersOf(values)) as CompiledQuery<never>;
}

/** The look-up of `findTaken`: only the index that a value is to be found by has the order that is asked for. */
export const takenText =
  (table: string, column: string): SqlText<OfStore & { values: readonly string[] }> =>
  ($) =>
    `select wanted.value, taken.id from unnest(${$.values}::text[]) as wanted (value)
     cross join lateral (
       select t.id from ${table} t
       where t.store_id = ${$.storeId} and t.${column} between wanted.value and wanted.value
       order by t.${column} limit 1
     ) taken`;

/**
 * Makes the look-up of which of some values rows of a store have in a column, by its unique index `(store_id, <column>)`;
 * gives the id of the row for each value that is taken. While nothing is known of a new table, `in (…)` reads all rows of
 * the store by any index that begins with it.
 */
export function findTaken(table: string, column: string) {
  // A plan that was kept from when the table was empty would read it from end to end.
  const statement = planned<{ value: string; id: string }, OfStore & { values: readonly string[] }>(
    takenText(table, column),
  );
  return async (
    db: { executeQuery<Row>(query: CompiledQuery<Row>): Promise<{ rows: Row[] }> },
    storeId: string,
    values: readonly string[],
  ): Promise<ReadonlyMap<string, string>> => {
    const { rows } = await db.executeQuery(statement({ storeId, values }));
    return new Map(rows.map(({ value, id }) => [value, id]));
  };
}

/** A text's SQL, in which each value that it names is one parameter, and what those are. */
function write<Values>(text: string | SqlText<Values>) {
  if (typeof text === 'string') return { sql: text, parametersOf: (values: Values) => values as unknown[] };
  const names: (keyof Values)[] = [];
  const placeholders = new Proxy({} as Placeholders<Values>, {
    get(_, key) {
      const name = key as keyof Values;
      return `$${names.includes(name) ? names.indexOf(name) + 1 : names.push(name)}`;
    },
  });
  return {
    sql: text(placeholders),
    parametersOf: (values: Values) => names.map((name): unknown => values[name]),
  };
}

/** Such SQL as a part of a statement of the query builder's. */
export function rawSql<Type, Values>(text: SqlText<Values>, values: Values): RawBuilder<Type> {
  const statement = write(text);
  const parameters = statement.parametersOf(values);
  const pieces = statement.sql.split(/\$(\d+)/);
  const parts = pieces.map((piece, i) => (i % 2 === 0 ? sql.raw(piece) : parameters[Number(piece) - 1]));
  return sql<Type>`${sql.join(parts, sql.raw(''))}`;
}

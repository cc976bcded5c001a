import { hash } from 'node:crypto';
import { CompiledQuery, type QueryExecutorProvider, type RawBuilder, type Selectable, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { isDistributed } from './distributed.ts';

/** The places of a statement's values in its text, by name: `$.storeId` is the parameter of `storeId`. */
export type Placeholders<Values> = { readonly [Name in keyof Values]-?: string };

/** SQL that refers to its values by name and never contains one. */
export type SqlText<Values> = ($: Placeholders<Values>) => string;

/** The values of every statement on a tenant's table. */
export interface OfStore {
  storeId: string;
}

/** Returns values of one kind, each under the kind's name and its number. */
export const valuesBy = <Kind extends string, Value>(kind: Kind, values: readonly Value[]) =>
  Object.fromEntries(values.map((value, i) => [`${kind}${i}`, value])) as Record<`${Kind}${number}`, Value>;

/**
 * Columns of a table in the row of a statement that no query builder wrote, each under the name that the statement
 * gives it. So the row has the types of the schema.
 */
export type Columns<Table, Names extends Readonly<Record<string, keyof Selectable<Table>>>> = {
  [Name in keyof Names]: Selectable<Table>[Names[Name]];
};

/** A statement that each connection prepares once. */
interface PreparedStatement {
  name: string;
  /** Its text for a single server, which plans it once; Citus plans it for the values. */
  oneServerText: string;
}

/** The statements that `prepare` declared, by their texts. */
const preparedTexts = new Map<string, PreparedStatement>();

/**
 * Returns the statement with the lengths of its lists hidden from the planner. For a list that it knows, the planner
 * uses the actual length; for another it assumes ten. The plan for a few items looks cheaper each time, so PostgreSQL
 * would plan every execution, which takes longer than most of them run.
 */
const hideLengths = (text: string): string =>
  text
    .replaceAll(
      /\bunnest\(([^()]*)\)/g,
      (_, lists: string) => `unnest(${lists.replaceAll(/\$\d+::\w+\[\]/g, '(select $&)')})`,
    )
    .replaceAll(/\bany\((\$\d+::(\w+\[\]))\)/g, 'any((select $1)::$2)');

/** PostgreSQL truncates names to this length: two long names that begin alike would be the same. */
const longestName = 63;

const shortenName = (name: string): string =>
  Buffer.byteLength(name) <= longestName ? name : `${name.slice(0, 20)}-${hash('sha256', name).slice(0, 32)}`;

/** Returns the statement that `prepare` declared with this text; undefined for any other text. */
export const preparedStatement = (text: unknown): PreparedStatement | undefined =>
  typeof text === 'string' ? preparedTexts.get(text) : undefined;

/** The texts that `compileUnprepared` declared. */
const unpreparedTexts = new Set<string>();

/** Number of executions after which a text counts as recurring. */
const rareExecutions = 20;
/** Maximum number of recurring statements: each takes some 20 KB of every connection's server process. */
const maxRecurring = 300;
const recurring = new Map<string, PreparedStatement>();
const executions = new LRUCache<string, number>({ max: 1_000 });

/**
 * Counts an execution of a text in a transaction. Returns the statement that a connection should prepare once the text
 * recurs; undefined before, and for a text that `compileUnprepared` declared. Transactions find most rows by their keys,
 * so a plan for any value suits them all. A list outside a transaction may need a plan for its store.
 */
export function recurringStatement(text: string): PreparedStatement | undefined {
  const known = recurring.get(text);
  if (known || recurring.size === maxRecurring || unpreparedTexts.has(text)) return known;
  const count = (executions.get(text) ?? 0) + 1;
  if (count < rareExecutions) {
    executions.set(text, count);
    return undefined;
  }
  executions.delete(text);
  const statement = { name: `recurring-${hash('sha256', text).slice(0, 32)}`, oneServerText: text };
  recurring.set(text, statement);
  return statement;
}

/**
 * Returns all statements that `prepare` has declared so far, which a test prepares on each service's migrated database.
 */
export const preparedStatements = (): (PreparedStatement & { text: string })[] =>
  [...preparedTexts].map(([text, statement]) => ({ text, ...statement }));

/**
 * Declares a statement of a hot path: each connection parses and plans it once. Run it with
 * `db.executeQuery(statement(values))`: pass the values by name if its text names them, or else one for each `$1`.
 */
export function prepare<Row>(name: string, text: string): (values: readonly unknown[]) => CompiledQuery<Row>;
export function prepare<Row, Values extends object>(
  name: string,
  text: SqlText<Values>,
): (values: Values) => CompiledQuery<Row>;
export function prepare<Values>(name: string, text: string | SqlText<Values>) {
  const statement = write(text);
  preparedTexts.set(statement.sql, { name: shortenName(name), oneServerText: hideLengths(statement.sql) });
  return (values: Values) =>
    ({
      sql: statement.sql,
      parameters: statement.toParameters(values),
      query: { kind: 'RawNode' },
    }) as unknown as CompiledQuery<never>;
}

const pipelinedTexts = new Set<string>();

/** Whether nobody waits for the answer to a statement, because `preparePipelined` declared it. */
export const isPipelined = (text: unknown): boolean => typeof text === 'string' && pipelinedTexts.has(text);

/**
 * Declares a statement whose answer is empty, such as a setting or a lock for the next statement of its transaction. It
 * is sent together with that statement in one write. If it fails, so does the next one, because the connection ends.
 */
export function preparePipelined(name: string, text: string): CompiledQuery<unknown> {
  pipelinedTexts.add(text);
  return prepare(name, text)([]);
}

const written = new Map<string, unknown>();

/**
 * Declares a statement as `prepare` does, for statements that a function generates: a name always has the same text,
 * which is generated once.
 */
export function prepareOnce<Row, Values extends object>(name: string, text: SqlText<Values>) {
  const known = written.get(name) as ((values: Values) => CompiledQuery<Row>) | undefined;
  const statement = known ?? prepare<Row, Values>(name, text);
  written.set(name, statement);
  return statement;
}

/**
 * Declares a statement of a hot path whose text differs if rows are distributed over several servers. Run it with
 * `db.executeQuery(statement(db)(values))`.
 */
export function prepareByTopology<Row>(
  name: string,
  text: (isDistributed: boolean) => string,
): (db: QueryExecutorProvider) => (values: readonly unknown[]) => CompiledQuery<Row> {
  const onOneServer = prepare<Row>(name, text(false));
  const distributed = prepare<Row>(`${name}-distributed`, text(true));
  return (db) => (isDistributed(db) ? distributed : onOneServer);
}

/**
 * Declares a statement over whole batches that is planned each time, for the current state of the tables. A plan from
 * the time when they were empty would scan them; planning costs a batch about a millisecond.
 */
export function compileUnprepared<Row>(text: string): (values: readonly unknown[]) => CompiledQuery<Row>;
export function compileUnprepared<Row, Values extends object>(
  text: SqlText<Values>,
): (values: Values) => CompiledQuery<Row>;
export function compileUnprepared<Values>(text: string | SqlText<Values>) {
  const statement = write(text);
  unpreparedTexts.add(statement.sql);
  return (values: Values) =>
    CompiledQuery.raw(statement.sql, statement.toParameters(values)) as CompiledQuery<never>;
}

/** Returns the lookup of `prepareFindExisting`: only the index that should find a value has the requested order. */
export const findExistingText =
  (table: string, column: string): SqlText<OfStore & { values: readonly string[] }> =>
  ($) =>
    `select wanted.value, taken.id from unnest(${$.values}::text[]) as wanted (value)
     cross join lateral (
       select t.id from ${table} t
       where t.store_id = ${$.storeId} and t.${column} between wanted.value and wanted.value
       order by t.${column} limit 1
     ) taken`;

/**
 * Returns a function that finds which of some values rows of a store have in a column, by its unique index `(store_id,
 * <column>)`. It returns the id of the row for each value that is taken. For a new table without statistics, `in (…)`
 * would read all rows of the store by any index that begins with it.
 */
export function prepareFindExisting(table: string, column: string) {
  // A plan from the time when the table was empty would scan it.
  const statement = compileUnprepared<{ value: string; id: string }, OfStore & { values: readonly string[] }>(
    findExistingText(table, column),
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

/**
 * Returns the SQL of a text, in which each value that it names is one parameter, and a function that lists the
 * parameters.
 */
function write<Values>(text: string | SqlText<Values>) {
  if (typeof text === 'string') return { sql: text, toParameters: (values: Values) => values as unknown[] };
  const names: (keyof Values)[] = [];
  const placeholders = new Proxy({} as Placeholders<Values>, {
    get(_, key) {
      const name = key as keyof Values;
      return `$${names.includes(name) ? names.indexOf(name) + 1 : names.push(name)}`;
    },
  });
  return {
    sql: text(placeholders),
    toParameters: (values: Values) => names.map((name): unknown => values[name]),
  };
}

/** Returns such SQL as a part of a statement of the query builder. */
export function rawSql<Type, Values>(text: SqlText<Values>, values: Values): RawBuilder<Type> {
  const statement = write(text);
  const parameters = statement.toParameters(values);
  const pieces = statement.sql.split(/\$(\d+)/);
  const parts = pieces.map((piece, i) => (i % 2 === 0 ? sql.raw(piece) : parameters[Number(piece) - 1]));
  return sql<Type>`${sql.join(parts, sql.raw(''))}`;
}

/**
 * Returns SQL for the values of a row as JSON text by key, limited to definitions in force. Rows store values by the
 * ids of their definitions, so a deleted definition disappears at once. Most rows have no values and cost nothing.
 */
export const customFieldsJson = (alias: string): string => valuesJson(alias, '');

/** Like `customFieldsJson`, for public values only: those that shops, pages and feeds show. */
export const publicFieldsJson = (alias: string): string => valuesJson(alias, `and f.visibility = 'public'`);

/** Like `publicFieldsJson`, with the type of each value, for callers that print the values. */
export const typedFieldsJson = (alias: string): string =>
  valuesJson(
    alias,
    `and f.visibility = 'public'`,
    `jsonb_build_object('type', f.type, 'value', given.value)`,
  );

// The function is in a subquery of its own, because Citus would otherwise take its argument for a column of the
// function.
const valuesJson = (
  alias: string,
  which: string,
  value = 'given.value',
) => `case when ${alias}.custom_fields = '{}' then '{}' else (
  select coalesce(jsonb_object_agg(
    case when f.app_id is null then f.key else concat(f.app_id, '/', f.key) end, ${value}
  ), '{}')::text
  from (select key, value from jsonb_each(${alias}.custom_fields)) given
  join custom_field f on f.store_id = ${alias}.store_id and f.id = given.key
  where f.deleted_at is null and f.hidden_at is null ${which}
) end`;

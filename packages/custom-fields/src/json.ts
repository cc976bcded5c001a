/**
 * SQL of the values of a row, by their keys, as JSON text: those whose definitions are in force. A row's values are stored
 * by the ids of their definitions, so what is deleted shows nowhere from that moment on. Most rows have none, and cost
 * nothing.
 */
export const customFieldsJson = (alias: string): string => valuesJson(alias, '');

/** The same of public ones: what shops, pages and feeds show. */
export const publicFieldsJson = (alias: string): string => valuesJson(alias, `and f.visibility = 'public'`);

/** The same with the type of each, for who prints them. */
export const typedFieldsJson = (alias: string): string =>
  valuesJson(
    alias,
    `and f.visibility = 'public'`,
    `jsonb_build_object('type', f.type, 'value', given.value)`,
  );

// The function stands in a query of its own, as Citus takes its argument for a column of the function otherwise.
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

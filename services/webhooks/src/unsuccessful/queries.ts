/** What a statement that may end deliveries returns of each, from `webhook_delivery d`. */
export const endedColumns = 'd.store_id, d.endpoint_id, d.status, d.id, d.created_at';

/**
 * Notes which of `rows` (a table of a statement, with the columns above) have ended without success: whoever ends one so
 * does this in the same statement, and the lists by these statuses are read from it.
 */
export const noteUnsuccessfulOf = (rows: string) =>
  `insert into webhook_unsuccessful (store_id, endpoint_id, status, delivery_id, created_at)
   select store_id, endpoint_id, status, id, created_at from ${rows} where status in ('dead', 'cancelled')
   on conflict do nothing`;

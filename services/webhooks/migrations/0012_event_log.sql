-- Whoever cannot be called, or was away, is to read what has happened, in an order in which nothing appears behind what
-- was read already.
--
-- The last place given out in each store's log. Who writes events holds the row until the commit, so places become
-- visible in their order.
create table event_log (
  store_id text not null primary key,
  last_position bigint not null
) with (fillfactor = 70);
-- The place in the log; null: from before there was one. Microseconds since 1970, at least: not before the event.
alter table webhook_event add column position bigint;

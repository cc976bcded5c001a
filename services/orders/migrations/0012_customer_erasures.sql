-- A customer of many orders is erased in steps, each a commit of its own: what is still to come stands here, so that it
-- goes on after a kill. No row: nothing is to come.
create table customer_erasure (
  store_id text not null,
  customer_id text not null,
  -- The number of the last order that was erased.
  reached bigint not null,
  -- Those that are under way take turns.
  looked_at timestamptz not null default clock_timestamp(),
  primary key (store_id, customer_id)
);

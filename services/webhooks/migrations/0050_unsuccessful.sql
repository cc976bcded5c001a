-- A list of deliveries by status read all that the endpoint has, two seconds for 300,000. An index on the status, also one
-- of the rare ones alone, would cost every outcome its HOT update: what an index's predicate names counts as indexed. So
-- what has ended without success is noted here, by the statement that ends it, and only failures pay for it. By the week,
-- as deliveries are.
create table webhook_unsuccessful (
  store_id text not null,
  endpoint_id text not null,
  status text not null check (status in ('dead', 'cancelled')),
  delivery_id text not null,
  -- When the delivery was made.
  created_at timestamptz not null,
  primary key (store_id, endpoint_id, status, delivery_id)
) partition by range (delivery_id);
create table webhook_unsuccessful_default partition of webhook_unsuccessful default;

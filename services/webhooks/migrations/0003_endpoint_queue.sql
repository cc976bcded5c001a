-- Who is to be called next was found by looking at every endpoint that has something unsettled: with a hundred
-- thousand of them, seconds for each turn, also where nothing was due before tomorrow.
--
-- One row for each endpoint with something unsettled. It is locked by whoever adds to what the endpoint has waiting,
-- and by the turn that takes from it. Filled by the task `queue-endpoints`, in steps, as it also finds what copies of
-- a version before this one leave behind.
create table endpoint_queue (
  store_id text not null,
  endpoint_id text not null,
  -- When it is to be looked at: no later than the earliest `claimable_at` of its deliveries.
  next_at timestamptz not null,
  primary key (store_id, endpoint_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
create index endpoint_queue_order on endpoint_queue (next_at);

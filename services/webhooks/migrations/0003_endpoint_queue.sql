-- The search for the next calls looked at every endpoint with unsettled deliveries. With a hundred thousand of them,
-- each turn took seconds, even if nothing was due before tomorrow.
--
-- One row for each endpoint with unsettled deliveries. The transaction that adds to its deliveries locks it, and so
-- does the turn that claims them. The task `queue-endpoints` fills the table in steps, and adds the endpoints of
-- replicas of an older version, which do not write it.
create table endpoint_queue (
  store_id text not null,
  endpoint_id text not null,
  -- When it is to be looked at: no later than the earliest `claimable_at` of its deliveries.
  next_at timestamptz not null,
  primary key (store_id, endpoint_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
create index endpoint_queue_order on endpoint_queue (next_at);

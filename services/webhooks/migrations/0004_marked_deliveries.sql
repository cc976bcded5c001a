-- A request that disabled or deleted an endpoint cancelled all that waited for it, which with a million deliveries no
-- request has the time for. It leaves a mark now, and a task cancels in steps what the mark covers.
create table endpoint_cancellation (
  store_id text not null,
  endpoint_id text not null,
  -- Deliveries that entered the schedule before this instant are not to be called.
  before timestamptz not null,
  primary key (store_id, endpoint_id)
);
-- When a delivery got into the schedule: one that is made again after a mark is not covered by it.
alter table webhook_due add column queued_at timestamptz not null default now();

-- Calls in flight, and those of the last second, by target host over all stores: what bounds them must hold over all
-- copies of the service. A host has a few hundred rows at most. `decisions.md 6.2`
create table host_call (
  host text not null,
  delivery_id text not null,
  taken_at timestamptz not null default clock_timestamp(),
  -- In flight until then, unless its end is recorded before.
  until timestamptz not null,
  primary key (host, delivery_id, taken_at)
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
create index host_call_delivery on host_call (delivery_id);
create index host_call_until on host_call (until);

-- Webhook endpoints, the events they are called for, and the schedule of the calls. PostgreSQL alone holds the
-- schedule: what is in a queue or in a process can be lost at any time and is handed out again from here.
create table webhook_endpoint (
  store_id text not null,
  id text not null,
  url text not null,
  events text[] not null,
  status text not null check (status in ('active', 'disabled', 'failing')),
  -- Encrypted, with the endpoint's id as context.
  sealed_secret text not null,
  -- Failed attempts since the last good one, over all deliveries.
  failures integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (store_id, id)
);

-- Only events that some endpoint was called for. The body is kept as text: every attempt sends the same bytes.
create table webhook_event (
  store_id text not null,
  id text not null,
  type text not null,
  body text not null,
  created_at timestamptz not null,
  primary key (store_id, id)
);
create index webhook_event_age on webhook_event using brin (created_at);

-- The record of a call. Nothing that changes is indexed, so that recording an outcome touches the row alone:
-- when it is due stands in a narrow table of its own.
create table webhook_delivery (
  store_id text not null,
  id text not null,
  endpoint_id text not null,
  event_id text not null,
  event_type text not null,
  status text not null check (status in ('pending', 'retrying', 'delivered', 'dead', 'cancelled')),
  -- Attempts that have ended, and how: [{ attempt, statusCode, error, durationMs, endedAt }].
  attempts integer not null default 0,
  attempt_log jsonb not null default '[]',
  -- A redelivery by hand: when it fails there is no further retry.
  is_last_attempt boolean not null default false,
  next_attempt_at timestamptz,
  last_status_code integer,
  last_error text not null default '',
  created_at timestamptz not null default now(),
  delivered_at timestamptz,
  primary key (store_id, id),
  -- The event first: two indexes that begin alike are easily taken for each other while a table is new to the
  -- planner, and an endpoint has thousands of deliveries.
  constraint webhook_delivery_event unique (store_id, event_id, endpoint_id)
) with (fillfactor = 80);
-- Ids sort by time.
create index webhook_delivery_history on webhook_delivery (store_id, endpoint_id, id);
create index webhook_delivery_age on webhook_delivery using brin (created_at);

-- The schedule of deliveries, waiting or handed over: one row for every delivery that is not settled.
create table webhook_due (
  store_id text not null,
  delivery_id text not null,
  endpoint_id text not null,
  -- When it may be handed out: when the attempt is due at first, the end of the lease once it is.
  claimable_at timestamptz not null,
  is_leased boolean not null,
  primary key (store_id, delivery_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
-- By endpoint, so that one endpoint's backlog does not stand in front of the others'.
create index webhook_due_order on webhook_due (store_id, endpoint_id, claimable_at);

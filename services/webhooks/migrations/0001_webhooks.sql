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
create index webhook_event_age on webhook_event (created_at);

create table webhook_delivery (
  store_id text not null,
  id text not null,
  endpoint_id text not null,
  event_id text not null,
  event_type text not null,
  status text not null check (status in ('pending', 'retrying', 'delivered', 'dead', 'cancelled')),
  -- Attempts that have ended.
  attempts integer not null default 0,
  -- A redelivery by hand: when it fails there is no further retry.
  is_last_attempt boolean not null default false,
  next_attempt_at timestamptz,
  -- When it may be handed out: next_attempt_at at first, the end of the lease once it is. Null: nothing is due.
  claimable_at timestamptz,
  last_status_code integer,
  last_error text not null default '',
  created_at timestamptz not null default now(),
  delivered_at timestamptz,
  primary key (store_id, id),
  constraint webhook_delivery_event unique (store_id, endpoint_id, event_id)
);
create index webhook_delivery_history on webhook_delivery (store_id, endpoint_id, created_at desc, id desc);
-- By endpoint, so that one endpoint's backlog does not stand in front of the others'.
create index webhook_delivery_due on webhook_delivery (store_id, endpoint_id, claimable_at) where claimable_at is not null;
create index webhook_delivery_age on webhook_delivery (created_at);

create table webhook_attempt (
  store_id text not null,
  delivery_id text not null,
  attempt integer not null,
  status_code integer,
  error text not null,
  duration_ms integer not null,
  ended_at timestamptz not null default now(),
  primary key (store_id, delivery_id, attempt),
  foreign key (store_id, delivery_id) references webhook_delivery (store_id, id) on delete cascade
);

-- Events must leave a service exactly when the change they tell of is committed, and a redelivered event must
-- change nothing: the outbox holds what is still to be handed to the bus, handled_event what was dealt with.
create table outbox (
  id bigint generated always as identity primary key,
  event_id text not null,
  name text not null,
  store_id text not null,
  data text not null,
  created_at timestamptz not null default clock_timestamp(),
  -- Later than now only while it backs off.
  due_at timestamptz not null default now(),
  -- How often a subscriber refused it.
  failures integer not null default 0,
  -- Set when it kept failing: it waits for somebody to look and is not tried again.
  dead_at timestamptz,
  -- Set when a broker has accepted it: it is kept a while longer, in case the broker loses all it has.
  published_at timestamptz
);
create index outbox_waiting on outbox (id) where published_at is null and dead_at is null;
create index outbox_published on outbox (published_at) where published_at is not null;

create table handled_event (
  consumer text not null,
  event_id text not null,
  handled_at timestamptz not null default now(),
  primary key (consumer, event_id)
);
create index handled_event_age on handled_event (handled_at);

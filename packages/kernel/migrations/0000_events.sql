-- An event must leave a service exactly when the change that it reports is committed, and a redelivered event must
-- change nothing. The outbox holds the events that the bus still has to get; handled_event holds the events that a
-- consumer has handled.
create table outbox (
  id bigint generated always as identity primary key,
  event_id text not null,
  name text not null,
  store_id text not null,
  data text not null,
  created_at timestamptz not null default clock_timestamp(),
  -- Later than now only while the event backs off.
  due_at timestamptz not null default now(),
  -- How often a subscriber refused the event.
  failures integer not null default 0,
  -- Set when the event kept failing: it is not tried again and waits for an operator.
  dead_at timestamptz,
  -- Set when a broker has accepted the event. The row is kept a while longer, in case the broker loses its data.
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

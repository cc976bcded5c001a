-- A merchant can have an endpoint called again for the events that it has missed. A replay is a job of its own that
-- goes through the log. Its position is stored here, so that it continues after a restart and makes no call twice.
create table webhook_replay (
  store_id text not null,
  id text not null,
  endpoint_id text not null,
  -- Of which events: created then or later, and before then, of these types, whose last delivery ended so.
  since timestamptz not null,
  until timestamptz not null,
  types text[] not null,
  statuses text[] not null,
  state text not null check (state in ('running', 'done', 'cancelled')),
  matched integer not null default 0,
  sent integer not null default 0,
  -- Matching events are first counted, then called for; this is the last event of whichever pass is running.
  is_counted boolean not null default false,
  reached_at timestamptz not null,
  reached_id text not null default '',
  -- Replays that run take turns.
  looked_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (store_id, id)
);
create index webhook_replay_turn on webhook_replay (looked_at) where state = 'running';
create index webhook_replay_history on webhook_replay (store_id, endpoint_id, id);
-- The replay that a call waits for.
alter table webhook_due add column replay_id text;

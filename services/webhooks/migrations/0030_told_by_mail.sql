-- A store's admins are told by mail of an endpoint that fails, once a day: a mass of failures must not become a mass of
-- events.
alter table webhook_endpoint
  add column told_failing_at timestamptz,
  add column told_dead_at timestamptz;

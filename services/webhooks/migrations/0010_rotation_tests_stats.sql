-- Features for receivers: a secret that changes without an outage, test calls, and statistics of an endpoint's calls
-- that need not read its deliveries.
alter table webhook_endpoint
  -- The secret before the last rotation, and until when calls are signed with it as well; sealed as the present one.
  add column sealed_previous_secret text,
  add column previous_secret_expires_at timestamptz;

-- A test call has no event in webhook_event: its body is made of its row.
alter table webhook_delivery add column is_test boolean not null default false;

-- How many attempts ended in an hour, how, and how long they took. Counted with the outcomes, so that a look at a busy
-- endpoint costs no more than the hours and the steps of duration that there are.
create table webhook_attempt_count (
  store_id text not null,
  endpoint_id text not null,
  -- Its beginning.
  hour timestamptz not null,
  delivered boolean not null,
  -- Durations grow by a twelfth or so from step to step.
  step smallint not null,
  attempts integer not null,
  primary key (store_id, endpoint_id, hour, delivered, step)
) with (fillfactor = 70);
create index webhook_attempt_count_age on webhook_attempt_count using brin (hour);

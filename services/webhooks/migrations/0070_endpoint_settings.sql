-- Settings of an endpoint beyond its URL and events, `decisions.md 24.1 to 24.4`. Every default is what calls did before.
alter table webhook_endpoint
  add column filter jsonb,
  -- Headers, format, certificate and destination, as delivery needs them; null: none of these is set.
  add column call_settings jsonb,
  -- Secrets of `call_settings`, encrypted with the endpoint's id as context.
  add column sealed_settings text,
  add column max_per_second integer,
  add column retry_delays integer[],
  add column ordering text check (ordering in ('resource')),
  add column batch jsonb,
  add column honors_retry_after boolean not null default false,
  add column stops_on_gone boolean not null default false,
  add column failure_alerts jsonb,
  add column disable_after_days integer,
  -- The first failure since the last success, and the last failure; tests do not count.
  add column failing_since timestamptz,
  add column last_failed_at timestamptz,
  add column told_failure_rate_at timestamptz,
  add column told_disabling_at timestamptz,
  -- A check of the endpoint runs until then at most.
  add column check_until timestamptz;

-- `resource` and `sequence`: calls about one thing wait for each other, in this order; all but the first of a thing stand
-- at infinity. `batch_id`: the calls that go as one.
alter table webhook_due
  add column resource text,
  add column sequence bigint,
  add column batch_id text;

-- Whichever statement ends a call, the next call about the same thing becomes due. The lock is that under which fan-out
-- finds out whether a call has to wait.
create function release_next_of_resource() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('order ' || old.endpoint_id, 0));
  with released as (
    update webhook_due d set claimable_at = clock_timestamp()
    where d.store_id = old.store_id and d.claimable_at = 'infinity' and d.delivery_id = (
      select n.delivery_id from webhook_due n
      where n.store_id = old.store_id and n.endpoint_id = old.endpoint_id and n.resource = old.resource
      order by n.sequence, n.delivery_id limit 1
    ) and not exists (
      select from webhook_due active
      where active.store_id = old.store_id and active.endpoint_id = old.endpoint_id and active.resource = old.resource
        and active.claimable_at < 'infinity'
    )
    returning d.store_id, d.endpoint_id, d.claimable_at
  )
  insert into endpoint_queue as q (store_id, endpoint_id, next_at)
  select store_id, endpoint_id, claimable_at from released
  on conflict (store_id, endpoint_id) do update set next_at = excluded.next_at where excluded.next_at < q.next_at;
  return null;
end $$;
create trigger due_ended after delete on webhook_due for each row
when (old.resource is not null) execute function release_next_of_resource();

-- Calls of endpoints with a rate, by which the rate holds over all copies of the service.
create table endpoint_call (
  store_id text not null,
  endpoint_id text not null,
  delivery_id text not null,
  -- The call takes one of the second's calls until then: a second after it can start at the latest, or after it did.
  counts_until timestamptz not null,
  primary key (store_id, endpoint_id, delivery_id, counts_until)
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
create index endpoint_call_age on endpoint_call (counts_until);

-- The events of a batch as it was last sent.
create table webhook_batch (
  store_id text not null,
  id text not null,
  endpoint_id text not null,
  event_ids text[] not null,
  created_at timestamptz not null default now(),
  primary key (store_id, id)
);
create index webhook_batch_age on webhook_batch using brin (created_at);

-- Attempts by the minute, of endpoints with alerts alone.
create table webhook_attempt_minute (
  store_id text not null,
  endpoint_id text not null,
  minute timestamptz not null,
  attempts integer not null,
  failed integer not null,
  primary key (store_id, endpoint_id, minute)
);
create index webhook_attempt_minute_age on webhook_attempt_minute (minute);

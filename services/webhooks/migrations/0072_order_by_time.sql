-- Calls about one thing go in the order of its events: by their time (`sequence`, in microseconds) and, within one
-- millisecond, by their ids. Several copies write them in any order, so none goes before `not_before`, when earlier ones have
-- come as well. Rows of a version before have neither, and their places in the log, which are about their time.
alter table webhook_due
  add column ordered_event_id text,
  add column not_before timestamptz;

create or replace function release_next_of_resource() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('order ' || old.endpoint_id, 0));
  with released as (
    update webhook_due d set claimable_at = greatest(clock_timestamp(), d.not_before)
    where d.store_id = old.store_id and d.claimable_at = 'infinity' and d.delivery_id = (
      select n.delivery_id from webhook_due n
      where n.store_id = old.store_id and n.endpoint_id = old.endpoint_id and n.resource = old.resource
      order by n.sequence, n.ordered_event_id nulls first, n.delivery_id limit 1
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

-- As before, but with the time of the statement: a cluster takes no function in an update that may change from row to row.
create or replace function release_next_of_resource() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('order ' || old.endpoint_id, 0));
  with released as (
    update webhook_due d set claimable_at = greatest(statement_timestamp(), d.not_before)
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

-- What ends without success was noted by the statements that end it, and so not by those of a copy of a version before
-- that still runs: it was missing in the lists by status, or stayed in them when it was asked for again. From here on the
-- table itself notes it, whoever writes.
create function note_unsuccessful() returns trigger language plpgsql as $$
begin
  if old.status in ('dead', 'cancelled') then
    delete from webhook_unsuccessful
    where store_id = old.store_id and endpoint_id = old.endpoint_id and status = old.status and delivery_id = old.id;
  end if;
  if new.status in ('dead', 'cancelled') then
    insert into webhook_unsuccessful (store_id, endpoint_id, status, delivery_id, created_at)
    values (new.store_id, new.endpoint_id, new.status, new.id, new.created_at) on conflict do nothing;
  end if;
  return null;
end $$;
create trigger delivery_ended after update of status on webhook_delivery for each row
when (old.status <> new.status and (old.status in ('dead', 'cancelled') or new.status in ('dead', 'cancelled')))
execute function note_unsuccessful();

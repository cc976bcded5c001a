-- Deliveries that ended without success were recorded by the statements that end them. Replicas of an older version did
-- not do so: their deliveries were missing in the lists by status, or stayed there when they were requested again. A
-- trigger now records them, whoever writes.
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

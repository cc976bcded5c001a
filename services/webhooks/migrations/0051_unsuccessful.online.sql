-- Adds the deliveries that ended before this table existed. It locks them as it reads them, because one that is
-- requested again in the meantime no longer belongs here.
-- In steps:
insert into webhook_unsuccessful (store_id, endpoint_id, status, delivery_id, created_at)
select d.store_id, d.endpoint_id, d.status, d.id, d.created_at from webhook_delivery d
where d.status in ('dead', 'cancelled') and not exists (
  select from webhook_unsuccessful u
  where u.store_id = d.store_id and u.endpoint_id = d.endpoint_id and u.status = d.status and u.delivery_id = d.id
)
limit 10000 for share of d
on conflict do nothing;

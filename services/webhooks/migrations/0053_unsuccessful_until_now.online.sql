-- Adds the deliveries that such replicas ended or requested again. It locks them as it reads them, so that none
-- changes.
-- In steps:
insert into webhook_unsuccessful (store_id, endpoint_id, status, delivery_id, created_at)
select d.store_id, d.endpoint_id, d.status, d.id, d.created_at from webhook_delivery d
where d.status in ('dead', 'cancelled') and not exists (
  select from webhook_unsuccessful u
  where u.store_id = d.store_id and u.endpoint_id = d.endpoint_id and u.status = d.status and u.delivery_id = d.id
)
limit 10000 for share of d
on conflict do nothing;
-- In steps:
delete from webhook_unsuccessful u using (
  select d.store_id, d.endpoint_id, n.status, d.id from webhook_unsuccessful n
  join webhook_delivery d on d.store_id = n.store_id and d.id = n.delivery_id
  where d.status <> n.status limit 10000 for share of d
) d
where u.store_id = d.store_id and u.endpoint_id = d.endpoint_id and u.status = d.status and u.delivery_id = d.id;

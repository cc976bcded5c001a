-- The report of sales reads of each order its time, total and payment in an index alone.
create index concurrently if not exists order_sales on "order" (store_id, created_at)
  include (currency, payment, total_cents) where status <> 'cancelled';

-- The orders of before the trigger get their rows, by number; how far this has come stands in a table of its own. An
-- order is locked while its rows are written: one that is cancelled at that moment is cancelled before or after.
create table if not exists sale_line_filling (store_id text not null, number bigint not null);
insert into sale_line_filling select '', 0 where not exists (select from sale_line_filling);

-- In steps:
with batch as materialized (
  select o.* from "order" o
  where (o.store_id, o.number) > (select f.store_id, f.number from sale_line_filling f)
  order by o.store_id, o.number limit 5000 for share of o
), filled as (
  insert into sale_line (store_id, created_at, number, product_id, currency, quantity, total_cents)
  select o.store_id, o.created_at, o.number, line->>'productId', o.currency,
    sum((line->>'quantity')::bigint), sum((line->>'totalCents')::bigint)
  from batch o cross join json_array_elements(o.line_items) line
  where o.status <> 'cancelled'
  group by o.store_id, o.created_at, o.number, line->>'productId', o.currency
  on conflict do nothing
)
update sale_line_filling f set store_id = last.store_id, number = last.number
from (select store_id, number from batch order by store_id desc, number desc limit 1) last;

drop table if exists sale_line_filling;

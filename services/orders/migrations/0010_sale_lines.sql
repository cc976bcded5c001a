-- Sales, a row for each product of an order that is not cancelled: the report of top products sums this table's only
-- index and reads no order. A trigger maintains it in the transaction that writes or cancels the order, so that it also
-- contains the orders of replicas whose version does not know the table yet.
create table sale_line (
  store_id text not null,
  -- Of the order.
  created_at timestamptz not null,
  number bigint not null,
  product_id text not null,
  currency text not null,
  quantity bigint not null,
  total_cents bigint not null,
  primary key (store_id, created_at, number, product_id) include (currency, quantity, total_cents)
);

create function add_sale_lines() returns trigger language plpgsql as $$
begin
  insert into sale_line (store_id, created_at, number, product_id, currency, quantity, total_cents)
  select new.store_id, new.created_at, new.number, line->>'productId', new.currency,
    sum((line->>'quantity')::bigint), sum((line->>'totalCents')::bigint)
  from json_array_elements(new.line_items) line
  group by line->>'productId'
  on conflict do nothing;
  return null;
end $$;

create function remove_sale_lines() returns trigger language plpgsql as $$
begin
  delete from sale_line
  where store_id = new.store_id and created_at = new.created_at and number = new.number;
  return null;
end $$;

create trigger order_sold after insert on "order" for each row
when (new.status <> 'cancelled') execute function add_sale_lines();
-- Cancelled is final.
create trigger order_cancelled after update of status on "order" for each row
when (new.status = 'cancelled' and old.status <> 'cancelled') execute function remove_sale_lines();

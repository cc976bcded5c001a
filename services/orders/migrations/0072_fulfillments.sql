-- Fulfilments: the items of an order that were sent together.
create table fulfillment (
  store_id text not null,
  id text not null,
  order_id text not null,
  -- [{ variantId, quantity }]
  lines json not null,
  carrier text,
  tracking_number text,
  -- Only one that was given: that of a known carrier follows from the number.
  tracking_url text,
  status text not null check (status in ('shipped', 'delivered', 'cancelled')),
  -- Whether the customer is to be told.
  notifies boolean not null,
  delivered_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id)
) with (fillfactor = 90);
create index fulfillment_of_order on fulfillment (store_id, order_id, created_at, id);

-- The uses of the order's units, by variant: { "var_…": { fulfilled, refunded, restocked } }. Null: none yet, or the
-- order is older than this column.
alter table "order" add column units json;

-- Refunds, with the items and the shipping that they are for.
create table refund (
  store_id text not null,
  id text not null,
  order_id text not null,
  amount_cents bigint not null,
  tax_cents bigint not null,
  shipping_cents bigint not null,
  -- The refunded part of the order's tax on shipping.
  shipping_tax_cents bigint not null,
  -- [{ variantId, quantity, restock, amountCents, taxCents }], at what was paid for them.
  lines json not null,
  reason text,
  state text not null check (state in ('pending', 'done', 'failed')),
  -- [{ paymentId, amountCents }]: by which payments it goes back.
  parts json not null,
  -- Whether the customer is to be told.
  notifies boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id)
) with (fillfactor = 90);
create index refund_of_order on refund (store_id, order_id, created_at, id);

-- Returns: the items that customers send back.
create table order_return (
  store_id text not null,
  id text not null,
  order_id text not null,
  kind text not null check (kind in ('return', 'withdrawal')),
  -- [{ variantId, quantity, reason }]
  lines json not null,
  state text not null check (state in ('requested', 'approved', 'declined', 'received', 'closed')),
  note text,
  refund_id text,
  -- Whether the customer is to be told of the last change.
  notifies boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id)
) with (fillfactor = 90);
create index order_return_of_order on order_return (store_id, order_id, created_at, id);

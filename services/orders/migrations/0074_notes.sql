-- Notes on orders, by members for each other.
create table order_note (
  store_id text not null,
  order_id text not null,
  id text not null,
  text text not null,
  user_id text not null,
  created_at timestamptz not null,
  primary key (store_id, order_id, id)
);
create index order_note_by_created on order_note (store_id, order_id, created_at, id);

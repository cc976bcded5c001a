-- A store's customers and orders, and the checkouts under way. Every key and every index starts with the store, so
-- that the data can be split by store over many servers.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create table customer (
  store_id text not null,
  id text not null,
  -- Lower-case.
  email text not null,
  name text not null,
  -- The name as it sorts: lower-case, without marks, compared byte by byte, the same on every server.
  name_key text collate "C" not null,
  phone text,
  tags text[] not null,
  addresses json not null,
  -- The merchant's own: in no answer of the public API, in no event.
  note text not null default '',
  -- Name, e-mail and phone, lower-case, one a line: what `q` looks into.
  search text not null,
  -- Of the orders that are not cancelled: kept by every transaction that changes one, since counting them at each
  -- read would cost more with every order.
  orders_count bigint not null default 0,
  -- Of those that are paid or partially refunded.
  total_spent_cents numeric not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  constraint customer_email_key unique (store_id, email)
) with (fillfactor = 90);

create table "order" (
  store_id text not null,
  id text not null,
  -- Sequential in the store, never reused.
  number bigint not null,
  status text not null check (status in ('open', 'completed', 'cancelled')),
  payment text not null
    check (payment in ('pending', 'authorized', 'paid', 'partially_refunded', 'refunded', 'voided')),
  fulfillment text not null
    check (fulfillment in ('unfulfilled', 'partially_fulfilled', 'fulfilled', 'returned')),
  currency text not null,
  -- The following columns are history: nothing changes them.
  line_items json not null,
  subtotal_cents bigint not null,
  shipping_cents bigint not null,
  tax_cents bigint not null,
  total_cents bigint not null,
  -- Stays when the customer is deleted.
  customer_id text not null,
  customer_name text not null,
  customer_email text not null,
  customer_phone text,
  shipping_address json,
  -- Number, customer name and e-mail, lower-case, one a line: what `q` looks into.
  search text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  constraint order_number_key unique (store_id, number)
);

-- The last number given out, and how many customers there are. One row a store.
create table store_total (
  store_id text primary key,
  last_order_number bigint not null default 0,
  customers bigint not null default 0
) with (fillfactor = 50);

-- How many orders a store has of each combination of the three states: at most 72 rows a store. They make the totals
-- of lists, and tell which combinations a list has to look for.
create table order_count (
  store_id text not null,
  status text not null,
  payment text not null,
  fulfillment text not null,
  orders bigint not null,
  primary key (store_id, status, payment, fulfillment)
) with (fillfactor = 50);

-- One index per sort order, by combination of states: a list merges the beginnings of those that its filters let in.
create index order_by_number on "order" (store_id, status, payment, fulfillment, number);
create index order_by_created on "order" (store_id, status, payment, fulfillment, created_at, id);
create index order_by_updated on "order" (store_id, status, payment, fulfillment, updated_at, id);
create index order_by_total on "order" (store_id, status, payment, fulfillment, total_cents, id);
create index order_of_customer on "order" (store_id, customer_id, number);
create index order_search on "order" using gin (store_id, search gin_trgm_ops);

create index customer_by_created on customer (store_id, created_at, id);
create index customer_by_name on customer (store_id, name_key, id);
create index customer_search on customer using gin (store_id, search gin_trgm_ops);

-- A checkout from its first request on, by its idempotency key. An order is written only while its checkout is here
-- and not yet placed, in the transaction that marks it so: who deletes the row has made sure that this order will
-- never be, and its stock can go back.
create table checkout (
  store_id text not null,
  idempotency_key text not null,
  -- SHA-256 of what was asked for.
  request_hash bytea not null,
  order_id text not null,
  is_placed boolean not null default false,
  -- When the reservation of its stock can no longer be made.
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (store_id, idempotency_key),
  constraint checkout_order_key unique (store_id, order_id)
) with (fillfactor = 70);
create index checkout_age on checkout (created_at);

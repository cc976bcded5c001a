-- The ledger: what is to be paid by each payment of an order, and all that happened to it. Entries are only ever added.
create table payment (
  store_id text not null,
  id text not null,
  order_id text not null,
  -- Null: recorded by hand, without a method.
  method_id text,
  provider text not null check (provider in ('manual', 'stripe', 'app')),
  -- The name that the shopper's method had when it was chosen.
  method_name text,
  -- The provider's word for the way.
  method text,
  amount_cents bigint not null,
  currency text not null,
  reference text,
  failure json,
  is_test boolean not null default false,
  -- The following columns are derived from the entries, by one function, whenever one is added.
  status text not null default 'pending' check (
    status in ('pending', 'authorized', 'captured', 'partially_refunded', 'refunded', 'voided', 'failed', 'disputed')
  ),
  captured_cents bigint not null default 0,
  refunded_cents bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id)
) with (fillfactor = 90);
create index payment_of_order on payment (store_id, order_id, created_at, id);
create index payment_by_created on payment (store_id, created_at, id);

create table payment_entry (
  store_id text not null,
  payment_id text not null,
  id text not null,
  kind text not null check (
    kind in (
      'authorized', 'captured', 'refunded', 'voided', 'failed', 'disputed', 'disputeWon', 'disputeLost', 'noted'
    )
  ),
  amount_cents bigint not null,
  at timestamptz not null,
  -- The provider's id of the movement, unique together with the kind.
  reference text,
  -- Only of 'noted': the state that the order was given by hand.
  status text check (
    status in ('pending', 'authorized', 'paid', 'partially_refunded', 'refunded', 'voided')
  ),
  primary key (store_id, payment_id, id)
);

-- Null: an order from before the ledger, whose entries are made of its state when they are first needed.
alter table "order" add column paid_cents bigint;
alter table "order" add column refunded_cents bigint;
-- Whether the store had a payment method to choose when it was placed.
alter table "order" add column took_methods boolean not null default false;

-- Prices of orders: a store's rules for taxes and shipping, its discounts with their codes, and the parts of them that
-- an order stores. `decisions.md 21`.
create table pricing_rule (
  store_id text primary key,
  -- Null: nothing was set, so there is no tax.
  taxes json,
  zones json not null default '[]',
  updated_at timestamptz not null
);

create table discount (
  store_id text not null,
  id text not null,
  title text not null,
  -- As it is shown; what it is found by stands in `discount_code`.
  code text,
  status text not null check (status in ('active', 'disabled')),
  starts_at timestamptz,
  ends_at timestamptz,
  kind text not null check (kind in ('percentage', 'amount', 'freeShipping', 'buyXGetY')),
  -- Kind by kind: percent, amountCents, appliesTo, minimum, buy, get.
  terms json not null,
  is_combinable boolean not null,
  total_limit bigint,
  customer_limit bigint,
  -- Single-use codes were made for it. It stays so when they are withdrawn: nobody wants it to apply by itself then.
  has_codes boolean not null default false,
  -- Of orders that are not cancelled. Whoever changes it has locked the row, so that limits are exact.
  used_count bigint not null default 0,
  search text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id)
) with (fillfactor = 70);
create index discount_by_created on discount (store_id, created_at, id);
-- Those that every order is priced with.
create index discount_automatic on discount (store_id, created_at, id)
  where code is null and not has_codes and status = 'active';

-- Codes of both kinds, so that no text stands for two discounts.
create table discount_code (
  store_id text not null,
  -- The code, folded.
  id text not null,
  discount_id text not null,
  code text not null,
  is_single boolean not null,
  -- Of a single-use code: the order that has used it.
  order_id text,
  used_at timestamptz,
  created_at timestamptz not null,
  primary key (store_id, id)
) with (fillfactor = 90);
create index discount_code_by_created on discount_code (store_id, discount_id, created_at, id);

-- The uses of discounts by orders that are not cancelled.
create table discount_use (
  store_id text not null,
  order_id text not null,
  discount_id text not null,
  -- The customer's address, in lower case; empty once the customer is erased.
  email text not null,
  -- The single-use code, folded.
  code_id text,
  primary key (store_id, order_id, discount_id)
);
create index discount_use_of_customer on discount_use (store_id, discount_id, email);

-- An order without `tax_lines` was written before there were any, or by a copy of the version before: its items say
-- nothing of tax and discounts, and are shown with what they had, none. Constant defaults touch no row.
alter table "order"
  add column discount_cents bigint not null default 0,
  add column discounts json not null default '[]',
  add column shipping_tax_cents bigint not null default 0,
  add column shipping_rate json,
  add column tax_lines json,
  add column tax_included boolean not null default true,
  add column reverse_charge boolean not null default false,
  add column vat_id text,
  add column locale text;

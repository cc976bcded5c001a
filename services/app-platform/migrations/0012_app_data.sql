-- The values that apps keep about a store and its products, printed into its pages. They outlive an uninstall.
create table app_data (
  store_id text not null,
  app_id text not null,
  key text collate "C" not null,
  owner text not null check (owner in ('site', 'product')),
  -- A product's id; empty for the site's.
  owner_id text collate "C" not null,
  value text not null,
  updated_at timestamptz not null default now(),
  primary key (store_id, app_id, key, owner, owner_id)
);
-- The values of a product that is deleted.
create index app_data_owner on app_data (store_id, owner_id) where owner = 'product';

-- A write that looked its product up just before this was heard of must not bring a value back. Kept for an hour:
-- no write takes longer.
create table deleted_product (
  store_id text not null,
  product_id text not null,
  deleted_at timestamptz not null default now(),
  primary key (store_id, product_id)
);
create index deleted_product_age on deleted_product (deleted_at);

-- After how many minutes a store's unpaid orders are cancelled, as its last event told; never where there is no row.
-- The orders themselves are found by their states and age in the index that lists them.
create table checkout_setting (
  store_id text primary key,
  expire_unpaid_after_minutes integer not null,
  -- Of the store: an older event that comes later changes nothing.
  updated_at timestamptz not null
);
create index checkout_setting_expiring on checkout_setting (store_id) where expire_unpaid_after_minutes > 0;

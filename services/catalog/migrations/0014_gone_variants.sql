-- The names of deleted variants, and of the variants of deleted products: carts that hold one show its name for a while
-- (`decisions.md 20.6`).
create table gone_variant (
  store_id text not null,
  id text not null,
  product_name text not null,
  variant_name text not null,
  with_product boolean not null,
  gone_at timestamptz not null,
  primary key (store_id, id)
);
create index gone_variant_age on gone_variant (gone_at);

-- Options and further fields of products and variants (`decisions.md 20.1, 20.2`). Each column has a constant default,
-- so no row is written; older rows are products without options.
alter table product
  add column options json not null default '[]',
  add column vendor text not null default '',
  add column tax_category text not null default 'standard',
  add column seo json not null default '{"title":"","description":"","imageMediaId":null}',
  -- The media that the product shows beside `media_ids`: of its variants and of `seo`.
  add column more_media_ids text[] not null default '{}',
  -- About how many bytes its JSON has, description included; null: of before, so at most a hundred variants.
  add column json_bytes integer,
  -- Since when the product is active; null: since it was created.
  add column active_since timestamptz;

alter table variant
  add column options json not null default '{}',
  add column compare_at_cents bigint,
  add column barcode text,
  add column weight_grams integer,
  add column requires_shipping boolean not null default true,
  add column unit json,
  add column unit_price_cents bigint,
  add column media_id text,
  -- Since when the variant has its price; null: since its product was created.
  add column price_since timestamptz,
  add column lowest_price_cents bigint;

-- Prices that have ended, each for as long as it was in force while its product was active. The present one is the
-- variant's own.
create table price_period (
  store_id text not null,
  variant_id text not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  price_cents bigint not null,
  primary key (store_id, variant_id, started_at)
);
create index price_period_end on price_period (ended_at);

-- The facts by which the lines of an order were priced; null: reserved by an older version, which did not store them.
alter table reservation add column facts json;

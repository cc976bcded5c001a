-- A store's products and variants. Every key and every index starts with the store, so that the data can be
-- split by store over many servers.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create table product (
  store_id text not null,
  id text not null,
  -- Sequential in the store, never reused.
  number bigint not null,
  name text not null,
  -- The name as it sorts: lower-case, without marks, compared byte by byte, the same on every server.
  name_key text collate "C" not null,
  slug text not null,
  status text not null check (status in ('draft', 'active', 'archived')),
  description text not null,
  tags text[] not null,
  media_ids text[] not null,
  -- Derived from the variants when they are written; null without any.
  price_cents bigint,
  total_stock bigint not null,
  -- Name, slug, SKUs and tags, lower-case, one a line: what `q` looks into.
  search text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  constraint product_slug_key unique (store_id, slug),
  constraint product_number_key unique (store_id, number)
);

create table variant (
  store_id text not null,
  id text not null,
  product_id text not null,
  position integer not null,
  sku text,
  name text not null,
  price_cents bigint not null check (price_cents >= 0),
  stock bigint not null check (stock >= 0),
  primary key (store_id, id),
  constraint variant_sku_key unique (store_id, sku),
  foreign key (store_id, product_id) references product (store_id, id) on delete cascade
);
create index variant_product on variant (store_id, product_id, position);

-- How many products a store has by status, and the last number given out: a count over a million rows on every
-- list would cost more than the list. One row a store, written with every create, delete and change of status.
create table product_total (
  store_id text primary key,
  last_number bigint not null default 0,
  draft bigint not null default 0,
  active bigint not null default 0,
  archived bigint not null default 0
);

-- One index per sort order, by status: a list of one status reads the beginning of one, a list of all merges
-- the beginnings of three. Prices sort null last in both directions, hence two.
create index product_by_number on product (store_id, status, number);
create index product_by_name on product (store_id, status, name_key, id);
create index product_by_price on product (store_id, status, price_cents, id);
create index product_by_price_desc on product (store_id, status, price_cents desc nulls last, id desc);
create index product_by_stock on product (store_id, status, total_stock, id);
create index product_by_created on product (store_id, status, created_at, id);
create index product_by_updated on product (store_id, status, updated_at, id);

create index product_search on product using gin (store_id, search gin_trgm_ops);

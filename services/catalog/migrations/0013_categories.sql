-- A tree of categories, and which products each contains: chosen one by one, or by a rule (`decisions.md 20.3`).
create table category (
  store_id text not null,
  id text not null,
  name text not null,
  slug text not null,
  description text not null,
  -- Null: a root.
  parent_id text,
  -- Among its siblings, from 0 on, without gaps.
  position integer not null,
  image_media_id text,
  kind text not null check (kind in ('manual', 'rule')),
  rule json,
  sort_by text not null check (sort_by in ('manual', 'name', 'price', 'created')),
  sort_dir text not null check (sort_dir in ('asc', 'desc')),
  seo json not null,
  -- When the members of a rule are to be found anew among all products; null: not before something changes.
  match_at timestamptz,
  -- Another number wherever the category contains other products, or in another order.
  members_revision bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  constraint category_slug_key unique (store_id, slug)
);
create index category_siblings on category (store_id, parent_id, position);
create index category_rules on category (store_id, id) where kind = 'rule';
create index category_match on category (match_at) where match_at is not null;

-- `position` is the order of a manual category's products; a rule's have none.
create table category_product (
  store_id text not null,
  category_id text not null,
  product_id text not null,
  position integer,
  primary key (store_id, category_id, product_id),
  foreign key (store_id, category_id) references category (store_id, id) on delete cascade,
  foreign key (store_id, product_id) references product (store_id, id) on delete cascade
);
create index category_product_of on category_product (store_id, product_id, category_id);
create index category_product_order on category_product (store_id, category_id, position, product_id);

-- One row a store: whoever changes the tree has it to itself, and how many categories there are. `checked_until` is how
-- far the changes of products have been looked at for rules.
create table category_total (
  store_id text primary key,
  categories bigint not null default 0,
  rules bigint not null default 0,
  checked_until timestamptz not null
);
create index category_total_rules on category_total (store_id) where rules > 0;

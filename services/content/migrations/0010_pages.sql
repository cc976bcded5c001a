-- A store's pages: what the public API shows of them, and the draft that waits to be published. Every key and
-- every index starts with the store, so that the data can be split by store over many servers.

-- One row a store: how many pages it has. Whoever makes, moves, renames or deletes a page of the store holds it, so
-- that positions stay 0, 1, 2, … without gaps and exactly one page is the homepage.
create table page_list (
  store_id text primary key,
  pages integer not null default 0
);

create table page (
  store_id text not null,
  id text not null,
  name text not null,
  slug text not null,
  -- 0, 1, 2, … without gaps.
  position integer not null,
  is_homepage boolean not null,
  -- As it was sent: json keeps the order of its members, jsonb would not.
  settings json not null,
  -- Null until it goes live.
  published_at timestamptz,
  -- Counts the changes of this row, the positions aside: a kept rendering of the page knows by it that it is old.
  revision integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  constraint page_slug_key unique (store_id, slug),
  -- Checked at the end of a statement: one statement moves a page and shifts the others.
  constraint page_position_key unique (store_id, position) deferrable initially immediate
);
create unique index page_homepage_key on page (store_id) where is_homepage;

-- A saved draft; publishing consumes it.
create table page_draft (
  store_id text not null,
  page_id text not null,
  document json not null,
  -- Another with every save: what publishes one draft does not consume the next.
  revision uuid not null default gen_random_uuid(),
  primary key (store_id, page_id),
  foreign key (store_id, page_id) references page (store_id, id) on delete cascade
);

-- The facts of stores that content needs, from their events: where pages are served, and in which currency.
create table store_fact (
  store_id text primary key,
  name text not null,
  slug text not null,
  -- ISO 4217.
  currency text not null,
  -- When identity wrote what stands here; its events come in any order.
  updated_at timestamptz not null
);
-- Not unique: of two stores that swap their slugs, one has it later here. The newest holder is the one.
create index store_fact_slug on store_fact (slug, updated_at);

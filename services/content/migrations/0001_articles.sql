-- A store's articles and the categories that they stand in. Every key and every index starts with the store, so
-- that the data can be split by store over many servers.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create table blog_category (
  store_id text not null,
  id text not null,
  name text not null,
  slug text not null,
  -- Null: at the top.
  parent_id text,
  -- Among the categories of one parent: 0, 1, 2, … without gaps.
  position integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  constraint blog_category_slug_key unique (store_id, slug),
  foreign key (store_id, parent_id) references blog_category (store_id, id)
);
create index blog_category_order on blog_category (store_id, parent_id nulls first, position);

-- One row a store: how many categories it has. Whoever writes an article or a category of the store holds it, so
-- that slugs stay free between the question and the answer, two moves cannot make a cycle between them, and no
-- article keeps a category that is gone.
create table blog (
  store_id text primary key,
  categories bigint not null default 0
);

create table article (
  store_id text not null,
  -- Holds the time of creation, and sorts by it.
  id text not null,
  title text not null,
  slug text not null,
  excerpt text not null,
  -- HTML, sanitised when written; empty for a builder document.
  content text not null,
  body_type text not null check (body_type in ('html', 'page')),
  status text not null check (status in ('draft', 'published')),
  cover_media_id text,
  tags text[] not null,
  -- Title, slug and tags, lower-case, one a line: what `q` looks into.
  search text not null,
  -- When it was published first; kept while it is a draft again, and not shown then.
  published_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  constraint article_slug_key unique (store_id, slug)
);
create index article_search on article using gin (store_id, search gin_trgm_ops);

-- The builder document of an article whose body is one; by itself, so that lists do not read it.
create table article_document (
  store_id text not null,
  article_id text not null,
  document json not null,
  primary key (store_id, article_id),
  foreign key (store_id, article_id) references article (store_id, id) on delete cascade
);

-- Where an article is listed: in the store's list (scope '') and in each of its categories (scope: the category's
-- id), with what lists are sorted by. So a category's list is as cheap as the store's, in every order.
create table article_listing (
  store_id text not null,
  article_id text not null,
  scope text not null,
  -- The category's place in the article's `categoryIds`.
  place integer not null,
  status text not null check (status in ('draft', 'published')),
  -- The title as it sorts: lower-case, without marks, compared byte by byte, the same on every server.
  title_key text collate "C" not null,
  updated_at timestamptz not null,
  -- Null for drafts.
  published_at timestamptz,
  primary key (store_id, article_id, scope),
  foreign key (store_id, article_id) references article (store_id, id) on delete cascade
);
-- One index per sort order, by status: a list of one status reads the beginning of one, a list of all merges the
-- beginnings of two.
create index article_listing_by_created on article_listing (store_id, scope, status, article_id);
create index article_listing_by_updated on article_listing (store_id, scope, status, updated_at, article_id);
create index article_listing_by_published on article_listing (store_id, scope, status, published_at, article_id);
create index article_listing_by_title on article_listing (store_id, scope, status, title_key, article_id);

-- How many articles each of those lists has, by status.
create table article_total (
  store_id text not null,
  scope text not null,
  draft bigint not null default 0,
  published bigint not null default 0,
  primary key (store_id, scope)
);

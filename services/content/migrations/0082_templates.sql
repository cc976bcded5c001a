-- Templates of a store's own: what stands around and in the pages that nobody has made one by one. What is published is a
-- live page of its own, under `tpl_` and the kind, so that it is made again when something that it shows changes; here
-- are its drafts. Without a row, the default holds.
create table template (
  store_id text not null,
  kind text not null check (kind in ('header', 'footer', 'product', 'article', 'blog', 'search', 'notFound')),
  -- The draft that waits to be published; null: there is none.
  draft json,
  -- Another with every save of the draft.
  draft_revision uuid not null default gen_random_uuid(),
  -- Counts the documents that there were to edit.
  saves integer not null default 0,
  saved_at timestamptz,
  saved_by text,
  -- When what is live was published; null: the default is.
  published_at timestamptz,
  primary key (store_id, kind)
);

-- How a store looks: one row, so that another look touches no page.
create table theme (
  store_id text primary key,
  -- The draft that waits to be published; null: there is none.
  draft json,
  -- The published theme, its style sheet and the name of that; null: none, and the base style sheet holds.
  live json,
  sheet text,
  hash text,
  -- The style sheet before, for pages that somebody has open.
  former_sheet text,
  former_hash text,
  published_at timestamptz
);

-- Where pages and articles were that visitors have seen: their old addresses lead to the new ones until another page or
-- article takes them.
create table former_slug (
  store_id text not null,
  kind text not null check (kind in ('page', 'article')),
  slug text not null,
  owner_id text not null,
  left_at timestamptz not null default clock_timestamp(),
  primary key (store_id, kind, slug)
);
create index former_slug_owner on former_slug (store_id, owner_id, left_at);

-- A page may go and come back: who still has its earlier form in hand must not take the new one for it.
alter table live_page alter column version set default (extract(epoch from clock_timestamp()) * 1000)::bigint;

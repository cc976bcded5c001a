-- Trash that has lain long enough goes by itself, the oldest first, if nothing uses it. Its use is known elsewhere, so
-- what is used is met again in each round: the search remembers how far it has come, and whoever searches takes the
-- next few from there.
create index concurrently if not exists media_asset_trash_age on media_asset (trashed_at, store_id, id)
  where trashed_at is not null;

create table if not exists media_trash_sweep (
  one boolean primary key default true check (one),
  trashed_at timestamptz not null,
  store_id text not null,
  asset_id text not null,
  -- Not before.
  next_at timestamptz not null
);
insert into media_trash_sweep (trashed_at, store_id, asset_id, next_at) values ('-infinity', '', '', now())
  on conflict do nothing;

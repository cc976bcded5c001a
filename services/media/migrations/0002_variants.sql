-- Scaled variants are caused by visitors: what they add up to gets a share of the store's quota, and each is known
-- here before its object is there, with when it was last used. And bytes of uploads are removed outside of
-- transactions, so that an object store that does not answer holds no lock: meanwhile a reservation says so.
create table media_variant (
  store_id text not null,
  sha256 text not null,
  -- Width and format: the last part of its object's key.
  name text not null,
  -- Counts in media_usage.variant_bytes while this row is here. 0: there is no object, the original serves.
  size_bytes bigint not null check (size_bytes >= 0),
  state text not null check (state in ('making', 'ready', 'removing')),
  -- When it came into its state. One whose process was killed meanwhile is swept.
  changed_at timestamptz not null,
  -- To the hour.
  used_at timestamptz not null,
  primary key (store_id, sha256, name)
);
create index media_variant_by_use on media_variant (store_id, used_at) where state = 'ready' and size_bytes > 0;
create index media_variant_unfinished on media_variant (changed_at) where state <> 'ready';

alter table media_usage add column variant_bytes bigint not null default 0;
alter table media_usage add constraint media_usage_variant_bytes_check check (variant_bytes >= 0) not valid;

-- Nothing is reserved any more; these bytes are being removed, and nobody may count on their being there.
alter table media_reservation add column removing boolean not null default false;

-- How far the search for objects that nothing knows has come; whoever searches takes the next few assets from here.
create table media_search (
  one boolean primary key default true check (one),
  store_id text not null,
  asset_id text not null,
  -- Not before.
  next_at timestamptz not null
);
insert into media_search (store_id, asset_id, next_at) values ('', '', now());

-- A store's media library: assets, the folders they are in, and how many bytes count against its quota. The bytes
-- themselves are in the object store, under the store and their SHA-256. Every key and every index starts with the
-- store, so that the data can be split by store over many servers.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create table media_folder (
  store_id text not null,
  id text not null,
  parent_id text,
  name text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  -- Also of folders at the root.
  constraint media_folder_name_key unique nulls not distinct (store_id, parent_id, name),
  foreign key (store_id, parent_id) references media_folder (store_id, id)
);

create table media_asset (
  store_id text not null,
  id text not null,
  folder_id text,
  name text not null,
  -- The name as it sorts: lower-case, without marks, compared byte by byte, the same on every server.
  name_key text collate "C" not null,
  -- The name in lower case: what `q` looks into.
  search text not null,
  kind text not null check (kind in ('image', 'video', 'font')),
  content_type text not null,
  size_bytes bigint not null,
  -- Hex, lower case.
  sha256 text not null,
  -- Pixels, as shown; of images whose size is known.
  width integer,
  height integer,
  -- Whether variants of other widths can be made: pixels that do not move.
  resizable boolean not null,
  trashed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id),
  foreign key (store_id, folder_id) references media_folder (store_id, id)
);
create index media_asset_by_created on media_asset (store_id, created_at, id);
create index media_asset_by_name on media_asset (store_id, name_key, id);
create index media_asset_by_size on media_asset (store_id, size_bytes, id);
create index media_asset_by_folder on media_asset (store_id, folder_id);
create index media_asset_trashed on media_asset (store_id, created_at, id) where trashed_at is not null;
-- The assets that share the bytes of an object.
create index media_asset_by_bytes on media_asset (store_id, sha256);
create index media_asset_search on media_asset using gin (store_id, search gin_trgm_ops);

-- The bytes that count against a store's quota: every asset, trashed ones too, and every reservation.
create table media_usage (
  store_id text primary key,
  used_bytes bigint not null check (used_bytes >= 0)
);

-- Bytes that are being stored. A reservation whose process was killed runs out and is swept.
create table media_reservation (
  store_id text not null,
  id text not null,
  sha256 text not null,
  size_bytes bigint not null,
  expires_at timestamptz not null,
  primary key (store_id, id)
);
create index media_reservation_due on media_reservation (expires_at);
create index media_reservation_by_bytes on media_reservation (store_id, sha256);

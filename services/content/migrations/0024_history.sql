-- The states of documents at their saves and publishes, which can be restored. A document that was saved, published and
-- restored is stored once. The rows of one owner (a page, a section, an article) stand together; every change of them
-- locks the owner's row of `history`.
create table history (
  store_id text not null,
  owner_id text not null,
  revisions integer not null default 0,
  -- Of all its documents.
  bytes bigint not null default 0,
  -- When something of it may be too old to keep; null: only when more comes.
  prune_at timestamptz,
  -- The owner was deleted: all of it goes.
  is_gone boolean not null default false,
  primary key (store_id, owner_id)
);
create index history_prune on history (prune_at) where prune_at is not null;

create table revision (
  store_id text not null,
  owner_id text not null,
  -- Sorts by time.
  id text collate "C" not null,
  kind text not null check (kind in ('draft', 'published')),
  -- Null: an API key or an app.
  user_id text,
  created_at timestamptz not null,
  -- Of the first of the saves that this one stands for.
  begun_at timestamptz not null,
  nodes integer not null,
  -- SHA-256 of the document.
  hash bytea not null,
  primary key (store_id, owner_id, id)
);
create index revision_by_kind on revision (store_id, owner_id, kind, id);
create index revision_by_document on revision (store_id, owner_id, hash);

create table revision_document (
  store_id text not null,
  owner_id text not null,
  hash bytea not null,
  -- JSON, as it was saved.
  document text not null,
  primary key (store_id, owner_id, hash)
);

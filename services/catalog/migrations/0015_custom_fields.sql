-- The definitions of custom fields (`decisions.md 20.4`). Orders and content keep copies of these rows.
create table custom_field (
  store_id text not null,
  id text not null,
  entity text not null,
  key text not null,
  name text not null,
  type text not null,
  options json not null,
  rules json not null,
  visibility text not null check (visibility in ('private', 'public')),
  is_filterable boolean not null,
  -- The app that made it; null: the store itself.
  app_id text,
  -- Greater after each change: of two copies the greater one holds.
  revision bigint not null,
  -- Since when its app is uninstalled.
  hidden_at timestamptz,
  deleted_at timestamptz,
  -- Of a deleted one: up to which row its values were removed; null: everywhere.
  swept_to text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id)
);
create unique index custom_field_key on custom_field (store_id, entity, coalesce(app_id, ''), key)
  where deleted_at is null;
create index custom_field_list on custom_field (store_id, entity, created_at, id) where deleted_at is null;
create index custom_field_sweep on custom_field (store_id) where swept_to is not null;
create index custom_field_deleted on custom_field (deleted_at) where deleted_at is not null;
create index custom_field_hidden on custom_field (hidden_at) where hidden_at is not null;

-- Values by the ids of their definitions. A constant default writes no row.
alter table product add column custom_fields jsonb not null default '{}';
alter table variant add column custom_fields jsonb not null default '{}';
alter table category add column custom_fields jsonb not null default '{}';

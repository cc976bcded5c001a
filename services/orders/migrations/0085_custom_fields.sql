-- Copies of the definitions of custom fields of customers and orders, which catalog has (`decisions.md 20.4`).
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
  app_id text,
  -- The greater one of two copies holds.
  revision bigint not null,
  hidden_at timestamptz,
  deleted_at timestamptz,
  -- Of a deleted one: up to which row its values were removed; null: everywhere.
  swept_to text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (store_id, id)
);
create index custom_field_list on custom_field (store_id, entity) where deleted_at is null;
create index custom_field_sweep on custom_field (store_id) where swept_to is not null;
create index custom_field_deleted on custom_field (deleted_at) where deleted_at is not null;

-- Values by the ids of their definitions. A constant default writes no row.
alter table "order" add column custom_fields jsonb not null default '{}';
alter table customer add column custom_fields jsonb not null default '{}';

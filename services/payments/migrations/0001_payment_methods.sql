-- The ways in which a store is paid. A provider's secrets are sealed and nowhere else in the system.
create table payment_method (
  store_id text not null,
  id text not null,
  provider text not null check (provider in ('manual', 'stripe', 'app')),
  name text not null,
  is_enabled boolean not null default false,
  is_test boolean not null default false,
  capture text not null default 'automatic' check (capture in ('automatic', 'manual')),
  instructions text not null default '',
  publishable_key text,
  -- Encrypted, with the method's id as context.
  sealed_secret_key text,
  sealed_webhook_secret text,
  -- The provider's own id of the address that its events go to; null: none was registered.
  provider_webhook_id text,
  -- ISO 3166-1 alpha-2; null: every country.
  countries text[],
  minimum_cents bigint,
  maximum_cents bigint,
  app_id text,
  position integer not null,
  -- Set when it is deleted: it is offered no more, and serves the payments that it began.
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (store_id, id)
);
-- The address that a provider's events come to names the method alone.
create index payment_method_id on payment_method (id);
